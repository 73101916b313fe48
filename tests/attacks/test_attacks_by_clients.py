"""A modified client, a spectator and a stranger on the server: none of them moves, hears or holds up anything."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import nkeys
import pytest
from nacl.signing import SigningKey
from tests.attacks.crooked_house import COURT_TABLE, evening, events, open_table, seat_bot
from tests.contract.test_permissions import JETSTREAM
from tests.support.house import NAMES, House, house

from chambers.audit import Verdict, audit
from chambers.bus import natsjwt
from chambers.bus.errors import BusError
from chambers.bus.login import CODE, GUEST, WATCH, ticket_login, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.connecting import as_spectator
from chambers.protocol import subjects
from chambers.protocol.client import (
    Begin,
    ChoiceAccepted,
    ChoiceRefused,
    Choose,
    FromClient,
    FromVault,
    Update,
    Welcome,
)
from chambers.protocol.docket import Docket
from chambers.protocol.frames import BOXED, HELLO, ClientSession
from chambers.protocol.tickets import Ticket
from chambers.rules.witness_stand.events import Corner


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, seats=3) as running:
        yield running


class Thief:
    """A client that keeps every frame it has sent and can send any bytes; it sits at its seat without any comfort."""

    def __init__(self, bus: NatsBus, ticket: Ticket, name: str = "") -> None:
        self.bus = bus
        self.sent: list[bytes] = []
        self.up = subjects.seat_up(ticket.table.hex(), ticket.seat)
        self.session = ClientSession(ticket.frame_key, ticket.pair, name or NAMES[ticket.seat])
        self._heard: asyncio.Queue[FromVault] = asyncio.Queue()

    @classmethod
    async def sit(cls, ticket: Ticket, *, begins: bool = True, name: str = "") -> Thief:
        bus = await NatsBus.connect(ticket.server, ticket_login(ticket.admit, ticket.token))
        thief = cls(bus, ticket, name)
        await bus.subscribe(subjects.seat_down(ticket.table.hex(), ticket.seat), thief._take)
        await thief.send(thief.session.hello())
        if begins:
            await thief.first(Welcome)
            await thief.say(Begin(take_over=True))
        return thief

    async def _take(self, _subject: str, frame: bytes) -> None:
        message = self.session.open(frame)
        if message is not None:
            self._heard.put_nowait(message)

    async def send(self, frame: bytes) -> None:
        self.sent.append(frame)
        await self.bus.publish(self.up, frame)

    async def say(self, message: FromClient) -> None:
        await self.send(self.session.seal(message))

    async def first(self, *kinds: type) -> FromVault:
        async with asyncio.timeout(60):
            while not isinstance(message := await self._heard.get(), kinds):
                pass
        return message

    async def asked(self) -> Update:
        while True:
            message = await self.first(Update)
            if isinstance(message, Update) and message.prompt is not None:
                return message


async def finished(here: House, table: bytes) -> Docket:
    """Return the docket of a table that bots take over and play to its end."""
    spectator = await as_spectator(here.stack.url, table)
    players = [await seat_bot(here, table, seat) for seat in range(3)]
    async with asyncio.timeout(90):
        async for _ in spectator.scenes():
            pass
    docket = await spectator.docket()
    for player in players:
        player.cancel()
    await asyncio.gather(*players, return_exceptions=True)
    await spectator.leave()
    return docket


def corners(docket: Docket) -> list[tuple[str, int]]:
    return [(author, event.space) for author, _, event in events(docket) if isinstance(event, Corner)]


async def three(here: House) -> tuple[bytes, list[Thief], Update]:
    """Return a table of three thieves at which seat 0 is asked for its corner."""
    table = await open_table(here, options=COURT_TABLE)
    thieves = [await Thief.sit(await here.host.ticket(table, seat)) for seat in range(3)]
    return table, thieves, await thieves[0].asked()


async def leave(thieves: list[Thief]) -> None:
    for thief in thieves:
        await thief.bus.close()


async def test_a_client_that_speaks_on_another_seats_subject_is_denied_and_not_heard(here: House) -> None:
    table, thieves, update = await three(here)
    assert update.prompt is not None
    frame = thieves[0].session.seal(Choose(update.prompt.id, update.prompt.options[0].id))

    for subject in (
        subjects.seat_up(table.hex(), 0),
        subjects.inbound(table.hex(), "seat0"),
        subjects.log(table.hex()),
    ):
        await thieves[1].bus.publish(subject, frame)
    await thieves[1].bus.barrier()

    denied = [text for text in thieves[1].bus.denied if "publish" in text]
    await leave(thieves)
    docket = await finished(here, table)
    assert len(denied) == 3
    assert len(corners(docket)) == 3
    assert audit(docket).verdict is Verdict.CLEAN


async def test_a_thief_with_a_stolen_log_in_but_without_the_pair_secret_is_never_welcomed(here: House) -> None:
    table = await open_table(here, options=COURT_TABLE)
    ticket = await here.host.ticket(table, 1)
    half = msgspec.structs.replace(ticket, pair=bytes(32))

    thief = await Thief.sit(half, begins=False)
    owner = await Thief.sit(ticket)
    update = await owner.first(Update)

    assert isinstance(update, Update)
    assert not thief.session.ready
    await leave([thief, owner])


async def test_frames_sent_again_move_nothing_again(here: House) -> None:
    table, thieves, update = await three(here)
    assert update.prompt is not None
    await thieves[0].say(Choose(update.prompt.id, update.prompt.options[0].id))
    await thieves[0].first(ChoiceAccepted)

    for frame in tuple(thieves[0].sent) * 20:
        await thieves[0].send(frame)
    await leave(thieves)
    docket = await finished(here, table)

    assert [seat for seat, _ in corners(docket)].count("seat0") == 1
    assert audit(docket).verdict is Verdict.CLEAN


async def test_two_windows_that_answer_one_prompt_make_one_move(here: House) -> None:
    table, thieves, update = await three(here)
    assert update.prompt is not None
    first, second = update.prompt.options[:2]
    await thieves[0].say(Choose(update.prompt.id, first.id))

    other = await Thief.sit(await here.host.ticket(table, 0))
    await other.say(Choose(update.prompt.id, second.id))
    answer = await other.first(ChoiceAccepted, ChoiceRefused)
    if isinstance(answer, ChoiceAccepted) and answer.option == first.id:  # whoever sits there when it is stored is told
        answer = await other.first(ChoiceAccepted, ChoiceRefused)
    await leave([*thieves, other])
    docket = await finished(here, table)

    assert isinstance(answer, ChoiceRefused)
    assert answer.code in ("prompt/answered", "prompt/gone")
    assert [seat for seat, _ in corners(docket)].count("seat0") == 1


async def test_a_flood_of_frames_and_hellos_leaves_the_game_to_be_played(here: House) -> None:
    table, thieves, update = await three(here)
    assert update.prompt is not None
    chance = random.Random(7)
    for n in range(3000):
        head = HELLO if n % 3 == 0 else BOXED
        await thieves[2].bus.publish(thieves[2].up, head + chance.randbytes(chance.randrange(2000)))
    await thieves[2].bus.barrier()

    await thieves[0].say(Choose(update.prompt.id, update.prompt.options[0].id))
    answer = await thieves[0].first(ChoiceAccepted)
    await leave(thieves)
    docket = await finished(here, table)

    assert isinstance(answer, ChoiceAccepted)
    assert audit(docket).verdict is Verdict.CLEAN


async def test_a_message_of_a_megabyte_reaches_nobody(here: House) -> None:
    table, thieves, _ = await three(here)
    big = b"x" * 2**20

    with pytest.raises(BusError) as refused:
        await thieves[1].bus.publish(thieves[1].up, big)
    answer = await _raw_megabyte(here, await here.host.ticket(table, 1), big)
    await leave(thieves)
    docket = await finished(here, table)

    assert refused.value.code == "bus/too-big"
    assert b"Maximum Payload Violation" in answer
    assert audit(docket).verdict is Verdict.CLEAN


async def _raw_megabyte(here: House, ticket: Ticket, big: bytes) -> bytes:
    """Return all that the server says to a client that has logged in, checks no size, and sends too much."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(here.stack.url.rpartition(":")[2]))
    nonce = msgspec.json.decode((await reader.readline()).removeprefix(b"INFO "))["nonce"]
    login = ticket_login(ticket.admit, ticket.token)
    key = SigningKey(bytes(nkeys.decode_seed(bytearray(login.seed.encode()))[1]))
    options = {
        "nkey": natsjwt.public_nkey(login.seed), "sig": base64.b64encode(key.sign(nonce.encode()).signature).decode(),
        "auth_token": login.token, "verbose": False, "lang": "raw",
    }  # fmt: skip
    writer.write(b"CONNECT " + msgspec.json.encode(options) + b"\r\nPING\r\n")
    answer = await reader.readline()
    assert answer.startswith(b"PONG")
    up = subjects.seat_up(ticket.table.hex(), ticket.seat).encode()
    writer.write(b"PUB " + up + f" {len(big)}\r\n".encode() + big + b"\r\n")
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(60):
            while chunk := await reader.read(4096):
                answer += chunk
    writer.close()
    return answer


@pytest.mark.parametrize("kind", [WATCH, GUEST, CODE])
async def test_a_stranger_hears_moves_and_forges_nothing_while_a_game_is_played(here: House, kind: str) -> None:
    stranger = await NatsBus.connect(here.stack.url, visitor_login(kind))
    heard: list[tuple[str, bytes]] = []

    async def hear(subject: str, data: bytes) -> None:
        heard.append((subject, data))

    for subject in (
        ">",
        "chambers.>",
        "_INBOX.>",
        "$JS.>",
        "$SYS.>",
        "$SRV.>",
        "chambers.*.feed",
        "chambers.*.seat.*.down",
    ):
        await stranger.subscribe(subject, hear)
    done = asyncio.Event()
    forging = asyncio.create_task(_forge(stranger, done))

    docket = await evening(here, lambda: True, more=40)
    done.set()
    published = await forging

    assert heard == []
    assert len([text for text in set(stranger.denied) if "publish" in text]) == len(published)
    assert audit(docket).verdict is Verdict.CLEAN
    await stranger.close()


async def _forge(stranger: NatsBus, done: asyncio.Event) -> set[str]:
    """Publish what a stranger should not, over and over; return the subjects."""
    forged = {
        *JETSTREAM, "_INBOX.gm.abc", "_INBOX.seat0.abc", "_INBOX.dice.abc", "_INBOX.host.abc",
        *(f"chambers.{bytes(16).hex()}.{rest}" for rest in ("log", "feed", "in.seat0", "share.0", "poke.dice")),
        "chambers-lobby.close.host", "chambers-lobby.admit.seat0", "$SRV.PING", "$SRV.INFO.vault", "$SRV.STATS",
        "$SYS.REQ.SERVER.PING.CONNZ", "$SYS.REQ.USER.AUTH", "$SYS._INBOX.abc",
    }  # fmt: skip
    while not done.is_set():
        for subject in forged:
            await stranger.publish(subject, b"forged")
        await stranger.barrier()
    return forged
