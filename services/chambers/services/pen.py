"""A role's pen at one table: it signs at the head of the log it has verified, and submits until it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from chambers.bus.errors import BusError
from chambers.bus.ports import Bus
from chambers.fairness.errors import FairnessError
from chambers.fairness.signatures import SigningKey
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE, Refusal
from chambers.protocol.log import Log
from chambers.protocol.messages import Accepted, InboundReply
from chambers.protocol.statements import pack, sign
from chambers.rules.events import Bye, LastWord, TableEvent
from chambers.rules.roles import Role

MakeEvent = Callable[[int], TableEvent]
"""Makes an event for the statement that will carry this author counter (a box is bound to it)."""

_LATE_MS: Final = 2**53
"""A time after any limit: what waits for one is said by the author's own clock, and no log has that."""

_reply = msgspec.msgpack.Decoder(InboundReply)
_AGAIN_S = (0.05, 0.1, 0.2, 0.5, 1.0)
_BEHIND = frozenset({"log/ahead", "gm/busy"})
# A server that is being replaced is back in seconds, and then the same bytes are taken; a full disk stays full.
_TROUBLE = frozenset({"bus/disconnected", "bus/disk-full", "bus/no-log", "bus/store-refused", "bus/timeout"})
_TRIES_IN_TROUBLE = 20


class Pen:
    """Signs and submits one role's statements at one table."""

    def __init__(self, bus: Bus, log: Log, *, role: Role, key: SigningKey) -> None:
        self._bus = bus
        self._log = log
        self._role = role
        self._key = key

    def write(self, make: MakeEvent) -> bytes:
        """Return a signed submission of the event that `make` makes for the role's next counter.

        FairnessError (`fairness/behind`) on a log that is shorter than the copy kept of it: what was said there once
        would be said anew. `fairness/handed-in` for anything but a goodbye or a last word once the role's secrets were
        opened beside the log, also a moment ago and by another process. RuleError or FairnessError for what may not
        be the next entry here: a game master that let it in all the same would have its author convicted.
        """
        if self._log.size < self._log.kept:
            sentence = f"The game master shows {self._log.size} entries of this table, and {self._log.kept} were kept."
            raise FairnessError("fairness/behind", sentence)
        n = self._log.counter(self._role)
        size, root = self._log.head()
        event = make(n)
        if not isinstance(event, Bye | LastWord) and self._log.handed_in():
            raise FairnessError("fairness/handed-in", "The reveal of this role was handed in, and it plays no more.")
        self.check(event)
        sig, stmt = sign(self._key, table=self._log.id, author=self._role, n=n, size=size, root=root, event=event)
        return pack(sig, stmt)

    def check(self, event: TableEvent) -> None:
        """Refuse (RuleError, FairnessError) what the log that this role has verified does not allow it to say now."""
        if self._log.opened:
            self._log.check_next(self._role, event, ts=_LATE_MS)

    async def submit(self, submission: bytes) -> Accepted | Refusal:
        """Return the game master's answer; the same bytes are sent again while there is none."""
        subject = subjects.inbound(self._log.id.hex(), self._role, own=subjects.is_own(self._bus.user))
        for attempt in range(10_000):
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise asyncio.CancelledError  # a wait that ended just then has swallowed it
            try:
                answer = _reply.decode(await self._bus.request(subject, submission))
            except (BusError, *UNREADABLE) as error:
                if getattr(error, "code", "") in ("bus/too-big", "bus/closed"):
                    raise
            else:
                if not isinstance(answer, Refusal):
                    return answer
                in_trouble = answer.code in _TROUBLE and attempt < _TRIES_IN_TROUBLE
                if answer.code not in _BEHIND and not in_trouble:
                    return answer
            await asyncio.sleep(_AGAIN_S[min(attempt, len(_AGAIN_S) - 1)])
        return Refusal("bus/timeout", "The game master does not answer.")
