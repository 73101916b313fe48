"""Everything that a message of ours is not: a field of another type, size or sign, and bytes that no reader expects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

ESCAPES: Final = "\x1b[2J\x1b]0;owned\x07\u202e\x9b31m"
"""What a terminal obeys and a reader does not see."""
_DEEP: Final = b"\x91" * 9000 + b"\xc0"
_VALUES: Final[tuple[Any, ...]] = (
    None, True, -1, 0, 5, 2**31, 2**32, 2**63, 2**64 - 1, -(2**63), 1.5, float("nan"), float("inf"), "", "x" * 900,
    ESCAPES, b"", bytes(16), bytes(31), bytes(32), b"\x01" + bytes(31), bytes(64), [], [0], [-1], [True] * 9, ["x"] * 3,
    {}, msgspec.msgpack.Ext(5, b"x"),
)  # fmt: skip
_RAW: Final = (
    b"", b"\xc1", b"\xa4\xff\xfe\xfd\xfc", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", _DEEP, b"x" * 900,
)  # fmt: skip


def malformed(message: msgspec.Struct) -> Iterator[bytes]:
    """Yield the bytes of a message with one thing wrong at a time; a few of them are good messages all the same."""
    fields: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(bytes,))
    good = msgspec.msgpack.encode(fields)
    yield from _RAW
    yield from (good[:-1], good + b"\0", _with_a_deep_field(fields))
    for name in fields:
        yield msgspec.msgpack.encode({key: value for key, value in fields.items() if key != name})
        yield from (msgspec.msgpack.encode({**fields, name: value}) for value in _VALUES)


def _with_a_deep_field(fields: dict[str, Any]) -> bytes:
    pairs = b"".join(msgspec.msgpack.encode(key) + msgspec.msgpack.encode(value) for key, value in fields.items())
    return bytes([0x80 + len(fields) + 1]) + pairs + msgspec.msgpack.encode("new") + _DEEP
