"""Tables in the same network, by mDNS: what a server shows of its open tables, and what others find of them.

One service `_chambers._tcp.local.` a table. Its text says what anybody may know, and nothing in it is trusted: a ticket
or a code proves itself at the table.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from zeroconf import Error as ZeroconfError
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from chambers.bus.errors import BusError
from chambers.bus.hosts import host_port
from chambers.clients.interfaces import lan_addresses
from chambers.protocol.messages import TableInfo
from chambers.rules import Phase

SERVICE: Final = "_chambers._tcp.local."
VERSION: Final = "1"
LOOK_S: Final = 3.0
"""How long others are given to answer: what was told to all just before is told again after a second only."""
QUIET_S: Final = 0.6
"""How long nobody else must have answered after the first one did."""
_AGAIN_S: Final = 2.0
_RESOLVE_MS: Final = 1500
_REACH_S: Final = 1.0
_MOST: Final = 50
_MOST_ADDRESSES: Final = 8
_TABLE: Final = re.compile(r"[0-9a-f]{32}")
_GAME: Final = re.compile(r"[a-z0-9-]{1,40}")
_SEATS: Final = re.compile(r"([0-6])/([2-6])")


class Shown(msgspec.Struct, frozen=True):
    """What a server shows of a table: no name of a player, no ticket, no code."""

    table: str
    game: str
    taken: int
    seats: int
    tls: bool = False

    @property
    def text(self) -> dict[str, str]:
        """Return the service's text (TXT) fields."""
        fields = {
            "v": VERSION,
            "table": self.table,
            "game": self.game,
            "seats": f"{self.taken}/{self.seats}",
            "open": "1" if self.taken < self.seats else "0",
        }
        return {**fields, "tls": "1"} if self.tls else fields


class Found(msgspec.Struct, frozen=True):
    """A table that somebody shows, where, and which of the addresses answer."""

    shown: Shown
    addresses: tuple[str, ...]
    port: int
    answering: tuple[str, ...] = ()

    @property
    def answered(self) -> str:
        """Return the first address that answers, empty if none does."""
        return self.answering[0] if self.answering else ""

    @property
    def url(self) -> str:
        """Return the server's URL at the address that answered."""
        return f"nats://{host_port(self.answered, self.port)}"

    @property
    def silent(self) -> tuple[str, ...]:
        """Return the addresses that did not answer."""
        return tuple(address for address in self.addresses if address not in self.answering)


def shown_of(tables: Sequence[TableInfo], *, tls: bool) -> tuple[Shown, ...]:
    """Return what is shown of a server's tables: those that have not closed."""
    return tuple(
        Shown(info.table.hex(), info.game, sum(info.taken), len(info.taken), tls)
        for info in tables
        if info.phase != Phase.CLOSED
    )


def read_text(text: dict[str, str]) -> Shown | None:
    """Return what a service's text says of a table; None for another version's, or what no server of ours wrote."""
    table, game = text.get("table", ""), text.get("game", "")
    seats = _SEATS.fullmatch(text.get("seats", ""))
    if text.get("v") != VERSION or not _TABLE.fullmatch(table) or not _GAME.fullmatch(game) or seats is None:
        return None
    return Shown(table, game, int(seats[1]), int(seats[2]), text.get("tls") == "1")


class Beacon:
    """Shows tables on some addresses of this machine until it is stopped."""

    def __init__(self, addresses: Sequence[str], port: int) -> None:
        self.addresses = tuple(addresses)
        self._port = port
        self._zeroconf = _zeroconf(addresses)
        self._infos: dict[str, tuple[Shown, AsyncServiceInfo]] = {}

    async def show(self, tables: Sequence[Shown]) -> None:
        """Show these tables, as they are now, and no other."""
        wanted = {one.table: one for one in tables}
        for table in self._infos.keys() - wanted.keys():
            _, info = self._infos.pop(table)
            await (await self._zeroconf.async_unregister_service(info))
        for table, one in wanted.items():
            before = self._infos.get(table)
            if before is not None and before[0] == one:
                continue
            info = self._info(one)
            self._infos[table] = (one, info)
            if before is None:
                # A table's id is random: there is nobody to ask whether the name is taken.
                await (await self._zeroconf.async_register_service(info, cooperating_responders=True))
            else:
                await (await self._zeroconf.async_update_service(info))

    async def stop(self) -> None:
        """Withdraw everything and fall silent."""
        with contextlib.suppress(ZeroconfError, OSError):
            await self._zeroconf.async_unregister_all_services()
        await self._zeroconf.async_close()

    def _info(self, one: Shown) -> AsyncServiceInfo:
        return AsyncServiceInfo(
            SERVICE,
            f"{one.table}.{SERVICE}",
            port=self._port,
            properties=one.text,
            parsed_addresses=list(self.addresses),
            server=f"chambers-{one.table}.local.",
        )


async def advertise(
    tables: Callable[[], Awaitable[Sequence[Shown]]], port: int, *, listen: str, pause: float = _AGAIN_S
) -> None:
    """Show what `tables` returns, again whenever it or this machine's addresses change, until it is cancelled."""
    beacon: Beacon | None = None
    try:
        while True:
            addresses = lan_addresses(listen)
            if beacon is not None and beacon.addresses != addresses:
                await beacon.stop()
                beacon = None
            # A network that is just going away, or a game master that starts again: both are asked again.
            with contextlib.suppress(BusError, ZeroconfError, OSError):
                if beacon is None and addresses:
                    beacon = Beacon(addresses, port)
                if beacon is not None:
                    await beacon.show(await tables())
            await asyncio.sleep(pause)
    finally:
        if beacon is not None:
            await beacon.stop()


def _zeroconf(addresses: Sequence[str]) -> AsyncZeroconf:
    """Return mDNS on some of this machine's addresses, over IPv4 and IPv6 as they are."""
    kinds = {":" in address for address in addresses}
    version = IPVersion.All if len(kinds) > 1 else IPVersion.V6Only if True in kinds else IPVersion.V4Only
    return AsyncZeroconf(interfaces=list(addresses), ip_version=version)


@asynccontextmanager
async def _listening(addresses: Sequence[str]) -> AsyncIterator[AsyncZeroconf]:
    zeroconf = _zeroconf(addresses)
    try:
        yield zeroconf
    finally:
        await zeroconf.async_close()


async def browse(*, look: float = LOOK_S, addresses: Sequence[str] | None = None) -> tuple[Found, ...]:
    """Return the tables that are shown in this machine's networks within `look` seconds, those that answer first."""
    names: set[str] = set()
    heard = asyncio.Event()

    def changed(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        if state_change is not ServiceStateChange.Removed and len(names) < _MOST:
            names.add(name)
        elif state_change is ServiceStateChange.Removed:
            names.discard(name)
        heard.set()

    ours = lan_addresses() if addresses is None else tuple(addresses)
    if not ours:
        return ()
    try:
        async with _listening(ours) as zeroconf:
            browser = AsyncServiceBrowser(zeroconf.zeroconf, SERVICE, handlers=[changed])
            await _until_quiet(heard, look)
            found = await asyncio.gather(*(_resolved(zeroconf, name) for name in sorted(names)))
            await browser.async_cancel()
    except (OSError, ZeroconfError):
        return ()
    reached = await asyncio.gather(*(_reached(one) for one in found if one is not None))
    return tuple(sorted(reached, key=lambda one: (not one.answered, one.shown.game, one.shown.table)))


async def _until_quiet(heard: asyncio.Event, look: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(heard.wait(), look)
        async with asyncio.timeout(look):  # whoever never falls silent is not waited for
            while True:
                heard.clear()
                await asyncio.wait_for(heard.wait(), QUIET_S)


async def _resolved(zeroconf: AsyncZeroconf, name: str) -> Found | None:
    info = AsyncServiceInfo(SERVICE, name)
    if not await info.async_request(zeroconf.zeroconf, _RESOLVE_MS) or not info.port:
        return None
    text = {key: value or "" for key, value in info.decoded_properties.items()}
    shown = read_text(text)
    addresses = tuple(filter(_anywhere, info.parsed_addresses()))[:_MOST_ADDRESSES]
    return None if shown is None or not addresses else Found(shown, addresses, info.port)


def _anywhere(address: str) -> bool:
    """Return whether an address means the same machine on every interface."""
    ip = ipaddress.ip_address(address)
    return ip.version == 4 or not ip.is_link_local


async def _reached(found: Found) -> Found:
    """Return what was found, with those of its addresses that take a connection."""
    answers = await asyncio.gather(*(reaches(address, found.port) for address in found.addresses))
    answering = tuple(address for address, there in zip(found.addresses, answers, strict=True) if there)
    return msgspec.structs.replace(found, answering=answering)


async def reaches(host: str, port: int, *, timeout: float = _REACH_S) -> bool:
    """Return whether something takes a connection there within `timeout` seconds."""
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port), timeout)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True
