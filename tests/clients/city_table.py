"""A simulated table of the missing-suspect game, and what one seat's line mode says while it is played."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from chambers import editions
from chambers.clients.bench import NAMES, BotTable, make_setup
from chambers.clients.bots import make_bot
from chambers.clients.seating import sights_of
from chambers.clients.speech import Speech
from chambers.fairness.draw import Draw
from chambers.protocol.client import Line, Update, Welcome
from chambers.protocol.views import ask_of
from chambers.rules import game
from chambers.rules.missing_suspect.edition import Edition
from chambers.rules.simulator import Simulator, Told
from chambers.rules.terms import Viewer

GAME = game("missing-suspect")
EDITION = "missing-suspect"
WELCOME = Welcome(
    table="5d" * 16,
    game=EDITION,
    edition=EDITION,
    edition_hash=bytes(32),
    seat=0,
    seats=3,
    options=(),
    occupied=False,
    session=b"",
)


def city_box() -> Edition:
    """Return the edition that is played here."""
    box = editions.load(EDITION)
    assert isinstance(box, Edition)
    return box


def city_speech() -> Speech:
    """Return the line mode of seat 0, welcomed at the table."""
    speech = Speech(lambda name, _hash: sights_of(name))
    speech.lines(WELCOME)
    return speech


class CityTable:
    """One game among bots by the rules; `told` keeps what each entry said, `view` is what a seat would be sent."""

    def __init__(
        self, seed: str, *, seats: int = 3, edition: str = EDITION, options: tuple[tuple[str, str], ...] = ()
    ) -> None:
        key = hashlib.sha256(seed.encode()).digest()
        self.told: list[Told] = []
        setup = make_setup(edition, seats, options)
        self.simulator = Simulator(GAME, setup, NAMES[:seats], draw=Draw(key, "deal"), watch=self.told.append)
        self._dice = Draw(key, "dice")
        bots = [make_bot("rules", seat, seed=seed, game=EDITION, edition=edition) for seat in range(seats)]
        self._bots = BotTable(GAME, bots)
        self._sent = 0

    def view(self, seat: int = 0) -> dict[str, Any]:
        """Return the view of a seat."""
        play, hands = self.simulator.play, self.simulator.hands
        return {"public": GAME.public_view(play), **GAME.private_view(play, hands[seat])}

    def step(self) -> bool:
        """Do what is due; return whether anything was."""
        return self.simulator.step(self._dice, self._bots.choose)

    def until(self, reached: Callable[[Simulator], bool]) -> None:
        """Play until something is so; AssertionError if the game ends first."""
        while not reached(self.simulator):
            assert self.step()

    def update(self, seat: int = 0) -> Update:
        """Return what the vault of a seat would send now: the view, the new lines and the prompt."""
        viewer = Viewer(f"seat{seat}")
        fresh, self._sent = self.told[self._sent :], len(self.told)
        lines = tuple(
            Line(one.seq, GAME.narrate(one.before, one.after, one.author, one.event, one.seen_by(viewer), viewer))
            for one in fresh
        )
        prompt = self.simulator.prompt(seat)
        return Update(
            sequence=self.simulator.seq,
            phase="play",
            view=self.view(seat),
            lines=lines,
            prompt=None if prompt is None else ask_of(prompt),
        )

    def updates(self, seat: int = 0) -> Iterator[Update]:
        """Yield an update after every entry of the whole game."""
        yield self.update(seat)
        while self.step():
            yield self.update(seat)
