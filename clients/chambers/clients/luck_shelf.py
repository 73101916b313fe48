"""What a client keeps of the luck that it brings to a table: its key, what it promised, and the head it pinned."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from chambers.bus.deployment import master_key
from chambers.protocol.errors import UNREADABLE


class Promise(msgspec.Struct, frozen=True):
    """The newest attempt of the setup that this client is bound at, and whether it holds its luck back to the end.

    `settled`: it has seen the cards dealt at that attempt, with its own bindings in the log.
    """

    attempt: int
    hold: bool = False
    settled: bool = False


class LuckShelf:
    """One seat's files in the player's data folder, readable by the player alone."""

    def __init__(self, home: Path, *, table: bytes, seat: int) -> None:
        self._key = home / "luck.key"
        self._promise = home / "luck" / f"{table.hex()}.{seat}.json"
        self.pin_path = pin_path(home / "receipts", table)

    def key(self) -> bytes:
        """Return the 32 bytes that all luck of this player follows from, made once; BusError if they are damaged."""
        return master_key(self._key)

    def promise(self) -> Promise | None:
        """Return what was promised at this seat; None if nothing was, or if it cannot be read any more."""
        try:
            return msgspec.json.decode(self._promise.read_bytes(), type=Promise)
        except (OSError, *UNREADABLE):
            return None

    def keep(self, promise: Promise) -> None:
        """Keep a promise; OSError if the disk does not take it."""
        _replace(self._promise, msgspec.json.encode(promise))

    def pinned(self) -> str:
        """Return the note that was pinned at this table, empty where none was; OSError if it cannot be read."""
        try:
            return self.pin_path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return ""

    def pin(self, note: str) -> None:
        """Keep a note in the place of the last one, on the disk before this returns; OSError if it is not taken."""
        _replace(self.pin_path, note.encode())


def pin_path(receipts: Path, table: bytes) -> Path:
    """Return where the head that a client pinned lies: beside the receipt of the same table."""
    return receipts / f"{table.hex()}.setup.note"


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
