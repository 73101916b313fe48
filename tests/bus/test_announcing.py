"""Services announce themselves by the NATS services API, and only the host finds them."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.bus.running_server import TABLE, Site

from chambers.bus.nats_bus import NatsBus
from chambers.bus.services_api import ServiceInfo, announce, discover, find
from chambers.protocol import subjects


async def _echo(_subject: str, data: bytes) -> bytes:
    return data


async def _fail(_subject: str, _data: bytes) -> bytes:
    raise LookupError


async def found_by(host: NatsBus, number: int) -> list[ServiceInfo]:
    """Return what the host finds, once that are so many services, however long they take to answer."""
    while len(found := await discover(host, wait=0.2)) < number:
        pass
    return found


async def test_the_host_finds_every_replica_with_its_counters(site: Site) -> None:
    one, two, dealer = await site.user("gm"), await site.user("gm"), await site.user("dealer")
    host = await site.user("host")
    await one.serve(subjects.tail(subjects.ANY, subjects.ANY), _echo, asker=subjects.asker)
    await one.serve(subjects.inbound(subjects.ANY, subjects.ANY), _fail, asker=subjects.asker)
    await announce(one, name="game-master", version="1.2.3")
    await announce(two, name="game-master", version="1.2.3")
    await announce(dealer, name="dealer", version="1.2.3")
    await dealer.request(subjects.tail(TABLE, "dealer"), b"")
    await dealer.request(subjects.inbound(TABLE, "dealer"), b"")

    found = await found_by(host, 3)

    assert [(one.name, one.user, one.version) for one in found] == [
        ("dealer", "dealer", "1.2.3"),
        ("game-master", "gm", "1.2.3"),
        ("game-master", "gm", "1.2.3"),
    ]
    assert sorted((one.requests, one.errors) for one in found) == [(0, 0), (0, 0), (2, 1)]
    assert len({one.id for one in found}) == 3
    assert all(one.latency_ms >= 0 for one in found)


async def test_a_vault_tells_its_seat_by_its_user(site: Site) -> None:
    vault, host = await site.user("seat3"), await site.user("host")
    await announce(vault, name="vault", version="1")

    found = await found_by(host, 1)

    assert [(one.name, one.user) for one in found] == [("vault", "seat3")]


class Slow:
    """A connection of a service that answers nothing before something has happened."""

    def __init__(self, bus: NatsBus, happened: asyncio.Event) -> None:
        self.user, self.endpoints = bus.user, bus.endpoints
        self._bus, self._happened = bus, happened

    async def serve(self, subject: str, answerer: Any, **how: Any) -> None:
        async def late(to: str, data: bytes) -> bytes | None:
            await self._happened.wait()
            answer: bytes | None = await answerer(to, data)
            return answer

        await self._bus.serve(subject, late, **how)


async def test_a_service_that_is_slow_to_answer_is_not_said_to_be_missing(site: Site) -> None:
    dice, dealer, host = await site.user("dice"), await site.user("dealer"), await site.user("host")
    looked = asyncio.Event()
    await announce(Slow(dice, looked), name="dice", version="1")  # type: ignore[arg-type]
    await announce(dealer, name="dealer", version="1")
    first: list[str] = []

    def missing(found: list[ServiceInfo]) -> list[str]:
        looked.set()
        first.extend(one.user for one in found)
        return ["dice"]

    found = await find(host, missing)

    assert "dice" not in first
    assert [one.user for one in found] == ["dealer", "dice"]


async def test_nobody_is_found_where_nobody_runs(site: Site) -> None:
    assert await discover(await site.user("host"), wait=0.05) == []


async def test_an_announced_service_answers_nobody_but_the_host(site: Site) -> None:
    gallery, host = await site.user("gallery"), await site.user("host")
    await announce(gallery, name="gallery", version="1")
    foreign: asyncio.Queue[bytes] = asyncio.Queue()

    async def hear(_subject: str, data: bytes) -> None:
        foreign.put_nowait(data)

    dice = await site.user("dice")
    async with dice.inboxes.open() as foreigner:
        await host.ask(subjects.service("PING"), b"", reply=foreigner.address)
        await host.request(subjects.service("PING", "gallery"), b"")
        await dice.barrier()

    assert foreigner.replies.empty()
