"""Editions as data: boards, cards and cases, found by name or file, with their canonical bytes and their faults."""

from __future__ import annotations

from chambers.editions.blanks import blank
from chambers.editions.errors import EditionError, Fault
from chambers.editions.files import load, names
from chambers.editions.games import Edition, faults, picture, remarks
from chambers.editions.manifest import canonical, edition_hash, from_canonical
from chambers.editions.shelf import named, shelve, shelve_all

__all__ = [
    "Edition",
    "EditionError",
    "Fault",
    "blank",
    "canonical",
    "edition_hash",
    "faults",
    "from_canonical",
    "load",
    "named",
    "names",
    "picture",
    "remarks",
    "shelve",
    "shelve_all",
]
