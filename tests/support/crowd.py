"""Many clients at once: seats and spectators of several tables, and how long it takes until all of them are in."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType

from tests.support.house import NAMES, House

from chambers.bus.nats_bus import NatsBus
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.clients.spectating import Spectator
from chambers.protocol.client import Pong, Update
from chambers.protocol.tickets import Ticket

SEATS = 5


class _Seat:
    """A client at a seat that only listens; `there` is set whenever its vault has answered it."""

    def __init__(self, session: SeatSession, bus: NatsBus) -> None:
        self.session = session
        self.there = asyncio.Event()
        self._listening = asyncio.create_task(self._listen())
        bus.on_reconnect(session.resync)

    async def _listen(self) -> None:
        async for heard in self.session.messages():
            if isinstance(heard, Update | Pong):
                self.there.set()

    async def close(self) -> None:
        await self.session.close()
        self._listening.cancel()


class _Onlooker:
    """A spectator; `there` is set whenever the gallery has shown it the table."""

    def __init__(self, spectator: Spectator, bus: NatsBus) -> None:
        self.spectator = spectator
        self.there = asyncio.Event()
        self._asking = asyncio.create_task(self._ask())
        bus.on_reconnect(self._ask)

    async def _ask(self) -> None:
        await self.spectator.entries(0)
        self.there.set()

    async def close(self) -> None:
        self._asking.cancel()
        await self.spectator.leave()


class Crowd:
    """`seats` clients at tables of five, and `spectators`, some at each table."""

    def __init__(self, house: House, *, tables: int, spectators: int) -> None:
        self._house = house
        self._tables = tables
        self._spectators = spectators
        self.everybody: list[_Seat | _Onlooker] = []

    async def __aenter__(self) -> Crowd:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*(one.close() for one in self.everybody), return_exceptions=True)

    async def come(self) -> float:
        """Return the seconds from the first client's connecting until every one has been answered."""
        host = self._house.host
        tables = [await self._house.open(SEATS) for _ in range(self._tables)]
        tickets = [await host.ticket(table, seat, issue=0) for table in tables for seat in range(SEATS)]
        start = time.perf_counter()
        seats = [self._sit(ticket) for ticket in tickets]
        onlookers = [self._look_on(tables[n % len(tables)]) for n in range(self._spectators)]
        self.everybody = list(await asyncio.gather(*seats, *onlookers))
        await self._all_there()
        return time.perf_counter() - start

    async def come_back(self) -> float:
        """Return the seconds from the death of the server, which starts again at once, until all are answered again."""
        for one in self.everybody:
            one.there.clear()
        start = time.perf_counter()
        await self._house.stack.server.restart()
        await self._all_there()
        return time.perf_counter() - start

    async def _all_there(self) -> None:
        async with asyncio.timeout(90):
            await asyncio.gather(*(one.there.wait() for one in self.everybody))

    async def _sit(self, ticket: Ticket) -> _Seat:
        session = SeatSession(ticket, NAMES[ticket.seat])
        return _Seat(session, await take_seat(session.ticket, session))

    async def _look_on(self, table: bytes) -> _Onlooker:
        spectator = await as_spectator(self._house.stack.url, table)
        return _Onlooker(spectator, spectator._bus)  # type: ignore[arg-type]
