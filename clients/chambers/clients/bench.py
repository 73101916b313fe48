"""Whole games of bots in one process, without a bus: how fast the rules are, and how well the bots play."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from chambers import editions
from chambers.clients.bots import Bot, make_bot
from chambers.fairness.draw import Draw
from chambers.protocol.client import Ask, Choice
from chambers.rules import complete_options, game, simulator
from chambers.rules.events import Open, SeatPlan
from chambers.rules.game import Game, Hand, Play
from chambers.rules.opening import VERSION
from chambers.rules.terms import Option, Prompt, Setup

MOST: Final = 100_000
NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo")


class Figures(msgspec.Struct, frozen=True):
    """What a run of games took: counts, seconds of processor time, and how often each seat won."""

    level: str
    seats: int
    games: int
    moves: int
    rolls: int
    rounds: int
    entries: int
    seconds: float
    wins: tuple[int, ...]
    unfinished: int

    @property
    def games_a_second(self) -> float:
        """Return whole games a second of processor time."""
        return self.games / self.seconds if self.seconds else 0.0

    @property
    def moves_a_second(self) -> float:
        """Return choices a second of processor time."""
        return self.moves / self.seconds if self.seconds else 0.0


class BotTable:
    """Bots around a simulated table; each gets the view that its vault would send it, and nothing else."""

    def __init__(self, rules: Game, bots: Sequence[Bot]) -> None:
        self._rules = rules
        self._bots = bots

    def choose(self, seat: int, play: Play, hand: Hand, prompt: Prompt) -> Option:
        """Return the option that the seat's bot takes."""
        view: dict[str, Any] = {"public": self._rules.public_view(play), **self._rules.private_view(play, hand)}
        choices = tuple(Choice(id=option.id, label=option.label, event={}) for option in prompt.options)
        ask = Ask(id=prompt.id, kind=prompt.kind, text=prompt.text, options=choices, ruling=prompt.ruling)
        chosen = self._bots[seat].choose(view, ask)
        return next(option for option in prompt.options if option.id == chosen)


class RandomTable:
    """Players that take any option, as fast as can be: every option is listed at every choice, no view is made."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def choose(self, _seat: int, _play: Play, _hand: Hand, prompt: Prompt) -> Option:
        """Return any option."""
        return self._chance.choice(prompt.options)


def make_setup(edition: str, seats: int, options: tuple[tuple[str, str], ...] = ()) -> Setup:
    """Return the setup of a simulated table; EditionError or RuleError for one that cannot be played."""
    found = editions.load(edition)
    rules = game(found.game)
    opening = Open(
        v=VERSION,
        game=rules.NAME,
        rules=rules.RULES,
        edition=edition,
        edition_hash=editions.edition_hash(found),
        options=complete_options(rules, options),
        seats=tuple(SeatPlan("host", bot=True) for _ in range(seats)),
        chain=1024,
        log_key=bytes(32),
        reveal="public",
        auditor_key=None,
        spectators=True,
    )
    return Setup(opening, found)


def run_games(levels: Sequence[str], games: int, *, edition: str, seed: str, most: int = MOST) -> Figures:
    """Return the figures of `games` games with one bot level a seat; the same seed gives the same games.

    A game is cut off after `most` entries: random players hardly ever bring a suspect to trial.
    """
    setup = make_setup(edition, len(levels))
    rules = game(setup.opening.game)
    names = NAMES[: len(levels)]
    total, wins = [0, 0, 0, 0], [0] * len(levels)
    unfinished = 0
    start = time.process_time()
    for number in range(games):
        key = hashlib.sha256(f"{seed}/{number}".encode()).digest()
        table = _table(rules, setup, levels, f"{seed}/{number}")
        played = simulator.simulate(
            rules, setup, names, draw=Draw(key, "deal"), dice=Draw(key, "dice"), choose=table.choose, most=most
        )
        unfinished += played.result is None
        for place, value in enumerate((played.moves, played.rolls, played.rounds, played.entries)):
            total[place] += value
        if played.result is not None and played.result.winner is not None:
            wins[played.result.winner] += 1
    return Figures(
        level="/".join(dict.fromkeys(levels)),
        seats=len(levels),
        games=games,
        moves=total[0],
        rolls=total[1],
        rounds=total[2],
        entries=total[3],
        seconds=time.process_time() - start,
        wins=tuple(wins),
        unfinished=unfinished,
    )


def _table(rules: Game, setup: Setup, levels: Sequence[str], seed: str) -> BotTable | RandomTable:
    if set(levels) == {"random"}:
        return RandomTable(random.Random(seed))
    opening = setup.opening
    bots = [
        make_bot(level, seat, seed=seed, game=opening.game, edition=opening.edition)
        for seat, level in enumerate(levels)
    ]
    return BotTable(rules, bots)
