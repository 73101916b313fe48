"""Signed heads of a log: C2SP signed notes, the checkpoints they carry, and the cosignatures of a final receipt."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES
from chambers.fairness.signatures import SIGNATURE_BYTES, SigningKey, verifies

SIGNATURE_TYPE: Final = 0x01
COSIGNATURE_TYPE: Final = 0x04
COSIGNATURE_BYTES: Final = 8 + SIGNATURE_BYTES

_KEY_ID_BYTES: Final = 4
_MAX_SIGNATURES: Final = 100
_MAX_SIZE_DIGITS: Final = 19
_LINE_START: Final = "— "
_FORBIDDEN: Final = re.compile("[\x00-\x09\x0b-\x1f\ud800-\udfff]")  # control signs but the line feed; halves of signs


class NoteSignature(msgspec.Struct, frozen=True):
    """One signature line of a note: the signer's name, the 4 bytes that tell its key, and what the key made."""

    name: str
    key_id: bytes
    blob: bytes


class Note(msgspec.Struct, frozen=True):
    """A note taken apart, nothing of it verified: its text with the last line feed, and its signature lines."""

    text: str
    signatures: tuple[NoteSignature, ...]


def origin(table: bytes) -> str:
    """Return the name of a table's log, which is also the name under which the game master signs it."""
    return f"chambers.local/table/{table.hex()}"


def cosigner(table: bytes, role: str) -> str:
    """Return the name under which a role cosigns a table's log."""
    return f"{origin(table)}/{role}"


def key_id(name: str, kind: int, *, public: bytes) -> bytes:
    """Return the 4 bytes that tell a key in a signature line, from its name, signature type and public half."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:_KEY_ID_BYTES]


def signature_line(name: str, kind: int, *, public: bytes, blob: bytes) -> str:
    """Return one signature line of a note, with its line feed."""
    return f"{_LINE_START}{name} {_base64(key_id(name, kind, public=public) + blob)}\n"


def sign_note(key: SigningKey, name: str, *, text: str) -> str:
    """Return the note of a text that ends in a line feed, signed under `name`."""
    blob = key.sign(text.encode())
    return f"{text}\n{signature_line(name, SIGNATURE_TYPE, public=key.public, blob=blob)}"


def read_note(note: str) -> Note:
    """Return a note's parts, unverified; refuses (`fairness/note`) what is not a well-formed signed note."""
    fault = FairnessError("fairness/note", "This is no signed note: it is damaged, or something else.")
    text, gap, lines = note.rpartition("\n\n")
    if not gap or not lines.endswith("\n") or _FORBIDDEN.search(note):
        raise fault
    # Only the line feed ends a line here; splitlines() would also cut at a dozen other signs.
    rows = lines[:-1].split("\n")
    if len(rows) > _MAX_SIGNATURES:
        raise fault
    return Note(text=text + "\n", signatures=tuple(_read_line(row, fault) for row in rows))


def check_note(note: str, name: str, *, public: bytes) -> str:
    """Return the text of a note that `public` signed under `name`.

    Refuses (`fairness/note`) a malformed note, one without that key's signature, or one with a false one.
    """
    parts = read_note(note)
    expected = key_id(name, SIGNATURE_TYPE, public=public)
    blobs = [sig.blob for sig in parts.signatures if (sig.name, sig.key_id) == (name, expected)]
    if not blobs or not all(verifies(public, blob, message=parts.text.encode()) for blob in blobs):
        raise FairnessError("fairness/note", f"The note is not signed by the key of {name}.")
    return parts.text


def checkpoint_text(table: bytes, size: int, *, root: bytes) -> str:
    """Return the text of a table's checkpoint: its origin, the number of entries, the root."""
    return f"{origin(table)}\n{size}\n{_base64(root)}\n"


def sign_checkpoint(key: SigningKey, table: bytes, *, size: int, root: bytes) -> str:
    """Return the signed checkpoint of a table's log, as the game master publishes it."""
    return sign_note(key, origin(table), text=checkpoint_text(table, size, root=root))


def read_checkpoint(text: str, table: bytes) -> tuple[int, bytes]:
    """Return the size and root that a checkpoint's text states; refuses (`fairness/checkpoint`) any other text."""
    fault = FairnessError("fairness/checkpoint", "The note is not a checkpoint of this table's log.")
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or lines[0] != origin(table):
        raise fault
    digits = lines[1]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _MAX_SIZE_DIGITS):
        raise fault
    size, root = int(digits), _from_base64(lines[2], fault)
    if str(size) != digits or len(root) != KEY_BYTES:
        raise fault
    return size, root


def check_checkpoint(note: str, log_key: bytes, *, table: bytes) -> tuple[int, bytes]:
    """Return the size and root of a checkpoint that the table's log key signed.

    Refuses a malformed note or false signature (`fairness/note`), and another log's or text (`fairness/checkpoint`).
    """
    return read_checkpoint(check_note(note, origin(table), public=log_key), table)


def cosign(key: SigningKey, text: str, *, time: int) -> bytes:
    """Return the 72-byte cosignature of a checkpoint's text: `time` (s since 1970, 8 bytes) and 64 of signature."""
    return time.to_bytes(8, "big") + key.sign(_cosigned(text, time))


def check_cosignature(public: bytes, cosignature: bytes, *, text: str) -> int:
    """Return the time (s since 1970) at which `public` cosigned; refuses (`fairness/cosignature`) a false one."""
    time = int.from_bytes(cosignature[:8], "big")
    if len(cosignature) != COSIGNATURE_BYTES or not verifies(public, cosignature[8:], message=_cosigned(text, time)):
        raise FairnessError("fairness/cosignature", "The head is not cosigned by the key that was committed to.")
    return time


def cosignature_line(table: bytes, role: str, *, public: bytes, cosignature: bytes) -> str:
    """Return the line that adds a role's cosignature to a checkpoint note; it goes at the note's end."""
    return signature_line(cosigner(table, role), COSIGNATURE_TYPE, public=public, blob=cosignature)


def check_cosignatures(note: str, table: bytes, *, keys: Mapping[str, bytes]) -> tuple[tuple[str, int], ...]:
    """Return (role, time in s) of each role in `keys` (role to public key) that cosigned the note, in that order.

    Lines of other keys say nothing and are passed over; refuses (`fairness/cosignature`) a false one of these keys.
    """
    parts = read_note(note)
    found: list[tuple[str, int]] = []
    for role, public in keys.items():
        name = cosigner(table, role)
        expected = (name, key_id(name, COSIGNATURE_TYPE, public=public))
        mine = [sig.blob for sig in parts.signatures if (sig.name, sig.key_id) == expected]
        times = [check_cosignature(public, blob, text=parts.text) for blob in mine]
        if times:
            found.append((role, times[0]))
    return tuple(found)


def _cosigned(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _read_line(row: str, fault: FairnessError) -> NoteSignature:
    name, space, encoded = row.removeprefix(_LINE_START).partition(" ")
    if not row.startswith(_LINE_START) or not space or not name or "+" in name or name != "".join(name.split()):
        raise fault
    raw = _from_base64(encoded, fault)
    if len(raw) <= _KEY_ID_BYTES:
        raise fault
    return NoteSignature(name=name, key_id=raw[:_KEY_ID_BYTES], blob=raw[_KEY_ID_BYTES:])


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _from_base64(encoded: str, fault: FairnessError) -> bytes:
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise fault from None
    # Python lets stray bits behind the last sign pass, so one signature would have several spellings.
    if _base64(raw) != encoded:
        raise fault
    return raw
