"""Bots that accuse nobody: a game of the witness stand among them is in the middle for as long as a test needs it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from chambers.clients.bots import Bot, View, bot_for
from chambers.protocol.client import Ask, Welcome


class Calm:
    """A bot that takes what another one would of all that is not an accusation."""

    def __init__(self, other: Bot) -> None:
        self._other = other

    def choose(self, view: View, ask: Ask) -> str:
        """Return the id of an option."""
        calm = tuple(option for option in ask.options if not option.id.startswith("accuse"))
        return self._other.choose(view, msgspec.structs.replace(ask, options=calm or ask.options))


def calm(level: str, *, seed: str) -> Callable[[Welcome], Bot]:
    """Return what makes such a bot of a level for the seat that a vault's welcome names.

    Among any others a game may be over after eighteen entries: whoever accuses first may be right.
    """
    return lambda welcome: Calm(bot_for(level, seed=seed)(welcome))
