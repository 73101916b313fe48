"""One table's log, verified entry by entry: what every role, the audit and the replay fold.

An entry is admitted only if its bytes are canonical, its author signed them, its counter and head follow, the rules
allow it, and every share, seal and opening in it is what its author committed to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final, NamedTuple

from chambers import editions
from chambers.fairness.boxes import check_box_key
from chambers.fairness.commitments import check_offer, check_place, check_seal
from chambers.fairness.dice import check_share, roll_value
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES, digest
from chambers.fairness.keys import check_mix
from chambers.fairness.signatures import check_statement
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import Entry, Statement, read_event, read_leaf, read_open, read_statement
from chambers.rules import Phase, Table, check, due, evolve, new_table
from chambers.rules.events import Again, Bad, Commit, Mix, Open, Roll, Say, Share, Stall, TableEvent
from chambers.rules.roles import GM, Role, contributors
from chambers.rules.terms import Setup

EditionOf = Callable[[Open], object]
_WITH_THE_FILE: Final = "Start again with the host's file: --edition FILE"


class Examined(NamedTuple):
    """A statement that may be appended now: who says what."""

    statement: Statement
    author: Role
    event: TableEvent


class Admitted(NamedTuple):
    """An entry in the log: place and time, who said what, the table before and after, the author's counter `n`."""

    seq: int
    ts: int
    author: Role
    event: TableEvent
    before: Table | None
    after: Table
    n: int


def installed_edition(opening: Open) -> object:
    """Return the edition that an open event names, as this process knows it; ProtocolError for one of another hash."""
    return _installed(opening.edition, opening.edition_hash)


@functools.lru_cache(maxsize=32)
def _installed(name: str, expected: bytes) -> object:
    try:
        edition = editions.named(name)
    except editions.EditionError:
        told = f"The table plays the edition {name}, which is not known here."
        raise ProtocolError("protocol/edition", f"{told} {_WITH_THE_FILE}") from None
    if editions.edition_hash(edition) != expected:
        told = f"The table was opened with another edition {name} than the one here."
        raise ProtocolError("protocol/edition", f"{told} {_WITH_THE_FILE}")
    return edition


class Log:
    """The verified log of one table, and the public table that it folds to.

    `note` is the newest checkpoint over it that its reader has checked; `kept` is how many entries the reader has kept
    a copy of before, and so the size below which it has nothing to say; `handed_in` tells whether its secrets of this
    table have been opened beside the log by now, after which it plays no more.
    """

    def __init__(self, table_id: bytes, *, edition_of: EditionOf = installed_edition) -> None:
        self.id = table_id
        self.leaves: list[bytes] = []
        self.tree = Tree()
        self.where: dict[bytes, int] = {}
        self.note = ""
        self.kept = 0
        self.handed_in: Callable[[], bool] = lambda: False
        self._edition_of = edition_of
        self._table: Table | None = None
        self._next: dict[Role, int] = {}
        self._sizes: dict[Role, int] = {}
        self._chains: dict[Role, tuple[int, bytes]] = {}
        self._bound: dict[Role, bytes] = {}

    @property
    def size(self) -> int:
        """Return the number of entries."""
        return len(self.leaves)

    @property
    def table(self) -> Table:
        """Return the public table; ProtocolError (`log/empty`) before its open event."""
        if self._table is None:
            raise ProtocolError("log/empty", "There is no such table.")
        return self._table

    @property
    def opened(self) -> bool:
        """Return whether the open event is there."""
        return self._table is not None

    def head(self) -> tuple[int, bytes]:
        """Return size and root of the log."""
        return len(self.leaves), self.tree.root()

    def counter(self, author: Role) -> int:
        """Return the counter that the author's next statement must carry."""
        return self._next.get(author, 0)

    def counter_at(self, seq: int) -> int:
        """Return the author counter of entry `seq`, to which a box that it offered is bound."""
        return read_statement(read_leaf(self.leaves[seq]).stmt).n

    def key(self, author: Role) -> bytes:
        """Return the key under which an author's statements verify; ProtocolError for one that has none yet."""
        if author == GM:
            return self.table.setup.opening.log_key
        commit = self.table.committed(author)
        if commit is None:
            raise ProtocolError("log/stranger", f"{author} has not committed at this table.")
        return commit.sign

    def examine(self, sig: bytes, stmt: bytes, *, ts: int, signatures: bool = True) -> Examined:
        """Return what a submission says if it may be entry `size` at time `ts`; else the error that says why not."""
        statement = read_statement(stmt)
        if statement.table != self.id:
            raise ProtocolError("log/other-table", "This statement was made for another table.")
        if self._table is None:
            return self._examine_open(statement, sig, stmt, signatures=signatures)
        event = read_event(bytes(statement.ev), self._table.game.NAME)
        author = Role(statement.author)
        if author != GM and author not in contributors(self._table.seats):
            raise ProtocolError("log/stranger", "The author of this statement is no role at this table.")
        key = event.sign if isinstance(event, Commit) and author != GM else self.key(author)
        if self._bound.get(author, key) != key:
            raise ProtocolError("log/other-key", f"{author} has committed at this table under another key before.")
        if signatures:
            check_statement(key, sig, stmt=stmt)
        self._check_counter(statement, author)
        self._check_head(statement, author)
        self._check_fresh(statement, author, event)
        self.check_next(author, event, ts=ts)
        return Examined(statement, author, event)

    def check_next(self, author: Role, event: TableEvent, *, ts: int) -> None:
        """Refuse (RuleError, FairnessError) what its author may not say next, or what opens nothing that was bound."""
        check(self.table, author, event, ts=ts)
        self._check_proofs(author, event)

    def admit(self, raw: bytes, *, signatures: bool = True) -> Admitted:
        """Append a leaf that is right in every respect, and return it; else raise the error that says what is wrong."""
        entry = read_leaf(raw)
        before = self._table
        if entry.seq != self.size:
            sentence = f"The entry says that it is number {entry.seq}, and {self.size} is next."
            raise ProtocolError("log/sequence", sentence)
        if before is not None and entry.ts < before.ts:
            raise ProtocolError("log/time", "The entry is older than the one before it.")
        return self.append(self.examine(entry.sig, entry.stmt, ts=entry.ts, signatures=signatures), entry, raw)

    def append(self, examined: Examined, entry: Entry, raw: bytes) -> Admitted:
        """Append and return what this log has examined at its present size; `raw` is the leaf of the entry."""
        assert entry.seq == self.size
        before, after = self._table, self._fold(examined, entry)
        self.leaves.append(raw)
        self.tree.append(leaf_hash(raw))
        self.where[entry.stmt] = entry.seq
        return Admitted(entry.seq, entry.ts, examined.author, examined.event, before, after, examined.statement.n)

    def _examine_open(self, statement: Statement, sig: bytes, stmt: bytes, *, signatures: bool) -> Examined:
        event = read_open(bytes(statement.ev))
        if statement.author != GM or (statement.n, statement.size) != (0, 0) or statement.root != self.tree.root():
            raise ProtocolError("log/no-open", "A log begins with the game master's first statement.")
        if signatures:
            check_statement(event.log_key, sig, stmt=stmt)
        if event.auditor_key is not None and len(event.auditor_key) == KEY_BYTES:
            check_box_key(event.auditor_key)
        new_table(Setup(event, self._edition_of(event)))
        return Examined(statement, GM, event)

    def _check_counter(self, statement: Statement, author: Role) -> None:
        if statement.n != self.counter(author):
            raise ProtocolError("log/counter", f"The next statement of {author} is its number {self.counter(author)}.")

    def _check_head(self, statement: Statement, author: Role) -> None:
        if statement.size > self.size:
            raise ProtocolError("log/ahead", f"{author} has seen more of this log than there is here.")
        if statement.size < self._sizes.get(author, 0):
            raise ProtocolError("log/head", f"{author} has seen more of this log before than it says now.")
        if statement.root != self.tree.root_at(statement.size):
            raise ProtocolError("log/head", f"{author} has seen another log than this one.")

    def _check_fresh(self, statement: Statement, author: Role, event: TableEvent) -> None:
        if isinstance(event, Say | Stall | Bad | Share):
            return
        for item in due(self.table):
            if item.who == author and statement.size <= item.since:
                raise ProtocolError("protocol/stale", "This answers something that the log has gone past.")

    def _check_proofs(self, author: Role, event: TableEvent) -> None:
        table = self.table
        match event:
            case Commit(box=box):
                check_box_key(box)
            case Mix(e=e):
                commit = table.committed(author)
                assert commit is not None
                check_mix(commit.mix, e, table=self.id, role=author)
            case Roll(k=k, shares=shares, value=value):
                for role, x in shares:
                    self.check_link(role, k, x)
                if roll_value(self.id, k, shares=shares) != value:
                    raise FairnessError("fairness/roll", f"Roll {k} is not what its shares make.")
            case Share(k=k, x=x):
                self.check_link(author, k, x)
            case _ if table.phase is Phase.PLAY:
                self._check_opened(event)

    def check_link(self, role: Role, k: int, x: bytes) -> None:
        """Refuse (`fairness/share`) a share of roll `k`, which is to come, that does not continue the role's chain."""
        last, previous = self._chains[role]
        link = x
        for _ in range(last + 1, k):  # a roll that was voided has published no share
            link = digest("chain", self.id, role, link)
        check_share(self.id, role, share=link, previous=previous)

    def _check_opened(self, event: TableEvent) -> None:
        table = self.table
        assert table.deal is not None
        for kind, seal in table.game.seals(event):
            check_seal(table.deal.seals[kind], seal, table=self.id, kind=kind)
        offered = table.game.offered(table.play, event)
        if offered is not None:
            for _, box in table.game.boxes(event):
                check_offer(offered[1], box)
        opened = table.game.openings(event)
        if opened:
            committed = {
                **dict(zip(table.game.places(table.setup), table.deal.places, strict=True)),
                **dict(table.game.commitments(table.play)),
            }
            for place, value, nonce in opened:
                if place not in committed:
                    raise FairnessError("fairness/place", f"There is no place {place} at this table.")
                called = table.game.place_name(table.setup, place)
                check_place(committed[place], nonce, table=self.id, place=place, value=value, called=called)

    def _fold(self, examined: Examined, entry: Entry) -> Table:
        statement, author, event = examined
        if self._table is None:
            assert isinstance(event, Open)
            self._table = new_table(Setup(event, self._edition_of(event)), ts=entry.ts)
        else:
            self._table = evolve(self._table, author, event, ts=entry.ts)
        self._next[author] = statement.n + 1
        self._sizes[author] = statement.size
        match event:
            case Commit(sign=sign, anchor=anchor):
                self._chains[author] = (0, anchor)
                self._bound[author] = sign
            case Again():
                self._chains.clear()
            case Roll(k=k, shares=shares):
                self._chains.update({role: (k, x) for role, x in shares})
        return self._table
