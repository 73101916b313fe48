"""What clients may send, on a real server: how much, how often, how large; and who notices when one does not stop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest_asyncio
from tests.bus.running_server import OTHER, TABLE, Site
from tests.contract.raw_client import RawClient
from tests.support.house import House
from tests.support.house import house as open_house

from chambers.audit import audit
from chambers.bus import natsjwt
from chambers.bus.login import ticket_login
from chambers.bus.nats_bus import NatsBus
from chambers.bus.ports import Room
from chambers.bus.server_config import MAX_PAYLOAD
from chambers.clients.connecting import as_guest, as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.protocol import subjects
from chambers.protocol.client import ChoiceRefused, Ping, Update
from chambers.protocol.errors import Refusal
from chambers.protocol.frames import WIDE
from chambers.protocol.messages import TailRequest, encode
from chambers.protocol.watching import Fetch
from chambers.services.doorkeeper import Doorkeeper


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path, seats=2) as running:
        yield running


async def _raw(house: House, table: bytes, *, room: int = 0) -> RawClient:
    ticket = await house.host.ticket(table, 0)
    port = int(house.stack.url.rsplit(":", 1)[1])
    return await RawClient.log_in(port, ticket_login(ticket.admit, ticket.token), room=room)


# what the server itself does not let through


async def test_a_message_of_more_than_64_kib_ends_the_connection_of_a_client(house: House) -> None:
    table = await house.open(2)
    client = await _raw(house, table)

    client.publish(subjects.seat_up(table.hex(), 0), bytes(MAX_PAYLOAD + 1))

    assert b"Maximum Payload" in await client.hung_up()


async def test_a_connection_gets_no_more_than_64_subscriptions(house: House) -> None:
    table = await house.open(2)
    client = await _raw(house, table)

    for number in range(70):
        client.send(f"SUB {subjects.seat_down(table.hex(), 0)} {number}\r\n".encode())
    client.send(b"PING\r\n")

    assert (await client.until(b"PONG")).count(b"maximum subscriptions exceeded") == 70 - 64
    client.close()


# what a service lets wait


async def test_a_flood_on_one_subject_is_dropped_beyond_its_room_and_holds_up_no_other(site: Site) -> None:
    vault, dice = await site.user("seat2"), await site.user("dice")
    go_on, heard = asyncio.Event(), asyncio.Queue[str]()

    async def slowly(subject: str, _data: bytes) -> None:
        if TABLE in subject:
            await go_on.wait()
        heard.put_nowait(subject)

    flooded, other = subjects.share(TABLE, 2), subjects.share(OTHER, 2)
    await vault.subscribe(subjects.share("*", 2), slowly, room=Room(each=3, messages=8, bytes=64))
    for _ in range(100):
        await dice.publish(flooded, b"x")
    await dice.publish(other, b"y")
    first = await asyncio.wait_for(heard.get(), 60)
    go_on.set()
    rest = [await asyncio.wait_for(heard.get(), 60) for _ in range(3)]
    await dice.publish(flooded, b"x")
    later = await asyncio.wait_for(heard.get(), 60)

    assert first == other
    assert rest == [flooded] * 3
    assert later == flooded
    assert heard.empty()
    assert [one.dropped for one in vault.backlogs.values()] == [97]


async def test_many_subjects_together_wait_in_no_more_bytes_than_there_is_room_for(site: Site) -> None:
    vault, gm = await site.user("seat2"), await site.user("gm")
    go_on, heard = asyncio.Event(), asyncio.Queue[str]()

    async def slowly(subject: str, _data: bytes) -> None:
        await go_on.wait()
        heard.put_nowait(subject)

    await vault.subscribe("_INBOX.seat2.*.a", slowly, room=Room(each=8, messages=8, bytes=1000))
    for number in range(5):
        await gm.publish(f"_INBOX.seat2.{number}.a", bytes(300))
    await gm.barrier()
    await vault.barrier()
    go_on.set()
    kept = [await asyncio.wait_for(heard.get(), 60) for _ in range(3)]

    assert kept == [f"_INBOX.seat2.{number}.a" for number in range(3)]
    assert [one.dropped for one in vault.backlogs.values()] == [2]


# what a whole house makes of it


async def test_guests_that_ask_without_end_keep_nobody_from_logging_in(house: House) -> None:
    table, guest = await house.open(2), await as_guest(house.stack.url)
    ask = subjects.lobby("tables", guest.user)
    for number in range(5_000):
        await guest.ask(ask, b"", reply=f"_INBOX.{guest.user}.{number}")

    docket_of = await as_spectator(house.stack.url, table)
    players = [await house.sit(table, seat) for seat in range(2)]
    async with asyncio.timeout(60):
        async for _ in docket_of.scenes():
            continue

    assert audit(await docket_of.docket(), workers=1).exit_code == 0
    assert len(await house.host.tables()) == 1
    for player in players:
        player.cancel()
    await docket_of.leave()
    await guest.close()


async def test_a_client_that_floods_its_vault_is_told_so_and_its_table_is_played_to_the_end(house: House) -> None:
    table = await house.open(2)
    ticket = await house.host.ticket(table, 0)
    session, told, views = SeatSession(ticket, "Flo"), asyncio.Event(), asyncio.Event()
    bus = await take_seat(ticket, session)

    async def listen() -> None:
        async for heard in session.messages():
            if isinstance(heard, Update):
                views.set()
            if isinstance(heard, ChoiceRefused) and heard.code == "seat/too-fast":
                told.set()

    listening = asyncio.create_task(listen())
    spectator, other = await as_spectator(house.stack.url, table), await house.sit(table, 1)
    await asyncio.wait_for(views.wait(), 60)
    while not told.is_set():
        for _ in range(50):
            await session._send(Ping())
        await bus.barrier()
    # As soon as it is slow again it is heard again, and so its goodbye is.
    views.clear()
    async with asyncio.timeout(60):
        while not views.is_set():
            await session.resync()
            await bus.barrier()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(views.wait(), 0.5)
    await session.close()
    listening.cancel()
    player = await house.sit(table, 0)
    async with asyncio.timeout(60):
        async for _ in spectator.scenes():
            continue

    assert audit(await spectator.docket(), workers=1).exit_code == 0
    for task in (player, other):
        task.cancel()
    await spectator.leave()


async def test_a_spectator_that_fetches_without_end_keeps_no_other_from_looking_on(house: House) -> None:
    table = await house.open(2)
    greedy, other = [await as_spectator(house.stack.url, table) for _ in range(2)]
    players = [await house.sit(table, seat) for seat in range(2)]
    over = ""

    async with asyncio.timeout(60):
        async for scene in other.scenes():
            for _ in range(100):
                await greedy._tell(Fetch(start=0))
            over = scene.over

    assert over
    for player in players:
        player.cancel()
    await greedy.leave()
    await other.leave()


async def test_a_client_that_reads_nothing_any_more_is_cut_off_and_the_others_hear_everything(site: Site) -> None:
    """The server waits five seconds for a client to take what it is sent, and for nobody longer."""
    gm, other = await site.user("gm"), await site.user("seat1")
    heard: list[int] = []

    async def count(_subject: str, data: bytes) -> None:
        heard.append(len(data))

    await other.subscribe("_INBOX.seat1.a", count)
    stuck = await RawClient.log_in(site.port, site.deployment.login("seat2"), room=4096)
    stuck.send(b"SUB _INBOX.seat2.a 1\r\n")
    stuck.stop_reading()
    door = Doorkeeper(await site.user("sys"))
    name = natsjwt.public_nkey(site.deployment.login("seat2").seed)

    for number in range(2_000):
        await gm.publish("_INBOX.seat2.a", bytes(WIDE))
        await gm.publish("_INBOX.seat1.a", bytes(10))
        if number % 100 == 0:
            await gm.barrier()
    await gm.barrier()
    await other.barrier()

    assert heard == [10] * 2_000
    async with asyncio.timeout(60):
        while name in {one.user for one in await door.inside()}:
            continue
    stuck.close()


async def test_the_game_master_reads_many_tables_at_once_within_what_the_server_allows_it(house: House) -> None:
    """The server ends a connection of more than 64 subscriptions for good, and a read of the log takes one."""
    gallery = await NatsBus.connect(house.stack.url, house.stack.deployment.login("gallery"))

    async def asked_of(number: int) -> object:
        subject = subjects.tail(number.to_bytes(16, "big").hex(), "gallery")
        return msgspec.msgpack.decode(
            await gallery.request(subject, encode(TailRequest(0)), timeout=60), type=Refusal
        ).code

    answers = await asyncio.gather(*(asked_of(number) for number in range(200)))
    await gallery.close()

    assert set(answers) == {"gm/no-table"}
    assert await house.host.tables() == ()
