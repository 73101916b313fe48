"""A bus and a log store in memory: subjects with wildcards, queue groups, guarded replies, and a record of the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple

import structlog

from chambers.bus import answers, replies
from chambers.bus.dispatcher import Dispatcher
from chambers.bus.errors import BusError, WrongSequence
from chambers.bus.logs import fault
from chambers.bus.ports import Answerer, Asker, Handler, Room
from chambers.protocol import subjects

_LIMIT = 1024 * 1024
_log = structlog.get_logger(__name__)


class Passed(NamedTuple):
    """One message that went over the wire: who sent it, on which subject, and its bytes."""

    sender: str
    subject: str
    data: bytes


Deliver = Callable[[str, bytes, str], Awaitable[None]]


class _Interest:
    """One subscription of one connection."""

    def __init__(self, server: MemoryServer, subject: str, deliver: Deliver, *, queue: str | None) -> None:
        self._server = server
        self.tokens = subject.split(".")
        self.deliver = deliver
        self.queue = queue
        self.subject = subject

    async def cancel(self) -> None:
        """End it; what has been delivered is still handled."""
        self._server.interests.remove(self)


def matches(pattern: list[str], subject: list[str]) -> bool:
    """Return whether a subject is one that a pattern with `*` and `>` stands for."""
    for n, token in enumerate(pattern):
        if token == ">":
            return len(subject) > n
        if n >= len(subject) or token not in ("*", subject[n]):
            return False
    return len(pattern) == len(subject)


class MemoryServer:
    """What a NATS server with a stream is to us. `wire` is every message that anybody sent, in order."""

    def __init__(self) -> None:
        self.wire: list[Passed] = []
        self.interests: list[_Interest] = []
        self.store = MemoryStore(self)
        self.watch: Callable[[Passed], None] | None = None
        self._inboxes: dict[str, asyncio.Future[bytes]] = {}
        self._turn: dict[tuple[str, str], int] = {}
        self._requests = 0

    def connect(self, user: str) -> MemoryBus:
        """Return a connection of a user."""
        return MemoryBus(self, user)

    def record(self, sender: str, subject: str, data: bytes) -> None:
        """Write down what goes over the wire."""
        if len(data) > _LIMIT:
            raise BusError("bus/too-big", f"A message of {len(data)} bytes is more than the server takes.")
        passed = Passed(sender, subject, bytes(data))
        self.wire.append(passed)
        if self.watch is not None:
            self.watch(passed)

    async def send(self, sender: str, subject: str, data: bytes, *, reply: str = "") -> int:
        """Deliver a message to all who hear it, to one member of each queue group; return how many got it."""
        self.record(sender, subject, data)
        tokens = subject.split(".")
        hearing = [interest for interest in self.interests if matches(interest.tokens, tokens)]
        groups: dict[tuple[str, str], list[_Interest]] = {}
        chosen = [interest for interest in hearing if interest.queue is None]
        for interest in hearing:
            if interest.queue is not None:
                groups.setdefault((interest.queue, interest.subject), []).append(interest)
        for group, members in groups.items():
            turn = self._turn[group] = self._turn.get(group, -1) + 1
            chosen.append(members[turn % len(members)])
        for interest in chosen:
            await interest.deliver(subject, data, reply)
        return len(chosen)

    async def ask(self, sender: str, subject: str, data: bytes, *, timeout: float) -> bytes:
        """Return the reply to a request; BusError if nobody serves it, or nobody answers in time."""
        self._requests += 1
        inbox = f"{subjects.inbox(sender)}.{self._requests:08d}"
        waiting = self._inboxes[inbox] = asyncio.get_running_loop().create_future()
        try:
            if not await self.send(sender, subject, data, reply=inbox):
                raise BusError("bus/no-responder", "Nobody serves this request at the moment.")
            return await asyncio.wait_for(waiting, timeout)
        except TimeoutError:
            raise BusError("bus/timeout", f"No answer came within {timeout:g} s.") from None
        finally:
            del self._inboxes[inbox]

    def answer(self, sender: str, inbox: str, data: bytes) -> None:
        """Deliver a reply; one that nobody waits for any more is lost, but was on the wire."""
        self.record(sender, inbox, data)
        waiting = self._inboxes.get(inbox)
        if waiting is not None and not waiting.done():
            waiting.set_result(data)


class MemoryStore:
    """The log of record, with the republishing of every stored entry."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._entries: list[tuple[str, bytes]] = []

    async def append(self, table: str, data: bytes, *, expect: int) -> int:
        """Return the stream sequence of the stored entry; WrongSequence unless the table's last one is `expect`."""
        last = max((n for n, (name, _) in enumerate(self._entries, start=1) if name == table), default=0)
        if last != expect:
            raise WrongSequence
        self._entries.append((table, data))
        stored = len(self._entries)
        self._server.record("gm", subjects.log(table), data)
        await self._server.send("server", subjects.feed(table), data)
        return stored

    async def read(self, table: str, *, start: int = 1) -> AsyncIterator[tuple[int, bytes]]:
        """Yield stream sequence and data of the table's entries from stream sequence `start` on."""
        for n, (name, data) in enumerate(tuple(self._entries), start=1):
            if n >= start and name == table:
                yield n, data

    def entries(self, table: str) -> list[bytes]:
        """Return the stored entries of a table, in order."""
        return [data for name, data in self._entries if name == table]

    async def tables(self) -> list[str]:
        """Return every table that has an entry."""
        return list(dict.fromkeys(name for name, _ in self._entries))


class MemoryBus:
    """One user's connection, with the lanes of the port: in order for each table, side by side for different ones."""

    def __init__(self, server: MemoryServer, user: str) -> None:
        self._server = server
        self._user = user
        self._dispatcher = Dispatcher()
        self._mine: list[_Interest] = []
        self.faults: list[str] = []

    @property
    def user(self) -> str:
        """Return the user this connection is logged in as."""
        return self._user

    async def publish(self, subject: str, data: bytes) -> None:
        """Send a message to whoever listens."""
        await self._server.send(self._user, subject, data)

    async def request(self, subject: str, data: bytes, *, timeout: float = 2.0) -> bytes:
        """Return the reply; BusError `bus/timeout` or `bus/no-responder` if there is none."""
        return await self._server.ask(self._user, subject, data, timeout=timeout)

    async def subscribe(
        self, subject: str, handler: Handler, *, queue: str | None = None, lane: str = "", room: Room | None = None
    ) -> _Interest:
        """Hear messages; with a queue, each goes to one of its members."""

        async def handle(to: str, data: bytes, _reply: str) -> None:
            try:
                await handler(to, data)
            except Exception as error:  # noqa: BLE001 - where the process would end: the test reads what went wrong
                self.faults.append(f"{self._user} failed at {subject}: {error!r}")
                _log.error("handler failed", subject=subject, **fault(error))

        return self._hear(subject, handle, queue=queue, lane=lane)

    async def serve(
        self,
        subject: str,
        answerer: Answerer,
        *,
        asker: Asker,
        queue: str | None = None,
        lane: str = "",
        room: Room | None = None,
    ) -> _Interest:
        """Answer requests, and only below the inbox of their asker."""

        async def handle(to: str, data: bytes, reply: str) -> None:
            who = asker if isinstance(asker, str) else asker(to)
            if not replies.may_answer(reply, who):
                return
            said, failed = await answers.answer(answerer, to, data, _log)
            if failed:
                self.faults.append(f"{self._user} could not answer {subject}")
            if said is not None:
                self._server.answer(self._user, reply, said)

        return self._hear(subject, handle, queue=queue, lane=lane)

    def _hear(self, subject: str, handle: Deliver, *, queue: str | None, lane: str) -> _Interest:
        async def deliver(to: str, data: bytes, reply: str) -> None:
            await self._dispatcher.put(f"{lane}/{subjects.table_token(to)}", lambda: handle(to, data, reply))

        interest = _Interest(self._server, subject, deliver, queue=queue)
        self._server.interests.append(interest)
        self._mine.append(interest)
        return interest

    def on_reconnect(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Do nothing: memory is never out of reach."""

    async def drain(self) -> None:
        """Take no more messages and finish what has come."""
        for interest in self._mine:
            await interest.cancel()
        self._mine.clear()
        await self._dispatcher.idle()

    async def close(self) -> None:
        """Take no more messages and forget what has come."""
        for interest in self._mine:
            await interest.cancel()
        self._mine.clear()
        await self._dispatcher.stop()
