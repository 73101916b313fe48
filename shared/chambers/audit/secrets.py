"""What was revealed after the game, whether it opens what was committed to, and the boxes that it opens."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from chambers.audit.findings import Finding, Unproved
from chambers.fairness.boxes import box_public
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import (
    Bindings,
    box_private,
    check_reveal,
    luck_commitment,
    secret_commitment,
    shuffle_key,
)
from chambers.protocol.boxes import check_disclosures, open_disclosures
from chambers.protocol.log import Admitted
from chambers.protocol.reveals import HandedIn
from chambers.rules.due import leavers
from chambers.rules.events import Commit, Deal, Reveal
from chambers.rules.narrate import who
from chambers.rules.roles import DEALER, Role
from chambers.rules.table import Phase, Table
from chambers.rules.terms import Opened, Pile

Places = tuple[tuple[int, bytes], ...]
"""Places with what was committed to at each."""


class Opening(msgspec.Struct, frozen=True):
    """What became of one box: what it held, what is wrong with it in a sentence, or neither where nobody can tell."""

    opened: Opened | None = None
    fault: str = ""

    @property
    def decided(self) -> bool:
        """Return whether either end's secret was there to open it with."""
        return self.opened is not None or bool(self.fault)

    def __repr__(self) -> str:
        return f"Opening(decided={self.decided})"


class Secrets:
    """The secrets S that a record reveals, each of which opens its commitment and its box key."""

    def __init__(self, table_id: bytes, table: Table, *, secrets: dict[Role, bytes]) -> None:
        self.id = table_id
        self._table = table
        self._privates: dict[Role, bytes] = {}
        self.dealer: bytes | None = None
        for role, secret in secrets.items():
            commit = table.committed(role)
            if commit is not None and _opens(table_id, role, commit, secret):
                self._privates[role] = box_private(secret)
                if role == DEALER:
                    self.dealer = secret

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self._privates)})"

    def has(self, role: Role) -> bool:
        """Return whether the secret of a role is known."""
        return role in self._privates

    def open(self, author: Role, n: int, *, to: Role, box: bytes, added: Places = (), empty: bool = False) -> Opening:
        """Return what the box made for the author's `n`-th statement held, opened with whichever end's secret is known.

        `added` are the places that seats have committed to beside those of the deal; `empty` allows a box of nothing.
        """
        for mine, theirs in ((author, to), (to, author)):
            other = self._table.committed(theirs)
            if mine in self._privates and other is not None:
                opening = self._opened(self._privates[mine], other.box, author=author, n=n, to=to, box=box)
                if opening.opened is None or (empty and not opening.opened):
                    return opening
                return self._checked(opening.opened, added)
        return Opening()

    def open_entry(self, item: Admitted, admitted: Sequence[Admitted], *, to: Role, box: bytes) -> Opening:
        """Return what a box of an entry of the log held, also one that an earlier entry of it had offered."""
        game, n, empty = self._table.game, item.n, isinstance(item.event, Deal)
        if empty or item.before is None:
            return self.open(item.author, n, to=to, box=box, empty=empty)
        offered = game.offered(item.before.play, item.event)
        if offered is not None:
            n = admitted[offered[0]].n
        places = (*game.commitments(item.before.play), *game.commitments(item.after.play))
        return self.open(item.author, n, to=to, box=box, added=tuple(dict(places).items()))

    def pile(self) -> Pile | None:
        """Return where every card was to lie by the committed shuffle, or None without the dealer's secret."""
        if self.dealer is None:
            return None
        table = self._table
        key = shuffle_key(self.dealer, self.id, mixes=[mix.e for _, mix in table.mixes])
        return table.game.deal(table.setup, Draw(key, table.game.RULES))

    def _opened(self, private: bytes, public: bytes, *, author: Role, n: int, to: Role, box: bytes) -> Opening:
        try:
            return Opening(open_disclosures(private, public, table=self.id, author=author, n=n, to=to, box=box))
        except FairnessError as error:
            return Opening(fault=error.sentence)

    def _checked(self, opened: Opened, added: Places) -> Opening:
        table = self._table
        assert table.deal is not None
        places = table.game.places(table.setup)
        try:
            check_disclosures(table.deal, opened, table=self.id, places=places, added=added)
        except FairnessError as error:
            return Opening(opened, error.sentence)
        return Opening(opened)


def revealed(admitted: tuple[Admitted, ...]) -> dict[Role, Reveal]:
    """Return each role's reveal, as far as the record has them."""
    return {item.author: item.event for item in admitted if isinstance(item.event, Reveal)}


def check_handed_in(
    table_id: bytes, table: Table, reveals: Sequence[HandedIn]
) -> tuple[dict[Role, bytes], list[Unproved]]:
    """Return the secrets S handed in beside a record that open what their roles committed to, and which do not (A20).

    Anybody can write such a file, so one that opens nothing convicts nobody.
    """
    taken: dict[Role, bytes] = {}
    unproved: list[Unproved] = []
    for one in reveals:
        commit = table.committed(one.role)
        if one.table != table_id or commit is None:
            unproved.append(Unproved("A20", None, f"A reveal of {one.role} was handed in that is not of this table."))
            continue
        luck = not one.luck or luck_commitment(table_id, one.role, luck=one.luck) == commit.luck
        if luck and _opens(table_id, one.role, commit, one.secret):
            taken[one.role] = one.secret
        else:
            name = f"{who(table, one.role)} ({one.role})"
            sentence = f"The reveal handed in for {name} does not open what it committed to."
            unproved.append(Unproved("A20", None, sentence))
    return taken, unproved


def check_reveals(
    table_id: bytes, table: Table, admitted: tuple[Admitted, ...], *, handed_in: frozenset[Role] = frozenset()
) -> tuple[list[Finding], list[Unproved]]:
    """Return what is wrong with the reveals (A20), and which roles that have to reveal did not, here or beside."""
    findings: list[Finding] = []
    unproved: list[Unproved] = []
    for item in admitted:
        commit = table.committed(item.author)
        if not isinstance(item.event, Reveal) or commit is None:
            continue
        committed = Bindings(commit.secret, commit.luck, commit.box, commit.anchor, commit.mix)
        secret, luck, length = item.event.secret, item.event.luck, table.setup.opening.chain
        try:
            check_reveal(committed, table=table_id, role=item.author, secret=secret, luck=luck, chain_length=length)
        except FairnessError as error:
            findings.append(Finding("A20", item.seq, item.author, error.sentence))
    if table.phase is Phase.REVEAL:
        silent = [role for role in leavers(table) if role not in table.reveals and role not in handed_in]
        unproved += [Unproved("A20", None, f"{who(table, role)} ({role}) did not reveal.") for role in silent]
    return findings, unproved


def _opens(table_id: bytes, role: Role, commit: Commit, secret: bytes) -> bool:
    return (
        len(secret) == len(commit.secret)
        and secret_commitment(table_id, role, secret=secret) == commit.secret
        and box_public(box_private(secret)) == commit.box
    )
