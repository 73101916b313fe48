"""How fast somebody may go on: so many at once, then so many a second."""

from __future__ import annotations

import time


class Pace:
    """A measure that fills by `rate` a second up to `burst`, and from which each message takes one."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._at = time.monotonic()

    def keeps(self) -> bool:
        """Return whether one more message now keeps the pace."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
