"""A role's own copies of the logs that it follows: verified entries, in its own volume, out of the store's reach.

They serve three ends. When the game master is gone for good, the table is audited from them. From its own the game
master puts back what the store has lost. And a role that was restarted still knows what it had seen: it says nothing on
a log that is shorter than its copy, and nothing more on one that differs, or it would sign twice what it may sign once.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
import structlog

from chambers.editions import canonical
from chambers.fairness.errors import FairnessError
from chambers.fairness.tree import leaf_hash
from chambers.protocol.copies import HANDED_IN, SUFFIX, WANTED, Kept, entry_line, head, load, load_lines, note_line
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.protocol.statements import read_leaf, read_statement
from chambers.rules.events import LAST_WORDS
from chambers.rules.roles import Role

KEPT_DAYS: Final = 90
"""How long a copy stays after its last entry; a table that goes on later is copied anew, from its first entry on."""

SWEEP_S: Final = 86_400.0
_DAMAGED: Final = ".damaged"
_LAST_WORDS: Final = frozenset(kind.__struct_config__.tag for kind in LAST_WORDS.values())
_logger = structlog.get_logger(__name__)


class _Open:
    """One file while its table is followed: the entries in it, as hashes, and how many of them have been compared."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        self.file = os.fdopen(handle, "r+b", buffering=0)
        self.hashes: list[bytes] = []
        self.compared = 0
        self.length = 0
        self.note = ""

    @property
    def removed(self) -> bool:
        """Return whether somebody has deleted the file."""
        return os.fstat(self.file.fileno()).st_nlink == 0


class Copies:
    """The copies of one role; replicas that share its volume share them. `keeps` says which tables are its own."""

    def __init__(self, folder: Path, *, role: Role, keeps: Callable[[Log], bool] = lambda _: True) -> None:
        self._folder = folder
        self._role = role
        self._keeps = keeps
        self._open: dict[bytes, _Open] = {}
        self._unsettled: set[Path] = set()
        self._settling: Future[None] | None = None
        # a disk may take long, and nothing waits for it: what it has not taken is lost with the power alone
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="copies")
        self._swept = -SWEEP_S

    def size(self, table: bytes) -> int:
        """Return how many entries of a table are kept; 0 where there are none, or where the disk does not give them."""
        with suppress(OSError):
            if self._path(table).exists():
                with self._locked(table) as known:
                    return len(known.hashes)
        return 0

    def leaves(self, table: bytes) -> tuple[bytes, ...]:
        """Return the entries of a table that are kept; none where the disk does not give them."""
        try:
            return load(self._path(table).read_bytes()).leaves
        except (OSError, ProtocolError):
            return ()

    def want(self, table: bytes) -> None:
        """Mark a table as one that is wanted back even where the store has nothing of it; OSError if that fails."""
        self._path(table).with_suffix(WANTED).touch(mode=0o600)

    def unwant(self, table: bytes) -> None:
        """Take the mark away."""
        with suppress(OSError):
            self._path(table).with_suffix(WANTED).unlink(missing_ok=True)

    def is_wanted(self, table: bytes) -> bool:
        """Return whether a table is marked."""
        return self._path(table).with_suffix(WANTED).exists()

    def wanted(self) -> list[str]:
        """Return the tables that are marked."""
        return sorted(path.name.split(".")[0] for path in self._folder.glob(f"*.{self._role}{WANTED}"))

    def lacks(self, table: bytes, size: int) -> bool:
        """Return whether a table is kept, and not yet to its end at `size` entries."""
        known = self.size(table)
        self.rest(table)
        return 0 < known < size

    def keep(self, log: Log) -> None:
        """Write down what of a log is not in its copy.

        FairnessError (`fairness/copy`) if the copy says otherwise; on that log nothing more is said. A disk that takes
        no more costs the copy and not the table: it is noted in the service's own log.
        """
        if not self._keeps(log):
            return
        log.handed_in = self._path(log.id).with_suffix(HANDED_IN).exists
        try:
            with self._locked(log.id) as known:
                self._compare(known, log)
                self._write(known, log)
        except OSError as error:
            _logger.error("copy.unwritten", table=log.id.hex(), role=self._role, why=error.strerror)

    def settle(self) -> None:
        """Begin to have the disk take what was written since the last time, and delete what is too old."""
        if self._unsettled and (self._settling is None or self._settling.done()):
            unsettled, self._unsettled = self._unsettled, set()
            self._settling = self._disk.submit(_sync, sorted(unsettled))
        if time.monotonic() - self._swept >= SWEEP_S:
            self._swept = time.monotonic()
            self.sweep(time.time())

    def sweep(self, now: float) -> None:
        """Delete the copies, and what lies beside them, that were written more than 90 days before `now` (s).

        The mark of what was handed in stays for good, and a copy in which this role has opened its secrets leaves one:
        what was opened once is open for ever, also if somebody opens a table of the same name again.
        """
        for path in self._folder.glob("*"):
            with suppress(OSError):
                if path.suffix == HANDED_IN or now - path.stat().st_mtime <= KEPT_DAYS * 86_400:
                    continue
                if path.suffix == SUFFIX and self._opened_in(path):
                    path.with_suffix(HANDED_IN).touch(mode=0o600)
                path.unlink()

    def _opened_in(self, path: Path) -> bool:
        """Return whether this role says its last word in a copy; so does one that cannot be read, for all we know."""
        try:
            said = [read_statement(read_leaf(raw).stmt) for raw in load(path.read_bytes()).leaves]
        except ProtocolError:
            return True
        return any(one.author == self._role and msgspec.msgpack.decode(one.ev)[0] in _LAST_WORDS for one in said)

    def rest(self, table: bytes) -> None:
        """Close the file of a table that nobody asks for."""
        known = self._open.pop(table, None)
        if known is not None:
            known.file.close()

    def close(self) -> None:
        """Close every file, once the disk has taken what was written."""
        self._disk.shutdown()
        _sync(sorted(self._unsettled))
        for table in tuple(self._open):
            self.rest(table)

    def _path(self, table: bytes) -> Path:
        return self._folder / f"{table.hex()}.{self._role}{SUFFIX}"

    @contextmanager
    def _locked(self, table: bytes) -> Iterator[_Open]:
        known = self._open.get(table)
        if known is None or known.removed:
            self.rest(table)
            known = self._open[table] = _Open(self._path(table))
        fcntl.flock(known.file, fcntl.LOCK_EX)  # another replica may be writing the same entry
        try:
            self._read_on(known, table)
            yield known
        finally:
            fcntl.flock(known.file, fcntl.LOCK_UN)

    def _read_on(self, known: _Open, table: bytes) -> None:
        """Take in what is in a file, and cut off a line that was never finished."""
        size = os.fstat(known.file.fileno()).st_size
        if size == known.length:
            return
        if size < known.length:
            known.hashes, known.length, known.note = [], 0, ""
        known.file.seek(known.length)
        kept = self._loaded(known.file.read(), table, more=known.length > 0)
        if kept is None:
            known.hashes, known.length, known.note = [], 0, ""
        else:
            known.hashes += [leaf_hash(raw) for raw in kept.leaves]
            known.length, known.note = known.length + kept.length, kept.note or known.note
        os.ftruncate(known.file.fileno(), known.length)
        known.compared = min(known.compared, len(known.hashes))

    def _loaded(self, data: bytes, table: bytes, *, more: bool) -> Kept | None:
        """Return what the file, or what another replica has added to it, holds; None if it is damaged."""
        try:
            return load_lines(data, first=1) if more else load(data)
        except ProtocolError as error:
            _logger.error("copy.damaged", table=table.hex(), role=self._role, code=error.code)
            path = self._path(table)
            _lay_aside(path)
            return None

    def _compare(self, known: _Open, log: Log) -> None:
        both = min(log.size, len(known.hashes))
        for seq in range(known.compared, both):
            if leaf_hash(log.leaves[seq]) != known.hashes[seq]:
                log.kept = log.size + 1
                sentence = f"Entry {seq} is not the one that was kept of this table: the game master shows another log."
                raise FairnessError("fairness/copy", sentence)
        known.compared = both

    def _write(self, known: _Open, log: Log) -> None:
        fresh = log.leaves[len(known.hashes) :]
        lines = [entry_line(raw) for raw in fresh]
        if known.length == 0:
            lines.insert(0, head(canonical(log.table.setup.edition)))  # type: ignore[arg-type]
        if log.note and log.note != known.note:
            lines.append(note_line(log.note))
        data = b"".join(lines)
        if not data:
            return
        known.file.write(data)
        known.hashes += [leaf_hash(raw) for raw in fresh]
        known.compared, known.note, known.length = len(known.hashes), log.note, known.length + len(data)
        self._unsettled.add(self._path(log.id))


def _lay_aside(path: Path) -> None:
    """Keep what is in a damaged file beside it, in a new file: a link that lies there is not followed."""
    aside = path.with_name(path.name + _DAMAGED)
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(path.read_bytes())


def _sync(paths: Sequence[Path]) -> None:
    for name in (*paths, *{path.parent for path in paths}):
        with suppress(OSError):
            handle = os.open(name, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
