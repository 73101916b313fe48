"""Ed25519: a key that signs, and the check of what it signed. Statements are kept apart from every text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from nacl.bindings import crypto_sign, crypto_sign_BYTES, crypto_sign_open, crypto_sign_seed_keypair
from nacl.exceptions import CryptoError

from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES

SIGNATURE_BYTES: Final = crypto_sign_BYTES

# No UTF-8 text begins with 0xFF, so a statement can never be mistaken for a note, nor for a server's log-in nonce.
_STATEMENT_PREFIX: Final = b"\xffch1/stmt\x00"


class SigningKey:
    """An Ed25519 key made from its 32-byte seed; it shows its public half only."""

    __slots__ = ("_secret", "public")

    def __init__(self, seed: bytes) -> None:
        self.public, self._secret = crypto_sign_seed_keypair(seed)

    def __repr__(self) -> str:
        return f"SigningKey({self.public.hex()[:8]})"

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of exactly these bytes."""
        return crypto_sign(message, self._secret)[:SIGNATURE_BYTES]


def sign_statement(key: SigningKey, stmt: bytes) -> bytes:
    """Return the 64-byte signature of a statement's exact bytes."""
    return key.sign(_STATEMENT_PREFIX + stmt)


def check_statement(public: bytes, sig: bytes, *, stmt: bytes) -> None:
    """Refuse (`fairness/signature`) a signature that `public` did not make over this statement."""
    if not verifies(public, sig, message=_STATEMENT_PREFIX + stmt):
        raise FairnessError("fairness/signature", "The statement is not signed by its author's key.")


def verifies(public: bytes, sig: bytes, *, message: bytes) -> bool:
    """Return whether `public` (32 bytes) made `sig` (64 bytes) over `message`."""
    return _verifies(public, sig, message)


# Every role of a process checks the same entries, so most checks are answered from here. Nothing in it is secret.
@lru_cache(maxsize=4096)
def _verifies(public: bytes, sig: bytes, message: bytes) -> bool:
    if len(public) != KEY_BYTES or len(sig) != SIGNATURE_BYTES:
        return False
    try:
        crypto_sign_open(sig + message, public)
    except CryptoError:
        return False
    return True
