"""Which games have editions: for each the struct, how its TOML becomes that struct's fields, and the check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from chambers.editions import witness_stand_check, witness_stand_form
from chambers.editions.errors import EditionError, Fault
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
    """How the editions of one game are read and checked."""

    kind: type
    fields: Callable[[dict[str, Any]], dict[str, Any]]
    faults: Callable[[Any], tuple[Fault, ...]]


GAMES: Final = {
    "witness-stand": Editions(
        kind=witness_stand.Edition, fields=witness_stand_form.fields, faults=witness_stand_check.faults
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
