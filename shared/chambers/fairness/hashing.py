"""The two keyed roots of everything here: a tagged hash and a tagged PRF over an injective encoding."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

TABLE_BYTES: Final = 16
KEY_BYTES: Final = 32

_DOMAIN: Final = b"ch1/"


def u32(number: int, /) -> bytes:
    """Return a number of 0..2**32-1 as 4 bytes, big endian; OverflowError beyond."""
    return number.to_bytes(4, "big")


def enc(*parts: bytes | str) -> bytes:
    """Return each part behind its length (4 bytes, big endian); no two sequences of parts give the same bytes."""
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join([u32(len(part)) + part for part in raw])


def digest(tag: str, /, *parts: bytes | str) -> bytes:
    """Return the 32-byte SHA-256 of the tagged parts; every use has a tag of its own."""
    return hashlib.sha256(enc(_DOMAIN + tag.encode(), *parts)).digest()


def prf(key: bytes, tag: str, /, *parts: bytes | str) -> bytes:
    """Return the 32-byte HMAC-SHA-256 of the tagged parts under `key`: a derived key, or a hiding commitment."""
    return hmac.digest(key, enc(_DOMAIN + tag.encode(), *parts), "sha256")
