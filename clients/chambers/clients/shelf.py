"""What is played where nobody names it: the game, and the edition of each game."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Final

GAME: Final = "witness-stand"
EDITIONS: Final = MappingProxyType({"witness-stand": "tandem-target", "missing-suspect": "missing-suspect"})
NAMED: Final = " or ".join(sorted(EDITIONS))


def edition_for(game: str, edition: str | None) -> str:
    """Return the edition that was named, else the game's own; a game without one has the game's name for it."""
    return edition or EDITIONS.get(game, game)


def table_of(game: str | None, edition: str | None) -> tuple[str, str]:
    """Return the game and the edition to play; EditionError for an edition that is not here or of another game.

    An edition named alone says which game it is of; one in a file is known by its own name from here on.
    """
    if edition is None:
        return game or GAME, edition_for(game or GAME, None)
    from chambers import editions

    found = editions.shelve(edition) if is_file(edition) else editions.named(edition)
    if game is not None and found.game != game:
        raise editions.EditionError(f"The edition {edition!r} is one of {found.game}, not of {game}.")
    return found.game, found.name


def shelve(places: Iterable[Path] | None) -> None:
    """Let this process know the editions in these files and folders by their names.

    EditionError for one that cannot be played.
    """
    from chambers import editions

    for place in places or ():
        editions.shelve_all(place)


def is_file(edition: str) -> bool:
    """Return whether an edition was given as a file, and not by its name."""
    return edition.endswith(".toml") or "/" in edition or os.sep in edition
