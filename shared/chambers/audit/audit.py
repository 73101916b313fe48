"""The audit: a record in, a report out. No network, no clock, and no exception for any record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from chambers.audit.findings import Counts, Finding, Report, Unproved
from chambers.audit.hands import Replay
from chambers.audit.heads import Outcome, check_close, check_note, check_receipts
from chambers.audit.secrets import Secrets, check_reveals, revealed
from chambers.audit.structure import Progress, Walk, table_id, walk
from chambers.protocol.docket import Docket
from chambers.rules.events import Roll
from chambers.rules.roles import Role


def audit(
    docket: Docket,
    *,
    receipts: Sequence[str] = (),
    secrets: Mapping[Role, bytes] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Return what a table's record proves, for any record whatever.

    A record whose structure breaks is judged up to that entry and no further; of a sound one, every hidden statement
    is judged that the revealed secrets open. `receipts` are notes that players kept; `secrets` are roles' secrets S
    that were handed in beside the record; `workers` is the most processes that check a long record's signatures.
    """
    done = walk(docket, workers=workers, progress=progress)
    if done.broken is not None or done.unread is not None:
        broken = [done.broken] if done.broken is not None else []
        return _report(docket, done, broken, [done.unread] if done.unread is not None else [])
    findings: list[Finding] = []
    unproved: list[Unproved] = []
    for outcome in (check_note(done, docket.note), check_receipts(done, receipts), check_close(done)):
        findings += outcome[0]
        unproved += outcome[1]
    hidden, counts = _hidden(done, secrets or {})
    findings += hidden[0]
    unproved += hidden[1]
    return _report(docket, done, findings, unproved, counts)


def _hidden(done: Walk, handed_in: Mapping[Role, bytes]) -> tuple[Outcome, Counts]:
    """Return what the opened secrets prove (A20-A27), and how much they prove."""
    table = done.log.table
    findings, unproved = check_reveals(done.log.id, table, done.admitted, handed_in=frozenset(handed_in))
    known = {**handed_in, **{role: reveal.secret for role, reveal in revealed(done.admitted).items()}}
    if table.deal is None or not known:
        return (findings, unproved), Counts()
    replay = Replay(Secrets(done.log.id, table, secrets=known), done.log, done.admitted)
    replay.run()
    return (findings + replay.findings, unproved + replay.unproved), replay.counts()


def _report(
    docket: Docket, done: Walk, findings: list[Finding], unproved: list[Unproved], counts: Counts | None = None
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
    )
