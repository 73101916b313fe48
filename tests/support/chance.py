"""Chance for tests: pseudo-random from a seed, in the place of draws from a committed key."""

from __future__ import annotations

import random


class Chance:
    """A draw from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def uniform(self, n: int, /) -> int:
        """Return a number of 0..n-1."""
        return self.random.randrange(n)

    def shuffle(self, items: list[int], /) -> list[int]:
        """Return the items in another order."""
        return self.random.sample(items, len(items))
