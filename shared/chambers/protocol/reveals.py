"""A reveal beside the log: what a role opens in a file, for a table that never came to its own reveals."""

from __future__ import annotations

import binascii
from typing import Final

import msgspec

from chambers.fairness.hashing import KEY_BYTES, TABLE_BYTES
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.rules.check import ENTRUSTED_BYTES
from chambers.rules.roles import MAX_SEATS, Role, contributors

FORMAT: Final = "reveal/1"
_SIZES: Final = ((KEY_BYTES, KEY_BYTES, 0), (KEY_BYTES, 0, 0), (0, 0, ENTRUSTED_BYTES))


class HandedIn(msgspec.Struct, frozen=True):
    """What a role opens beside the log of a table (16 bytes): its secret S, and its luck L unless that is withheld.

    At a table with an auditor they are in the `box` to the auditor instead. Nothing here is signed: what opens the
    role's commitment comes from the role.
    """

    table: bytes
    role: Role
    secret: bytes = b""
    luck: bytes = b""
    box: bytes = b""

    def __repr__(self) -> str:
        return f"HandedIn({self.role})"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    table: str
    role: str
    secret: str = ""
    luck: str = ""
    box: str = ""

    def __repr__(self) -> str:
        return f"_File({self.role})"


_from_json = msgspec.json.Decoder(_File)
_from_msgpack = msgspec.msgpack.Decoder(_File)


def dump_reveal(handed_in: HandedIn) -> bytes:
    """Return the JSON text of a reveal as it is kept in a file."""
    one = handed_in
    file = _File(FORMAT, one.table.hex(), str(one.role), one.secret.hex(), one.luck.hex(), one.box.hex())
    return msgspec.json.format(msgspec.json.encode(file))


def load_reveal(data: bytes) -> HandedIn:
    """Return the reveal that a JSON or MessagePack file holds; ProtocolError (`reveal/unreadable`) if it holds none."""
    fault = ProtocolError("reveal/unreadable", "This file holds no reveal: table, role, secret and luck.")
    try:
        file = (_from_json if data.lstrip()[:1] == b"{" else _from_msgpack).decode(data)
        parts = (file.table, file.secret, file.luck, file.box)
        table, secret, luck, box = (binascii.unhexlify(text) for text in parts)
    except UNREADABLE:
        raise fault from None
    sized = len(table) == TABLE_BYTES and (len(secret), len(luck), len(box)) in _SIZES
    if file.format != FORMAT or file.role not in contributors(MAX_SEATS) or not sized:
        raise fault
    return HandedIn(table, Role(file.role), secret, luck, box)
