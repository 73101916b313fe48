"""Boxes: a payload sealed between two roles, bound to one statement, that either end can open, then and later."""

from __future__ import annotations

from typing import Final

from nacl.bindings import crypto_box_beforenm
from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey

from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES, digest, u32

BLOCK_BYTES: Final = 96
OVERHEAD_BYTES: Final = 24 + 16
"""What encryption adds to the padded plaintext: the nonce in front, and the authenticator."""

_FIELD: Final = 2**255 - 19
"""X25519 passes over the top bit of a public key and counts modulo this, so a key could be spelled in several ways."""

_CONTEXT_BYTES: Final = 16
_LENGTH_BYTES: Final = 2
_HEADER_BYTES: Final = _CONTEXT_BYTES + _LENGTH_BYTES
_MAX_PAYLOAD_BYTES: Final = 2 ** (8 * _LENGTH_BYTES) - 1


def box_public(private: bytes) -> bytes:
    """Return the 32-byte X25519 public key of a 32-byte private one."""
    return bytes(PrivateKey(private).public_key)


def check_box_key(public: bytes) -> None:
    """Refuse (`fairness/box-key`) a public key that no box can be made with, or another spelling of one."""
    _between(bytes(range(KEY_BYTES)), public)
    if int.from_bytes(public, "little") >= _FIELD:
        # The same boxes would be made with it, but whoever has the private half could not show that it is his.
        raise FairnessError("fairness/box-key", "A box key has one spelling, below 2^255 - 19, and this is another.")


def seal_box(
    my_private: bytes,
    their_public: bytes,
    *,
    table: bytes,
    author: str,
    n: int,
    to: str,
    payload: bytes,
    nonce: bytes | None = None,
) -> bytes:
    """Return the box of `payload` (65535 bytes at most) from `author` to `to`; its size tells only blocks of 96 bytes.

    `n` is the author's counter of the statement that first commits to the box. `nonce` (24 bytes) is fresh unless
    given; FairnessError (`fairness/box-key`) for a public key that no box can be made with.
    """
    if len(payload) > _MAX_PAYLOAD_BYTES:
        raise ValueError(f"a box holds {_MAX_PAYLOAD_BYTES} bytes at most, not {len(payload)}")
    plain = _context(table, author, n=n, to=to) + len(payload).to_bytes(_LENGTH_BYTES, "big") + payload
    padded = plain.ljust(_padded_size(len(payload)), b"\0")
    return bytes(_between(my_private, their_public).encrypt(padded, nonce))


def open_box(
    my_private: bytes, their_public: bytes, *, table: bytes, author: str, n: int, to: str, box: bytes
) -> bytes:
    """Return the payload of a box, at either end of it: the other end's public key and one's own private key.

    Refuses (`fairness/box`) a box that does not open, that was made for another statement, or that is not padded as
    every box is; and (`fairness/box-key`) a public key that no box can be made with.
    """
    between = _between(my_private, their_public)
    if not 0 <= n < 2**32:
        raise FairnessError("fairness/box", "No statement has the number that the box is said to be made for.")
    if len(box) <= OVERHEAD_BYTES or (len(box) - OVERHEAD_BYTES) % BLOCK_BYTES:
        raise FairnessError("fairness/box", "The box has a size that no box has.")
    try:
        padded = between.decrypt(box)
    except CryptoError:
        raise FairnessError("fairness/box", f"The box from {author} to {to} does not open.") from None
    if padded[:_CONTEXT_BYTES] != _context(table, author, n=n, to=to):
        raise FairnessError("fairness/box", f"The box from {author} to {to} was made for another statement.")
    size = int.from_bytes(padded[_CONTEXT_BYTES:_HEADER_BYTES], "big")
    payload = padded[_HEADER_BYTES : _HEADER_BYTES + size]
    if len(padded) != _padded_size(size) or any(padded[_HEADER_BYTES + size :]):
        raise FairnessError("fairness/box", f"The box from {author} to {to} is not padded as every box is.")
    return payload


def _context(table: bytes, author: str, *, n: int, to: str) -> bytes:
    return digest("box", table, author, u32(n), to)[:_CONTEXT_BYTES]


def _padded_size(payload_size: int) -> int:
    return -(-(_HEADER_BYTES + payload_size) // BLOCK_BYTES) * BLOCK_BYTES


def _between(my_private: bytes, their_public: bytes) -> Box:
    if len(their_public) != KEY_BYTES:
        raise FairnessError("fairness/box-key", "The other end's box key does not have 32 bytes.")
    try:
        # A PrivateKey would also work out its public half, which takes as long and is not wanted.
        return Box.decode(crypto_box_beforenm(their_public, my_private))
    except (CryptoError, RuntimeError):
        # libsodium refuses a point of small order: with it, the key of the box would be known to everybody.
        raise FairnessError("fairness/box-key", "No box can be made with the other end's box key.") from None
