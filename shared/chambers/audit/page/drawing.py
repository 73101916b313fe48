"""The few shapes that boards are drawn with, as SVG markup; texts are escaped here."""

from __future__ import annotations

import html

import msgspec


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """Where a piece stands: its element's id on the page, and the point its middle is at."""

    id: str
    x: float
    y: float


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Return words centred at a point."""
    return f'<text class="{kind}" x="{x:g}" y="{y:g}">{html.escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, *, kind: str, title: str = "") -> str:
    """Return a rectangle, with a title that shows when it is pointed at."""
    told = f"<title>{html.escape(title)}</title>" if title else ""
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6">{told}</rect>'


def token(ident: str, letter: str, title: str, *, kind: str, radius: int = 14) -> str:
    """Return a round piece with a letter, not yet on the board."""
    return (
        f'<g id="{ident}" class="piece {kind}" hidden="hidden"><title>{html.escape(title)}</title>'
        f'<circle r="{radius}"/><text y="5">{html.escape(letter)}</text></g>'
    )


def ring(ident: str, radius: int = 19) -> str:
    """Return the ring around the piece whose turn it is."""
    return f'<g id="{ident}" class="piece turn" hidden="hidden"><circle r="{radius}"/></g>'


def lines(words: str, most: int) -> tuple[str, ...]:
    """Return words broken into lines of about `most` characters, two at most; what does not fit ends in three dots."""
    found = [""]
    for word in words.split():
        if found[-1] and len(found[-1]) + 1 + len(word) > most:
            found.append(word)
        else:
            found[-1] = f"{found[-1]} {word}".strip()
    cut = [line if len(line) <= most else line[: most - 1] + "…" for line in found[:2]]
    if len(found) > 2:
        cut[1] = cut[1][: most - 1].rstrip(".…") + "…"
    return tuple(cut)


def initial(name: str) -> str:
    """Return the letter that stands for a name on a piece."""
    return name[:1].upper() or "?"
