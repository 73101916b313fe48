"""Following tables: a verified log of each, kept up with the feed and repaired from the game master's tail.

The feed is at most once, so what is missing is asked for: at the start, after a reconnect, at a gap, and after two
seconds of silence at an open table. For the checkpoint that comes with it, whoever keeps a copy asks in any case.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

import msgspec
import structlog

from chambers.bus.errors import BusError
from chambers.bus.logs import fault
from chambers.bus.ports import Bus
from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import check_checkpoint
from chambers.protocol import subjects
from chambers.protocol.docket import Taken
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.log import Admitted, EditionOf, Log, installed_edition
from chambers.protocol.messages import LobbyAnswer, TableInfo, TableList, TailAnswer, TailReply, TailRequest, encode
from chambers.protocol.statements import read_leaf
from chambers.rules import Phase, RuleError
from chambers.services.clockwork import for_each, keep_on
from chambers.services.copies import Copies
from chambers.services.ending import end

LANE = "table"
"""Everything a role does at one table runs in this lane, one after the other."""

SILENCE_S = 2.0
GONE = 3
"""So many times in a row the game master must know nothing of a table before it is believed to have been deleted."""
REST_S = 120.0
"""How long a closed table is kept in memory after it was last asked for; the log itself is in the store."""

OnEntry = Callable[[Log, Admitted], Awaitable[None]]
OnBroken = Callable[[Log, str], Awaitable[None]]
OnRest = Callable[[Log], Awaitable[None]]

_tail = msgspec.msgpack.Decoder(TailAnswer)
_lobby = msgspec.msgpack.Decoder(LobbyAnswer)
_log = structlog.get_logger(__name__)


class Follower:
    """The logs of all tables, or of `only` one, as one role sees them.

    `on_entry` runs for each entry, in order, once it is verified.

    `on_rest` runs when a closed table that nobody asks for is forgotten; whoever asks for it again has it read again.
    `on_gone` runs once when the game master knows nothing any more of a table that is followed.
    """

    def __init__(
        self,
        bus: Bus,
        *,
        on_entry: OnEntry,
        on_broken: OnBroken | None = None,
        on_rest: OnRest | None = None,
        on_gone: OnRest | None = None,
        copies: Copies | None = None,
        edition_of: EditionOf = installed_edition,
        only: bytes | None = None,
    ) -> None:
        self.logs: dict[bytes, Log] = {}
        self.notes: dict[bytes, str] = {}
        self.known: set[bytes] = set()
        """The tables that were there when this role looked, in memory or not: no stranger can add to them."""
        self._bus = bus
        self._on_entry = on_entry
        self._on_broken = on_broken
        self._on_rest = on_rest
        self._on_gone = on_gone
        self._missing: dict[bytes, int] = {}
        self._copies = copies
        self._edition_of = edition_of
        self._only = only
        # whoever follows one table only does so on a player's machine, and the game master is a stranger's
        self._taken = None if only is None else Taken()
        self._role = subjects.role_of(bus.user)
        self._own = subjects.is_own(bus.user)
        self._heard: dict[bytes, float] = {}
        self._asked: dict[bytes, float] = {}
        self._broken: set[bytes] = set()
        self._locks: dict[bytes, asyncio.Lock] = {}
        self._watch: asyncio.Task[None] | None = None
        self._adopted = False

    async def start(self, *, adopt: bool = True) -> None:
        """Follow the feed of every table; with `adopt`, also catch up with every table that the lobby lists."""
        tables = subjects.ANY if self._only is None else self._only.hex()
        await self._bus.subscribe(subjects.feed(tables), self._on_feed, lane=LANE)
        self._bus.on_reconnect(self._after_reconnect)
        self._watch = asyncio.create_task(keep_on(self._watch_silence, every=SILENCE_S / 4, name="follower"))
        self._adopted = not adopt
        if adopt:
            await self.adopt()

    async def stop(self) -> None:
        """Stop asking for what is missing."""
        await end(self._watch)
        if self._copies is not None:
            self._copies.close()

    async def adopt(self) -> None:
        """Catch up with every table that the lobby lists; one that does not answer, or not for all, is asked again."""
        if self._only is not None:
            self._adopted = True
            await self.log(self._only)
            return
        try:
            answer = _lobby.decode(await self._bus.request(subjects.lobby("list", self._role), b""))
        except (BusError, *UNREADABLE):
            return
        if isinstance(answer, TableList):
            self.known.update(info.table for info in answer.tables)
            for info in answer.tables:
                wanted = info.phase != Phase.CLOSED or self._lacks(info)
                if info.table not in self.logs and wanted:
                    await self._take_up(info.table)
            self._adopted = not answer.reading

    async def _take_up(self, table: bytes) -> None:
        try:
            await self.log(table)
        except Exception as error:  # noqa: BLE001 - the edge: one table's fault must not keep a service from starting
            _log.error("follower.fault", table=table.hex(), **fault(error))

    async def log(self, table: bytes, *, at_least: int = 1) -> Log:
        """Return the log of a table, caught up to `at_least` entries if the game master has them.

        A table that is not there is not kept in `logs`; one that nobody could be asked about is, for later.
        """
        log = self.logs.get(table)
        if log is None:
            log = self.logs[table] = Log(table, edition_of=self._edition_of)
            log.kept = self._copies.size(table) if self._copies is not None else 0
        self._heard[table] = time.monotonic()
        if log.size < at_least:
            await self.catch_up(log)
        return log

    def _forget(self, log: Log) -> None:
        if self._copies is not None:
            self._copies.rest(log.id)
        for kept in (self.logs, self.notes, self._heard, self._asked, self._locks, self._missing):
            kept.pop(log.id, None)

    async def catch_up(self, log: Log) -> None:
        """Ask for the entries after the last one, until the log is as long as the game master's."""
        lock = self._locks.setdefault(log.id, asyncio.Lock())
        async with lock:
            await self._pull(log)

    async def checkpoint(self, log: Log, size: int) -> str:
        """Return the game master's signed note over the log at `size`; empty if it does not give one."""
        subject = subjects.tail(log.id.hex(), self._role, own=self._own)
        with contextlib.suppress(BusError, FairnessError, *UNREADABLE):
            answer = _tail.decode(await self._bus.request(subject, encode(TailRequest(log.size, at=size))))
            if isinstance(answer, TailReply):
                return answer.note if _covers(answer.note, log, size) else ""
        return ""

    async def _pull(self, log: Log) -> None:
        subject = subjects.tail(log.id.hex(), self._role, own=self._own)
        # a log that was forgotten while somebody waited for its lock is not the table's any more
        while log.id not in self._broken and self.logs.get(log.id) is log:
            self._heard[log.id] = self._asked[log.id] = time.monotonic()
            try:
                answer = _tail.decode(await self._bus.request(subject, encode(TailRequest(log.size))))
            except (BusError, *UNREADABLE):
                return
            if isinstance(answer, Refusal):
                if answer.code == "gm/no-table":
                    await self._not_there(log)
                return
            self._missing.pop(log.id, None)
            known = log.size
            for number, raw in enumerate(answer.entries, start=answer.start):
                if number == log.size and not await self._admit(log, raw):
                    return
            if log.size >= answer.size:
                self.notes[log.id] = answer.note
                self._keep_note(log, answer.note)
                return
            if log.size == known:
                return  # what was answered leads nowhere, and would be answered again

    async def _not_there(self, log: Log) -> None:
        if not log.opened:
            self._forget(log)  # anybody can name a table that is not there
            return
        self._missing[log.id] = self._missing.get(log.id, 0) + 1
        if self._missing[log.id] == GONE:
            _log.warning("log.gone", table=log.id.hex())
            if self._on_gone is not None:
                await self._on_gone(log)

    def forget(self, table: bytes) -> None:
        """Forget a table; whoever asks for it again has it read again."""
        log = self.logs.get(table)
        if log is not None:
            self._forget(log)

    async def _on_feed(self, subject: str, data: bytes) -> None:
        table = subjects.table_id(subject)
        log = self.logs.get(table)
        if log is None:
            await self.log(table)
            return
        if table in self._broken:
            return
        self._heard[table] = time.monotonic()
        try:
            seq = read_leaf(data).seq
        except ProtocolError:
            await self.catch_up(log)
            return
        lock = self._locks.setdefault(table, asyncio.Lock())
        async with lock:
            if seq == log.size:
                await self._admit(log, data)
            elif seq > log.size:
                await self._pull(log)

    async def _admit(self, log: Log, raw: bytes) -> bool:
        try:
            if self._taken is not None:
                self._taken.count((raw,))
            admitted = log.admit(raw)
            await self._keep(log)
        except (ProtocolError, RuleError, FairnessError) as error:
            self._broken.add(log.id)
            # an own vault tells its player in a sentence, on the terminal to which its log would go
            tell = _log.error if self._only is None else _log.info
            tell("log.broken", table=log.id.hex(), entry=log.size, code=error.code)
            if self._on_broken is not None:
                await self._on_broken(log, error.sentence)
            return False
        self.known.add(log.id)
        await self._on_entry(log, admitted)
        return True

    def _lacks(self, info: TableInfo) -> bool:
        return self._copies is not None and self._copies.lacks(info.table, info.size)

    async def _keep(self, log: Log) -> None:
        if self._copies is None:
            return
        if log.table.phase is Phase.CLOSED:
            log.note = await self.checkpoint(log, log.size) or log.note
        self._copies.keep(log)

    def _keep_note(self, log: Log, note: str) -> None:
        """Have the copy end in a checkpoint over all of it, so that it can be put back on the game master's word."""
        if self._copies is not None and log.opened and _covers(note, log, log.size):
            log.note = note
            with contextlib.suppress(FairnessError):  # a copy that says otherwise was noticed at its entry
                self._copies.keep(log)

    async def _after_reconnect(self) -> None:
        await self.adopt()
        for log in tuple(self.logs.values()):
            if not log.opened or log.table.phase is not Phase.CLOSED:
                await self.catch_up(log)

    async def _watch_silence(self) -> None:
        if not self._adopted:
            await self.adopt()
        if self._copies is not None:
            self._copies.settle()
        await for_each(self.logs, self._look_after, name="follower")

    async def _look_after(self, log: Log) -> None:
        open_still = not log.opened or log.table.phase is not Phase.CLOSED
        now = time.monotonic()
        silent = now - self._heard.get(log.id, 0.0)
        # the feed brings entries without a checkpoint, and what a copy has beyond its last one rests on the copy alone
        uncovered = self._copies is not None and now - self._asked.get(log.id, 0.0) >= SILENCE_S
        if open_still and (silent >= SILENCE_S or uncovered):
            await self.catch_up(log)
        elif not open_still and silent >= REST_S:
            await self._rest(log)

    async def _rest(self, log: Log) -> None:
        self._forget(log)
        if self._on_rest is not None:
            await self._on_rest(log)


def _covers(note: str, log: Log, size: int) -> bool:
    """Return whether a note is the game master's checkpoint over the first `size` entries of a log."""
    try:
        stated = check_checkpoint(note, log.table.setup.opening.log_key, table=log.id)
    except FairnessError:
        return False
    return stated == (size, log.tree.root_at(size))
