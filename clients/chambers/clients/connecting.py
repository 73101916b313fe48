"""The connections that clients make: a seat's with its ticket, a spectator's, a guest's, and the host's."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from chambers.bus import certificates
from chambers.bus.deployment import Deployment
from chambers.bus.errors import BusError
from chambers.bus.login import GUEST, WATCH, ticket_login, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.addresses import Address, read_address
from chambers.clients.hosting import USER, Host, list_tables
from chambers.clients.known_servers import KnownServers
from chambers.clients.session import SeatSession
from chambers.clients.spectating import Spectator
from chambers.clients.standing import turned_away
from chambers.protocol import subjects
from chambers.protocol.client import Over
from chambers.protocol.messages import TableInfo
from chambers.protocol.tickets import Ticket

_RECEIPT_S: Final = 6.0


class BusCourier:
    """Carries one session's frames over its own connection, and ends the session when that is closed for good."""

    def __init__(self, bus: NatsBus, subject: str, session: SeatSession, *, server: str | None = None) -> None:
        self._bus = bus
        self._subject = subject
        self._server = server
        self._watching = asyncio.create_task(self._watch(session))

    async def _watch(self, session: SeatSession) -> None:
        why = await self._bus.closed()
        if why is None:
            return
        told = await turned_away(session.ticket, self._server) if why.code == "bus/login-refused" else why
        session.shut_out(told.code, told.sentence)

    async def publish(self, data: bytes) -> None:
        """Send a frame; while the server is out of reach it is dropped, for the session asks again by itself."""
        with contextlib.suppress(BusError):
            await self._bus.publish(self._subject, data)

    async def close(self) -> None:
        """Leave the server."""
        await self._bus.close()
        self._watching.cancel()


async def take_seat(ticket: Ticket, session: SeatSession, *, server: str | None = None) -> NatsBus:
    """Connect a session by its ticket and start it; BusError if the server is silent or the ticket is not admitted.

    A ticket of a server with TLS names its certificate: none but that server is told anything.
    """
    address = Address(read_address(server).url if server else ticket.server, ticket.fingerprint)
    bus = await NatsBus.connect(address.url, ticket_login(ticket.admit, ticket.token), tls=address.tls)

    async def deliver(_subject: str, data: bytes) -> None:
        await session.deliver(data)

    await bus.subscribe(session.subject, deliver)
    bus.on_reconnect(session.reconnected)
    await session.start(BusCourier(bus, subjects.seat_up(ticket.table.hex(), ticket.seat), session, server=server))
    return bus


async def last_word(ticket: Ticket, server: str | None) -> Over | None:
    """Return how a closed table ended, with the receipt, as its vault tells it; None if that does not answer."""
    session = SeatSession(ticket, "", take_over=True)
    await take_seat(ticket, session, server=server)
    try:
        async with asyncio.timeout(_RECEIPT_S):
            async for heard in session.messages():
                if isinstance(heard, Over):
                    return heard
    except TimeoutError:
        pass
    finally:
        with contextlib.suppress(BusError):
            await session.close()
    return None


async def as_spectator(
    server: str,
    table: bytes,
    *,
    known: KnownServers | None = None,
    tell: Callable[[str], None] = lambda _sentence: None,
) -> Spectator:
    """Return a spectator of a table, listening; BusError if the server is silent or admits no spectators.

    `tell` hears when a gallery that fell silent is waited for, and when it is back.
    """
    bus = await _visit(read_address(server), WATCH, known)
    spectator = Spectator(bus, bus.user, table, tell=tell)
    await spectator.start()
    return spectator


async def as_guest(server: str, *, known: KnownServers | None = None) -> NatsBus:
    """Return a connection that may list tables and nothing else; BusError if the server is silent."""
    return await _visit(read_address(server), GUEST, known)


async def listed(server: str, *, known: KnownServers | None = None) -> tuple[TableInfo, ...]:
    """Return the tables that a server lists to a guest; BusError if it is silent."""
    bus = await as_guest(server, known=known)
    try:
        return (await list_tables(bus, subjects.lobby(subjects.GUESTS_VERB, bus.user))).tables
    finally:
        await bus.close()


async def _visit(address: Address, token: str, known: KnownServers | None) -> NatsBus:
    """Return a visitor's connection. A server whose fingerprint was not given is held to that of the first meeting."""
    login = visitor_login(token)
    if address.fingerprint is not None or known is None:
        return await NatsBus.connect(address.url, login, tls=address.tls)
    met = Address(address.url, known.fingerprint(address.url))
    try:
        return await NatsBus.connect(met.url, login, tls=met.tls)
    except BusError as error:
        if error.code == "bus/bad-certificate":
            raise known.changed(met.url) from None
        if error.code != "bus/unknown-certificate":
            raise
    shown: list[bytes] = []
    bus = await NatsBus.connect(met.url, login, tls=certificates.met(shown))
    known.remember(met.url, shown[0])
    return bus


def certificate_of(home: Path) -> bytes | None:
    """Return the fingerprint of the server whose host's folder this is, None if it is no host's or knows no TLS."""
    deployment = Deployment(home)
    certificate = deployment.certificate(USER) if deployment.may_be(USER) else None
    return None if certificate is None else certificates.fingerprint(certificate)


async def as_host(server: str, home: Path, *, public: str = "") -> Host:
    """Return the host of the deployment in `home`; BusError if its key is missing or the server is silent.

    `public` is the URL for tickets, if players reach the server by another one than the host does.
    """
    deployment = Deployment(home)
    url = read_address(server).url
    certificate = deployment.certificate(USER)
    tls = None if certificate is None else certificates.trusted(certificate)
    bus = await NatsBus.connect(url, deployment.login(USER), tls=tls)
    fingerprint = None if certificate is None else certificates.fingerprint(certificate)
    return Host(bus, public or url, fingerprint=fingerprint)
