"""The secrets that a record reveals, and the boxes that they open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from chambers.audit.offers import offered
from chambers.fairness.boxes import box_public
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import box_private, card_seal, secret_commitment, shuffle_key
from chambers.protocol.boxes import check_disclosures, open_disclosures
from chambers.protocol.log import Admitted
from chambers.rules.events import Commit, Deal
from chambers.rules.roles import DEALER, Role
from chambers.rules.table import Table
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
        self._secrets: dict[Role, bytes] = {}
        self.dealer: bytes | None = None
        for role, secret in secrets.items():
            commit = table.committed(role)
            if commit is not None and opens(table_id, role, commit, secret):
                self._privates[role] = box_private(secret)
                self._secrets[role] = secret
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

    def seals(self) -> dict[int, bytes]:
        """Return the seal of every card kind; empty without the dealer's secret."""
        if self.dealer is None:
            return {}
        return {kind: card_seal(self.dealer, kind) for kind in range(self._table.game.kinds(self._table.setup))}

    def offered(self, item: Admitted, *, seals: Mapping[int, bytes]) -> Opened | None:
        """Return which card of `seals` an offer is bound to, by the box that an honest author makes of it.

        None without the author's secret, and where it is none of them.
        """
        secret = self._secrets.get(item.author)
        return None if secret is None else offered(item, self.id, secret=secret, seals=seals)

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
        places, called = table.game.places(table.setup), partial(table.game.place_name, table.setup)
        try:
            check_disclosures(table.deal, opened, table=self.id, places=places, added=added, called=called)
        except FairnessError as error:
            return Opening(opened, error.sentence)
        return Opening(opened)


def opens(table_id: bytes, role: Role, commit: Commit, secret: bytes) -> bool:
    """Return whether a secret S opens what its role committed to, its box key included."""
    return (
        len(secret) == len(commit.secret)
        and secret_commitment(table_id, role, secret=secret) == commit.secret
        and box_public(box_private(secret)) == commit.box
    )
