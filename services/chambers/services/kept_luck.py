"""The luck that players have handed to their vault: one small sealed file a table, erased when it is public or void."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from chambers.fairness.hashing import TABLE_BYTES, prf


class KeptLuck:
    """What one seat's vault keeps over a restart, sealed with a key that never leaves it."""

    def __init__(self, folder: Path, master: bytes) -> None:
        self._folder = folder
        self._box = SecretBox(prf(master, "kept-luck"))

    def __repr__(self) -> str:
        return "KeptLuck(...)"

    def tables(self) -> list[bytes]:
        """Return the tables of which something is kept."""
        names = {path.name.split(".")[0] for path in self._folder.glob("*.luck")}
        return [bytes.fromhex(name) for name in sorted(names) if _is_table(name)]

    def read(self, table: bytes, attempt: int) -> bytes | None:
        """Return the luck of an attempt; None where there is none, or where the file is not ours."""
        try:
            return self._box.decrypt(self._path(table, attempt).read_bytes())
        except (OSError, CryptoError, ValueError):
            return None

    def write(self, table: bytes, attempt: int, luck: bytes) -> None:
        """Keep the luck of an attempt, on the disk before this returns; OSError if the disk does not take it."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(table, attempt)
        new = path.with_suffix(".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(self._box.encrypt(luck))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)

    def erase(self, table: bytes, *, before: int | None = None) -> None:
        """Erase what is kept of a table, or of its attempts before one."""
        for path in self._folder.glob(f"{table.hex()}.*"):
            attempt = path.name.split(".")[1]
            if before is None or (attempt.isdigit() and int(attempt) < before):
                with contextlib.suppress(OSError):  # it is tried again when the vault is started again
                    path.unlink(missing_ok=True)

    def _path(self, table: bytes, attempt: int) -> Path:
        return self._folder / f"{table.hex()}.{attempt}.luck"


def _is_table(name: str) -> bool:
    try:
        return len(bytes.fromhex(name)) == TABLE_BYTES
    except ValueError:
        return False
