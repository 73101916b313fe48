"""Which check an error of the log's fold belongs to, and who is to blame for it."""

from __future__ import annotations

from typing import Final

from chambers.audit.findings import LOG, Finding, Unproved
from chambers.fairness.errors import FairnessError
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.protocol.statements import Entry, Statement, read_event, read_leaf, read_statement
from chambers.rules.errors import RuleError
from chambers.rules.events import (
    Again,
    Bye,
    Close,
    Commit,
    Cosign,
    Deal,
    Entrust,
    Mix,
    Reveal,
    Roll,
    Share,
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

_RULE: Final = {"rule/false-dontknow": "A14", "rule/not-known": "A14"}
"""Refusals of a word that an earlier entry of its author's contradicts."""

_STEPS: Final[tuple[tuple[tuple[type[TableEvent], ...], str], ...]] = (
    ((Commit, Mix, Again, Deal), "A10"),
    ((Roll, Share), "A11"),
    ((Close, Bye, Reveal, Entrust, Cosign), "A08"),
)


def blame(log: Log, raw: bytes, error: Exception, *, keeper: str) -> tuple[Finding | None, Unproved | None]:
    """Return what the error at the next entry, `raw`, proves: a finding, or a note that it cannot be judged here.

    The entry's signature holds, or nothing could be read of it. `keeper` is who is to blame for the order of entries.
    """
    seq = log.size
    entry, statement = read(raw)
    author = _author(log, statement)
    match error:
        case ProtocolError() | RuleError() if error.code in _UNREAD:
            return None, Unproved("A13", seq, f"Entry {seq} cannot be judged here: {error.sentence}")
        case ProtocolError():
            check = _PROTOCOL.get(error.code, "A02")
            again = entry is not None and statement is not None and _said_again(log, entry, statement)
            mine = check == "A02" or (check == "A04" and again) or error.code == "protocol/stale"
            culprit = author if mine and author != LOG else LOG if error.code == "protocol/edition" else keeper
            return Finding(check, seq, culprit, f"Entry {seq}: {error.sentence}"), None
        case FairnessError():
            check = _FAIRNESS.get(error.code, "A11")
            return Finding(check, seq, keeper if check == "A05" else author, f"Entry {seq}: {error.sentence}"), None
        case RuleError():
            check = _RULE.get(error.code) or _rule_check(log, statement)
            return Finding(check, seq, author, f"Entry {seq} is not allowed: {error.sentence}"), None
        case _:
            return None, Unproved("A13", seq, f"Entry {seq} says something that these rules cannot follow.")


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


def _said_again(log: Log, entry: Entry, statement: Statement) -> bool:
    # A number that comes twice over different words was signed twice; the same words twice were put in by a keeper.
    return statement.n < log.counter(Role(statement.author)) and entry.stmt not in log.where


def _rule_check(log: Log, statement: Statement | None) -> str:
    if statement is None or not log.opened:
        return "A13"
    event = read_event(bytes(statement.ev), log.table.game.NAME)
    return next((check for kinds, check in _STEPS if isinstance(event, kinds)), "A13")
