"""The ground between the roads of a city, which a picture fills: blocks of houses and open land."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import msgspec

from chambers.editions import missing_suspect_art as art
from chambers.rules.missing_suspect.edition import Board

SETBACK: Final = 0.22
OPEN_FROM: Final = 10

Cell = tuple[int, int]
"""A square between four lattice points, called by the column and row of its upper left one."""

Box = tuple[float, float, float, float]
"""Left, upper, right and lower edge in columns and rows."""


class Block(msgspec.Struct, frozen=True):
    """Ground that no road parts: the boxes that cover it, and whether it is large enough to be open land."""

    parts: tuple[Box, ...]
    open: bool


def blocks(board: Board, columns: int, rows: int, /) -> tuple[Block, ...]:
    """Return the ground of a sound city of so many columns and rows, block by block, set back from every road."""
    ground = _Ground(board, columns, rows)
    return tuple(Block(tuple(ground.boxes(cells)), ground.is_open(cells)) for cells in ground.regions())


class _Ground:
    def __init__(self, board: Board, columns: int, rows: int) -> None:
        self._cells = [(col, row) for row in range(rows - 1) for col in range(columns - 1)]
        self._places = {(node.col, node.row) for node in board.nodes}
        self._walls = {wall for road in art.read(board.art).roads for wall in _unit_walls(road.points)}

    def regions(self) -> Iterator[frozenset[Cell]]:
        left = set(self._cells)
        for cell in self._cells:
            if cell in left:
                region, coming = {cell}, [cell]
                while coming:
                    for other in self._beside(coming.pop()):
                        if other not in region:
                            region.add(other)
                            coming.append(other)
                left -= region
                yield frozenset(region)

    def is_open(self, cells: frozenset[Cell]) -> bool:
        return len(cells) >= OPEN_FROM

    def boxes(self, cells: frozenset[Cell]) -> Iterator[Box]:
        for col, row in sorted(cells):
            yield (col + SETBACK, row + SETBACK, col + 1 - SETBACK, row + 1 - SETBACK)
            if (col + 1, row) in cells and not self._parted((col + 1, row), (col + 1, row + 1)):
                yield (col + 1 - SETBACK, row + SETBACK, col + 1 + SETBACK, row + 1 - SETBACK)
            if (col, row + 1) in cells and not self._parted((col, row + 1), (col + 1, row + 1)):
                yield (col + SETBACK, row + 1 - SETBACK, col + 1 - SETBACK, row + 1 + SETBACK)
            if self._empty((col + 1, row + 1)) and (col + 1, row + 1) in cells:
                yield (col + 1 - SETBACK, row + 1 - SETBACK, col + 1 + SETBACK, row + 1 + SETBACK)

    def _beside(self, cell: Cell) -> Iterator[Cell]:
        col, row = cell
        sides = (
            ((col + 1, row), (col + 1, row), (col + 1, row + 1)),
            ((col - 1, row), (col, row), (col, row + 1)),
            ((col, row + 1), (col, row + 1), (col + 1, row + 1)),
            ((col, row - 1), (col, row), (col + 1, row)),
        )
        return (other for other, one, two in sides if other in self._cells and not self._parted(one, two))

    def _parted(self, one: Cell, two: Cell) -> bool:
        return (one, two) in self._walls

    def _empty(self, point: Cell) -> bool:
        col, row = point
        arms = (((col - 1, row), point), (point, (col + 1, row)), ((col, row - 1), point), (point, (col, row + 1)))
        return point not in self._places and not any(arm in self._walls for arm in arms)


def _unit_walls(points: tuple[Cell, ...]) -> Iterator[tuple[Cell, Cell]]:
    """Yield the road as pairs of neighbouring lattice points, the upper or left one first."""
    for one, two in pairwise(points):
        yield min(one, two), max(one, two)
