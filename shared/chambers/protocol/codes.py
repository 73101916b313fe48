"""Short codes: what a player types in place of a ticket, and the exchange that proves one without showing it.

The exchange is CPace (a balanced PAKE) over the prime-order group of edwards25519: each side multiplies a point that
follows from the code with a scalar of its own. Who listens, or stands in between, learns nothing to try codes against.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from nacl.bindings import (
    crypto_core_ed25519_from_uniform,
    crypto_core_ed25519_is_valid_point,
    crypto_core_ed25519_scalar_reduce,
    crypto_scalarmult_ed25519_noclamp,
)
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.utils import random as random_bytes

from chambers.fairness.hashing import digest, prf, u32
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.protocol.messages import Handed, Knock

SIGNS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's alphabet: no two of its signs look alike, and those that would are read as the one they look like."""
LENGTH: Final = 6
"""Signs after the seat's digit: 30 bits."""
LONG: Final = 12
"""Signs of a long code, which is the short one and as many more: 60 bits, whose tries nobody need count."""
_LOOKS_LIKE: Final = str.maketrans({"o": "0", "i": "1", "l": "1"})
_SCALAR_SOURCE: Final = 64


class Code(msgspec.Struct, frozen=True):
    """A seat, and the signs that open it until it is taken."""

    seat: int
    signs: str

    def __repr__(self) -> str:
        return f"Code(seat {self.seat})"

    @property
    def long(self) -> bool:
        """Return whether this is a long code."""
        return len(self.signs) == LONG

    def text(self) -> str:
        """Return the code as it is read out: `2-kqx-7rt`, or `2-kqx-7rt-9mw-4hd`."""
        third = LENGTH // 2
        return "-".join((str(self.seat), *(self.signs[at : at + third] for at in range(0, len(self.signs), third))))


class Handover(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a code is exchanged for: all of a ticket but where its server is, which the player knows already."""

    issue: int
    admit: bytes
    pair: bytes
    frame_key: bytes
    fingerprint: bytes | None

    def __repr__(self) -> str:
        return "Handover(...)"


class VaultHandover(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the code of an own vault is exchanged for: all of the vault's ticket but where its server is."""

    issue: int
    admit: bytes
    client: bytes
    fingerprint: bytes | None

    def __repr__(self) -> str:
        return "VaultHandover(...)"


_handover = msgspec.msgpack.Decoder(Handover)
_vault_handover = msgspec.msgpack.Decoder(VaultHandover)


def code_of(seat: int, secret: bytes, *, long: bool = False) -> Code:
    """Return a code of a ticket: of a client's it follows from `pair`, of an own vault's from `admit`.

    So whoever has made the secret need not keep the code; and the code tells no secret.
    """
    tags = ("code", "code-more") if long else ("code",)
    numbers = (int.from_bytes(prf(secret, tag)[:4], "big") for tag in tags)
    return Code(seat, "".join(SIGNS[number >> 5 * place & 31] for number in numbers for place in range(LENGTH)))


def read_code(text: str) -> Code | None:
    """Return the code that was typed, in capitals or not, with or without hyphens; None for what is none."""
    signs = "".join(text.split()).lower().replace("-", "").translate(_LOOKS_LIKE)
    if len(signs) not in (1 + LENGTH, 1 + LONG) or signs[0] not in "012345" or any(sign not in SIGNS for sign in signs):
        return None
    return Code(int(signs[0]), signs[1:])


class Knocker:
    """The player's end of one exchange, which tries one code."""

    def __init__(self, code: Code, table: bytes) -> None:
        self._long = code.long
        self._nonce = random_bytes(16)
        self._scalar = _scalar()
        self._point = _times(self._scalar, _base(code, table, self._nonce))

    def knock(self) -> Knock:
        """Return what is sent to the vault of the code's seat."""
        return Knock(self._nonce, self._point, self._long)

    def open(self, handed: Handed) -> Handover:
        """Return what the vault hands over; ProtocolError (`code/wrong`) if it was given another code."""
        opened: Handover = self._open(handed, _handover)
        return opened

    def open_vault(self, handed: Handed) -> VaultHandover:
        """Return what the gate hands over; ProtocolError (`code/wrong`) if it was given another code."""
        opened: VaultHandover = self._open(handed, _vault_handover)
        return opened

    def _open(self, handed: Handed, decoder: msgspec.msgpack.Decoder[Any]) -> Any:
        try:
            shared = _times(self._scalar, handed.point)
            key = digest("code-key", self._nonce, shared, self._point, handed.point)
            return decoder.decode(SecretBox(key).decrypt(handed.sealed))
        except (*UNREADABLE, CryptoError, TypeError, ProtocolError):
            raise ProtocolError(
                "code/wrong", "This code does not open that seat: see whether it is the one of this table."
            ) from None


def hand_over(knock: Knock, code: Code, *, table: bytes, handover: Handover | VaultHandover) -> Handed:
    """Return the answer, which only whoever knocked with `code` can open; ProtocolError for no knock."""
    if len(knock.nonce) != 16:
        raise ProtocolError("code/unreadable", "This is no knock with a code.")
    scalar = _scalar()
    shared = _times(scalar, knock.point)
    point = _times(scalar, _base(code, table, knock.nonce))
    key = digest("code-key", knock.nonce, shared, knock.point, point)
    return Handed(point, bytes(SecretBox(key).encrypt(msgspec.msgpack.encode(handover))))


def _base(code: Code, table: bytes, nonce: bytes) -> bytes:
    return crypto_core_ed25519_from_uniform(digest("code-point", code.signs, table, u32(code.seat), nonce))


def _scalar() -> bytes:
    return crypto_core_ed25519_scalar_reduce(random_bytes(_SCALAR_SOURCE))


def _times(scalar: bytes, point: bytes) -> bytes:
    # A point of small order would make a key that everybody knows.
    if len(point) != 32 or not crypto_core_ed25519_is_valid_point(point):
        raise ProtocolError("code/unreadable", "This is no knock with a code.")
    try:
        return crypto_scalarmult_ed25519_noclamp(scalar, point)
    except (CryptoError, RuntimeError):
        raise ProtocolError("code/unreadable", "This is no knock with a code.") from None
