"""The bots: each chooses from a prompt's options by what its seat is shown, and by nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, Protocol

from chambers import editions
from chambers.clients.planner_bot import PlannerBot
from chambers.clients.sheet_bot import SheetBot
from chambers.clients.shelf import GAME, edition_for
from chambers.protocol.client import Ask, Welcome
from chambers.rules.missing_suspect.edition import Edition

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


Maker = Callable[[int, random.Random, str], Bot]
"""Makes a bot for a seat with a chance of its own, at a table of the edition named."""


def _random(seat: int, chance: random.Random, _edition: str) -> Bot:
    return RandomBot(seat, chance)


def _sheet(seat: int, chance: random.Random, _edition: str) -> Bot:
    return SheetBot(seat, chance)


def _planner(seat: int, chance: random.Random, edition: str) -> Bot:
    found = editions.named(edition)
    if not isinstance(found, Edition):
        raise editions.EditionError(f"The edition {edition!r} is one of {found.game}, not of missing-suspect.")
    return PlannerBot(seat, chance, edition=found)


LEVELS: Final[dict[str, dict[str, Maker]]] = {
    "witness-stand": {"random": _random, "rules": _sheet},
    "missing-suspect": {"random": _random, "rules": _planner},
}


def make_bot(level: str, seat: int, *, seed: str, game: str = GAME, edition: str = "") -> Bot:
    """Return a bot of a level for a seat of a game, the same one for the same seed.

    KeyError for an unknown game or level; EditionError where a bot needs the edition and it is not here.
    """
    chance = random.Random(f"{seed}/bot/{level}/{seat}")
    return LEVELS[game][level](seat, chance, edition_for(game, edition))


def bot_for(level: str, *, seed: str) -> Callable[[Welcome], Bot]:
    """Return what makes the bot for the seat, game and edition that a vault's welcome names."""
    return lambda welcome: make_bot(level, welcome.seat, seed=seed, game=welcome.game, edition=welcome.edition)


def pauses(seat: int, *, seed: str, longest: float) -> Callable[[], float]:
    """Return what gives the seconds that a bot waits before each choice: one distribution, whatever its hand.

    The chance for pauses is its own: how often a bot thought about its cards must not show in its timing.
    """
    chance = random.Random(f"{seed}/pause/{seat}")
    return lambda: chance.uniform(0.2 * longest, longest) if longest > 0 else 0.0
