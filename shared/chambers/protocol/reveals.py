"""A reveal beside the log: a role's opened secrets in a file, for a table that never came to its own reveals."""

from __future__ import annotations

import binascii
from typing import Final

import msgspec

from chambers.protocol.errors import ProtocolError
from chambers.rules.roles import MAX_SEATS, Role, contributors

FORMAT: Final = "reveal/1"
KEY: Final = 32


class HandedIn(msgspec.Struct, frozen=True):
    """What a role opens beside the log of a table (16 bytes): its secret S, and its luck L unless that is withheld."""

    table: bytes
    role: Role
    secret: bytes
    luck: bytes = b""

    def __repr__(self) -> str:
        return f"HandedIn({self.role})"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    table: str
    role: str
    secret: str
    luck: str = ""

    def __repr__(self) -> str:
        return f"_File({self.role})"


_from_json = msgspec.json.Decoder(_File)
_from_msgpack = msgspec.msgpack.Decoder(_File)


def dump_reveal(handed_in: HandedIn) -> bytes:
    """Return the JSON text of a reveal as it is kept in a file."""
    return msgspec.json.format(
        msgspec.json.encode(
            _File(
                FORMAT,
                handed_in.table.hex(),
                str(handed_in.role),
                handed_in.secret.hex(),
                handed_in.luck.hex(),
            )
        )
    )


def load_reveal(data: bytes) -> HandedIn:
    """Return the reveal that a JSON or MessagePack file holds; ProtocolError (`reveal/unreadable`) if it holds none."""
    fault = ProtocolError("reveal/unreadable", "This file holds no reveal: table, role, secret and luck.")
    try:
        file = (_from_json if data.lstrip()[:1] == b"{" else _from_msgpack).decode(data)
        table, secret, luck = (binascii.unhexlify(text) for text in (file.table, file.secret, file.luck))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise fault from None
    sizes = (len(table), len(secret), len(luck))
    if file.format != FORMAT or file.role not in contributors(MAX_SEATS) or sizes not in ((16, KEY, KEY), (16, KEY, 0)):
        raise fault
    return HandedIn(table, Role(file.role), secret, luck)
