"""MS: How to Play. Two deals that differ in what a seat cannot know are one game to it, entry by entry."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace
from tests.missing_suspect.town import GAME, NAMES, Town, setup
from tests.support.chance import Chance

from chambers.rules.events import Roll
from chambers.rules.missing_suspect.events import Have, NoCard, Pass, Play, Swap, Take
from chambers.rules.roles import DICE, seat_of, seat_role
from chambers.rules.simulator import Told
from chambers.rules.terms import PUBLIC, Option, Pile, Viewer

OBSERVER = 0
SEATS = 3
_ME = seat_role(OBSERVER)
_TRUE_ANSWERS = (NoCard, Have, Swap, Pass, Play, Take)
"""What a seat says truly of its cards, so that everybody may learn something from it."""


def _exchange(pile: Pile, one: int, other: int) -> Pile:
    values = dict(pile.values)
    values[one], values[other] = values[other], values[one]
    return replace(pile, values=tuple(values.items()))


def _other(pile: Pile, what: str, chance: random.Random) -> Pile:
    values = dict(pile.values)
    if what == "numbers":
        return _exchange(pile, *(1000 + suspect for suspect in chance.sample(range(7), 2)))
    if what == "clues":
        cards = [place for place in range(28) if values[place] < 24]
        return _exchange(pile, *chance.sample(cards, 2))
    half = [place for place in range(2000, 2008) if values[place] < 29]
    return _exchange(pile, *chance.sample(half, 2))


class _Pair:
    """The same table over two deals; what is said in one is said in the other."""

    def __init__(self, what: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.told: tuple[list[Told], list[Told]] = ([], [])
        self.tables = tuple(Town(GAME, setup(SEATS), NAMES[:SEATS], draw=Chance(seed)) for _ in range(2))
        self.tables[1].pile = _other(self.tables[0].pile, what, self.random)
        for table, told in zip(self.tables, self.told, strict=True):
            table.watch = told.append

    def step(self) -> bool:
        """Do what is due in both; return False when there is nothing due, or no choice that both have."""
        due = GAME.due(self.tables[0].play)[0]
        seat = seat_of(due.who)
        if due.who == DICE:
            value = self.random.randint(1, 6)
            for table in self.tables:
                table.rolls += 1
                table.say(DICE, Roll(k=table.rolls, shares=(), value=value))
            return True
        if seat is None:
            for table in self.tables:
                table.dealer(due)
            return True
        own = [GAME.automatic(table.play, table.hands[seat]) for table in self.tables]
        if any(own):
            chosen = own
        else:
            offered = [table.asked(seat).options for table in self.tables]
            n = self.random.randrange(min(map(len, offered)))
            chosen = [options[n - len(options)] for options in offered]
        for table, option in zip(self.tables, chosen, strict=True):
            if not isinstance(option, Option):
                return False
            table._state(seat, option)
        return True

    def read(self, viewer: str) -> list[str]:
        """Return what a viewer reads of the last entry in either."""
        lasts = [told[-1] for told in self.told]
        return [
            GAME.narrate(one.before, one.after, one.author, one.event, one.seen_by(viewer), Viewer(viewer))
            for one in lasts
        ]


@pytest.mark.parametrize("what", ["numbers", "clues", "cases"])
def test_neither_the_observer_nor_the_public_can_tell_two_deals_apart(what: str) -> None:
    """MS-37: until a box or a true answer tells it, nothing does: no state, no sentence, no prompt."""
    compared = differing = 0
    for seed in range(30):
        pair = _Pair(what, seed)
        one, other = pair.tables
        while one.seq < 250 and one.hands[OBSERVER] == other.hands[OBSERVER] and pair.step():
            last = pair.told[0][-1]
            if one.play != other.play or type(last.event) is not type(pair.told[1][-1].event):
                assert isinstance(last.event, _TRUE_ANSWERS)
                break
            if last.seen_by(_ME) is None:
                first, second = pair.read(_ME)
                assert first == second
            assert len(set(pair.read(PUBLIC))) == 1
            if one.hands[OBSERVER] == other.hands[OBSERVER]:
                assert one.prompt(OBSERVER) == other.prompt(OBSERVER)
                compared += 1
            differing += one.hands[1:] != other.hands[1:]
    assert compared > 600
    assert differing > 60
