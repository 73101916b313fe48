"""Which card an offer was bound to that nobody took up: an honest vault's box can be made again from its secret."""

from __future__ import annotations

from collections.abc import Mapping

from chambers.fairness.commitments import offer_commitment
from chambers.protocol.boxes import seal_as_always
from chambers.protocol.log import Admitted
from chambers.rules.terms import Disclosed, Opened


def offered(item: Admitted, table_id: bytes, *, secret: bytes, seals: Mapping[int, bytes]) -> Opened | None:
    """Return what an entry's offer is bound to, tried with each card of `seals`; None if it is no offer, or of no such.

    `secret` is the author's S. A vault that takes another nonce than an honest one offers what nobody can tell.
    """
    offer = item.after.game.offer(item.event) if item.after.play is not None else None
    if offer is None:
        return None
    to, committed = offer
    other = item.after.committed(to)
    if other is None:
        return None
    for kind, seal in seals.items():
        opened = (Disclosed(kind, seal),)
        box = seal_as_always(secret, other.box, table=table_id, author=item.author, n=item.n, to=to, opened=opened)
        if offer_commitment(box) == committed:
            return opened
    return None
