"""The public state of a missing-suspect game, and the questions about it that only need what everybody sees."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeVar

import msgspec

from chambers.rules.missing_suspect.city import NOWHERE, City, Reach, reach
from chambers.rules.missing_suspect.edition import NEEDED, ChartResult, Edition, NodeKind
from chambers.rules.missing_suspect.options import Options
from chambers.rules.terms import Result

_T = TypeVar("_T")

NOBODY: Final = -1
TOPS: Final = 1000
CASES_AT: Final = 2000
STOWED_AT: Final = 3000


class Stage(StrEnum):
    """What the table waits for."""

    FIRST = "first"
    PLACE = "place"
    CLAIM = "claim"
    ROLL = "roll"
    MOVE = "move"
    OFFICE = "office"
    CASE = "case"
    SHOW = "show"
    RETURN = "return"
    RED = "red"
    DRAW = "draw"
    KEEP = "keep"
    DISCARD = "discard"
    STOW = "stow"
    WITNESS = "witness"
    CHART = "chart"
    CHECK = "check"
    LOOK = "look"
    CAPTURE = "capture"
    OFFER = "offer"
    ASK = "ask"
    ANSWER = "answer"
    SWAP = "swap"
    POINT = "point"
    TELL = "tell"
    OPENCARDS = "opencards"
    OVER = "over"


ROLLS: Final = frozenset({Stage.FIRST, Stage.ROLL, Stage.WITNESS})
DEALS: Final = frozenset({Stage.CASE, Stage.DRAW, Stage.LOOK})
MAY_TAKE: Final = frozenset({Stage.OFFICE, Stage.RED, Stage.CAPTURE})
MAY_DECLINE: Final = MAY_TAKE | {Stage.OFFER, Stage.ASK, Stage.POINT}
ANSWERS: Final = frozenset({Stage.ANSWER, Stage.TELL})


class Town(msgspec.Struct, frozen=True):
    """What never changes after the deal: the edition, its city, the options and the names."""

    edition: Edition
    city: City
    options: Options
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Town({self.edition.name}, {len(self.names)} seats)"


class Asked(msgspec.Struct, frozen=True):
    """What is open between the turn seat and `target`: entry `offered` bound it to `offer`, entry `ref` asked.

    `clue` is -1 in a trade sight unseen, `suspect` -1 where no number is asked for; `offer` is empty without a card.
    """

    ref: int
    target: int
    offered: int = NOBODY
    offer: bytes = b""
    clue: int = NOBODY
    suspect: int = NOBODY


class Play(msgspec.Struct, frozen=True):
    """The public state. `turn` is the seat that throws, places or has the turn; `since` made the stage due.

    By seat: `cars` (node or -1), `counts` of clue cards, `cased` (holds a case), `carried` (suspect or -1), `stale`
    (cards changed since the last claim), `barred` (the Inquest that may not be entered), `known` (bits of the
    suspects looked at or told), `columns` (bits of the cases that fit its chart results), `shown` (open case or -1).
    `homes` is each suspect's spot (-1 before it is placed); `clues` and `cases` are the piles' places, top first;
    `stowed` the (place, commitment) pairs of the cards put under them that are still there.
    """

    town: Town
    stage: Stage
    turn: int
    since: int
    until: int | None
    cars: tuple[int, ...]
    counts: tuple[int, ...]
    cased: tuple[bool, ...]
    carried: tuple[int, ...]
    stale: tuple[bool, ...]
    barred: tuple[int, ...]
    known: tuple[int, ...]
    columns: tuple[int, ...]
    shown: tuple[int, ...]
    homes: tuple[int, ...]
    clues: tuple[int, ...]
    cases: tuple[int, ...]
    stowed: tuple[tuple[int, bytes], ...] = ()
    stows: int = 0
    lapsed: bool = False
    round: int = 0
    order: tuple[int, ...] = ()
    roll: int = 0
    thrown: int = 0
    found: ChartResult | None = None
    renewed: bool = False
    looked: int = NOBODY
    asked: Asked | None = None
    throwing: tuple[int, ...] = ()
    throws: tuple[tuple[int, int], ...] = ()
    dropped: tuple[int, ...] = ()
    result: Result | None = None

    @property
    def seats(self) -> int:
        """Return the number of seats, 2..6."""
        return len(self.counts)

    def name(self, seat: int) -> str:
        """Return the name of the player at a seat."""
        return self.town.names[seat]

    def suspect(self, suspect: int) -> str:
        """Return what a suspect is called: its colour and letter."""
        top = self.town.edition.suspects[suspect]
        return f"{top.colour} suspect {top.letter.upper()}"

    def active(self, seat: int) -> bool:
        """Return whether a seat still plays."""
        return seat not in self.dropped

    def address(self, node: int) -> str:
        """Return a node's address."""
        return self.town.city.addresses[node]

    def kind_at(self, node: int) -> NodeKind:
        """Return the kind of a node."""
        return self.town.city.kinds[node]

    def next_place(self) -> int:
        """Return the place that the next stowed card gets: a count of the stows in the log."""
        return STOWED_AT + self.stows


def on_board(play: Play) -> tuple[int, ...]:
    """Return the suspects that stand on an S spot now, in printed order."""
    return tuple(suspect for suspect, home in enumerate(play.homes) if home != NOWHERE and suspect not in play.carried)


def standing_at(play: Play, node: int) -> int | None:
    """Return the suspect that stands on a node, or None (MS-31)."""
    return next((suspect for suspect in on_board(play) if play.homes[suspect] == node), None)


def free_spots(play: Play) -> tuple[int, ...]:
    """Return the S spots on which no suspect has been placed yet, by address (MS: Start of Play)."""
    return tuple(spot for spot in play.town.city.spots if spot not in play.homes)


def others(play: Play, *, with_cards: bool = False) -> tuple[int, ...]:
    """Return the other seats that still play, or those of them that hold a clue card (MS-24, MS-26)."""
    return tuple(
        seat
        for seat in range(play.seats)
        if seat != play.turn and seat not in play.dropped and (play.counts[seat] > 0 or not with_cards)
    )


def occupied(play: Play, node: int) -> bool:
    """Return whether another car keeps the turn seat's car from resting on a node (MS-7: on dots only)."""
    kind = play.kind_at(node)
    if kind is NodeKind.TUNNEL or not play.town.city.is_dot(node):
        return False
    return any(car == node for seat, car in enumerate(play.cars) if seat != play.turn)


def may_end(play: Play, node: int) -> bool:
    """Return whether the turn seat's car may end its move on a node that its throw leads to (MS-4, MS-10, MS-19)."""
    if play.kind_at(node) is NodeKind.COURTHOUSE:
        return play.carried[play.turn] != NOBODY
    return node != play.barred[play.turn] and not occupied(play, node)


def moves(play: Play) -> tuple[Reach, ...]:
    """Return where the turn seat may drive with its throw, by address; empty if every end is barred (MS-2, MS-5)."""
    found = reach(play.town.city, play.cars[play.turn], play.roll, play.town.options.no_dot_twice)
    return tuple(one for one in found if may_end(play, one.end))


def may_capture(play: Play) -> bool:
    """Return whether all that everybody sees lets the turn seat capture the suspect it looked at (MS-30, MS-32)."""
    seat = play.turn
    return play.cased[seat] and play.counts[seat] == NEEDED and play.carried[seat] == NOBODY


def wants_trade(play: Play) -> bool:
    """Return whether the open chart result is a trade sight unseen, not a clue asked for by name."""
    return play.found is ChartResult.TRADE


def partners(play: Play) -> tuple[int, ...]:
    """Return the seats that the turn seat may turn to for what its chart result allows (MS-24, MS-26, MS-27)."""
    if wants_trade(play):
        return others(play, with_cards=True) if play.counts[play.turn] else ()
    return others(play)


def put(row: tuple[_T, ...], where: int, value: _T) -> tuple[_T, ...]:
    """Return the row with one value replaced."""
    return row[:where] + (value,) + row[where + 1 :]
