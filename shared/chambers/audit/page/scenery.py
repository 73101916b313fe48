"""How a game is drawn on the page: its board, its pieces, what they say, and what its cards are called."""

from __future__ import annotations

from typing import Any, Final, Protocol

import msgspec

from chambers.audit.page import missing_suspect, witness_stand
from chambers.audit.page.drawing import Piece
from chambers.rules.terms import Disclosed

View = dict[str, Any]


class Scenery(Protocol):
    """What the page knows of one game beyond its door. Editions hold strangers' texts, so all of them are escaped."""

    def board(self, edition: Any, names: tuple[str, ...], /) -> str:
        """Return the board with all its pieces as SVG markup."""

    def pieces(self, edition: Any, view: View, /) -> tuple[Piece, ...]:
        """Return where the pieces stand in a public view; a piece that is not named is not on the board."""

    def words(self, view: View, /) -> tuple[str, ...]:
        """Return a public view in sentences."""

    def short(self, edition: Any, shown: Disclosed, /) -> str:
        """Return the few letters that stand for a card."""

    def card(self, edition: Any, shown: Disclosed, /) -> str:
        """Return what a card or a number is called."""


class Drawn(msgspec.Struct, frozen=True):
    """One moment of a table as the page shows it: where the pieces are, and the table in sentences."""

    pieces: tuple[Piece, ...]
    words: tuple[str, ...]


SCENERIES: Final[dict[str, Scenery]] = {
    "missing-suspect": missing_suspect.Scenery(),
    "witness-stand": witness_stand.Scenery(),
}


def draw(scenery: Scenery, edition: Any, view: View) -> Drawn:
    """Return how a public view is shown."""
    return Drawn(scenery.pieces(edition, view), scenery.words(view))
