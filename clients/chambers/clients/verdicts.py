"""An audit's report in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chambers.audit import Report, Verdict


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
    return f"audit incomplete: {_count(len(report.unproved), 'thing')} left open"


def report_lines(report: Report) -> Iterator[str]:
    """Yield the report as lines: the verdict, then each finding with its culprit, then what is left open."""
    yield verdict_line(report)
    for finding in report.findings:
        where = "" if finding.entry is None else f" entry {finding.entry},"
        yield f"{finding.check}{where} {finding.culprit}: {finding.sentence}"
    for item in report.unproved:
        where = "" if item.entry is None else f" entry {item.entry}:"
        yield f"{item.check}{where} open: {item.sentence}"
    if report.root:
        yield f"root {report.root} after {_count(report.counts.entries, 'entry', 'entries')}, table {report.table}"


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
        "findings": [
            {"check": one.check, "entry": one.entry, "culprit": one.culprit, "text": one.sentence}
            for one in report.findings
        ],
        "unproved": [{"check": one.check, "entry": one.entry, "text": one.sentence} for one in report.unproved],
    }


def _count(number: int, noun: str, nouns: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {nouns or noun + 's'}"
