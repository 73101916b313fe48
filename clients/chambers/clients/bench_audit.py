"""How fast the audit reads a long record: the figures of `chambers bench audit`."""

from __future__ import annotations

import os
import time

import msgspec

from chambers.audit import Verdict, audit
from chambers.clients.long_record import long_record


class AuditFigures(msgspec.Struct, frozen=True):
    """What the audit of a long record took: entries and bytes of it, seconds of the wall clock, worker processes."""

    entries: int
    bytes: int
    workers: int
    seconds: float
    verdict: str

    @property
    def entries_a_second(self) -> float:
        """Return entries a second of the wall clock."""
        return self.entries / self.seconds if self.seconds else 0.0


def measure_audit(entries: int, workers: int | None = None, *, edition: str = "tandem-target") -> AuditFigures:
    """Return what auditing an honest record of `entries` entries takes; `workers` is the most signature processes.

    EditionError for an edition that is not here.
    """
    docket = long_record(entries, edition=edition)
    count = max(1, (os.cpu_count() or 1) - 1) if workers is None else workers
    start = time.perf_counter()
    report = audit(docket, workers=count)
    seconds = time.perf_counter() - start
    assert report.verdict is not Verdict.CHEATED
    size = sum(len(leaf) for leaf in docket.leaves)
    return AuditFigures(len(docket.leaves), size, count, seconds, str(report.verdict))
