"""What `chambers doctor` finds at a server: each step rests on the one before, and the first that fails ends it."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import socket
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from chambers.bus import certificates
from chambers.bus.deployment import Deployment
from chambers.bus.errors import BusError
from chambers.bus.hosts import host_port
from chambers.bus.login import GUEST, holder_login, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import ADMIN, SERVICE_NAMES
from chambers.bus.services_api import ServiceInfo, find
from chambers.bus.stream import StreamLog
from chambers.clients import surroundings
from chambers.clients.addresses import Address
from chambers.clients.checkup import Check, State, ok, wrong
from chambers.clients.connecting import as_host
from chambers.clients.discovery import reaches
from chambers.clients.hosting import USER, Refused, list_tables
from chambers.clients.known_servers import KnownServers
from chambers.clients.standing import NO_TABLE
from chambers.protocol import subjects
from chambers.protocol.client import Welcome
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.protocol.frames import ClientSession
from chambers.protocol.messages import TableInfo, TableList
from chambers.protocol.tickets import Ticket, VaultTicket
from chambers.protocol.versions import release, remark
from chambers.rules import Phase

CLOCK_S: Final = 5.0
"""How far the clocks may be apart before a countdown on the screen misleads."""
_NATS_S: Final = 3.0
_SEAT_S: Final = 4.0
_FRAMES: Final = 64
_PORT: Final = 4222
_OTHERS_REST_ON: Final = frozenset(("name", "port", "NATS", "nodes", "TLS", "services", "version", "ticket"))


class _Greeting(msgspec.Struct, frozen=True):
    version: str = ""
    tls_required: bool = False


class _Node(msgspec.Struct, frozen=True):
    """A server that was looked for: what was found on the way, and what it said, None if it does not stand."""

    url: str
    checks: tuple[Check, ...]
    greeting: _Greeting | None = None


class Patient(msgspec.Struct, frozen=True):
    """Whom the doctor looks at: a server, a ticket for it if there is one, and the host's folder."""

    address: Address
    ticket: Ticket | VaultTicket | None
    home: Path
    known: KnownServers


async def of_a_server(patient: Patient) -> AsyncIterator[Check]:
    """Yield what each step finds, up to the first on which others rest and that is wrong."""
    try:
        async for check in _steps(patient):
            yield check
            if check.state is State.WRONG and check.name in _OTHERS_REST_ON:
                yield Check("rest", State.UNTESTED, "What depends on that was not tested.")
                return
        async for check in _of_the_host(patient):
            yield check
    except (BusError, ProtocolError) as error:
        yield wrong("server", error.sentence, "Try again, and ask the host.")
        yield Check("rest", State.UNTESTED, "What depends on that was not tested.")
    except Refused as error:
        yield wrong("server", error.refusal.text, "Ask the host.")
        yield Check("rest", State.UNTESTED, "What depends on that was not tested.")


async def _steps(patient: Patient) -> AsyncIterator[Check]:
    nodes = await asyncio.gather(*map(_node, patient.address.url.split(",")))
    for check in nodes[0].checks if len(nodes) == 1 else _of_a_cluster(nodes):
        yield check
    standing = [(node.url, node.greeting.tls_required) for node in nodes if node.greeting is not None]
    for check in dict.fromkeys([await _tls(patient, url, offered) for url, offered in standing]):
        yield check
    try:
        listed = await _lobby(patient.address)
    except BusError as error:
        yield wrong("services", error.sentence, "The gate and a game master have to run there; ask the host.")
        return
    except ProtocolError as error:
        yield wrong("version", error.sentence, "")
        return
    yield _version(listed)
    yield _clock(listed)
    tables = sum(one.phase != Phase.CLOSED for one in listed.tables)
    yield ok("tables", f"{tables} {'is' if tables == 1 else 'are'} open there.")
    if patient.ticket is not None:
        async for check in _of_the_ticket(patient, patient.ticket, listed.tables):
            yield check


async def _node(url: str) -> _Node:
    """Return what is found on the way to one server, up to the first step that fails."""
    parts = urlsplit(url if "://" in url else f"nats://{url}")
    host, port = parts.hostname or "", parts.port or _PORT
    at = host_port(host, port)
    checks = [await _name(host)]
    if checks[-1].state is State.OK:
        checks.append(await _port(host, port))
    if checks[-1].state is not State.OK:
        return _Node(url, tuple(checks))
    greeting = await _greeting(host, port)
    if greeting is None:
        return _Node(url, (*checks, wrong("NATS", f"What answers at {at} is no NATS server.", "Look at the port.")))
    return _Node(url, (*checks, ok("NATS", f"{at} is a NATS server, version {greeting.version}.")), greeting)


def _of_a_cluster(nodes: Sequence[_Node]) -> Iterator[Check]:
    """Yield a line a node, and how many stand; others rest on one of them only."""
    for node in nodes:
        yield msgspec.structs.replace(node.checks[-1], name="node")
    standing, half = sum(node.greeting is not None for node in nodes), len(nodes) // 2
    told = f"{standing} of {len(nodes)} stand"
    if not standing:
        yield wrong("nodes", f"{told}.", "Start them again.")
    elif standing <= half:
        yield Check("nodes", State.NOTE, f"{told}, and {half + 1} have to for a game to go on.")
    else:
        yield ok("nodes", f"{told}; a game goes on with {half + 1}.")


async def _name(host: str) -> Check:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return wrong("name", f"'{host}' is no name that this machine knows.", "Name the server by its address.")
    return ok("name", f"{host} is {', '.join(dict.fromkeys(str(one[4][0]) for one in found))}.")


async def _port(host: str, port: int) -> Check:
    at = host_port(host, port)
    if await reaches(host, port, timeout=_NATS_S):
        return ok("port", f"{at} takes connections.")
    todo = "Is the server running, does it --listen on that address, does a firewall let it through?"
    return wrong("port", f"{at} takes no connection.", todo)


async def _greeting(host: str, port: int) -> _Greeting | None:
    """Return what a NATS server says of itself to whoever connects, None if that is no NATS server."""
    try:
        async with asyncio.timeout(_NATS_S):
            reader, writer = await asyncio.open_connection(host, port)
            with contextlib.closing(writer):
                line = await reader.readline()
        head, _, body = line.partition(b" ")
        return msgspec.json.decode(body, type=_Greeting) if head == b"INFO" else None
    except (OSError, TimeoutError, *UNREADABLE):
        return None


async def _tls(patient: Patient, url: str, offered: bool) -> Check:
    expected = patient.address.fingerprint
    if not offered:
        if expected is not None:
            text = "The server does not use TLS, and the ticket or the address expects it to."
            return wrong("TLS", text, "Somebody may be in its place; ask the host.")
        return Check("TLS", State.NOTE, "The server does not use it. Hands are sealed all the same.")
    shown: list[bytes] = []
    bus = await NatsBus.connect(url, visitor_login(GUEST), tls=certificates.shown_to(shown.append))
    await bus.close()
    before = expected or patient.known.fingerprint(patient.address.url)
    if before is None:
        text = f"The certificate is {shown[-1].hex()}, and nothing here says whether it is the host's."
        return Check("TLS", State.NOTE, text, "Compare it with what is behind the # of the host's line.")
    if before != shown[-1]:
        text = f"The certificate is {shown[-1].hex()}, and {before.hex()} is expected."
        return wrong("TLS", text, "Somebody may be in its place; ask the host for a new ticket.")
    return ok("TLS", "The certificate is the one that is expected.")


async def _lobby(address: Address) -> TableList:
    try:
        bus = await NatsBus.connect(address.url, visitor_login(GUEST), tls=address.tls)
    except BusError as error:
        if error.code != "bus/unknown-certificate":
            raise
        # Whether the certificate is the right one has been told, and a guest says nothing that anybody may not hear.
        bus = await NatsBus.connect(address.url, visitor_login(GUEST), tls=certificates.shown_to(lambda _: None))
    try:
        return await list_tables(bus, subjects.lobby(subjects.GUESTS_VERB, bus.user), timeout=_NATS_S)
    finally:
        await bus.close()


def _version(listed: TableList) -> Check:
    if told := remark(listed.version):
        return Check("version", State.NOTE, told)
    return ok("version", f"Chambers {release()} here and there.")


def _clock(listed: TableList) -> Check:
    if not listed.now:
        return Check("clock", State.NOTE, "The server does not say its time.")
    apart = time.time() - listed.now / 1000
    if abs(apart) <= CLOCK_S:
        return ok("clock", "It agrees with the server's.")
    way = "ahead of" if apart > 0 else "behind"
    text = f"It is {abs(apart):.0f} s {way} the server's, and countdowns are wrong by that."
    return wrong("clock", text, "Let both machines set their clocks by the network.")


async def _of_the_ticket(
    patient: Patient, ticket: Ticket | VaultTicket, tables: tuple[TableInfo, ...]
) -> AsyncIterator[Check]:
    own, address = isinstance(ticket, VaultTicket), patient.address
    info = next((one for one in tables if one.table == ticket.table), None)
    try:
        bus = await NatsBus.connect(address.url, holder_login(ticket), tls=address.tls)
    except BusError as error:
        yield _turned_away(error, info)
        return
    try:
        whom = f"admits it {'as the vault of' if own else 'to'} seat {ticket.seat}"
        yield ok("ticket", f"The gate {whom} of table {ticket.table.hex()[:8]}.")
        if info is not None and info.phase == Phase.CLOSED:
            at = shlex.quote(patient.address.text())
            yield wrong(
                "table", "The table has closed.", f"Read it with: chambers log {info.table.hex()} --server {at}"
            )
            return
        if info is not None:
            yield ok("table", f"{info.game}, {info.phase}, {sum(info.taken)} of {len(info.taken)} seats taken.")
        if isinstance(ticket, VaultTicket):
            yield _own_vault(patient.home, ticket, info)
        else:
            yield await _seat(bus, ticket, own=info is not None and ticket.seat in info.own)
    finally:
        await bus.close()


def _turned_away(error: BusError, info: TableInfo | None) -> Check:
    if error.code != "bus/login-refused":
        return wrong("ticket", error.sentence, "Ask the host.")
    if info is None:
        return wrong("ticket", NO_TABLE, "Ask the host.")
    return wrong("ticket", "The gate does not admit it.", "It was voided: ask the host for the new one.")


def _own_vault(home: Path, ticket: VaultTicket, info: TableInfo | None) -> Check:
    """Say whether a vault that has sat down has its key below this machine's folder; nothing is asked of the server."""
    folder = surroundings.own_vault(ticket.table.hex(), ticket.seat, given=home)
    if (folder / "master.key").exists():
        return ok("vault", f"Its key is in {folder}.")
    if info is not None and info.taken[ticket.seat : ticket.seat + 1] == (True,):
        text = f"The seat is taken, and the key of its vault is not in {folder}."
        return wrong("vault", text, "Start the vault where it was started first, or with its folder by --home.")
    return ok("vault", f"Its key is made at the first start, in {folder}.")


async def _seat(bus: NatsBus, ticket: Ticket, *, own: bool) -> Check:
    """Say hello to the vault and nothing more: only a `begin` would take the seat."""
    session, heard = ClientSession(ticket.frame_key, ticket.pair, "doctor"), asyncio.Queue[bytes]()

    async def take(_subject: str, frame: bytes) -> None:
        if heard.qsize() < _FRAMES:
            heard.put_nowait(frame)

    table = ticket.table.hex()
    await bus.subscribe(subjects.seat_down(table, ticket.seat), take)
    await bus.publish(subjects.seat_up(table, ticket.seat), session.hello())
    with contextlib.suppress(TimeoutError, ProtocolError):
        async with asyncio.timeout(_SEAT_S):
            while True:
                message = session.open(await heard.get())
                if isinstance(message, Welcome):
                    there = "another window plays there now" if message.occupied else "nobody plays there now"
                    return ok("seat", f"Its vault answers; {there}.")
    if own:
        text = f"The vault of seat {ticket.seat}, which is the player's own, does not answer."
        return wrong("seat", text, "Start it again where its key is: chambers vault TICKET")
    return wrong("seat", f"The vault of seat {ticket.seat} does not answer.", "The host has to start it again.")


async def _of_the_host(patient: Patient) -> AsyncIterator[Check]:
    """Yield what only the host can ask: every service, and the log of record. Nothing for anybody else."""
    deployment = Deployment(patient.home)
    if deployment.may_be(USER):
        yield await _services(patient)
    if deployment.may_be(ADMIN):
        yield await _log(deployment, patient.address)


async def _services(patient: Patient) -> Check:
    host = await as_host(patient.address.url, patient.home)
    try:
        assert isinstance(host.bus, NatsBus)
        found = await find(host.bus, _missing)
    finally:
        await host.leave()
    if missing := _missing(found):
        return wrong("services", f"Not answering: {', '.join(missing)}.", "Start what is missing.")
    others = sorted({one.version for one in found} - {release()})
    if others:
        return Check("services", State.NOTE, f"{len(found)} answer; of releases {', '.join(others)}, not {release()}.")
    return ok("services", f"{len(found)} answer.")


def _missing(found: list[ServiceInfo]) -> list[str]:
    there = {one.user for one in found}
    return [user for user in SERVICE_NAMES if not user.startswith("seat") and user not in there]


async def _log(deployment: Deployment, address: Address) -> Check:
    certificate = deployment.certificate(ADMIN)
    tls = None if certificate is None else certificates.trusted(certificate)
    bus = await NatsBus.connect(address.url, deployment.login(ADMIN), tls=tls)
    try:
        tables = await StreamLog(bus).tables()
    except BusError as error:
        return wrong("log", error.sentence, "Look at the server's disk and log; make it with: chambers stream")
    finally:
        await bus.close()
    return ok("log", f"It holds {len(tables)} tables.")
