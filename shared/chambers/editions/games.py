"""Which games have editions: for each the struct, how its TOML becomes that struct's fields, and the check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from chambers.editions import (
    missing_suspect_check,
    missing_suspect_form,
    missing_suspect_svg,
    witness_stand_check,
    witness_stand_form,
)
from chambers.editions.errors import EditionError, Fault
from chambers.rules.missing_suspect import edition as missing_suspect
from chambers.rules.witness_stand import edition as witness_stand


class Edition(Protocol):
    """What the edition of every game has, besides its own cards and board."""

    @property
    def name(self) -> str:
        """Return the name that a table's opening states."""

    @property
    def game(self) -> str:
        """Return the name of the game."""

    @property
    def title(self) -> str:
        """Return what players read above the table."""

    @property
    def story(self) -> str:
        """Return the paragraph that opens the case."""

    @property
    def reconstruction(self) -> bool:
        """Return whether this project wrote what the printed game does not tell."""


class Editions(msgspec.Struct, frozen=True):
    """How the editions of one game are read, checked and, where the game has a map, drawn."""

    kind: type
    fields: Callable[[dict[str, Any]], dict[str, Any]]
    faults: Callable[[Any], tuple[Fault, ...]]
    remarks: Callable[[Any], tuple[Fault, ...]] | None = None
    picture: Callable[[Any], str] | None = None


GAMES: Final = {
    "witness-stand": Editions(
        kind=witness_stand.Edition, fields=witness_stand_form.fields, faults=witness_stand_check.faults
    ),
    "missing-suspect": Editions(
        kind=missing_suspect.Edition,
        fields=missing_suspect_form.fields,
        faults=missing_suspect_check.faults,
        remarks=missing_suspect_check.remarks,
        picture=missing_suspect_svg.picture,
    ),
}


def of_game(game: object) -> Editions:
    """Return how editions of `game` are read; EditionError, naming the known games, for any other value."""
    if isinstance(game, str) and game in GAMES:
        return GAMES[game]
    raise EditionError(f"no game is called {game!r}; there is {', '.join(GAMES)}")


def faults(edition: Edition, /) -> tuple[Fault, ...]:
    """Return everything that keeps a well-formed edition from being played; empty for a sound one."""
    return of_game(edition.game).faults(edition)


def remarks(edition: Edition, /) -> tuple[Fault, ...]:
    """Return what the owner of a sound edition should know, though none of it keeps the edition from being played."""
    editions = of_game(edition.game)
    return editions.remarks(edition) if editions.remarks else ()


def picture(edition: Edition, /) -> str:
    """Return a sound edition's map as the text of an SVG file; EditionError if its game has none."""
    editions = of_game(edition.game)
    if editions.picture is None:
        raise EditionError(f"The game {edition.game} has no map to draw")
    return editions.picture(edition)
