"""The signed heads around a log: its checkpoint, the cosignatures of its close, the receipts that players kept."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Final

from chambers.audit.findings import LOG, Finding, Unproved
from chambers.audit.structure import Walk, root_of
from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import (
    check_checkpoint,
    check_cosignature,
    check_cosignatures,
    checkpoint_text,
    read_checkpoint,
    read_note,
)
from chambers.protocol.statements import read_leaf, read_statement
from chambers.rules.events import LastWord
from chambers.rules.narrate import who
from chambers.rules.roles import GM
from chambers.rules.table import Phase

Outcome = tuple[list[Finding], list[Unproved]]


_STRANGE: Final = (
    "This record's game master has not signed it, so it tells something only to whoever kept it: then that key "
    "was changed as well."
)


def check_note(walk: Walk, note: str, *, receipts: Sequence[str] = ()) -> Outcome:
    """Return what is wrong with a record's own checkpoint (A06): signature, size, root.

    One over another log names the game master only where it has signed this one, too, in a receipt or in what it said
    later: the times of the entries, say, are signed by nobody else, and whoever keeps the record can change them.
    """
    log = walk.log
    try:
        size, root = check_checkpoint(note, log.table.setup.opening.log_key, table=log.id)
    except FairnessError:
        return [Finding("A06", None, LOG, f"The checkpoint of this record {_flaw(note, log.id)}.")], []
    if size > log.size:
        return [Finding("A06", None, LOG, _cut(size, log.size))], []
    if root != log.tree.root_at(size):
        culprit = GM if signed_here(walk, size, receipts) else LOG
        sentence = f"The game master signed another log of {size} entries than this one."
        return [Finding("A06", None, culprit, sentence)], []
    if size < log.size:
        return [], [Unproved("A06", size, f"From entry {size} on, no checkpoint of the game master covers the record.")]
    return [], []


def signed_here(walk: Walk, size: int, receipts: Sequence[str] = ()) -> bool:
    """Return whether the game master has signed a head of this very log at `size` or beyond."""
    log = walk.log
    for item in walk.admitted:
        if item.author == GM and read_statement(read_leaf(log.leaves[item.seq]).stmt).size >= size:
            return True
    for receipt in receipts:
        with contextlib.suppress(FairnessError):
            theirs, root = check_checkpoint(receipt, log.table.setup.opening.log_key, table=log.id)
            if size <= theirs <= log.size and root == log.tree.root_at(theirs):
                return True
    return False


def check_unread(walk: Walk, leaves: Sequence[bytes], note: str) -> list[Finding]:
    """Return what is wrong with the checkpoint (A06) of a record in which an entry cannot be judged here.

    An entry of another release is covered by it as any other; one that was made such by whoever changed it is not.
    """
    if not walk.log.opened:
        return []
    try:
        size, root = check_checkpoint(note, walk.log.table.setup.opening.log_key, table=walk.log.id)
    except FairnessError:
        return [Finding("A06", None, LOG, f"The checkpoint of this record {_flaw(note, walk.log.id)}.")]
    if size > len(leaves):
        return [Finding("A06", None, LOG, _cut(size, len(leaves)))]
    if root == root_of(leaves[:size]):
        return []
    changed = f"entry {walk.log.size}, which cannot be judged, or one after it was changed"
    return [Finding("A06", walk.log.size, LOG, f"The game master signed another record of {size} entries: {changed}.")]


def _cut(size: int, left: int) -> str:
    return f"The game master signed {size} entries, and this record has {left}: its tail was cut off."


def _flaw(note: str, table: bytes) -> str:
    try:
        read_checkpoint(read_note(note).text, table)
    except FairnessError as error:
        return "cannot be read: it is damaged" if error.code == "fairness/note" else "is not one of this table's log"
    return "is not signed by this table's game master"


def check_close(walk: Walk) -> Outcome:
    """Return what is wrong with the close (A08) and the cosigned last head (A06), and what of the close is missing."""
    log, table = walk.log, walk.log.table
    if table.phase not in (Phase.BYE, Phase.REVEAL, Phase.CLOSED):
        return [], [Unproved("A08", None, "The log has no close: the game goes on, or the record's tail is missing.")]
    findings: list[Finding] = []
    unproved: list[Unproved] = []
    if table.phase is Phase.BYE:
        unproved.append(Unproved("A08", None, "Not every role has said goodbye, so nothing could be revealed."))
    # what is cosigned is the log that ends with the last goodbye, or with the drop of a seat that never said it
    size = next((item.seq + 1 for item in walk.admitted if item.after.phase is Phase.REVEAL), log.size)
    text = checkpoint_text(log.id, size, root=log.tree.root_at(size))
    for item in walk.admitted:
        commit = table.committed(item.author)
        if isinstance(item.event, LastWord) and commit is not None:
            try:
                check_cosignature(commit.sign, item.event.cosignature, text=text)
            except FairnessError:
                name = f"{who(table, item.author)} ({item.author})"
                sentence = f"{name} did not cosign the log that ends with the last goodbye."
                findings.append(Finding("A06", item.seq, item.author, sentence))
    return findings, unproved


def check_receipts(walk: Walk, receipts: Sequence[str], *, note: str, leaves: Sequence[bytes] | None = None) -> Outcome:
    """Return which receipts this log contradicts (A07), and which say nothing about it.

    Where the game master has signed both, the receipt and with the record's own `note` this log, it has kept two logs.
    `leaves` are all entries of the record where it breaks before its end.
    """
    findings: list[Finding] = []
    unproved: list[Unproved] = []
    entries = walk.log.leaves if leaves is None else leaves
    for number, receipt in enumerate(receipts, start=1):
        try:
            size, root = read_checkpoint(read_note(receipt).text, walk.log.id)
        except FairnessError:
            unproved.append(Unproved("A07", None, f"Receipt {number} is not a receipt of this table."))
            continue
        sentence = _contradiction(entries, size, root)
        if sentence:
            culprit = GM if _signed_both(walk, entries, note, receipt) else LOG
            whose = "" if _by_game_master(walk, receipt) else f" {_STRANGE}"
            findings.append(Finding("A07", None, culprit, f"Receipt {number} {sentence}{whose}"))
        elif not _is_signed(walk, receipt):
            unproved.append(Unproved("A07", None, f"Receipt {number} bears a signature that does not hold."))
    return findings, unproved


def held_receipts(walk: Walk, receipts: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence for each receipt that this log keeps to: of how many entries it is, and who signed it."""
    keys = {str(role): commit.sign for role, commit in walk.log.table.commits}
    told = []
    for number, receipt in enumerate(receipts, start=1):
        try:
            size, root = read_checkpoint(read_note(receipt).text, walk.log.id)
        except FairnessError:
            continue
        if not _contradiction(walk.log.leaves, size, root) and _is_signed(walk, receipt):
            signers = [role for role, _ in check_cosignatures(receipt, walk.log.id, keys=keys)]
            also = f" and cosigned by {', '.join(sorted(signers))}" if signers else ""
            told.append(f"Receipt {number}, of {size} entries, is signed by gm{also}; this record begins with them.")
    return tuple(told)


def _contradiction(entries: Sequence[bytes], size: int, root: bytes) -> str:
    if size > len(entries):
        return f"is for {size} entries, and this record has {len(entries)}: its tail was cut off."
    if root_of(entries[:size]) != root:
        return f"is for another log: its first {size} entries are not those of this record."
    return ""


def _signed_both(walk: Walk, entries: Sequence[bytes], note: str, receipt: str) -> bool:
    """Return whether the game master has signed a receipt, and another root for this log at the receipt's size."""
    key = walk.log.table.setup.opening.log_key
    try:
        theirs, _ = check_checkpoint(receipt, key, table=walk.log.id)
        ours, root = check_checkpoint(note, key, table=walk.log.id)
    except FairnessError:
        return False
    return theirs <= ours <= len(entries) and root == root_of(entries[:ours])


def _by_game_master(walk: Walk, receipt: str) -> bool:
    try:
        check_checkpoint(receipt, walk.log.table.setup.opening.log_key, table=walk.log.id)
    except FairnessError:
        return False
    return True


def _is_signed(walk: Walk, receipt: str) -> bool:
    table = walk.log.table
    keys = {str(role): commit.sign for role, commit in table.commits}
    try:
        check_checkpoint(receipt, table.setup.opening.log_key, table=walk.log.id)
        check_cosignatures(receipt, walk.log.id, keys=keys)
    except FairnessError:
        return False
    return True
