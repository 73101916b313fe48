"""The docket: a table's whole log in one text file that can be mailed, printed and audited anywhere."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Final

import msgspec

from chambers.protocol.errors import ProtocolError

HEADER = "docket/1"
MOST_ENTRIES: Final = 200_000
MOST_BYTES: Final = 128 * 1024 * 1024
"""What is taken of one table from somebody else's service, in entries and in their bytes: no game comes near it."""


class Docket(msgspec.Struct, frozen=True):
    """The edition's canonical bytes, every leaf of the log in order, and the last checkpoint note."""

    edition: bytes
    leaves: tuple[bytes, ...]
    note: str


class Taken:
    """How much of one table's record has been taken from a service that nobody here answers for."""

    def __init__(self) -> None:
        self._entries = 0
        self._bytes = 0

    def count(self, entries: Sequence[bytes]) -> None:
        """Count these entries, too; ProtocolError (`docket/too-long`) if that is more than any game comes to."""
        self._entries += len(entries)
        self._bytes += sum(map(len, entries))
        if self._entries > MOST_ENTRIES or self._bytes > MOST_BYTES:
            told = f"This record has no end: {MOST_ENTRIES:,} entries and {MOST_BYTES >> 20} MiB are taken at most"
            raise ProtocolError(
                "docket/too-long", f"{told}. Ask whoever runs that server, or read the docket as a file."
            )


def dump(docket: Docket) -> str:
    """Return the text of a docket: header, edition, a base64 leaf a line, a blank line, the note.

    ProtocolError (`docket/edition`) for an edition, a stranger's server's say, that is not one line of UTF-8.
    """
    try:
        edition = docket.edition.decode()
    except UnicodeDecodeError:
        raise ProtocolError("docket/edition", "The edition of this record is not UTF-8 text.") from None
    if "\n" in edition:
        raise ProtocolError("docket/edition", "The edition of this record is not one line.")
    leaves = (base64.b64encode(leaf).decode() for leaf in docket.leaves)
    return "\n".join([HEADER, edition, *leaves, "", docket.note])


def load(text: str) -> Docket:
    """Return the docket that a text holds; ProtocolError with the line that is wrong."""
    lines = text.split("\n")
    if not lines or lines[0] != HEADER:
        raise ProtocolError("docket/header", f"Line 1: a docket begins with '{HEADER}'.")
    if len(lines) < 3 or "" not in lines[2:]:
        raise ProtocolError("docket/cut", "The docket is cut: the blank line before its checkpoint is missing.")
    blank = lines.index("", 2)
    leaves = []
    for number, line in enumerate(lines[2:blank], start=3):
        try:
            leaves.append(base64.b64decode(line, validate=True))
        except (binascii.Error, ValueError):
            raise ProtocolError("docket/line", f"Line {number}: this is no entry in base64.") from None
        if base64.b64encode(leaves[-1]).decode() != line:
            raise ProtocolError("docket/line", f"Line {number}: this is not the one base64 form of its entry.")
    try:
        edition = lines[1].encode()
    except UnicodeEncodeError:
        raise ProtocolError("docket/edition", "Line 2: the edition is not UTF-8 text.") from None
    note = "\n".join(lines[blank + 1 :])
    _, gap, signatures = note.rpartition("\n\n")
    if leaves and not (gap and signatures.endswith("\n")):
        # Half a file is no damaged checkpoint, which the audit would hold against the record.
        raise ProtocolError("docket/cut", "The docket is cut: its last line, the checkpoint's signature, is not whole.")
    return Docket(edition=edition, leaves=tuple(leaves), note=note)
