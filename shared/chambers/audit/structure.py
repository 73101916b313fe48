"""The walk over a record: every entry verified and folded in order, up to the first that breaks the log."""

from __future__ import annotations

import contextlib
import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from chambers import editions
from chambers.audit.faults import CORE_FAULTS, blame, read
from chambers.audit.findings import LOG, Finding, Unproved
from chambers.audit.signatures import SignatureCheck, Signed, is_signed
from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import check_checkpoint
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Admitted, EditionOf, Log
from chambers.protocol.statements import Entry, Statement, read_event, read_leaf, read_open, read_statement
from chambers.rules import game
from chambers.rules.events import Commit, Open
from chambers.rules.roles import GM

Progress = Callable[[int, int], None]
"""Told how many entries are done, of how many."""

_TOLD_EVERY: Final = 500


class Walk(msgspec.Struct, frozen=True):
    """How far a record holds: its log, what was admitted in order, and what stopped it, if anything did."""

    log: Log
    admitted: tuple[Admitted, ...]
    signatures: int
    broken: Finding | None = None
    unread: Unproved | None = None

    @property
    def whole(self) -> bool:
        """Return whether every entry of the record was admitted."""
        return self.broken is None and self.unread is None


def table_id(docket: Docket) -> bytes:
    """Return the table that a docket's first statement names; 16 zero bytes where none can be read."""
    try:
        return read_statement(read_leaf(docket.leaves[0]).stmt).table
    except (ProtocolError, IndexError):
        return bytes(16)


def edition_in(docket: Docket) -> EditionOf:
    """Return the look-up that takes the edition from the docket itself.

    The look-up refuses (ProtocolError `protocol/edition`) bytes that are not the edition the open event names, or an
    edition that nobody could play; RuleError for a game that is not known here.
    """

    def edition_of(opening: Open) -> object:
        game(opening.game)
        if hashlib.sha256(docket.edition).digest() != opening.edition_hash:
            raise ProtocolError("protocol/edition", "The edition in this record is not the one that its table names.")
        try:
            edition = editions.from_canonical(opening.game, docket.edition)
        except editions.EditionError as error:
            raise ProtocolError("protocol/edition", error.sentence) from None
        by_file = opening.edition.endswith(".toml") or "/" in opening.edition  # an owner's own; its hash binds it
        if (edition.name != opening.edition and not by_file) or editions.faults(edition):
            raise ProtocolError("protocol/edition", "The table was opened with an edition that cannot be played.")
        return edition

    return edition_of


@contextlib.contextmanager
def collector_resting() -> Iterator[None]:
    """Have no garbage looked for meanwhile: a long log is much to look through again and again, and holds no cycles."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class Fold:
    """A record folded entry by entry while workers check its signatures; `walk` waits for them.

    `admitted` is what holds if they all do.
    """

    def __init__(
        self,
        docket: Docket,
        *,
        workers: int | None = None,
        progress: Progress | None = None,
        heads: Sequence[str] = (),
    ) -> None:
        total = len(docket.leaves)
        self.log = Log(table_id(docket), edition_of=edition_in(docket))
        self.admitted: list[Admitted] = []
        self.broken: Finding | None = None
        self.unread: Unproved | None = None
        self._docket = docket
        self._heads = (docket.note, *heads)
        self._signatures = SignatureCheck(expected=total, workers=workers)
        keys: dict[str, bytes] = {}
        for raw in docket.leaves:
            try:
                done = self.log.admit(raw, signatures=False)
            except CORE_FAULTS as error:
                self.broken, self.unread = _broken(docket, self.log, keys, error, self.admitted)
                break
            self.admitted.append(done)
            _learn_key(keys, done)
            entry = read_leaf(raw)
            self._signatures.add(Signed(done.seq, keys[done.author], entry.sig, entry.stmt))
            if progress is not None and done.seq % _TOLD_EVERY == 0:
                progress(done.seq + 1, total)
        if not docket.leaves:
            self.unread = Unproved("A08", None, "The record holds no entry.")
        if progress is not None:
            progress(total, total)

    @property
    def whole(self) -> bool:
        """Return whether every entry of the record was admitted, its signature left aside."""
        return self.broken is None and self.unread is None

    def walk(self) -> Walk:
        """Return how far the record holds, signatures included."""
        admitted, broken, unread = self.admitted, self.broken, self.unread
        false = self._signatures.finish()
        if false is not None:
            broken, unread = _unsigned(false, admitted[false].author, keeper_of(self._docket)), None
            admitted = admitted[:false]
        if broken is not None:
            (broken,) = on_its_key((broken,), vouched(self._docket, self._heads, admitted))
        return Walk(self.log, tuple(admitted), self._signatures.count, broken, unread)


def walk(docket: Docket, *, workers: int | None = None, heads: Sequence[str] = ()) -> Walk:
    """Return how far a docket's log holds: each entry's bytes, signature, counter, head, proofs and legality.

    `heads` are notes beside the docket's own that may vouch for who is who.
    """
    with collector_resting():
        return Fold(docket, workers=workers, heads=heads).walk()


def vouched(docket: Docket, heads: Sequence[str], admitted: Sequence[Admitted]) -> frozenset[str]:
    """Return the roles whose last commitment is in a head of this record that its game master has signed.

    A commitment brings its own key: without such a head anybody can have made it, and all that its key has signed. The
    game master signs one in a note, and in whatever it says itself.
    """
    bound = {item.author: item.seq for item in admitted if isinstance(item.event, Commit)}
    opening = admitted[0].event if admitted else None
    if not bound or not isinstance(opening, Open):
        return frozenset()
    said = (item.seq for item in admitted if item.author == GM)
    covered = max(read_statement(read_leaf(docket.leaves[seq]).stmt).size for seq in said)
    for note in heads:
        try:
            size, root = check_checkpoint(note, opening.log_key, table=table_id(docket))
        except FairnessError:
            continue
        if covered < size <= len(docket.leaves) and root == root_of(docket.leaves[:size]):
            covered = size
    return frozenset(role for role, seq in bound.items() if seq < covered)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root over any entries."""
    tree = Tree()
    for raw in leaves:
        tree.append(leaf_hash(raw))
    return tree.root()


def on_its_key(findings: Iterable[Finding], known: frozenset[str]) -> list[Finding]:
    """Return findings in which a role whose key nobody vouches for is not named: only the record's keeper is."""
    return [
        one
        if one.culprit in known or one.culprit in (LOG, GM)
        else msgspec.structs.replace(
            one,
            culprit=LOG,
            sentence=f"{one.sentence} No head that the game master signed has the commitment of {one.culprit}, "
            "so anybody may have made this up.",
        )
        for one in findings
    ]


def _learn_key(keys: dict[str, bytes], done: Admitted) -> None:
    match done.event:
        case Open(log_key=key):
            keys[GM] = key
        case Commit(sign=key):
            keys[done.author] = key


def keeper_of(docket: Docket) -> str:
    """Return who answers for what the record holds: the game master if it signed this very record, else `log`."""
    try:
        opening = read_open(bytes(read_statement(read_leaf(docket.leaves[0]).stmt).ev))
        signed = check_checkpoint(docket.note, opening.log_key, table=table_id(docket))
    except (ProtocolError, FairnessError, IndexError):
        return LOG
    return GM if signed == (len(docket.leaves), root_of(docket.leaves)) else LOG


def _broken(
    docket: Docket, log: Log, keys: dict[str, bytes], error: Exception, admitted: list[Admitted]
) -> tuple[Finding | None, Unproved | None]:
    raw, keeper = docket.leaves[log.size], keeper_of(docket)
    entry, statement = read(raw)
    if entry is not None and statement is not None and not _is_signed(log, keys, entry, statement):
        return _unsigned(log.size, statement.author, keeper), None
    # Where a statement brings its own key, as the first one of each role does, anybody could have made it.
    signed = statement is not None and statement.author in keys
    return blame(log, raw, error, admitted=admitted, keeper=keeper, signed=signed)


def _is_signed(log: Log, keys: dict[str, bytes], entry: Entry, statement: Statement) -> bool:
    """Return whether the statement is signed by its author, or nobody can tell because the author has no key yet."""
    key = keys.get(statement.author)
    try:
        if key is None and not log.opened:
            key = read_open(bytes(statement.ev)).log_key
        elif key is None:
            event = read_event(bytes(statement.ev), log.table.game.NAME)
            key = event.sign if isinstance(event, Commit) else None
    except ProtocolError:
        return True
    return key is None or is_signed(Signed(log.size, key, entry.sig, entry.stmt))


def _unsigned(seq: int, author: str, keeper: str) -> Finding:
    # Whoever cannot be shown to have said a thing is not blamed for it: the record's keeper let it in, or changed it.
    name = author if author.isascii() and author.isalnum() and len(author) < 16 else "its author"
    sentence = f"Entry {seq} is not signed by {name}, whose word it claims to be: the record was changed."
    return Finding("A03", seq, keeper, sentence)
