"""Whether a city can be driven in: what the rulebook has it hold, what is reached, where a throw leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chambers.editions import missing_suspect_art as art
from chambers.editions.errors import Fault
from chambers.editions.texts import NAME_LIMIT, text_faults
from chambers.rules.missing_suspect.edition import DOTS, Board, Node, NodeKind

ENTRANCES: Final = 4
THROWS: Final = range(1, 7)

_EXACT: Final = ((NodeKind.SUSPECT, 8), (NodeKind.INQUEST, 4), (NodeKind.COURTHOUSE, 1))
_AT_LEAST: Final = ((NodeKind.OFFICE, 2), (NodeKind.TUNNEL, 3), (NodeKind.RED, 1))
_SECTIONS: Final = {
    NodeKind.SUSPECT: "Start of Play",
    NodeKind.INQUEST: "Questioning Witness at Inquest Spots",
    NodeKind.COURTHOUSE: "Start of Play",
    NodeKind.OFFICE: "Picking Up a Detective Case",
    NodeKind.TUNNEL: "Moves on the Board",
    NodeKind.RED: "How to Draw Clue Cards",
}
_NAMES: Final = {
    NodeKind.SUSPECT: "S spot",
    NodeKind.INQUEST: "Inquest spot",
    NodeKind.COURTHOUSE: "Courthouse",
    NodeKind.OFFICE: "Office",
    NodeKind.TUNNEL: "tunnel dot",
    NodeKind.RED: "red dot",
}
_MOVES: Final = "Moves on the Board"


def board_faults(board: Board, /) -> Iterator[Fault]:
    """Yield every fault of the city; what can be driven is judged only where the drawing itself has no fault."""
    drawing = art.read(board.art)
    yield from drawing.faults
    unnamed = tuple(Node(node.address, node.kind, node.col, node.row) for node in board.nodes)
    if unnamed != drawing.nodes or board.lines != drawing.lines:
        yield Fault("board", "holds other places or lines than its drawing shows")
        return
    for node in board.nodes:
        if node.name:
            yield from text_faults(f"board, names, {node.address}", node.name, NAME_LIMIT)
    yield from _kinds(board)
    if not drawing.faults:
        streets = _Streets(board)
        yield from streets.entrances()
        yield from streets.unreached()
        yield from streets.dead_ends()


def _kinds(board: Board) -> Iterator[Fault]:
    have = {kind: sum(node.kind is kind for node in board.nodes) for kind in NodeKind}
    for kind, count in _EXACT:
        if have[kind] != count:
            yield Fault("board, art", f"has {_some(have[kind], kind)}; there must be {count}", _SECTIONS[kind])
    for kind, count in _AT_LEAST:
        if have[kind] < count:
            yield Fault("board, art", f"has {_some(have[kind], kind)}; there must be {count} or more", _SECTIONS[kind])


def _some(count: int, kind: NodeKind) -> str:
    return f"{count} {_NAMES[kind]}" if count == 1 else f"{count} {_NAMES[kind]}s"


class _Streets:
    """A city without faults in its drawing, as cars see it: which line leads where."""

    def __init__(self, board: Board) -> None:
        self._nodes = board.nodes
        self._ways: list[list[tuple[int, int]]] = [[] for _ in board.nodes]
        for line, (one, other) in enumerate(board.lines):
            self._ways[one].append((line, other))
            self._ways[other].append((line, one))
        self._tunnels = self._all(NodeKind.TUNNEL)

    def entrances(self) -> Iterator[Fault]:
        for court in self._all(NodeKind.COURTHOUSE):
            if (count := len(self._ways[court])) != ENTRANCES:
                sentence = f"the Courthouse has {count} entrances; it must have {ENTRANCES}"
                yield Fault(art.place(self._nodes[court]), sentence, "Winner")

    def unreached(self) -> Iterator[Fault]:
        courts = self._all(NodeKind.COURTHOUSE)
        if not courts:
            return
        reached, coming = set(courts), list(courts)
        while coming:
            here = coming.pop()
            # Cars drive along dots only: no way leads through a spot.
            onward = [other for _, other in self._ways[here] if here in courts or self._is_dot(here)]
            onward += self._tunnels if here in self._tunnels else []
            coming += [other for other in onward if other not in reached]
            reached.update(onward)
        for number, node in enumerate(self._nodes):
            if number not in reached:
                yield Fault(art.place(node), "no car can drive here from the Courthouse", _MOVES)

    def dead_ends(self) -> Iterator[Fault]:
        for number, node in enumerate(self._nodes):
            stuck = [str(throw) for throw in THROWS if not self._can_move(number, throw, frozenset())]
            if stuck:
                yield Fault(art.place(node), f"a car here has no move for a throw of {', '.join(stuck)}", _MOVES)

    def _can_move(self, here: int, pips: int, driven: frozenset[int]) -> bool:
        if pips == 0:
            return True
        return any(
            self._may_end(other) or (self._is_dot(other) and self._can_move(other, pips - 1, driven | {line}))
            for line, other in self._ways[here]
            if line not in driven
        )

    def _may_end(self, number: int) -> bool:
        """Return whether every car may end its move here early: an Inquest spot is barred to one that has just left."""
        kind = self._nodes[number].kind
        return kind in (NodeKind.SUSPECT, NodeKind.OFFICE) or (kind is NodeKind.TUNNEL and len(self._tunnels) > 1)

    def _is_dot(self, number: int) -> bool:
        return self._nodes[number].kind in DOTS

    def _all(self, kind: NodeKind) -> list[int]:
        return [number for number, node in enumerate(self._nodes) if node.kind is kind]
