"""The editions that a process plays by name: those that come with the program, and an owner's own put beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from chambers.editions.errors import EditionError
from chambers.editions.files import files_in, load, names
from chambers.editions.games import Edition, faults

_own: Final[dict[str, Edition]] = {}


def named(name: str, /) -> Edition:
    """Return the edition of that name; EditionError for one that is not on this process's shelf.

    What another machine names is looked up here and nowhere else: a name is never taken for a path.
    """
    if name in _own:
        return _own[name]
    if name not in {known for _, known in names()}:
        raise EditionError(f"No edition is called {name!r} here; see: chambers edition list")
    return load(name)


def shelve(file: Path | str, /) -> Edition:
    """Return the edition in a TOML file, from now on known by its name; EditionError unless it can be played.

    A name that another edition has already is refused: what a table says is played must be one thing.
    """
    edition = load(str(file))
    found = faults(edition)
    if found:
        raise EditionError(f"{file}: cannot be played; it has {len(found)} faults. Try: chambers edition check {file}")
    try:
        known = named(edition.name)
    except EditionError:
        known = _own[edition.name] = edition
    if known != edition:
        raise EditionError(f"{file}: another edition is called {edition.name!r} already; change the name in the file")
    return edition


def shelve_all(place: Path, /) -> tuple[Edition, ...]:
    """Return the edition in a TOML file, or all those in a folder, shelved; EditionError for one that has faults."""
    try:
        files = files_in(place) if place.is_dir() else (place,)
    except OSError as error:
        raise EditionError(f"{place}: cannot be read: {error.strerror}") from None
    return tuple(shelve(file) for file in files)
