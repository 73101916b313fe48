"""The game master's logs: appended to optimistically, read from the store, checkpointed once stored."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

import structlog

from chambers.bus.errors import BusError, WrongSequence
from chambers.bus.ports import LogStore
from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.protocol.messages import Accepted, TailReply
from chambers.protocol.statements import Entry, leaf, sign
from chambers.rules import RuleError
from chambers.rules.events import TableEvent
from chambers.rules.roles import GM
from chambers.services.copies import Copies

TAIL_BYTES = 48 * 1024
_REREAD = frozenset({"log/ahead", "log/counter", "log/head", "log/empty", "log/stranger", "protocol/stale"})
_ATTEMPTS = 64
_logger = structlog.get_logger(__name__)


class Ledger:
    """One table's log as a game master keeps it: a fold of the store, which alone decides what is in it.

    `copies` are the game master's own. What the store has lost of a table since, say because it came back from an older
    backup, is put back from there, entry for entry, before anything is said: else an honest game master would fork.
    """

    def __init__(self, table: bytes, store: LogStore, key: SigningKey, copies: Copies | None = None) -> None:
        self.log = Log(table)
        self._copies = copies
        self._whole = copies is None
        self.lock = asyncio.Lock()
        self._store = store
        self._key = key
        self._last = 0
        self._note: tuple[int, str] = (-1, "")
        self.broken = ""

    def checkpoint(self) -> str:
        """Return the signed note over the log's head; only ever over entries that the store has acknowledged."""
        size, root = self.log.head()
        if self._note[0] != size:
            self._note = (size, sign_checkpoint(self._key, self.log.id, size=size, root=root))
        return self._note[1]

    async def read_on(self) -> None:
        """Fold what the store holds beyond the last known entry; ProtocolError (`gm/broken`) if it does not verify."""
        await self._fold()
        if not self._whole:
            await self._put_back()
            self._whole = True
        self._keep()

    async def _fold(self) -> None:
        async for sequence, raw in self._store.read(self.log.id.hex(), start=self._last + 1):
            if self.broken:
                break
            try:
                self.log.admit(raw)
            except (ProtocolError, RuleError, FairnessError) as error:
                self.broken = f"Entry {self.log.size} of the stored log is wrong: {error.sentence}"
                _logger.error("gm.broken", table=self.log.id.hex(), entry=self.log.size, code=error.code)
                break
            self._last = sequence
        if self.broken:
            raise ProtocolError("gm/broken", self.broken)

    async def _put_back(self) -> None:
        """Append what the copy has and the store has not; nothing of a table that the store does not have at all."""
        assert self._copies is not None
        table = self.log.id
        self._keep()  # which refuses a store that says otherwise than the copy
        kept = self._copies.leaves(table) if self.log.opened or self._copies.is_wanted(table) else ()
        while self.log.size < len(kept):
            _logger.warning("gm.put-back", table=table.hex(), entry=self.log.size)
            with contextlib.suppress(WrongSequence):  # another replica puts it back, too
                await self._store.append(table.hex(), kept[self.log.size], expect=self._last)
            await self._fold()
        self._copies.unwant(table)

    def _keep(self) -> None:
        if self._copies is None or not self.log.opened:
            return
        try:
            self._copies.keep(self.log)
        except FairnessError as error:
            self.broken = error.sentence
            _logger.error("gm.broken", table=self.log.id.hex(), entry=self.log.size, code=error.code)
            raise ProtocolError("gm/broken", self.broken) from None

    async def append(self, sig: bytes, stmt: bytes, *, at: int | None = None) -> tuple[Accepted, bool]:
        """Return the acceptance of a submission, and whether it is new; raises what refuses it, under the lock.

        WrongSequence if the log turns out to be longer than `at`, when that is given, and the submission is not in it.
        """
        reread = False
        for _ in range(_ATTEMPTS):
            known = self.log.where.get(stmt)
            if known is not None:
                return Accepted(known, self.checkpoint()), False
            if at is not None and self.log.size != at:
                raise WrongSequence
            ts = self._now()
            try:
                examined = self.log.examine(sig, stmt, ts=ts)
            except (ProtocolError, RuleError) as error:
                if reread or (error.code not in _REREAD and not isinstance(error, RuleError)):
                    raise
                reread = True
                await self.read_on()
                continue
            entry = Entry(self.log.size, ts, stmt, sig)
            raw = leaf(entry)
            try:
                self._last = await self._store.append(self.log.id.hex(), raw, expect=self._last)
            except WrongSequence:
                await self.read_on()
                continue
            except BusError as error:
                if error.code != "bus/timeout":
                    raise
                await self.read_on()
                continue
            self.log.append(examined, entry, raw)
            self._keep()
            return Accepted(self.log.size - 1, self.checkpoint()), True
        raise ProtocolError("gm/busy", "This table is busy; send the same statement again.")

    async def state(self, made: Callable[[], TableEvent | None]) -> Accepted | None:
        """Append an event of the game master's own; the caller holds the lock.

        It is made anew whenever another replica has written meanwhile: what was due before that may not be due any
        more, and the rules do not forbid all of it then. None once there is nothing to be said.
        """
        for _ in range(_ATTEMPTS):
            event = made()
            if event is None:
                return None
            size, root = self.log.head()
            n = self.log.counter(GM)
            sig, stmt = sign(self._key, table=self.log.id, author=GM, n=n, size=size, root=root, event=event)
            with contextlib.suppress(WrongSequence):
                accepted, _new = await self.append(sig, stmt, at=size)
                return accepted
        raise ProtocolError("gm/busy", "This table is busy; try again.")

    def tail(self, start: int, *, at: int = 0) -> TailReply:
        """Return the entries from `start` on, 48 KiB at most, with the log's size and its checkpoint at size `at`."""
        entries: list[bytes] = []
        room = TAIL_BYTES
        for raw in self.log.leaves[max(0, start) :]:
            room -= len(raw)
            if room < 0 and entries:
                break
            entries.append(raw)
        note = self.checkpoint()
        if 0 < at < self.log.size:
            note = sign_checkpoint(self._key, self.log.id, size=at, root=self.log.tree.root_at(at))
        return TailReply(start, tuple(entries), self.log.size, note)

    def _now(self) -> int:
        now = time.time_ns() // 1_000_000
        return max(now, self.log.table.ts) if self.log.opened else now
