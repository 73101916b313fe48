"""Lines of the log that a window has missed: they are told in order, so later ones wait until they are here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chambers.protocol.client import Line

PATIENCE_S: Final = 2.0
"""How long lines are passed over for those before them; a vault gives none that fits into no frame."""


class Gaps:
    """How far the log has been told at one window, a seat's or a spectator's."""

    def __init__(self) -> None:
        self._told = -1
        self._asked_at: float | None = None

    def come_before(self, lines: Sequence[Line], now: float) -> bool:
        """Return whether some are missing before these lines, which are then passed over and asked for anew.

        `now` is seconds of a clock that never goes back.
        """
        gap = bool(lines) and 0 <= self._told < lines[0].sequence - 1
        if gap and self._asked_at is None:
            self._asked_at = now
            return True
        # an entry brings one line, so several are all that is given
        if gap and self._asked_at is not None and len(lines) == 1 and now - self._asked_at < PATIENCE_S:
            return True
        self._asked_at = None
        self._told = max(self._told, *(line.sequence for line in lines), -1)
        return False
