"""Dice that nobody can bias or foresee: each role's hash chain of shares, and the value that a roll's shares make."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES, digest, enc, prf, u32

SHARE_ORDER: Final = ("dice", "seat0", "seat1", "seat2", "seat3", "seat4", "seat5")
"""The roles whose shares make a roll, in the order in which they are hashed."""


class Chain:
    """One role's shares at one table: share `k` is due at roll `k`, and its hash is share `k - 1`."""

    __slots__ = ("_links", "length")

    def __init__(self, luck: bytes, table: bytes, *, role: str, length: int) -> None:
        prefix = enc("ch1/chain", table, role) + u32(KEY_BYTES)
        link = prf(luck, "dice")
        links = [link]
        for _ in range(length):
            link = hashlib.sha256(prefix + link).digest()
            links.append(link)
        links.reverse()
        self.length = length
        self._links = b"".join(links)  # one block of bytes: a long chain kept as a list costs three times the memory

    def __repr__(self) -> str:
        return f"Chain({self.length})"

    @property
    def anchor(self) -> bytes:
        """Return share 0, which the role commits to at setup."""
        return self.share(0)

    def share(self, k: int) -> bytes:
        """Return the 32-byte share of roll `k`; refuses (`fairness/chain`) a roll beyond the chain's length."""
        if not 0 <= k <= self.length:
            raise FairnessError("fairness/chain", f"The dice chain has {self.length} links and none for roll {k}.")
        return self._links[k * KEY_BYTES : (k + 1) * KEY_BYTES]


def check_share(table: bytes, role: str, *, share: bytes, previous: bytes) -> None:
    """Refuse (`fairness/share`) a share of `role` that does not hash to its share of the roll before."""
    if len(share) != KEY_BYTES or digest("chain", table, role, share) != previous:
        raise FairnessError("fairness/share", f"The dice share of {role} does not continue its committed chain.")


def roll_value(table: bytes, k: int, *, shares: Sequence[tuple[str, bytes]]) -> int:
    """Return the value 1..6 of roll `k` from everybody's (role, share), in any order.

    Refuses (`fairness/share`) no share at all, a role that is twice there or that adds none, and a `k` below 1.
    """
    roles = [role for role, _ in shares]
    if not 1 <= k < 2**32:
        raise FairnessError("fairness/share", f"There is no roll {k}.")
    if not roles or len(set(roles)) != len(roles) or not set(roles) <= set(SHARE_ORDER):
        raise FairnessError("fairness/share", f"The shares of roll {k} are not one each of the roles that contribute.")
    parts: list[bytes | str] = []
    for role, share in sorted(shares, key=lambda pair: SHARE_ORDER.index(pair[0])):
        parts += (role, share)
    return Draw(digest("roll", table, u32(k), *parts), "d6").d6()
