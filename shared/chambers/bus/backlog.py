"""What waits of that which anybody may send: so much and no more, so that nobody's flood holds up anybody else."""

from __future__ import annotations

from collections import Counter
from typing import Any

from chambers.bus.ports import Room


class Backlog:
    """The messages of one subscription that wait to be handled; the newest is refused where there is no room left."""

    def __init__(self, subject: str, room: Room, log: Any) -> None:
        self.subject = subject
        self.dropped = 0
        self._room = room
        self._log = log
        self._waiting: Counter[str] = Counter()
        self._messages = 0
        self._bytes = 0

    def enter(self, subject: str, size: int) -> bool:
        """Return whether a message may wait; one that may not is counted."""
        room = self._room
        full = self._messages >= room.messages or self._bytes + size > room.bytes
        if full or self._waiting[subject] >= room.each:
            self.drop()
            return False
        self._waiting[subject] += 1
        self._messages += 1
        self._bytes += size
        return True

    def leave(self, subject: str, size: int) -> None:
        """Make room again for a message that has been handled."""
        self._waiting[subject] -= 1
        if not self._waiting[subject]:
            del self._waiting[subject]
        self._messages -= 1
        self._bytes -= size

    def drop(self) -> None:
        """Count a message that could not wait."""
        self.dropped += 1
        # The first, and then ever fewer: a flood must not fill the service's log either.
        if self.dropped & (self.dropped - 1) == 0:
            self._log.warning("dropped what nobody could wait for", subject=self.subject, dropped=self.dropped)
