"""The auditor of a table: a key pair, and the box in which each role entrusts its secret and luck to its owner."""

from __future__ import annotations

import binascii
import secrets
from functools import cached_property
from typing import Final

import msgspec

from chambers.fairness.boxes import box_public, check_box_key, open_box, seal_box
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES
from chambers.fairness.keys import box_nonce, box_private
from chambers.protocol.errors import ProtocolError
from chambers.rules.roles import Role

FORMAT: Final = "auditor-key/1"
AUDITOR: Final = "auditor"
"""The receiver of the box. It is no role, so no box of the game can be taken for this one."""

_N: Final = 0
"""The counter in the box's context: what is entrusted is the same in the log and beside it, so no statement's own."""


class AuditorKey(msgspec.Struct, frozen=True, dict=True):
    """The private half (X25519, 32 bytes) of an auditor's key; it shows its public half only."""

    private: bytes

    def __repr__(self) -> str:
        return f"AuditorKey({self.public.hex()[:8]})"

    @cached_property
    def public(self) -> bytes:
        """Return the public half (32 bytes), which a table names."""
        return box_public(self.private)


def new_key() -> AuditorKey:
    """Return a new key."""
    return AuditorKey(secrets.token_bytes(KEY_BYTES))


def dump_key(key: AuditorKey) -> str:
    """Return the text of a key's file, private half included."""
    return f"{FORMAT}\n{key.private.hex()}\n"


def load_key(text: str) -> AuditorKey:
    """Return the key that a file's text holds; ProtocolError (`reveal/no-auditor-key`) if it holds none."""
    lines = text.split()
    if len(lines) != 2 or lines[0] != FORMAT:
        raise ProtocolError("reveal/no-auditor-key", "This is no auditor's key; make one: chambers auditor FILE")
    return AuditorKey(_bytes(lines[1]))


def load_public(text: str) -> bytes:
    """Return the public half that 64 hex digits, or a key's own file, name; ProtocolError (`reveal/no-auditor-key`)."""
    if text.startswith(FORMAT):
        return load_key(text).public
    public = _bytes(text.strip())
    try:
        check_box_key(public)
    except FairnessError as error:
        raise ProtocolError("reveal/no-auditor-key", f"That is no auditor's key. {error.sentence}") from None
    return public


def entrust(public: bytes, *, table: bytes, role: Role, secret: bytes, luck: bytes) -> bytes:
    """Return the box (136 bytes) of a role's S and L to the auditor with that public key; it is always the same one.

    `luck` is empty where the role does not have it: that may be handed in beside a log, and be no event of one.
    """
    payload = secret + luck
    nonce = box_nonce(secret, _N, to=AUDITOR, payload=payload)
    return seal_box(
        box_private(secret), public, table=table, author=role, n=_N, to=AUDITOR, payload=payload, nonce=nonce
    )


def entrusted(key: AuditorKey, box_key: bytes, *, table: bytes, role: Role, box: bytes) -> tuple[bytes, bytes]:
    """Return the S and L that a role, whose box key is in its commit, entrusted; FairnessError if the box is bad.

    L is empty where the role did not have it.
    """
    return _opened(key.private, box_key, table=table, role=role, box=box)


def entrusted_by(secret: bytes, public: bytes, *, table: bytes, role: Role, box: bytes) -> tuple[bytes, bytes]:
    """Return the S and L in a role's box as its author opens it, whose `secret` is known; refuses as `entrusted` does.

    `public` is the auditor's key: a box has two ends.
    """
    return _opened(box_private(secret), public, table=table, role=role, box=box)


def _opened(private: bytes, public: bytes, *, table: bytes, role: Role, box: bytes) -> tuple[bytes, bytes]:
    payload = open_box(private, public, table=table, author=role, n=_N, to=AUDITOR, box=box)
    if len(payload) not in (KEY_BYTES, 2 * KEY_BYTES):
        raise FairnessError("fairness/reveal", f"What {role} entrusted to the auditor is no secret and luck.")
    return payload[:KEY_BYTES], payload[KEY_BYTES:]


def _bytes(digits: str) -> bytes:
    try:
        key = binascii.unhexlify(digits)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ProtocolError("reveal/no-auditor-key", "An auditor's key is 64 hex digits, or the file that holds it.")
    return key
