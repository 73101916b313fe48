"""The notation of docs/protocol.md for the second verifier: bytes, hashes, draws, MessagePack, roots."""

from __future__ import annotations

import hashlib
import hmac
import struct
from typing import Any

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey


class Wrong(Exception):
    """Something in a record does not hold, and why."""


def must(holds: bool, what: str) -> None:
    """Refuse the record if something does not hold."""
    if not holds:
        raise Wrong(what)


def enc(*parts: bytes | str) -> bytes:
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(struct.pack(">I", len(part)) + part for part in raw)


def u32(number: int) -> bytes:
    return struct.pack(">I", number)


def h(tag: str, *parts: bytes | str) -> bytes:
    return hashlib.sha256(enc("ch1/" + tag, *parts)).digest()


def prf(key: bytes, tag: str, *parts: bytes | str) -> bytes:
    return hmac.new(key, enc("ch1/" + tag, *parts), hashlib.sha256).digest()


class Draw:
    def __init__(self, key: bytes, label: str) -> None:
        self.key, self.label, self.block, self.rest = key, label, 0, b""

    def uniform(self, n: int) -> int:
        while True:
            if not self.rest:
                self.rest = prf(self.key, "stream", self.label, u32(self.block))
                self.block += 1
            byte, self.rest = self.rest[0], self.rest[1:]
            if byte < 256 - 256 % n:
                return byte % n

    def shuffle(self, items: list[int]) -> list[int]:
        for i in range(len(items) - 1, 0, -1):
            j = self.uniform(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


def pack(value: Any) -> bytes:
    """Return the shortest MessagePack of a value made of arrays, ints, text, bytes, booleans and nil."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _pack_int(value)
        case str():
            raw = value.encode()
            return (
                _head(len(raw), ((0xA0, 32, ""), (0xD9, 1 << 8, "B"), (0xDA, 1 << 16, "H"), (0xDB, 1 << 32, "I"))) + raw
            )
        case bytes():
            return _head(len(value), ((0xC4, 1 << 8, "B"), (0xC5, 1 << 16, "H"), (0xC6, 1 << 32, "I"))) + value
        case list():
            head = _head(len(value), ((0x90, 16, ""), (0xDC, 1 << 16, "H"), (0xDD, 1 << 32, "I")))
            return head + b"".join(map(pack, value))
    raise Wrong("something else than an array, a number, text, bytes, a truth or nil")


def _head(size: int, forms: tuple[tuple[int, int, str], ...]) -> bytes:
    first, _, kind = next(form for form in forms if size < form[1])
    return bytes([first | size]) if not kind else bytes([first]) + struct.pack(">" + kind, size)


def _pack_int(value: int) -> bytes:
    if value >= 0:
        forms = ((0xCC, 1 << 8, "B"), (0xCD, 1 << 16, "H"), (0xCE, 1 << 32, "I"), (0xCF, 1 << 64, "Q"))
        return bytes([value]) if value < 128 else _head(value, forms)
    must(value >= -32, "a negative number that no event has")
    return struct.pack("b", value)


class Reader:
    """Reads MessagePack; whether it was the shortest form is seen by packing it again."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        must(self.at + size <= len(self.data), "bytes are missing")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> int:
        return int(struct.unpack(">" + kind, self.take(struct.calcsize(kind)))[0])

    def value(self) -> Any:
        first = self.take(1)[0]
        if first < 0x80:
            return first
        if first >= 0xE0:
            return first - 256
        if 0x90 <= first < 0xA0:
            return [self.value() for _ in range(first & 15)]
        if 0xA0 <= first < 0xC0:
            return self.take(first & 31).decode()
        return self.long(first)

    def long(self, first: int) -> Any:
        if first in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[first]
        if 0xC4 <= first <= 0xC6:
            return self.take(self.number("BHI"[first - 0xC4]))
        if 0xCC <= first <= 0xCF:
            return self.number("BHIQ"[first - 0xCC])
        if 0xD9 <= first <= 0xDB:
            return self.take(self.number("BHI"[first - 0xD9])).decode()
        if first in (0xDC, 0xDD):
            return [self.value() for _ in range(self.number("HI"[first - 0xDC]))]
        raise Wrong("a kind of value that no statement has")


def unpack(data: bytes) -> Any:
    """Return the value of canonical bytes."""
    reader = Reader(data)
    try:
        value = reader.value()
    except UnicodeDecodeError:
        raise Wrong("text that is not UTF-8") from None
    except RecursionError:
        raise Wrong("arrays within arrays without end") from None
    must(reader.at == len(data) and pack(value) == data, "bytes that are not canonical")
    return value


def signed(key: bytes, signature: bytes, message: bytes, what: str) -> None:
    """Refuse what is not signed by a key."""
    try:
        VerifyKey(key).verify(message, signature)
    except (CryptoError, ValueError):
        raise Wrong(f"{what} is not signed by its key") from None


def is_one_spelling(key: bytes) -> bool:
    return len(key) == 32 and int.from_bytes(key, "little") < 2**255 - 19


def root_of(hashes: list[bytes]) -> bytes:
    """Return the RFC 6962 root of leaf hashes."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return hashlib.sha256(b"\x01" + root_of(hashes[:split]) + root_of(hashes[split:])).digest()
