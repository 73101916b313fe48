"""Lines of the log that a window has missed: they are told in order, so later ones wait until they are here."""

from __future__ import annotations

from typing import Final

from chambers.protocol.client import Update

PATIENCE_S: Final = 2.0
"""How long updates are passed over for the lines before them; a vault keeps to itself what fits into no frame."""


class Gaps:
    """How far the log has been told at one window."""

    def __init__(self) -> None:
        self._told = -1
        self._asked_at: float | None = None

    def comes_before(self, update: Update, now: float) -> bool:
        """Return whether lines are missing before those of an update, so that it is passed over and asked for whole.

        `now` is seconds of a clock that never goes back.
        """
        lines = update.lines
        gap = bool(lines) and 0 <= self._told < lines[0].sequence - 1
        if gap and self._asked_at is None:
            self._asked_at = now
            return True
        # an entry brings one line, so several are all that the vault gives
        if gap and self._asked_at is not None and len(lines) == 1 and now - self._asked_at < PATIENCE_S:
            return True
        self._asked_at = None
        self._told = max(self._told, *(line.sequence for line in lines), -1)
        return False
