"""A copy of a table's log as a role keeps it in its volume: a docket without its end, a line for each entry."""

from __future__ import annotations

import base64
import binascii
from typing import Final

import msgspec

from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError

HEADER: Final = "copy/1"
FOLDER: Final = "copies"
SUFFIX: Final = ".copy"
HANDED_IN: Final = ".handed-in"
"""Lies beside a copy once its role's reveal was handed in: with its secrets open, the role must not play on."""
WANTED: Final = ".wanted"
"""Lies beside a game master's copy of a table that is to be put back into a store that has nothing of it."""

_NOTE: Final = "note "


class Kept(msgspec.Struct, frozen=True):
    """The whole lines of a copy: the edition, entries in order, the newest checkpoint, and their length in bytes."""

    edition: bytes
    leaves: tuple[bytes, ...]
    note: str
    length: int

    def docket(self) -> Docket:
        """Return what was kept as a docket."""
        return Docket(self.edition, self.leaves, self.note)


def head(edition: bytes) -> bytes:
    """Return the first two lines of a copy, with the edition's canonical bytes."""
    return f"{HEADER}\n".encode() + edition + b"\n"


def entry_line(leaf: bytes) -> bytes:
    """Return the line of an entry."""
    return base64.b64encode(leaf) + b"\n"


def note_line(note: str) -> bytes:
    """Return the line of a checkpoint."""
    return f"{_NOTE}{base64.b64encode(note.encode()).decode()}\n".encode()


def load(data: bytes) -> Kept:
    """Return what a copy's file holds; ProtocolError (`docket/copy`) for a damaged line.

    A last line without its end is one that was being written when the power failed; it is passed over.
    """
    whole = data[: data.rfind(b"\n") + 1]
    lines = whole.split(b"\n")[:-1]
    if len(lines) < 2:
        return Kept(b"", (), "", 0)
    if lines[0] != HEADER.encode():
        raise ProtocolError("docket/copy", f"Line 1: a copy begins with '{HEADER}'.")
    found = load_lines(b"".join(line + b"\n" for line in lines[2:]), first=3)
    return Kept(lines[1], found.leaves, found.note, len(whole))


def load_lines(data: bytes, *, first: int) -> Kept:
    """Return what the lines from line `first` on hold, of which a copy's head is no part; refuses as `load` does."""
    whole = data[: data.rfind(b"\n") + 1]
    leaves: list[bytes] = []
    note = ""
    for number, line in enumerate(whole.split(b"\n")[:-1], start=first):
        try:
            if line.startswith(_NOTE.encode()):
                note = base64.b64decode(line[len(_NOTE) :], validate=True).decode()
            else:
                leaves.append(base64.b64decode(line, validate=True))
        except (binascii.Error, ValueError):
            raise ProtocolError("docket/copy", f"Line {number}: this line of the copy is damaged.") from None
    return Kept(b"", tuple(leaves), note, len(whole))
