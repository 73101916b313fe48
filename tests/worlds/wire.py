"""What is left of the wire once each commitment, box, root, signature, checkpoint and sealed frame is its length."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from tests.support.memory_bus import Passed

from chambers.protocol.statements import SIGNATURE

_BASE64 = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}")


def without_ciphers(passed: Passed) -> tuple[str, str, int, Any]:
    """Return sender, subject, size, and the content with everything that must look random replaced by its length."""
    return passed.sender, passed.subject, len(passed.data), _content(passed)


def _content(passed: Passed) -> Any:
    subject, data = passed.subject, passed.data
    if ".seat." in subject:
        return len(data)
    if ".in." in subject:
        return SIGNATURE, _plain(msgspec.msgpack.decode(data[SIGNATURE:]))
    if subject.endswith((".log", ".feed")):
        return _entry(data)
    if ".watch." in subject or ".poke." in subject:
        return data
    return _reply(msgspec.msgpack.decode(data)) if data else b""


def _entry(data: bytes) -> Any:
    seq, ts, stmt, sig = msgspec.msgpack.decode(data)
    return seq, ts, _plain(msgspec.msgpack.decode(stmt)), len(sig)


def _reply(message: Any) -> Any:
    if isinstance(message, dict) and "entries" in message:
        return {**_plain(message), "entries": [_entry(raw) for raw in message["entries"]]}
    return _plain(message)


def _plain(value: Any) -> Any:
    match value:
        case bytes():
            return f"<{len(value)} bytes>"
        case str():
            return _BASE64.sub(lambda found: f"<{len(found[0])} of base64>", value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case _:
            return value
