"""The city as a picture: one SVG file that needs nothing else and can be read on a light and on a dark screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from xml.sax.saxutils import escape

from chambers.editions import missing_suspect_art as art
from chambers.editions.missing_suspect_blocks import blocks
from chambers.rules.missing_suspect.edition import DOTS, Board, Edition, Node, NodeKind, Suspect

STEP: Final = 60
MARGIN: Final = 48
HEAD: Final = 100
FOOT: Final = 104
NARROWEST: Final = 13

_STYLE: Final = """\
text { font-family: Georgia, 'Times New Roman', serif; fill: #26241f; text-anchor: middle; }
.left { text-anchor: start; }
.title { font-size: 24px; font-weight: bold; }
.small { font-size: 13px; }
.name { font-size: 10px; font-style: italic; }
.axis { font-size: 13px; fill: #6d675b; }
.mark { font-size: 15px; font-weight: bold; fill: #1d1b17; }
.paper { fill: #f7f2e6; }
.block { fill: #e6dcc5; }
.park { fill: #cfe0b8; }
.kerb { fill: none; stroke: #a99f8b; stroke-width: 15; stroke-linejoin: round; stroke-linecap: round; }
.road { fill: none; stroke: #ffffff; stroke-width: 12; stroke-linejoin: round; stroke-linecap: round; }
.line { fill: none; stroke: #8b8371; stroke-width: 1.5; stroke-linejoin: round; }
.dot { fill: #3a3730; }
.red { fill: #c8281e; stroke: #ffffff; stroke-width: 1.5; }
.tunnel { fill: #14130f; stroke: #ffffff; stroke-width: 2; }
.hole { fill: none; stroke: #ffffff; stroke-width: 2; }
.suspect { fill: #f3cf4a; stroke: #5c4a00; stroke-width: 2; }
.office { fill: #8fc1ee; stroke: #123f66; stroke-width: 2; }
.inquest { fill: #d6b3e6; stroke: #54246b; stroke-width: 2; }
.courthouse { fill: #ffffff; stroke: #26241f; stroke-width: 2.5; }
.top { stroke: #6d675b; stroke-width: 1.5; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) {
text { fill: #ece8de; }
.axis { fill: #a39d90; }
.mark { fill: #1d1b17; }
.paper { fill: #16181c; }
.block { fill: #262a31; }
.park { fill: #213a2a; }
.kerb { stroke: #59606b; }
.road { stroke: #3b414b; }
.line { stroke: #9aa0aa; }
.dot { fill: #f0ede5; }
.red { fill: #ff6a5c; stroke: #16181c; }
.tunnel { fill: #000000; stroke: #f0ede5; }
.hole { stroke: #f0ede5; }
.courthouse { fill: #f0ede5; stroke: #a39d90; }
.top { stroke: #a39d90; }
}"""

_LEGEND: Final = (
    (NodeKind.DOT, "dot"),
    (NodeKind.RED, "red dot"),
    (NodeKind.TUNNEL, "tunnel"),
    (NodeKind.SUSPECT, "S spot"),
    (NodeKind.INQUEST, "Inquest"),
    (NodeKind.OFFICE, "Office"),
    (NodeKind.COURTHOUSE, "Courthouse"),
)
_COLOURS: Final = {
    "red": "#d8342a",
    "blue": "#2f6fd0",
    "green": "#2f9e58",
    "yellow": "#f3cf4a",
    "white": "#ffffff",
    "pink": "#f29ac0",
    "black": "#14130f",
    "orange": "#ef8a2c",
    "purple": "#8b4fc0",
    "brown": "#7c5634",
}
_SHAPES: Final = {
    "circle": "M-9 0a9 9 0 1 0 18 0a9 9 0 1 0 -18 0z",
    "square": "M-8 -8h16v16h-16z",
    "triangle": "M0 -9l9.5 17h-19z",
    "star": "M0 -10l2.9 6.6l7.1 .7l-5.4 4.7l1.6 7l-6.2 -3.7l-6.2 3.7l1.6 -7l-5.4 -4.7l7.1 -.7z",
    "cross": "M-3 -9h6v6h6v6h-6v6h-6v-6h-6v-6h6z",
    "heart": "M0 9l-8 -9a4.9 4.9 0 0 1 8 -6a4.9 4.9 0 0 1 8 6z",
    "diamond": "M0 -10l8 10l-8 10l-8 -10z",
}


def picture(edition: Edition, /) -> str:
    """Return the map of a sound edition as the text of an SVG file, in light and dark colours."""
    board = edition.board
    columns = max(node.col for node in board.nodes) + 1
    rows = max(node.row for node in board.nodes) + 1
    width = 2 * MARGIN + (max(columns, NARROWEST) - 1) * STEP
    height = HEAD + (rows - 1) * STEP + FOOT
    kind = "a transcription by its owner" if not edition.reconstruction else "a reconstruction, not the printed board"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title about">',
        f'<title id="title">{escape(edition.title)}</title>',
        f'<desc id="about">The city of the edition {escape(edition.name)}, {kind}.</desc>',
        f"<style>\n{_STYLE}\n</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
        _text(MARGIN - 10, 34, edition.title, "title left"),
        _text(MARGIN - 10, 54, kind, "name left"),
        *_axes(columns, rows),
        *_ground(board, columns, rows),
        *_roads(board),
        *(_place(node, board) for node in board.nodes),
        *_legend(HEAD + (rows - 1) * STEP + 58, width),
        *_tops(edition.suspects, HEAD + (rows - 1) * STEP + 86, width),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(col: float) -> float:
    return MARGIN + col * STEP


def _y(row: float) -> float:
    return HEAD + row * STEP


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _axes(columns: int, rows: int) -> Iterator[str]:
    for col in range(columns):
        yield _text(_x(col), HEAD - 22, art.address(col, 0)[0].upper(), "axis")
    for row in range(rows):
        yield _text(_x(0) - 30, _y(row) + 5, str(row + 1), "axis")


def _ground(board: Board, columns: int, rows: int) -> Iterator[str]:
    for block in blocks(board, columns, rows):
        path = "".join(
            f"M{_x(left):g} {_y(upper):g}H{_x(right):g}V{_y(lower):g}H{_x(left):g}z"
            for left, upper, right, lower in block.parts
        )
        yield f'<path class="{"park" if block.open else "block"}" d="{path}"/>'


def _roads(board: Board) -> Iterator[str]:
    roads = [" ".join(f"{_x(col):g},{_y(row):g}" for col, row in road.points) for road in art.read(board.art).roads]
    for kind in ("kerb", "road", "line"):
        yield from (f'<polyline class="{kind}" points="{points}"/>' for points in roads)


def _place(node: Node, board: Board) -> str:
    named = f"{node.address} {node.name}".strip()
    words = "" if node.kind in DOTS or node.kind is NodeKind.COURTHOUSE else "".join(_name(node, board))
    sign = _sign(node.kind)
    return (
        f'<g transform="translate({_x(node.col):g} {_y(node.row):g})"><title>{escape(named)}</title>{sign}{words}</g>'
    )


def _sign(kind: NodeKind) -> str:
    match kind:
        case NodeKind.DOT:
            return '<circle class="dot" r="4.5"/>'
        case NodeKind.RED:
            return '<path class="red" d="M0 -9l9 9l-9 9l-9 -9z"/>'
        case NodeKind.TUNNEL:
            return '<circle class="tunnel" r="12"/><circle class="hole" r="6"/>'
        case NodeKind.SUSPECT:
            return '<rect class="suspect" x="-13" y="-13" width="26" height="26" rx="4"/>' + _text(0, 5, "S", "mark")
        case NodeKind.OFFICE:
            return '<path class="office" d="M-14 13v-15l14 -13l14 13v15z"/>' + _text(0, 10, "O", "mark")
        case NodeKind.INQUEST:
            return '<circle class="inquest" r="14"/>' + _text(0, 5, "?", "mark")
        case NodeKind.COURTHOUSE:
            columns = "".join(f"M{x} -4v14" for x in (-10, -3.5, 3.5, 10))
            return f'<path class="courthouse" d="M-19 15v-20l19 -13l19 13v20z{columns}M-19 -5h38"/>'


def _name(node: Node, board: Board) -> Iterator[str]:
    """Yield a spot's name, a word a line, on the side where no road is."""
    number = board.nodes.index(node)
    others = [board.nodes[sum(line) - number] for line in board.lines if number in line]
    above = any(other.row > node.row for other in others) and not any(other.row < node.row for other in others)
    words = node.name.split()
    for count, word in enumerate(words):
        yield _text(0, -19 - 10 * (len(words) - 1 - count) if above else 25 + 10 * count, word, "name")


def _legend(y: float, width: int) -> Iterator[str]:
    for x, (kind, name) in zip(_spread(width, len(_LEGEND)), _LEGEND, strict=True):
        scale = 0.75 if kind is NodeKind.COURTHOUSE else 0.9
        yield f'<g transform="translate({x:g} {y - 4:g}) scale({scale})">{_sign(kind)}</g>'
        yield _text(x + 20, y, name, "small left")


def _tops(suspects: tuple[Suspect, ...], y: float, width: int) -> Iterator[str]:
    for x, suspect in zip(_spread(width, len(suspects)), suspects, strict=True):
        shape = _SHAPES.get(suspect.shape, _SHAPES["circle"])
        colour = _COLOURS.get(suspect.colour, "#9a9488")
        yield f'<path class="top" fill="{colour}" transform="translate({x:g} {y - 4:g})" d="{shape}"/>'
        yield _text(x + 20, y, f"{suspect.letter} {suspect.colour}", "small left")


def _spread(width: int, count: int) -> Iterable[float]:
    room = (width - 2 * MARGIN + 30) / count
    return [MARGIN + room * number for number in range(count)]
