"""The connections that clients make: a seat's with its ticket, a spectator's, a guest's, and the host's."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from chambers.bus.deployment import Deployment
from chambers.bus.errors import BusError
from chambers.bus.login import GUEST, WATCH, ticket_login, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.hosting import USER, Host
from chambers.clients.session import SeatSession
from chambers.clients.spectating import Spectator
from chambers.protocol import subjects
from chambers.protocol.tickets import Ticket

if TYPE_CHECKING:
    from chambers.bus.ports import Bus


class BusCourier:
    """Carries one session's frames over its own connection."""

    def __init__(self, bus: Bus, subject: str) -> None:
        self._bus = bus
        self._subject = subject

    async def publish(self, data: bytes) -> None:
        """Send a frame; while the server is out of reach it is dropped, for the session asks again by itself."""
        with contextlib.suppress(BusError):
            await self._bus.publish(self._subject, data)

    async def close(self) -> None:
        """Leave the server."""
        await self._bus.close()


async def take_seat(ticket: Ticket, session: SeatSession, *, server: str | None = None) -> NatsBus:
    """Connect a session by its ticket and start it; BusError if the server is silent or the ticket is not admitted."""
    bus = await NatsBus.connect(server or ticket.server, ticket_login(ticket.admit, ticket.token))

    async def deliver(_subject: str, data: bytes) -> None:
        await session.deliver(data)

    await bus.subscribe(session.subject, deliver)
    bus.on_reconnect(session.reconnected)
    await session.start(BusCourier(bus, subjects.seat_up(ticket.table.hex(), ticket.seat)))
    return bus


async def as_spectator(server: str, table: bytes) -> Spectator:
    """Return a spectator of a table, listening; BusError if the server is silent or admits no spectators."""
    bus = await NatsBus.connect(server, visitor_login(WATCH))
    spectator = Spectator(bus, bus.user, table)
    await spectator.start()
    return spectator


async def as_guest(server: str) -> NatsBus:
    """Return a connection that may list tables and nothing else; BusError if the server is silent."""
    return await NatsBus.connect(server, visitor_login(GUEST))


async def as_host(server: str, home: Path) -> Host:
    """Return the host of the deployment in `home`; BusError if its key is missing or the server is silent."""
    bus = await NatsBus.connect(server, Deployment(home).login(USER))
    return Host(bus, server)
