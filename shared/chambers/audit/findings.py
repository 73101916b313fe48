"""What an audit says: findings that name a culprit, notes on what nothing proves, and the report that holds both."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

LOG: Final = "log"
"""The culprit where the record itself is broken, and nothing tells which of its keepers broke it."""


class Verdict(StrEnum):
    """What an audit comes to."""

    CLEAN = "clean"
    CHEATED = "cheated"
    UNVERIFIED = "unverified"


EXIT_CODES: Final = {Verdict.CLEAN: 0, Verdict.CHEATED: 1, Verdict.UNVERIFIED: 2}


class Finding(msgspec.Struct, frozen=True):
    """One thing that is proved to be wrong: the check (`A01`..`A27`), the entry, who did it, one sentence."""

    check: str
    entry: int | None
    culprit: str
    sentence: str


class Unproved(msgspec.Struct, frozen=True):
    """One thing that this record leaves open: the check that could not be made, from which entry on, and why."""

    check: str
    entry: int | None
    sentence: str


class Remark(msgspec.Struct, frozen=True):
    """One thing that is allowed and yet worth knowing: the entry, whose it is, one sentence; it makes nobody guilty."""

    entry: int
    role: str
    sentence: str


class Counts(msgspec.Struct, frozen=True):
    """How much of a record was looked at: what it holds, and how many hidden statements were proved."""

    entries: int = 0
    signatures: int = 0
    rolls: int = 0
    deals: int = 0
    answers: int = 0
    passes: int = 0
    looks: int = 0
    plays: int = 0


class Report(msgspec.Struct, frozen=True):
    """An audit's outcome for one table; it holds no card, seal, key or other secret.

    `table` and `root` are hex digits, `root` being the log's head after its last good entry; `phase` and `ending` say
    how far the table came; `held` has a sentence for each receipt, and each reveal beside the record, that agrees.
    """

    table: str
    root: str
    phase: str
    ending: str
    counts: Counts
    findings: tuple[Finding, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    remarks: tuple[Remark, ...] = ()
    held: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Return `cheated` if anything is proved wrong, `unverified` if anything is left open, else `clean`."""
        if self.findings:
            return Verdict.CHEATED
        return Verdict.UNVERIFIED if self.unproved else Verdict.CLEAN

    @property
    def exit_code(self) -> int:
        """Return the process exit code of the verdict: 0 clean, 1 cheated, 2 unverified."""
        return EXIT_CODES[self.verdict]
