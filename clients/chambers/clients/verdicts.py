"""An audit's report in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chambers.audit import Finding, Remark, Report, Unproved, Verdict


def verdict_line(report: Report) -> str:
    """Return the report in one line: what was proved, or that it was not."""
    counts = report.counts
    if report.verdict is Verdict.CLEAN:
        return (
            f"audit clean: {_count(counts.entries, 'entry', 'entries')}, {_count(counts.rolls, 'roll')}, "
            f"{_count(counts.deals, 'deal')}, {_count(counts.answers, 'answer')} proved"
        )
    if report.verdict is Verdict.CHEATED:
        return (
            f"audit failed: {_count(len(report.findings), 'finding')} in {_count(counts.entries, 'entry', 'entries')}"
        )
    proved = f"{_count(counts.deals, 'deal')}, {_count(counts.answers, 'answer')} proved"
    return f"audit incomplete: {_count(len(report.unproved), 'thing')} left open; {proved}"


def report_lines(report: Report) -> Iterator[str]:
    """Yield the report as lines: the verdict, findings, what is left open, remarks, and what agrees with the record."""
    yield verdict_line(report)
    yield from (told_line(finding) for finding in report.findings)
    yield from (told_line(item) for item in report.unproved)
    yield from (told_line(item) for item in report.remarks)
    yield from (f"held against: {sentence}" for sentence in report.held)
    if report.root:
        yield f"root {report.root} after {_count(report.counts.entries, 'entry', 'entries')}, table {report.table}"


def told_line(told: Finding | Unproved | Remark) -> str:
    """Return a finding with its culprit, what is left open, or a remark, as one line."""
    if isinstance(told, Remark):
        return f"remark: entry {told.entry}, {told.role}: {told.sentence}"
    if isinstance(told, Finding):
        where = "" if told.entry is None else f" entry {told.entry},"
        return f"{told.check}{where} {told.culprit}: {told.sentence}"
    where = "" if told.entry is None else f" entry {told.entry}:"
    return f"{told.check}{where} open: {told.sentence}"


def told_fields(told: Finding | Unproved | Remark) -> dict[str, Any]:
    """Return a finding, what is left open, or a remark, as plain values for JSON."""
    if isinstance(told, Remark):
        return {"entry": told.entry, "role": told.role, "text": told.sentence}
    culprit = {"culprit": told.culprit} if isinstance(told, Finding) else {}
    return {"check": told.check, "entry": told.entry, **culprit, "text": told.sentence}


def report_fields(report: Report) -> dict[str, Any]:
    """Return the report as plain values for JSON."""
    counts = report.counts
    return {
        "verdict": str(report.verdict),
        "table": report.table,
        "root": report.root,
        "phase": report.phase,
        "ending": report.ending,
        "counts": {name: getattr(counts, name) for name in counts.__struct_fields__},
        "findings": [told_fields(one) for one in report.findings],
        "unproved": [told_fields(one) for one in report.unproved],
        "remarks": [told_fields(one) for one in report.remarks],
        "held": list(report.held),
    }


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {nouns or noun + 's'}"
