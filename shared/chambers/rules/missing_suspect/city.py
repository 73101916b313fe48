"""The city as it is driven: where each throw leads from each place, by one path each, worked out once an edition."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from chambers.rules.missing_suspect.edition import DOTS, Board, NodeKind

NOWHERE: Final = -1
_CLOSE: Final = 1e-12


class Reach(NamedTuple):
    """A place that a throw leads to: the node, one path to it, and whether a tunnel jump ends that path."""

    end: int
    path: tuple[int, ...]
    jump: bool


class City:
    """A board made ready: for every node its kind and its neighbours with the number of the line between them.

    Two equal boards are one city, see `city_of`.
    """

    def __init__(self, board: Board) -> None:
        self.addresses = tuple(node.address for node in board.nodes)
        self.kinds = tuple(node.kind for node in board.nodes)
        self.names = tuple(node.name for node in board.nodes)
        self.rank = tuple((node.col, node.row) for node in board.nodes)
        near: list[list[tuple[int, int]]] = [[] for _ in board.nodes]
        for number, (one, other) in enumerate(board.lines):
            near[one].append((other, number))
            near[other].append((one, number))
        self.near = tuple(tuple(sorted(found, key=lambda step: self.rank[step[0]])) for found in near)
        self.tunnels = self.of(NodeKind.TUNNEL)
        self.spots = self.of(NodeKind.SUSPECT)
        self.courthouse = self.of(NodeKind.COURTHOUSE)[0]

    def __repr__(self) -> str:
        return f"City({len(self.kinds)} places)"

    def of(self, kind: NodeKind) -> tuple[int, ...]:
        """Return the nodes of a kind, by address."""
        return tuple(sorted((node for node, is_a in enumerate(self.kinds) if is_a is kind), key=self.rank.__getitem__))

    def line(self, one: int, other: int) -> int | None:
        """Return the number of the line between two nodes, or None."""
        return next((line for node, line in self.near[one] if node == other), None)

    def is_dot(self, node: int) -> bool:
        """Return whether a node is a dot that is driven along, not a spot that ends a move (MS-9)."""
        return self.kinds[node] in DOTS


@lru_cache(maxsize=16)
def city_of(board: Board) -> City:
    """Return the city of a board; the same one for equal boards."""
    return City(board)


@lru_cache(maxsize=8192)
def reach(city: City, start: int, throw: int, no_dot_twice: bool) -> tuple[Reach, ...]:
    """Return every place that a throw leads to from `start`, by address, other cars left out of account (MS-4).

    A spot ends the move at any count, the Courthouse only at the exact one; a tunnel entered may be jumped from.
    """
    found: dict[int, Reach] = {}

    def record(end: int, path: tuple[int, ...], *, jump: bool) -> None:
        known = found.get(end)
        if known is None or (jump, len(path)) < (known.jump, len(known.path)):
            found[end] = Reach(end, path, jump)

    def drive(node: int, left: int, lines: int, dots: int, path: tuple[int, ...]) -> None:
        for ahead, line in city.near[node]:
            if lines >> line & 1 or (no_dot_twice and dots >> ahead & 1):
                continue
            kind, onward = city.kinds[ahead], (*path, ahead)
            if kind is NodeKind.COURTHOUSE:
                if left == 1 and ahead != start:
                    record(ahead, onward, jump=False)
                continue
            if kind not in DOTS:
                record(ahead, onward, jump=False)
                continue
            if kind is NodeKind.TUNNEL:
                for tunnel in city.tunnels:
                    if tunnel != ahead:
                        record(tunnel, (*onward, tunnel), jump=True)
            if left == 1:
                record(ahead, onward, jump=False)
            else:
                drive(ahead, left - 1, lines | 1 << line, dots | 1 << ahead, onward)

    drive(start, throw, 0, 1 << start, ())
    return tuple(found[end] for end in sorted(found, key=city.rank.__getitem__))


@lru_cache(maxsize=256)
def expected_turns(city: City, target: int, no_dot_twice: bool = False) -> tuple[float, ...]:
    """Return for every node the least expected number of turns to `target` with no other car about, by value iteration.

    The Courthouse is passed for no other target and entered by exact count only.
    """
    away = city.courthouse if target != city.courthouse else NOWHERE
    nodes = [node for node in range(len(city.kinds)) if node != target]
    ends = {
        node: [
            [found.end for found in reach(city, node, throw, no_dot_twice) if found.end != away]
            for throw in range(1, 7)
        ]
        for node in nodes
    }
    turns = [0.0] * len(city.kinds)
    change = 1.0
    while change > _CLOSE:
        change = 0.0
        for node in nodes:
            value = 1 + sum(min((turns[end] for end in found), default=turns[node]) for found in ends[node]) / 6
            change = max(change, abs(value - turns[node]))
            turns[node] = value
    return tuple(turns)
