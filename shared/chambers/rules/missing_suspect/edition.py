"""What an edition of the missing-suspect game consists of: cases, clues, cards, the chart, the suspects and the city.

Kinds of cards: 0..n-1 the two-clue cards, n Question Witness, n+1..n+8 the case cards. Clue names are the clues'
own; a case lists the four clues that name it. Suspects, cases and clues are numbers in the order they stand here.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Final

import msgspec

SUSPECTS: Final = 7
CASES: Final = 8
CLUES_A_CASE: Final = 4
CLUES: Final = CASES * CLUES_A_CASE
CLUE_CARDS: Final = 28
NEEDED: Final = 3
LEAST: Final = 3
MOST: Final = 9
LETTERS: Final = "ABCDEFGH"


class NodeKind(StrEnum):
    """What a place of the city is; dots (dot, red, tunnel) are driven along, spots end a move."""

    DOT = "dot"
    RED = "red"
    TUNNEL = "tunnel"
    SUSPECT = "suspect"
    OFFICE = "office"
    INQUEST = "inquest"
    COURTHOUSE = "courthouse"


DOTS: Final = frozenset({NodeKind.DOT, NodeKind.RED, NodeKind.TUNNEL})


class ChartResult(StrEnum):
    """The six results of the Question Witness chart, in the order the rulebook explains them."""

    LYING = "lying"
    CHECK = "check"
    CLUE = "clue"
    TRADE = "trade"
    NUMBER = "number"
    NEW = "new"


class Node(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place of the city: its address (`e7`: column letter, row from 1), its kind, where it is drawn, its name."""

    address: str
    kind: NodeKind
    col: int
    row: int
    name: str = ""


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The city: its art (one string a line), the nodes in reading order and the lines between them, read from the art.

    A node of column c and row r stands at character 4c of line 2r of the art; a line is (lower, higher) node number.
    """

    art: tuple[str, ...]
    nodes: tuple[Node, ...]
    lines: tuple[tuple[int, int], ...]


class Suspect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A suspect's plastic top: told apart by colour, by letter and by shape."""

    colour: str
    letter: str
    shape: str


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Detective Case card: its letter A..H, its title, and what it is about."""

    letter: str
    title: str
    about: str = ""


class Clue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A clue: its name, the number printed opposite it (1..3), the case 0..7 that lists it, and what it is about."""

    name: str
    value: int
    case: int
    about: str = ""


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A whole box: `cards` are pairs of clue numbers, `chart` has a column of six results (die 1..6) for each case."""

    name: str
    game: str
    title: str
    story: str
    reconstruction: bool
    suspects: tuple[Suspect, ...]
    cases: tuple[Case, ...]
    clues: tuple[Clue, ...]
    cards: tuple[tuple[int, int], ...]
    question_witness: int
    chart: tuple[tuple[ChartResult, ...], ...]
    board: Board

    @cached_property
    def listed(self) -> dict[int, tuple[int, ...]]:
        """Return the clue numbers that each case lists, in order; kept, for every view and prompt asks for them."""
        cases: dict[int, tuple[int, ...]] = {}
        for number, clue in enumerate(self.clues):
            cases[clue.case] = (*cases.get(clue.case, ()), number)
        return cases


def clues_of(edition: Edition, case: int) -> tuple[int, ...]:
    """Return the clue numbers that a case (0..7) lists, in order (MS: Collecting Clues)."""
    return edition.listed.get(case, ())


def witness_kind(edition: Edition) -> int:
    """Return the card kind of Question Witness."""
    return len(edition.cards)


def case_kind(edition: Edition, case: int) -> int:
    """Return the card kind of a case card (case 0..7)."""
    return len(edition.cards) + 1 + case


def case_of(edition: Edition, kind: int) -> int | None:
    """Return the case 0..7 that a card kind is the card of, or None for a clue card."""
    case = kind - len(edition.cards) - 1
    return case if 0 <= case < len(edition.cases) else None


def is_clue_card(edition: Edition, kind: int) -> bool:
    """Return whether a card kind is a card with two clues."""
    return 0 <= kind < len(edition.cards)


def kind_count(edition: Edition) -> int:
    """Return the number of card kinds: the two-clue cards, Question Witness and the cases."""
    return len(edition.cards) + 1 + len(edition.cases)


def column_of(edition: Edition, case: int) -> tuple[ChartResult, ...]:
    """Return the result of each throw 1..6 for a case (MS: Explanation of Question Witness Chart)."""
    return edition.chart[case]


def triples(edition: Edition, case: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return each set of three of a case's clues with its suspect's number (MS: Solving a Detective Case)."""
    return tuple(
        (found, sum(edition.clues[clue].value for clue in found)) for found in combinations(clues_of(edition, case), 3)
    )


def numbers_of(edition: Edition, case: int) -> tuple[int, ...]:
    """Return the suspects' numbers that a case can lead to, ascending."""
    return tuple(sorted({number for _, number in triples(edition, case)}))


def most_seats(edition: Edition) -> int:
    """Return the greatest number of seats (at most 6) that the two-clue cards are enough for: three a seat and one."""
    return min(6, (len(edition.cards) - 1) // NEEDED)


def card_name(edition: Edition, kind: int) -> str:
    """Return what is printed on a card: its two clues, `Question Witness`, or a case's letter and title."""
    case = case_of(edition, kind)
    if case is not None:
        return f"Case {edition.cases[case].letter}, {edition.cases[case].title}"
    if is_clue_card(edition, kind):
        first, second = edition.cards[kind]
        return f"{edition.clues[first].name} / {edition.clues[second].name}"
    return "Question Witness"


def clue_code(edition: Edition, clue: int) -> str:
    """Return a clue's short code: its case's letter and its place there, `C3`."""
    case = edition.clues[clue].case
    return f"{edition.cases[case].letter}{clues_of(edition, case).index(clue) + 1}"


def on_card(edition: Edition, kind: int, clue: int) -> bool:
    """Return whether a card carries a clue on either side (MS: Collecting Clues)."""
    return is_clue_card(edition, kind) and clue in edition.cards[kind]


def solution(edition: Edition, case: int, cards: tuple[int, ...]) -> int | None:
    """Return the suspect's number that three cards prove for a case, or None (MS: Solving a Detective Case).

    Three cards with three different clues of the case are needed; the same clue twice counts once.
    """
    if case < 0 or len(cards) != NEEDED or not all(is_clue_card(edition, kind) for kind in cards):
        return None
    found = {clue for kind in cards for clue in edition.cards[kind] if edition.clues[clue].case == case}
    return sum(edition.clues[clue].value for clue in found) if len(found) == NEEDED else None
