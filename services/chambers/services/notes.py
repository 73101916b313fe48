"""A player's private notes: one small sealed file a table, on the vault's own disk and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from chambers.fairness.hashing import prf

LIMIT = 2_000
BYTES = 2 * LIMIT
"""Notes travel with every view, so they must leave room for it in its one frame, whatever alphabet they are in."""


class Notes:
    """The notes of one seat at all its tables, sealed with a key that never leaves the vault."""

    def __init__(self, folder: Path, master: bytes) -> None:
        self._folder = folder
        self._box = SecretBox(prf(master, "notes"))

    def __repr__(self) -> str:
        return "Notes(...)"

    def read(self, table: bytes) -> str:
        """Return the notes kept for a table; empty where there are none, or where the file is not ours."""
        try:
            return self._box.decrypt(self._path(table).read_bytes()).rstrip(b"\0").decode()
        except (OSError, CryptoError, ValueError):
            return ""

    def write(self, table: bytes, text: str) -> None:
        """Keep `text` (2,000 characters at most) as the notes of a table; OSError if the disk does not take it."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(table)
        new = path.with_suffix(".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(self._box.encrypt(text.encode().ljust(BYTES, b"\0")))
        new.replace(path)

    def _path(self, table: bytes) -> Path:
        return self._folder / f"{table.hex()}.note"
