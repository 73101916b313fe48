"""The audit: a record in, a report out. No network, no clock, and no exception for any record."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from chambers.audit.findings import Counts, Finding, Report, Unproved
from chambers.audit.hands import Replay
from chambers.audit.heads import Outcome, check_close, check_note, check_receipts, check_unread, held_receipts
from chambers.audit.remarks import remarks
from chambers.audit.reveals import check_handed_in, check_reveals, held_reveals, revealed
from chambers.audit.secrets import Secrets
from chambers.audit.structure import Fold, Progress, Walk, collector_resting, on_its_key, table_id, vouched
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.docket import Docket
from chambers.protocol.log import Admitted
from chambers.protocol.reveals import HandedIn
from chambers.rules.events import Roll


class Inspection(msgspec.Struct, frozen=True):
    """An audit with all that it rests on: the verified log, and the private replay where secrets were opened."""

    report: Report
    walk: Walk
    replay: Replay | None = None

    def __repr__(self) -> str:
        return f"Inspection({self.report.verdict})"


def audit(
    docket: Docket,
    *,
    receipts: Sequence[str] = (),
    reveals: Sequence[HandedIn] = (),
    auditor: AuditorKey | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Return what a table's record proves, for any record whatever.

    A record whose structure breaks is judged up to that entry and no further; of a sound one, every hidden statement
    is judged that the revealed secrets open. `receipts` are notes that players kept; `reveals` are roles' secrets that
    were handed in beside the record; `auditor` opens what was revealed to the auditor alone; `workers` is the most
    processes that check a long record's signatures.
    """
    with collector_resting():
        return _inspected(
            docket, receipts, reveals, auditor=auditor, workers=workers, progress=progress, trace=False
        ).report


def inspect(
    docket: Docket,
    *,
    receipts: Sequence[str] = (),
    reveals: Sequence[HandedIn] = (),
    auditor: AuditorKey | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Inspection:
    """Return the audit of a record as `audit` does, with the hands and the opened boxes after every entry."""
    with collector_resting():
        return _inspected(docket, receipts, reveals, auditor=auditor, workers=workers, progress=progress, trace=True)


def _inspected(
    docket: Docket,
    receipts: Sequence[str],
    reveals: Sequence[HandedIn],
    *,
    auditor: AuditorKey | None,
    workers: int | None,
    progress: Progress | None,
    trace: bool,
) -> Inspection:
    fold = Fold(docket, workers=workers, progress=progress, heads=receipts)
    # The hands are followed while the last signatures are being checked; if one is false, that was for nothing.
    ahead = _replayed(fold.log.id, tuple(fold.admitted), reveals, auditor, trace=trace) if fold.whole else None
    done = fold.walk()
    if ahead is None or not done.whole:
        broken = [done.broken] if done.broken is not None else []
        unread = [done.unread] if done.unread is not None else []
        if unread:
            broken += check_unread(done, docket.leaves, docket.note)
        if done.log.opened:
            broken += check_receipts(done, receipts, note=docket.note, leaves=docket.leaves)[0]
        replay = _replayed(done.log.id, done.admitted, (), None, trace=True)[1] if trace and done.admitted else None
        return Inspection(_report(docket, done, broken, unread), done, replay)
    hidden, replay, opened = ahead
    findings: list[Finding] = []
    unproved: list[Unproved] = []
    kept = check_receipts(done, receipts, note=docket.note)
    for outcome in (check_note(done, docket.note, receipts=receipts), kept, check_close(done), hidden):
        findings += outcome[0]
        unproved += outcome[1]
    if findings:
        findings = on_its_key(findings, vouched(docket, (docket.note, *receipts), done.admitted))
    counts = replay.counts() if replay is not None else Counts()
    held = (*held_receipts(done, receipts), *opened)
    return Inspection(_report(docket, done, findings, unproved, counts, held=held), done, replay)


def _replayed(
    table_id: bytes,
    admitted: tuple[Admitted, ...],
    reveals: Sequence[HandedIn],
    auditor: AuditorKey | None,
    *,
    trace: bool,
) -> tuple[Outcome, Replay | None, tuple[str, ...]]:
    """Return what the opened secrets prove (A20-A27), the replay that proves it, and which reveals beside it hold."""
    table = admitted[-1].after
    taken, unproved = check_handed_in(table_id, table, reveals, key=auditor)
    held = held_reveals(table, taken)
    found = check_reveals(table_id, table, admitted, handed_in=taken, key=auditor)
    findings, unproved = found[0], unproved + found[1]
    known = {**taken, **{role: one.secret for role, one in revealed(table_id, admitted, key=auditor).items()}}
    if table.deal is None or not known:
        return (findings, unproved), None, held
    replay = Replay(Secrets(table_id, table, secrets=known), table, admitted, trace=trace)
    replay.run()
    return (findings + replay.findings, unproved + replay.unproved), replay, held


def _report(
    docket: Docket,
    done: Walk,
    findings: list[Finding],
    unproved: list[Unproved],
    counts: Counts | None = None,
    *,
    held: tuple[str, ...] = (),
) -> Report:
    size = len(done.admitted)
    table = done.admitted[-1].after if done.admitted else None
    rolls = sum(isinstance(item.event, Roll) for item in done.admitted)
    return Report(
        table=table_id(docket).hex(),
        root=done.log.tree.root_at(size).hex(),
        phase=str(table.phase) if table else "",
        ending=table.reason if table else "",
        counts=msgspec.structs.replace(counts or Counts(), entries=size, signatures=done.signatures, rolls=rolls),
        findings=tuple(sorted(findings, key=lambda item: (item.entry is None, item.entry or 0, item.check))),
        unproved=tuple(unproved),
        remarks=remarks(done.admitted, done.log.leaves),
        held=held,
    )
