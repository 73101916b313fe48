"""Unbiased chance from a key: numbers, dice and orders that anybody with the key draws again."""

from __future__ import annotations

from typing import Final, TypeVar

from chambers.fairness.hashing import prf, u32

T = TypeVar("T")

_BYTE_VALUES: Final = 256


class Draw:
    """An endless stream of bytes from `key` and `label`, cut into draws by rejection: each is exactly uniform."""

    __slots__ = ("_at", "_block", "_blocks", "_key", "_label")

    def __init__(self, key: bytes, label: str) -> None:
        self._key = key
        self._label = label
        self._blocks = 0
        self._block = b""
        self._at = 0

    def __repr__(self) -> str:
        return f"Draw({self._label})"

    def _next_byte(self) -> int:
        if self._at == len(self._block):
            self._block = prf(self._key, "stream", self._label, u32(self._blocks))
            self._blocks += 1
            self._at = 0
        byte = self._block[self._at]
        self._at += 1
        return byte

    def uniform(self, n: int, /) -> int:
        """Return a number of 0..n-1, each equally likely; ValueError unless n is 1..256."""
        if not 1 <= n <= _BYTE_VALUES:
            raise ValueError(f"a draw is among 1..{_BYTE_VALUES} outcomes, not {n}")
        # The highest incomplete run of residues is thrown away; taking it modulo n would favour the small ones.
        limit = _BYTE_VALUES - _BYTE_VALUES % n
        byte = self._next_byte()
        while byte >= limit:
            byte = self._next_byte()
        return byte % n

    def d6(self) -> int:
        """Return the value of one die, 1..6."""
        return 1 + self.uniform(6)

    def shuffle(self, items: list[T], /) -> list[T]:
        """Return the items (256 at most) in a uniformly random order, as a new list."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.uniform(i + 1)
            order[i], order[j] = order[j], order[i]
        return order
