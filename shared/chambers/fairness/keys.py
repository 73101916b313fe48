"""What a role derives for one table from its master key, and what anybody derives from a revealed secret and luck."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import msgspec

from chambers.fairness.boxes import box_public
from chambers.fairness.dice import SHARE_ORDER, Chain
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES, TABLE_BYTES, digest, prf, u32
from chambers.fairness.signatures import SigningKey

_ROLES: Final = ("dealer", *SHARE_ORDER)


class Bindings(msgspec.Struct, frozen=True):
    """What a role publishes at setup so that it can change nothing later; 32 bytes each, none of them secret."""

    secret: bytes
    luck: bytes
    box: bytes
    anchor: bytes
    mix: bytes


class TableSecrets(msgspec.Struct, frozen=True, dict=True):
    """Everything that one role keeps secret at one table: its secret S, its luck L, its signing seed, its frame key.

    Only a seat has a frame key. `secret` and `luck` are revealed when the game is over, the other two never.
    """

    table: bytes
    role: str
    secret: bytes
    luck: bytes
    signing_seed: bytes
    frame_key: bytes | None = None

    @classmethod
    def from_master(cls, master: bytes, table: bytes, *, role: str, attempt: int) -> TableSecrets:
        """Return the secrets of `role` at the `attempt`-th setup of a table; ValueError for one that has none."""
        if role not in _ROLES or len(master) != KEY_BYTES or len(table) != TABLE_BYTES:
            raise ValueError("secrets need a known role, a 32-byte master key and a 16-byte table")
        return cls(
            table=table,
            role=role,
            secret=prf(master, "S", table, u32(attempt)),
            luck=prf(master, "L", table, u32(attempt)),
            signing_seed=prf(master, "sign", table),
            frame_key=prf(master, "frame", table) if role.startswith("seat") else None,
        )

    def __repr__(self) -> str:
        return f"TableSecrets({self.role})"

    @cached_property
    def signing_key(self) -> SigningKey:
        """Return the key that signs this role's statements; the same at every attempt."""
        return SigningKey(self.signing_seed)

    @cached_property
    def box_private(self) -> bytes:
        """Return the X25519 private key of this role's boxes (32 bytes)."""
        return box_private(self.secret)

    @cached_property
    def mix(self) -> bytes:
        """Return this role's mixing entropy e (32 bytes)."""
        return mix_entropy(self.luck)

    @cached_property
    def _chains(self) -> dict[int, Chain]:
        return {}

    def chain(self, length: int) -> Chain:
        """Return this role's dice chain of `length` links, computed once."""
        if length not in self._chains:
            self._chains[length] = Chain(self.luck, self.table, role=self.role, length=length)
        return self._chains[length]

    def bindings(self, length: int) -> Bindings:
        """Return what this role commits to at setup, with a dice chain of `length` links."""
        return _bindings(self.secret, self.luck, table=self.table, role=self.role, anchor=self.chain(length).anchor)


def secret_commitment(table: bytes, role: str, *, secret: bytes) -> bytes:
    """Return the 32 bytes that bind `role` to its secret S."""
    return digest("secret", table, role, secret)


def luck_commitment(table: bytes, role: str, *, luck: bytes) -> bytes:
    """Return the 32 bytes that bind `role` to its luck L."""
    return digest("luck", table, role, luck)


def box_private(secret: bytes) -> bytes:
    """Return the X25519 private key (32 bytes) of the boxes of whoever holds S."""
    return prf(secret, "box")


def mix_entropy(luck: bytes) -> bytes:
    """Return the entropy e (32 bytes) that whoever holds L adds to the shuffle."""
    return prf(luck, "mix")


def mix_commitment(table: bytes, role: str, *, e: bytes) -> bytes:
    """Return the 32 bytes that bind `role` to its mixing entropy."""
    return digest("mixc", table, role, e)


def check_mix(commitment: bytes, e: bytes, *, table: bytes, role: str) -> None:
    """Refuse (`fairness/mix`) a mixing entropy that `role` did not commit to."""
    if len(e) != KEY_BYTES or mix_commitment(table, role, e=e) != commitment:
        raise FairnessError("fairness/mix", f"The mix of {role} is not the one that it committed to.")


def check_reveal(
    committed: Bindings, *, table: bytes, role: str, secret: bytes, luck: bytes, chain_length: int
) -> None:
    """Refuse (`fairness/reveal`) a revealed S and L from which `role`'s commitments at setup do not all follow."""
    if len(secret) != KEY_BYTES or len(luck) != KEY_BYTES:
        raise FairnessError("fairness/reveal", f"The secret and luck of {role} do not have 32 bytes each.")
    anchor = Chain(luck, table, role=role, length=chain_length).anchor
    derived = _bindings(secret, luck, table=table, role=role, anchor=anchor)
    wrong = [name for name in Bindings.__struct_fields__ if getattr(derived, name) != getattr(committed, name)]
    if wrong:
        other = ", ".join(wrong)
        raise FairnessError("fairness/reveal", f"What {role} revealed is not what it committed to at setup: {other}.")


def brought_luck(key: bytes, table: bytes, *, role: str, attempt: int, chain: int) -> bytes:
    """Return the luck L that a player brings to a seat at the `attempt`-th setup, from the player's own 32-byte key.

    It is another one for each length of the dice `chain`: the anchor of a shorter chain of one luck is a late share of
    a longer one, so a vault that had both bound would know every roll between.
    """
    return prf(key, "brought", table, role, u32(attempt), u32(chain))


def luck_bindings(chain: Chain, luck: bytes, *, table: bytes, role: str) -> tuple[bytes, bytes, bytes]:
    """Return what binds `role` to its luck L: the commitment to it, its dice chain's anchor, that to its mix."""
    return (
        luck_commitment(table, role, luck=luck),
        chain.anchor,
        mix_commitment(table, role, e=mix_entropy(luck)),
    )


def shuffle_key(secret: bytes, table: bytes, *, mixes: Sequence[bytes]) -> bytes:
    """Return the 32-byte key of the deal, from the dealer's S and every seat's mixing entropy in seat order."""
    return prf(prf(secret, "shuffle"), "mixed", table, *mixes)


def card_seal(secret: bytes, kind: int) -> bytes:
    """Return the dealer's 32-byte seal of a card kind; whoever held such a card knows it."""
    return prf(secret, "cardseal", u32(kind))


def place_nonce(secret: bytes, place: int) -> bytes:
    """Return the dealer's 32-byte nonce of a place; it says nothing about the card that lies there."""
    return prf(secret, "placer", u32(place))


def stow_nonce(secret: bytes, n: int) -> bytes:
    """Return a seat's 32-byte nonce for the card it stows with its `n`-th statement."""
    return prf(secret, "stow", u32(n))


def box_nonce(secret: bytes, n: int, *, to: str, payload: bytes) -> bytes:
    """Return the 24-byte nonce of a role's box in its statement `n`; the box is the same whenever it holds the same."""
    return prf(secret, "boxnonce", u32(n), to, payload)[:24]


def admit_secret(gate_key: bytes, table: bytes, *, seat: int, issue: int) -> bytes:
    """Return the 32 bytes with which a ticket's holder is admitted to a seat's subjects."""
    return prf(gate_key, "admit", table, u32(seat), u32(issue))


def vault_admit_secret(gate_key: bytes, table: bytes, *, seat: int, issue: int) -> bytes:
    """Return the 32 bytes with which a seat's vault is admitted from its player's own machine."""
    return prf(gate_key, "admit vault", table, u32(seat), u32(issue))


def nkey_seed(admit: bytes) -> bytes:
    """Return the 32-byte Ed25519 seed of the log-in key that belongs to an admit secret, a client's or a vault's."""
    return prf(admit, "nkey")


def pair_secret(master: bytes, table: bytes, *, issue: int) -> bytes:
    """Return the 32 bytes by which a vault knows the holder of its seat's ticket."""
    return prf(master, "pair", table, u32(issue))


def _bindings(secret: bytes, luck: bytes, *, table: bytes, role: str, anchor: bytes) -> Bindings:
    return Bindings(
        secret=secret_commitment(table, role, secret=secret),
        luck=luck_commitment(table, role, luck=luck),
        box=box_public(box_private(secret)),
        anchor=anchor,
        mix=mix_commitment(table, role, e=mix_entropy(luck)),
    )
