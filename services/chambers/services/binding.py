"""What binds a vault to a card it shows later, or opens what it was shown: stows, offers, and openings of places."""

from __future__ import annotations

from collections.abc import Mapping

from chambers.fairness.commitments import offer_commitment, place_commitment
from chambers.fairness.keys import stow_nonce
from chambers.protocol.log import Admitted
from chambers.rules.roles import Role
from chambers.rules.terms import Disclosed, Opened
from chambers.services.contributor import Contributor


class VaultBinding:
    """The binding of one statement, number `n`; `offered_at` is the number of this seat's last offer."""

    def __init__(self, me: Contributor, n: int, *, nonces: Mapping[int, bytes], offered_at: int) -> None:
        self._me = me
        self._n = n
        self._nonces = nonces
        self._offered_at = offered_at
        self.handed_over: Opened | None = None

    def __repr__(self) -> str:
        return "VaultBinding(...)"

    def nonce(self, place: int, /) -> bytes:
        """Return the opening of a place whose value this seat was shown."""
        return self._nonces[place]

    def stow(self, place: int, kind: int, /) -> tuple[bytes, bytes]:
        """Return a nonce for a card stowed at a new place, and the commitment to both."""
        nonce = stow_nonce(self._me.secrets.secret, self._n)
        return nonce, place_commitment(nonce, self._me.log.id, place=place, value=kind)

    def offer(self, box: bytes, /) -> bytes:
        """Return the hash that binds this seat to a box which it hands over later."""
        return offer_commitment(box)

    def offered(self, to: Role, opened: Opened, /) -> bytes:
        """Return the very box that this seat's last offer bound it to; boxes are a function of what they hold."""
        self.handed_over = opened
        return self._me.box(self._offered_at, to, opened)


def own_offer(me: Contributor, entry: Admitted, *, seals: Mapping[int, bytes]) -> Opened | None:
    """Return what an offer of its own binds a role to, found among the cards whose seals it knows; else None."""
    offer = entry.after.game.offer(entry.event) if entry.after.play is not None else None
    if offer is None or entry.author != me.role:
        return None
    to, committed = offer
    for kind, seal in seals.items():
        opened = (Disclosed(kind, seal),)
        if offer_commitment(me.box(entry.n, to, opened)) == committed:
            return opened
    return None
