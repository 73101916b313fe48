"""The bots: each chooses from a prompt's options by what its seat is shown, and by nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, Protocol

from chambers.clients.sheet_bot import SheetBot
from chambers.protocol.client import Ask

View = dict[str, Any]


class Bot(Protocol):
    """What plays a seat: it sees the seat's view and the prompt, as a person would."""

    def choose(self, view: View, ask: Ask) -> str:
        """Return the id of one of the prompt's options."""
        ...


class RandomBot:
    """Chooses any legal option, each with the same chance."""

    def __init__(self, seat: int, chance: random.Random) -> None:
        self.seat = seat
        self._chance = chance

    def choose(self, view: View, ask: Ask) -> str:
        """Return the id of any option."""
        return self._chance.choice(ask.options).id


LEVELS: Final[dict[str, Callable[[int, random.Random], Bot]]] = {"random": RandomBot, "rules": SheetBot}


def make_bot(level: str, seat: int, *, seed: str) -> Bot:
    """Return a bot of a level for a seat, the same one for the same seed; KeyError for an unknown level."""
    return LEVELS[level](seat, random.Random(f"{seed}/bot/{level}/{seat}"))


def pauses(seat: int, *, seed: str, longest: float) -> Callable[[], float]:
    """Return what gives the seconds that a bot waits before each choice: one distribution, whatever its hand.

    The chance for pauses is its own: how often a bot thought about its cards must not show in its timing.
    """
    chance = random.Random(f"{seed}/pause/{seat}")
    return lambda: chance.uniform(0.2 * longest, longest) if longest > 0 else 0.0
