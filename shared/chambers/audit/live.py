"""The audit of a game that goes on: every entry is checked as it comes, and what is wrong is told at once (A01-A14)."""

from __future__ import annotations

from collections.abc import Sequence

from chambers.audit.faults import CORE_FAULTS
from chambers.audit.findings import LOG, Finding, Remark, Unproved
from chambers.audit.heads import check_note, signed_here
from chambers.audit.remarks import remark
from chambers.audit.structure import Walk, edition_in, walk
from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import check_checkpoint
from chambers.protocol.docket import Docket
from chambers.protocol.log import Admitted, Log
from chambers.rules.roles import GM
from chambers.rules.table import Phase, Table

Told = Finding | Unproved | Remark


class LiveAudit:
    """Follows one table (16 bytes) from its first entry on; after a finding that breaks the log it follows no more."""

    def __init__(self, table_id: bytes) -> None:
        self.id = table_id
        self.admitted: list[Admitted] = []
        self.broken = False
        self._log: Log | None = None
        self._edition = b""
        self._note = ""
        self._notes: dict[int, bytes] = {}
        self._told: set[Told] = set()

    @property
    def size(self) -> int:
        """Return how many entries hold so far, which is also the number of the next one."""
        return 0 if self._log is None else self._log.size

    @property
    def table(self) -> Table | None:
        """Return the public table so far, or None before its opening."""
        return self.admitted[-1].after if self.admitted else None

    @property
    def closed(self) -> bool:
        """Return whether the table has come to its last reveal."""
        return self.table is not None and self.table.phase is Phase.CLOSED

    def docket(self) -> Docket:
        """Return the record of what has been seen."""
        return Docket(self._edition, tuple(self._log.leaves) if self._log is not None else (), self._note)

    def take(self, entries: Sequence[bytes], *, note: str, edition: bytes = b"") -> tuple[Told, ...]:
        """Return what the next entries and their checkpoint prove to be wrong, or remark, that was not told before.

        `edition` is needed once, with the first entries.
        """
        self._edition = edition or self._edition
        found: list[Told] = []
        for at, raw in enumerate(entries):
            if self.broken:
                break
            found += self._entry(raw, rest=entries[at + 1 :], note=note)
        if not self.broken and self._log is not None and note:
            self._note = note
            found += self._head(self._log, note)
        fresh = tuple(one for one in found if one not in self._told)
        self._told.update(fresh)
        return fresh

    def _entry(self, raw: bytes, *, rest: Sequence[bytes], note: str) -> list[Told]:
        if self._log is None:
            self._log = Log(self.id, edition_of=edition_in(Docket(self._edition, (raw,), "")))
        try:
            self.admitted.append(self._log.admit(raw))
        except CORE_FAULTS:
            # Said exactly as an audit of the record up to here says it.
            self.broken = True
            record = Docket(self._edition, (*self._log.leaves, raw, *rest), self._note)
            done = walk(record, workers=0, heads=(note,))
            return [one for one in (done.broken, done.unread) if one is not None]
        noticed = remark(self.admitted[-1], self.admitted, self._log.leaves)
        return [] if noticed is None else [noticed]

    def _head(self, log: Log, note: str) -> list[Told]:
        try:
            size, root = check_checkpoint(note, log.table.setup.opening.log_key, table=self.id)
        except FairnessError:
            return [*check_note(self._walk(log), note)[0]]
        if size > log.size:
            # Entries come in parts, and a head may be ahead of them: it is kept, and checked when they are there.
            self._notes[size] = root
            return []
        found: list[Told] = [*check_note(self._walk(log), note)[0]]
        for later in sorted(size for size in self._notes if size <= log.size):
            if self._notes.pop(later) != log.tree.root_at(later):
                sentence = f"The game master showed another log of {later} entries than this one."
                # Whoever brings the entries brings their times, which nobody has signed but in a head.
                culprit = GM if signed_here(self._walk(log), later, (note,)) else LOG
                found.append(Finding("A06", None, culprit, sentence))
        return found

    def _walk(self, log: Log) -> Walk:
        return Walk(log, tuple(self.admitted), len(self.admitted))
