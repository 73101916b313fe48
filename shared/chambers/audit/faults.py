"""Which check an error of the log's fold belongs to, and who is to blame for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chambers.audit.findings import LOG, Finding, Unproved
from chambers.fairness.errors import FairnessError
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Admitted, Log
from chambers.protocol.statements import Entry, Statement, read_event, read_leaf, read_statement
from chambers.rules.check import check as check_rules
from chambers.rules.errors import RuleError
from chambers.rules.events import (
    Again,
    Bye,
    Close,
    Commit,
    Cosign,
    Deal,
    Entrust,
    Lapse,
    Mix,
    Reveal,
    Roll,
    Share,
    Stall,
    TableEvent,
)
from chambers.rules.roles import GM, Role, contributors

CORE_FAULTS: Final = (
    RuleError,
    ProtocolError,
    FairnessError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a fold over a stranger's entries may raise: its three own families, and what a gap in our rules would raise."""

_UNREAD: Final = frozenset({"protocol/unknown-event", "rule/version", "rule/unknown-game"})

_PROTOCOL: Final = {
    "log/sequence": "A01",
    "log/time": "A01",
    "log/no-open": "A01",
    "log/empty": "A01",
    "protocol/no-open": "A01",
    "protocol/malformed": "A02",
    "protocol/not-canonical": "A02",
    "log/other-table": "A03",
    "log/stranger": "A03",
    "log/other-key": "A03",
    "log/counter": "A04",
    "log/ahead": "A05",
    "log/head": "A05",
    "protocol/stale": "A05",
    "protocol/edition": "A13",
}

_FAIRNESS: Final = {
    "fairness/head": "A05",
    "fairness/mix": "A10",
    "fairness/share": "A11",
    "fairness/roll": "A11",
    "fairness/chain": "A11",
    "fairness/seal": "A12",
    "fairness/offer": "A14",
    "fairness/place": "A25",
}

_LATE_MS: Final = 2**53
"""A time after any limit."""

_RULE: Final = {"rule/false-dontknow": "A14", "rule/not-known": "A14"}
"""Refusals of a word that an earlier entry of its author's contradicts."""

_STEPS: Final[tuple[tuple[tuple[type[TableEvent], ...], str], ...]] = (
    ((Commit, Mix, Again, Deal), "A10"),
    ((Roll, Share), "A11"),
    ((Close, Bye, Reveal, Entrust, Cosign), "A08"),
)


def blame(
    log: Log, raw: bytes, error: Exception, *, admitted: Sequence[Admitted], keeper: str, signed: bool
) -> tuple[Finding | None, Unproved | None]:
    """Return what the error at the next entry, `raw`, proves: a finding, or a note that it cannot be judged here.

    `signed` is whether its author signed it with a key that the log had before; else anybody may have made it, and only
    the keeper is to blame. `admitted` are the entries of the log; `keeper` is who is to blame for their order, and so
    for a statement that was right at the head at which its author signed it.
    """
    seq = log.size
    _, statement = read(raw)
    author = _author(log, statement) if signed else keeper
    match error:
        case ProtocolError() | RuleError() if error.code in _UNREAD:
            return None, Unproved("A13", seq, f"Entry {seq} cannot be judged here: {error.sentence}")
        case ProtocolError():
            check = _PROTOCOL.get(error.code, "A02")
            again = check == "A04" and _said_again(log, admitted, statement)
            late = error.code == "protocol/stale" and not _was_right(log, admitted, statement)
            mine = check == "A02" or again or late
            culprit = author if mine and author != LOG else LOG if error.code == "protocol/edition" else keeper
            return Finding(check, seq, culprit, _told(log, error, statement)), None
        case FairnessError():
            check = _FAIRNESS.get(error.code, "A11")
            return Finding(check, seq, keeper if check == "A05" else author, _told(log, error, statement)), None
        case RuleError():
            check = _RULE.get(error.code) or _rule_check(log, statement)
            if _was_right(log, admitted, statement):
                sentence = f"Entry {seq} was allowed when {author} signed it, and was put in later: {error.sentence}"
                return Finding(check, seq, keeper, sentence), None
            return Finding(check, seq, author, f"Entry {seq} is not allowed: {error.sentence}"), None
        case _:
            return None, Unproved("A13", seq, f"Entry {seq} says something that these rules cannot follow.")


def _told(log: Log, error: ProtocolError | FairnessError, statement: Statement | None) -> str:
    if error.code == "log/counter" and statement is not None:
        due = log.counter(Role(statement.author))
        what = f"statement {statement.n} of {statement.author}, whose next one is {due}"
        return f"Entry {log.size} is {what}: entries were left out, put in, doubled or moved."
    return f"Entry {log.size}: {error.sentence}"


def read(raw: bytes) -> tuple[Entry | None, Statement | None]:
    """Return the entry and the statement that bytes hold, as far as they can be read."""
    entry: Entry | None = None
    try:
        entry = read_leaf(raw)
        return entry, read_statement(entry.stmt)
    except ProtocolError:
        return entry, None


def _author(log: Log, statement: Statement | None) -> str:
    known = (GM, *contributors(log.table.seats)) if log.opened else (GM,)
    return statement.author if statement is not None and statement.author in known else LOG


def _said_before(log: Log, admitted: Sequence[Admitted], statement: Statement) -> int | None:
    """Return how many of its author's statements were in the log at the head that it bears; None if that is no head."""
    size = statement.size
    if size > len(admitted) or statement.root != log.tree.root_at(size):
        return None
    return sum(item.author == statement.author for item in admitted[:size])


def _said_again(log: Log, admitted: Sequence[Admitted], statement: Statement | None) -> bool:
    # What is refused gives its number to the next statement: only who has seen the first one in the log repeats it.
    before = None if statement is None else _said_before(log, admitted, statement)
    return statement is not None and before is not None and statement.n < before


def _was_right(log: Log, admitted: Sequence[Admitted], statement: Statement | None) -> bool:
    """Return whether a statement might have been the entry after the head that its author had seen."""
    if statement is None or not statement.size or _said_before(log, admitted, statement) != statement.n:
        return False
    table = admitted[statement.size - 1].after
    try:
        event = read_event(bytes(statement.ev), table.game.NAME)
        # No author signs the times in the log. A seat says by its own clock that another has stalled, and of what the
        # game master says once a limit has passed, whoever keeps the record could make the entry look too early.
        ts = _LATE_MS if isinstance(event, Stall | Lapse | Again) else log.table.ts
        check_rules(table, Role(statement.author), event, ts=ts)
    except (RuleError, ProtocolError):
        return False
    return True


def _rule_check(log: Log, statement: Statement | None) -> str:
    if statement is None or not log.opened:
        return "A13"
    event = read_event(bytes(statement.ev), log.table.game.NAME)
    return next((check for kinds, check in _STEPS if isinstance(event, kinds)), "A13")
