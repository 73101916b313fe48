"""Tables in the same network: what a server shows of them, where, and what others make of it. On loopback only."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import ifaddr
import pytest
from tests.support.ports import silent_port
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from chambers.bus.errors import BusError
from chambers.clients import discovery
from chambers.clients.discovery import SERVICE, Beacon, Shown, advertise, browse, read_text, shown_of
from chambers.clients.interfaces import (
    LINK_LOCAL,
    LOOPBACK,
    VIRTUAL,
    Interface,
    hears_multicast,
    interfaces,
    lan_addresses,
    shut_in,
)
from chambers.protocol.messages import TableInfo

HERE = "127.0.0.1"
TABLE, OTHER = secrets.token_hex(16), secrets.token_hex(16)
"""Named by nobody else: what runs beside on this machine shows its tables at the same address."""
OPEN = Shown(TABLE, "witness-stand", 1, 3)


def info(**changed: Any) -> TableInfo:
    fields: dict[str, Any] = {
        "table": bytes.fromhex(TABLE), "game": "witness-stand", "edition": "tandem-target", "phase": "setup", "size": 4,
        "names": ("Ada", "", ""), "taken": (True, False, False), "bots": (False, False, True), "issues": (0, 0, 0),
        "spectators": True,
    }  # fmt: skip
    return TableInfo(**{**fields, **changed})


@asynccontextmanager
async def door() -> AsyncIterator[int]:
    """Give the port of something that takes connections on this machine."""
    async with await asyncio.start_server(lambda _, writer: writer.close(), HERE, 0) as server:
        yield server.sockets[0].getsockname()[1]


async def found(*wanted: str) -> dict[str, discovery.Found]:
    """Return what is found of these tests, by table; looked for until all that is wanted is among it."""
    while True:
        there = {one.shown.table: one for one in await browse(addresses=(HERE,))}
        if there.keys() >= set(wanted):
            return {table: one for table, one in there.items() if table in (TABLE, OTHER)}


# what is shown


def test_what_is_shown_of_a_table_is_public_and_names_nobody() -> None:
    (shown,) = shown_of([info()], tls=True)

    assert shown.text == {
        "v": "1", "table": TABLE, "game": "witness-stand", "seats": "1/3", "open": "1", "tls": "1",
    }  # fmt: skip
    assert "Ada" not in repr(shown.text)


def test_a_full_table_is_shown_as_not_open_and_a_closed_one_not_at_all() -> None:
    full, closed = info(taken=(True,) * 3), info(phase="closed")

    assert [one.text["open"] for one in shown_of([full, closed], tls=False)] == ["0"]


def test_what_is_shown_is_read_back() -> None:
    assert read_text(OPEN.text) == OPEN


@pytest.mark.parametrize(
    "changed",
    [
        {"v": "2"},
        {"v": ""},
        {"table": "AB" * 16},
        {"table": "ab"},
        {"game": "witness\x1b[2J"},
        {"game": ""},
        {"seats": "9/9"},
        {"seats": "1"},
        {"seats": "-1/3"},
    ],
)
def test_what_no_server_of_ours_wrote_is_passed_over(changed: dict[str, str]) -> None:
    assert read_text({**OPEN.text, **changed}) is None


# finding and being found


async def test_a_shown_table_is_found_where_its_server_answers() -> None:
    async with door() as port:
        beacon = Beacon((HERE,), port)
        await beacon.show((OPEN,))

        one = (await found(TABLE))[TABLE]

        await beacon.stop()
    assert (one.shown, one.url, one.silent) == (OPEN, f"nats://{HERE}:{port}", ())


async def test_a_change_is_shown_and_a_closed_table_is_withdrawn() -> None:
    async with door() as port:
        beacon = Beacon((HERE,), port)
        other = Shown(OTHER, "missing-suspect", 0, 2)
        await beacon.show((OPEN, other))
        await beacon.show((Shown(TABLE, "witness-stand", 2, 3),))

        after = await found(TABLE)

        await beacon.stop()
    assert {table: one.shown.taken for table, one in after.items()} == {TABLE: 2}


async def test_nothing_is_shown_any_more_once_a_server_has_stopped() -> None:
    async with door() as port:
        beacon = Beacon((HERE,), port)
        await beacon.show((OPEN,))
        await beacon.stop()

        assert await found() == {}


async def test_a_table_whose_server_does_not_answer_is_told_apart() -> None:
    with silent_port() as port:
        beacon = Beacon((HERE,), port)
        await beacon.show((OPEN,))

        one = (await found(TABLE))[TABLE]

        await beacon.stop()
    assert (one.answered, one.silent) == ("", (HERE,))


async def test_several_addresses_are_tried_and_those_that_answer_are_told() -> None:
    async with door() as port:
        zeroconf = AsyncZeroconf(interfaces=[HERE], ip_version=IPVersion.V4Only)
        service = AsyncServiceInfo(
            SERVICE, f"{TABLE}.{SERVICE}", port=port, properties=OPEN.text, server=f"two-{TABLE}.local.",
            addresses=[socket.inet_aton("127.9.9.9"), socket.inet_aton(HERE)],
        )  # fmt: skip
        await (await zeroconf.async_register_service(service, cooperating_responders=True))

        one = (await found(TABLE))[TABLE]

        await zeroconf.async_unregister_all_services()
        await zeroconf.async_close()
    assert one.answered == HERE
    assert one.silent == ("127.9.9.9",)


async def test_a_strangers_service_is_no_table() -> None:
    zeroconf = AsyncZeroconf(interfaces=[HERE], ip_version=IPVersion.V4Only)
    service = AsyncServiceInfo(
        SERVICE, f"printer-{TABLE}.{SERVICE}", port=9, properties={"v": "1", "table": f"\x1b[2J{TABLE}"},
        server=f"p-{TABLE}.local.", addresses=[socket.inet_aton(HERE)],
    )  # fmt: skip
    await (await zeroconf.async_register_service(service, cooperating_responders=True))
    beacon = Beacon((HERE,), 9)
    await beacon.show((Shown(OTHER, "witness-stand", 1, 3),))

    there = await browse(addresses=(HERE,))
    while OTHER not in {one.shown.table for one in there}:
        there = await browse(addresses=(HERE,))

    await beacon.stop()
    await zeroconf.async_unregister_all_services()
    await zeroconf.async_close()
    assert [one for one in there if TABLE in one.shown.table] == []


async def test_tables_are_shown_again_after_the_addresses_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses, stopped = [(), (HERE,), (HERE,), ("127.0.0.2",)], []
    monkeypatch.setattr(discovery, "lan_addresses", lambda _: addresses.pop(0) if len(addresses) > 1 else addresses[0])
    made: list[Sequence[str]] = []
    shown: list[Sequence[Shown]] = []

    class Quiet:
        def __init__(self, where: Sequence[str], _port: int) -> None:
            self.addresses = tuple(where)
            made.append(where)

        async def show(self, tables: Sequence[Shown]) -> None:
            shown.append(tables)
            if len(shown) == 4:
                task.cancel()

        async def stop(self) -> None:
            stopped.append(self.addresses)

    monkeypatch.setattr(discovery, "Beacon", Quiet)
    answers: list[Any] = [[OPEN], BusError("bus/timeout", "late"), [OPEN], [OPEN], [OPEN]]

    async def tables() -> Sequence[Shown]:
        answer = answers.pop(0)
        if isinstance(answer, BusError):
            raise answer
        return answer  # type: ignore[no-any-return]

    task = asyncio.create_task(advertise(tables, 4222, listen="0.0.0.0", pause=0.0))
    with contextlib.suppress(asyncio.CancelledError):
        await task

    assert made == [(HERE,), ("127.0.0.2",)]
    assert stopped == [(HERE,), ("127.0.0.2",)]


# interfaces


def adapter(name: str, *addresses: str) -> ifaddr.Adapter:
    known = [(address, 0, 0) if ":" in address else address for address in addresses]
    return ifaddr.Adapter(name, name, [ifaddr.IP(address, 24, name) for address in known])


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    adapters = [
        adapter("lo", "127.0.0.1", "::1"),
        adapter("wlan0", "192.168.1.20", "fe80::20"),
        adapter("eth0", "10.0.0.7", "fd00::7", "2001:db8::7"),
        adapter("docker0", "172.17.0.1", "fd01::1"),
        adapter("br-0fdabe91b07f", "172.27.0.1"),
        adapter("veth1a2b", "172.17.0.9"),
        adapter("tun0", "10.8.0.2"),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)


@pytest.mark.usefixtures("machine")
def test_neither_loopback_nor_containers_nor_tunnels_are_where_others_are() -> None:
    assert lan_addresses() == ("10.0.0.7", "192.168.1.20", "2001:db8::7", "fd00::7")
    assert Interface("wlan0", "fe80::20", LINK_LOCAL) in interfaces()
    assert Interface("lo", "127.0.0.1", LOOPBACK) in interfaces()
    assert Interface("docker0", "172.17.0.1", VIRTUAL) in interfaces()


@pytest.mark.usefixtures("machine")
def test_a_server_that_listens_on_one_address_is_shown_there_only() -> None:
    assert lan_addresses("192.168.1.20") == ("192.168.1.20",)
    assert lan_addresses("fd00::7") == ("fd00::7",)
    assert lan_addresses("127.0.0.1") == ()


def test_an_address_that_is_not_ours_hears_no_multicast() -> None:
    assert hears_multicast(Interface("lo", HERE))
    assert not hears_multicast(Interface("eth0", "203.0.113.9"))
    assert not hears_multicast(Interface("eth0", "fd00::7", index=2**31))


def test_where_mdns_may_not_leave_is_known(tmp_path: Path) -> None:
    sign = tmp_path / ".dockerenv"
    assert shut_in(kernel="6.1.0-microsoft-standard-WSL2", signs=()) == "WSL"
    assert shut_in(kernel="6.1.0-generic", signs=(sign,)) == ""

    sign.touch()

    assert shut_in(kernel="6.1.0-generic", signs=(sign,)) == "a container"
