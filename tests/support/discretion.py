"""Bots that accuse nobody before they may: by itself no game of the witness stand is over before somebody accuses."""

from __future__ import annotations

from msgspec.structs import replace

from chambers.clients.bots import Bot, View, bot_for
from chambers.protocol.client import Ask, Welcome


class Discretion:
    """What the bots of one table keep to until it is `over`."""

    def __init__(self, level: str, *, seed: str) -> None:
        self.over = False
        self._make = bot_for(level, seed=seed)

    def make(self, welcome: Welcome) -> Bot:
        """Return the bot of a seat."""
        return _Discreet(self._make(welcome), self)


class _Discreet:
    """Another bot, to which accusations are not offered as long as there is discretion."""

    def __init__(self, other: Bot, discretion: Discretion) -> None:
        self._other = other
        self._discretion = discretion

    def choose(self, view: View, ask: Ask) -> str:
        """Return the id of an option."""
        calm = tuple(option for option in ask.options if not option.id.startswith("accuse"))
        return self._other.choose(view, ask if self._discretion.over else replace(ask, options=calm))
