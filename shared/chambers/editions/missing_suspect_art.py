"""The city as it is drawn in characters: its places and the lines between them are read from the drawing."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.editions.errors import Fault
from chambers.rules.missing_suspect.edition import Node, NodeKind

MARKS: Final = {
    "o": NodeKind.DOT,
    "r": NodeKind.RED,
    "T": NodeKind.TUNNEL,
    "S": NodeKind.SUSPECT,
    "O": NodeKind.OFFICE,
    "I": NodeKind.INQUEST,
    "C": NodeKind.COURTHOUSE,
}
ACROSS: Final = 4
DOWN: Final = 2
MOST_COLUMNS: Final = 26
MOST_ROWS: Final = 30
BEND: Final = "+"
STROKES: Final = "-|" + BEND

Spot = tuple[int, int]
"""A character of the drawing: its column and its line, from 0."""

_RIGHT: Final[Spot] = (1, 0)
_DOWN: Final[Spot] = (0, 1)
_LEFT: Final[Spot] = (-1, 0)
_UP: Final[Spot] = (0, -1)
_WAYS: Final = (_RIGHT, _DOWN, _LEFT, _UP)


class Road(msgspec.Struct, frozen=True):
    """A line between two places, the lower number first, and the lattice points (column, row) that it runs through."""

    ends: tuple[int, int]
    points: tuple[Spot, ...]


class Drawing(msgspec.Struct, frozen=True):
    """What a drawing shows: places in reading order, roads in the order of their ends, and what is wrong with it."""

    nodes: tuple[Node, ...]
    roads: tuple[Road, ...]
    faults: tuple[Fault, ...]

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """Return the (lower, higher) place numbers that each road joins."""
        return tuple(road.ends for road in self.roads)


def address(col: int, row: int) -> str:
    """Return what a place is called: `e7` is column 4 and row 6, from 0."""
    return f"{chr(ord('a') + col)}{row + 1}"


def place(node: Node) -> str:
    """Return where a place stands in the file: line and column of the drawing, from 1, and its address."""
    return f"board, art line {node.row * DOWN + 1}, column {node.col * ACROSS + 1} ({node.address})"


def read(art: tuple[str, ...], /) -> Drawing:
    """Return what the drawing shows; whatever cannot be read is a fault and left out."""
    if len(art) > MOST_ROWS * DOWN or any(len(line) > MOST_COLUMNS * ACROSS for line in art):
        size = f"{MOST_COLUMNS * ACROSS} columns and {MOST_ROWS * DOWN} lines"
        return Drawing((), (), (Fault("board, art", f"is larger than {size}"),))
    reader = _Reader(art)
    reader.places()
    reader.roads()
    reader.strokes()
    return reader.drawing()


def _at(spot: Spot) -> str:
    return f"board, art line {spot[1] + 1}, column {spot[0] + 1}"


def _step(spot: Spot, way: Spot) -> Spot:
    return spot[0] + way[0], spot[1] + way[1]


class _Reader:
    """Walks over a drawing once and collects what it finds."""

    def __init__(self, art: tuple[str, ...]) -> None:
        self._chars = {(x, y): char for y, line in enumerate(art) for x, char in enumerate(line) if char != " "}
        self._numbers: dict[Spot, int] = {}
        self._nodes: list[Node] = []
        self._roads: dict[tuple[int, int], Road] = {}
        self._used: set[Spot] = set()
        self._faults: dict[str, Fault] = {}

    def drawing(self) -> Drawing:
        roads = tuple(self._roads[ends] for ends in sorted(self._roads))
        return Drawing(tuple(self._nodes), roads, tuple(self._faults.values()))

    def places(self) -> None:
        for spot in sorted(self._chars, key=lambda spot: (spot[1], spot[0])):
            char = self._chars[spot]
            straight = spot[0] % ACROSS == 0 and spot[1] % DOWN == 0
            if char not in MARKS and char not in STROKES:
                shown = char if char.isprintable() else "?"
                self._fault(spot, f"`{shown}` is neither a mark of the legend nor a line (- | +)")
            elif not straight and char not in "-|":
                what = "a line bends" if char == BEND else "places stand"
                self._fault(spot, f"`{char}` stands between: {what} in every fourth column of every second line")
            elif char in MARKS:
                col, row = spot[0] // ACROSS, spot[1] // DOWN
                self._numbers[spot] = len(self._nodes)
                self._nodes.append(Node(address=address(col, row), kind=MARKS[char], col=col, row=row))

    def roads(self) -> None:
        for spot, number in self._numbers.items():
            for way in _WAYS:
                spots = self._follow(spot, way)
                if spots is not None and number <= self._numbers[spots[-1]]:
                    self._road(number, spots)

    def strokes(self) -> None:
        for spot, char in self._chars.items():
            if char in STROKES and spot not in self._used:
                self._fault(spot, f"`{char}` belongs to no line from a place to a place")

    def _follow(self, start: Spot, way: Spot) -> tuple[Spot, ...] | None:
        """Return the characters from a place to the next along a line, or None where no whole line leaves that way."""
        spots = [start]
        while True:
            spot = _step(spots[-1], way)
            char = self._chars.get(spot, " ")
            if spot in self._numbers:
                return (*spots, spot)
            if char == BEND and (onward := self._turn(spot, way)):
                way = onward
            elif char != ("-" if way[1] == 0 else "|"):
                return None
            spots.append(spot)

    def _turn(self, spot: Spot, way: Spot) -> Spot | None:
        back = (-way[0], -way[1])
        onward = [to for to in _WAYS if to != back and self._leads(_step(spot, to), to)]
        if len(onward) == 1:
            return onward[0]
        self._fault(spot, f"`+` joins {len(onward) + 1} lines; it is a bend in one line and joins 2 ends")
        return None

    def _leads(self, spot: Spot, way: Spot) -> bool:
        return self._chars.get(spot, " ") == ("-" if way[1] == 0 else "|")

    def _road(self, number: int, spots: tuple[Spot, ...]) -> None:
        self._used.update(spots)
        other = self._numbers[spots[-1]]
        points = tuple((x // ACROSS, y // DOWN) for x, y in spots if x % ACROSS == 0 and y % DOWN == 0)
        here = self._nodes[number].address
        if number == other:
            self._fault(spots[1], f"a line leads from {here} back to {here}")
        elif (number, other) in self._roads and self._roads[number, other].points != points:
            self._fault(spots[1], f"{here} and {self._nodes[other].address} are joined by two lines")
        else:
            self._roads[number, other] = Road((number, other), points)

    def _fault(self, spot: Spot, sentence: str) -> None:
        self._faults.setdefault(_at(spot), Fault(_at(spot), sentence))
