"""The public state of a witness-stand game, and the questions about it that only need what everybody sees."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from chambers.rules.terms import Result
from chambers.rules.witness_stand.edition import ANSWERS, DISMISSED, LETTERS, Edition, SpaceKind
from chambers.rules.witness_stand.options import Options

NOWHERE: Final = -1
NOBODY: Final = -1


class Stage(StrEnum):
    """What the table waits for."""

    CORNER = "corner"
    FIRST = "first"
    ASK = "ask"
    ACCUSE = "accuse"
    ROLL = "roll"
    PLACE = "place"
    GIVE = "give"
    MOVE = "move"
    ASK3 = "ask3"
    END = "end"
    WINDOW = "window"
    OVERRULE = "overrule"
    ANSWER = "answer"
    LOOK = "look"
    OPENCARDS = "opencards"
    OVER = "over"


WINDOWS: Final = frozenset({Stage.WINDOW, Stage.OVERRULE})
QUESTIONED: Final = frozenset({Stage.WINDOW, Stage.OVERRULE, Stage.ANSWER})
ASKING: Final = frozenset({Stage.ASK, Stage.ASK3})
ACCUSING: Final = frozenset({Stage.ASK, Stage.ACCUSE, Stage.ASK3, Stage.END})


class Court(msgspec.Struct, frozen=True):
    """What never changes after the deal: the case, the options, the names, and what follows from them.

    `actions` is how many cards of each action kind there are, `gists` the first words of the twenty questions.
    """

    edition: Edition
    options: Options
    names: tuple[str, ...]
    actions: tuple[int, ...]
    corners: tuple[int, ...]
    space_names: tuple[str, ...]
    gists: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Court({self.edition.name}, {len(self.names)} seats)"


class Asked(msgspec.Struct, frozen=True):
    """The question that is open: entry `ref` asked it; `objector` is who played I Object!, if anybody."""

    ref: int
    target: int
    question: int
    public: bool
    objector: int = NOBODY


class Play(msgspec.Struct, frozen=True):
    """The public state. `turn` is the seat that chooses, throws or has the turn; `since` made the stage due.

    `spaces` has -1 for a pawn that is not on the board; `witness` -1 when all suspects are in the Gallery;
    `asks` is how many questions are left in this step; `cleared` are suspects whose accusation was wrong.
    """

    court: Court
    stage: Stage
    turn: int
    since: int
    until: int | None
    spaces: tuple[int, ...]
    counts: tuple[int, ...]
    lapsed: bool = False
    step: int = 0
    round: int = 0
    order: tuple[int, ...] = ()
    asks: int = 0
    roll: int = 0
    witness: int = NOBODY
    chambers: bool = False
    asked: Asked | None = None
    waiting: tuple[int, ...] = ()
    throwing: tuple[int, ...] = ()
    throws: tuple[tuple[int, int], ...] = ()
    played: tuple[int, ...] = (0, 0, 0, 0)
    out: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    accused: int = NOBODY
    cleared: tuple[int, ...] = ()
    result: Result | None = None

    @property
    def seats(self) -> int:
        """Return the number of seats, 2..6."""
        return len(self.counts)

    @property
    def on_stand(self) -> bool:
        """Return whether a suspect is on the Stand (not in Chambers, not in the Gallery)."""
        return self.witness >= 0 and not self.chambers

    def name(self, seat: int) -> str:
        """Return the name of the player at a seat."""
        return self.court.names[seat]

    def suspect(self, suspect: int) -> str:
        """Return a suspect's name."""
        return self.court.edition.suspects[suspect].name

    def active(self, seat: int) -> bool:
        """Return whether a seat still plays: neither eliminated nor dropped."""
        return seat not in self.out and seat not in self.dropped

    def kind_at(self, space: int) -> SpaceKind:
        """Return the kind of a space."""
        return self.court.edition.board[space].kind


def protected(play: Play, seat: int) -> bool:
    """Return whether a seat's pawn stands on Take the Fifth (WS: Special Spaces, WS-10, WS-40)."""
    space = play.spaces[seat]
    return space >= 0 and play.court.edition.board[space].kind is SpaceKind.FIFTH


def targets(play: Play) -> tuple[int, ...]:
    """Return the seats that may be asked now: the others, but for the protected and the dropped (WS-8, WS-48)."""
    return tuple(
        seat
        for seat in range(len(play.counts))
        if seat != play.turn and seat not in play.dropped and not protected(play, seat)
    )


def can_ask(play: Play) -> bool:
    """Return whether any question is possible: a suspect is out and somebody may be asked (WS-3, WS-9)."""
    return play.witness >= 0 and bool(targets(play))


def objectors(play: Play) -> tuple[int, ...]:
    """Return the seats that may object to the turn seat's question (WS-20)."""
    return tuple(seat for seat in range(len(play.counts)) if seat != play.turn and play.active(seat))


def overrulers(play: Play) -> tuple[int, ...]:
    """Return the seats that may overrule an objection: every seat that still plays (WS-25)."""
    return tuple(seat for seat in range(len(play.counts)) if play.active(seat))


def right_of_turn(play: Play) -> int | None:
    """Return the seat to the right of the turn seat, which a Hamilton Burger gift goes to (WS-28, WS-48)."""
    seats = len(play.counts)
    skip = play.court.options.burger_skips_out
    for back in range(1, seats):
        seat = (play.turn - back) % seats
        if seat not in play.dropped and not (skip and seat in play.out):
            return seat
    return None


def all_played(play: Play, kind: int) -> bool:
    """Return whether every card of an action kind has left the game, as everybody could see."""
    return play.played[kind - ANSWERS] >= play.court.actions[kind - ANSWERS]


def can_dismiss(play: Play) -> bool:
    """Return whether Witness Dismissed has a suspect to send away (WS-26)."""
    out = play.witness >= 0 and (not play.chambers or play.court.options.dismiss_chambers)
    return out and not all_played(play, DISMISSED)


def letter(suspect: int) -> str:
    """Return a suspect's letter, A..D."""
    return LETTERS[suspect]
