"""Short codes on a real server: a seat for whoever has one, a limit for whoever guesses, and nothing for a listener."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest
import pytest_asyncio
import structlog
from tests.support.house import House

from chambers.bus import logs
from chambers.bus.login import CODE, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.addresses import read_address
from chambers.clients.connecting import as_host, take_seat
from chambers.clients.session import SeatSession
from chambers.clients.short_codes import ticket_by_code
from chambers.protocol import subjects
from chambers.protocol.client import Update, Welcome
from chambers.protocol.codes import Code, Knocker, code_of
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import AdmitRequest, encode
from chambers.protocol.tickets import Ticket
from chambers.services.code_door import BURST, LIFE_S, PAUSE_S, Tries
from chambers.services.stack import Stack


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with Stack(tmp_path, seats=2, sync="default") as stack:
        host = await as_host(stack.url, stack.home)
        yield House(stack, host)
        await host.leave()


async def opened(house: House) -> tuple[bytes, Ticket]:
    """Return a table for two people, and the ticket of its seat 1."""
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False))
    return table, await house.host.ticket(table, 1)


async def tried(house: House, table: bytes, code: Code) -> str:
    """Return the code of the refusal that a try meets."""
    with pytest.raises(ProtocolError) as caught:
        await ticket_by_code(read_address(house.host.server), table, code)
    return caught.value.code


def wrong(code: Code, n: int = 0) -> Code:
    return Code(code.seat, f"{n:02d}{code.signs[2:]}" if code.signs[:2] != f"{n:02d}" else f"zz{code.signs[2:]}")


async def sit(ticket: Ticket) -> SeatSession:
    """Return a session that its vault has welcomed."""
    session = SeatSession(ticket, "Ada")
    await take_seat(ticket, session)
    async for heard in session.messages():
        if isinstance(heard, Welcome):
            break
    return session


async def test_a_code_gets_the_very_ticket_of_its_seat(house: House) -> None:
    table, ticket = await opened(house)

    got = await ticket_by_code(read_address(house.host.server), table, code_of(1, ticket.pair))

    assert got == ticket


async def test_a_code_is_good_after_every_service_was_restarted(house: House) -> None:
    table, ticket = await opened(house)

    for user in ("gate", "gm", "seat1"):
        await house.restart(user)
    got = await ticket_by_code(read_address(house.host.server), table, code_of(1, ticket.pair))

    assert got == ticket


async def test_under_tls_a_code_returns_the_fingerprint_that_counts(tmp_path: Path) -> None:
    async with Stack(tmp_path, seats=2, sync="default", tls=True) as stack:
        host = await as_host(stack.url, stack.home)
        table, ticket = await opened(House(stack, host))

        got = await ticket_by_code(read_address(stack.url), table, code_of(1, ticket.pair))

        await host.leave()
    assert ticket.fingerprint is not None
    assert got == ticket


async def test_a_code_is_of_no_use_once_the_seat_is_taken(house: House) -> None:
    table, ticket = await opened(house)
    session = await sit(ticket)
    async for heard in session.messages():
        if isinstance(heard, Update) and "Ada" in heard.view["names"]:  # the vault has it from the log
            break

    assert await tried(house, table, code_of(1, ticket.pair)) == "code/taken"
    await session.close()


async def test_a_voided_tickets_code_is_of_no_use(house: House) -> None:
    table, ticket = await opened(house)
    await house.host.void(table, 1)
    fresh = await house.host.ticket(table, 1)

    assert await tried(house, table, code_of(1, ticket.pair)) == "code/wrong"
    assert await ticket_by_code(read_address(house.host.server), table, code_of(1, fresh.pair)) == fresh


async def test_a_code_is_too_old_after_half_a_day(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table, ticket = await opened(house)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + LIFE_S + 1)

    assert await tried(house, table, code_of(1, ticket.pair)) == "code/expired"


async def test_a_bots_seat_has_no_code(house: House) -> None:
    table = await house.open(2)
    ticket = await house.host.ticket(table, 1)

    assert await tried(house, table, code_of(1, ticket.pair)) == "code/none"


async def test_a_table_that_is_not_there_has_no_code(house: House) -> None:
    assert await tried(house, bytes(16), Code(1, "000000")) == "vault/no-table"


# guessing


def stopped_clock(house: House, monkeypatch: pytest.MonkeyPatch, *, after: float = 0.0) -> None:
    """Have the door of seat 1 read a clock that stands still, so many seconds from now: no try comes back by itself."""
    door = house.stack._running["seat1"].service._code_door  # type: ignore[attr-defined]  # the one clock there is
    then = time.monotonic() + after
    monkeypatch.setattr(door, "_clock", lambda: then)


async def test_guessing_is_refused_after_the_limit_at_that_seat_and_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_clock(house, monkeypatch)
    table, ticket = await opened(house)
    right, other = code_of(1, ticket.pair), await house.host.ticket(table, 0)

    guessed = [await tried(house, table, wrong(right, n)) for n in range(BURST)]
    after = await tried(house, table, right)

    assert guessed == ["code/wrong"] * BURST
    assert after == "code/too-often"
    assert await ticket_by_code(read_address(house.host.server), table, code_of(0, other.pair)) == other


async def test_a_limit_that_somebody_else_used_up_gives_way_to_the_player(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, ticket = await opened(house)
    right = code_of(1, ticket.pair)
    for n in range(BURST + 1):
        await tried(house, table, wrong(right, n))

    stopped_clock(house, monkeypatch, after=PAUSE_S)

    assert await ticket_by_code(read_address(house.host.server), table, right) == ticket
    session = await sit(ticket)  # and the ticket was good at any time
    await session.close()


async def test_a_long_code_is_taken_however_often_somebody_guesses(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_clock(house, monkeypatch)
    table, ticket = await opened(house)
    short, long = code_of(1, ticket.pair), code_of(1, ticket.pair, long=True)
    stranger = await NatsBus.connect(house.host.address.url, visitor_login(CODE))
    done = asyncio.Event()

    async def guess() -> None:
        while not done.is_set():
            knock = Knocker(wrong(short), table).knock()
            await stranger.publish(subjects.code_up(table.hex(), 1, stranger.user), encode(knock))
            await stranger.barrier()

    guessing = asyncio.create_task(guess())
    while await tried(house, table, wrong(short)) != "code/too-often":
        pass
    held_up = await tried(house, table, short)
    got = [await ticket_by_code(read_address(house.host.server), table, long) for _ in range(2 * BURST)]
    done.set()
    await guessing
    await stranger.close()

    assert held_up == "code/too-often"
    assert got == [ticket] * (2 * BURST)


async def test_a_short_code_with_any_six_signs_more_is_no_long_code(house: House) -> None:
    table, ticket = await opened(house)
    short, long = code_of(1, ticket.pair), code_of(1, ticket.pair, long=True)

    assert long.signs.startswith(short.signs)
    assert await tried(house, table, Code(1, short.signs + wrong(short).signs)) == "code/wrong"


def test_a_code_may_be_tried_five_times_at_once_and_five_times_a_minute() -> None:
    tries = Tries(0.0)

    at_once = [tries.take(0.0) for _ in range(BURST + 1)]
    in_an_hour = sum(tries.take(float(second)) == 0.0 for second in range(1, 3601))

    assert at_once == [0.0] * BURST + [PAUSE_S]
    assert in_an_hour == 300


def test_whoever_waits_for_long_may_not_try_more_often() -> None:
    tries = Tries(0.0)

    assert [tries.take(86_400.0) for _ in range(BURST + 1)] == [0.0] * BURST + [PAUSE_S]


# who else might learn something


async def test_a_listener_on_the_whole_link_learns_no_ticket_and_no_code(house: House) -> None:
    table, ticket = await opened(house)
    right = code_of(1, ticket.pair)

    async with tapped(house.host.address.url) as (url, heard):
        got = await ticket_by_code(read_address(url), table, right)

    wire = b"".join(heard)
    assert got == msgspec.structs.replace(ticket, server=url)
    assert b"knock" in wire
    assert b"handed" in wire
    assert [name for name in ("admit", "pair", "frame_key") if getattr(ticket, name) in wire] == []
    assert right.signs.encode() not in wire
    assert right.text().encode() not in wire


@asynccontextmanager
async def tapped(url: str) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Give the address of a relay to a server, and every byte that passes it either way."""
    heard: list[bytes] = []
    there = urlsplit(url)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(4096):
            heard.append(data)
            writer.write(data)
        writer.close()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(there.hostname, there.port)
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer), return_exceptions=True)

    async with await asyncio.start_server(relay, "127.0.0.1", 0) as server:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


async def test_a_visitor_with_a_code_hears_no_other_visitors_exchange(house: House) -> None:
    table, _ = await opened(house)
    bus = await NatsBus.connect(house.host.address.url, visitor_login(CODE))

    async def hear(_subject: str, _data: bytes) -> None:
        raise AssertionError("this is somebody else's")

    await bus.subscribe(subjects.code_down(table.hex(), 1, subjects.ANY), hear)
    await bus.publish(subjects.seat_up(table.hex(), 1), b"x")
    await bus.barrier()

    assert len(bus.denied) == 2
    await bus.close()


async def test_a_vault_gets_the_gates_half_of_its_own_seats_tickets_only(house: House) -> None:
    table, _ = await opened(house)
    vault = await NatsBus.connect(house.host.address.url, house.stack.deployment.login("seat1"))

    asked = AdmitRequest(table=table, seat=0, issue=0, key=b"k" * 32)
    reply = await vault.request(subjects.lobby("admit", "seat1"), encode(asked))

    assert b"gate/not-yours" in reply
    await vault.close()


async def test_no_log_line_holds_a_code(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("debug")
    table, ticket = await opened(house)
    right = code_of(1, ticket.pair)

    await ticket_by_code(read_address(house.host.server), table, right)
    for n in range(BURST + 1):
        await tried(house, table, wrong(right, n))

    lines = capsys.readouterr().err
    structlog.reset_defaults()
    assert "admitted" in lines
    assert [signs for signs in (right.signs, wrong(right).signs, ticket.pair.hex()) if signs in lines.lower()] == []
