"""Malformed messages of every kind to every service: each is refused or passed over, and the game is played on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import msgspec
import pytest
import structlog
from nacl.public import PrivateKey
from tests.attacks.crooked_house import COURT_TABLE, crooked_house, evening, events, open_table
from tests.attacks.malformed import malformed
from tests.attacks.test_attacks_by_clients import Thief, finished, leave
from tests.support.house import House, house

from chambers.audit import Verdict, audit
from chambers.bus import logs
from chambers.bus.deployment import master_key
from chambers.bus.login import CODE, WATCH, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings
from chambers.protocol import client, messages, subjects, watching
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import BOXED, UP, ClientSession, VaultSession, read_hello
from chambers.rules.events import Drop, Roll, Share
from chambers.rules.roles import DICE
from chambers.services.vault import Vault

_KEY: Final = bytes(range(32))
_BREATH_S: Final = 0.006
"""Between two frames: a vault reads so many a second, and what comes faster is left out unread."""
SAID: Final = (
    client.Begin(), client.Choose("1.0", "go"), client.Note("x"), client.Talk("hello"), client.Resync(3), client.Ping(),
    client.Bindings(1, _KEY, _KEY, _KEY), client.ReadOn(0), client.GiveLuck(1, _KEY), client.GiveMix(1, _KEY),
    client.GiveShare(1, _KEY),
)  # fmt: skip


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, seats=3) as running:
        yield running


@pytest.fixture
def faults(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    """Make every fault of a service show in what it logs."""
    logs.configure("error")
    yield capsys
    structlog.reset_defaults()


def _requests(table: bytes) -> Iterator[tuple[str, str, msgspec.Struct]]:
    """Yield (user, subject, message) of every request that one of our users may make, but for statements."""
    name = table.hex()
    opening = messages.OpenRequest(_KEY[:16], "witness-stand", "tandem-target", (), (True,) * 3)
    yield "host", subjects.lobby("open", "host"), opening
    yield "host", subjects.lobby("close", "host"), messages.CloseRequest(bytes(16), "it is late")
    yield "host", subjects.lobby("void", "host"), messages.VoidRequest(bytes(16), 2)
    yield "host", subjects.lobby("list", "host"), messages.TailRequest(0)
    yield "host", subjects.lobby("admit", "host"), messages.AdmitRequest(table, 2, 0, _KEY)
    yield "host", subjects.ticket(name, 2), messages.PairRequest(0, _KEY)
    yield "seat0", subjects.lobby("admit", "seat0"), messages.AdmitRequest(table, 0, 0, _KEY)
    yield "seat0", subjects.tail(name, "seat0"), messages.TailRequest(0, 1)
    yield "seat0", subjects.inbound(name, "seat0"), messages.TailRequest(0, 1)
    yield "gallery", subjects.tail(name, "gallery"), messages.TailRequest(0, 1)
    yield "dice", subjects.share(name, 0), messages.ShareRequest(1, 3)
    yield "gate", subjects.lobby("issues", "gate"), messages.TailRequest(0)


async def test_no_malformed_request_is_a_fault_or_left_unanswered(here: House) -> None:
    table = await open_table(here, options=COURT_TABLE)
    thieves = [await Thief.sit(await here.host.ticket(table, seat)) for seat in range(3)]
    await thieves[0].asked()

    internal = []
    for user, subject, message in _requests(table):
        bus = await NatsBus.connect(here.stack.url, here.stack.deployment.login(user))
        for raw in malformed(message):
            answer = msgspec.msgpack.decode(await bus.request(subject, raw, timeout=60))
            if answer.get("code", "").startswith("bus/"):
                internal.append((subject, raw[:120]))
        await bus.close()
    await leave(thieves)
    docket = await finished(here, table)

    assert internal == []
    assert audit(docket).verdict is Verdict.CLEAN


def _sealed(session: ClientSession, raw: bytes) -> bytes:
    """Return the frame that carries any bytes, as a client's with the session's own keys."""
    assert session._id is not None
    head = session._id + session._sent.to_bytes(4, "big") + len(raw).to_bytes(2, "big")
    session._sent += 1
    return BOXED + session._box.encrypt((head + raw).ljust(-(-len(head + raw) // UP) * UP, b"\0"))


async def test_no_malformed_message_of_a_client_a_spectator_or_a_guesser_is_a_fault(
    here: House, faults: pytest.CaptureFixture[str]
) -> None:
    table = await open_table(here, options=COURT_TABLE)
    thieves = [await Thief.sit(await here.host.ticket(table, seat)) for seat in range(3)]
    await thieves[0].asked()
    for message in SAID:
        for raw in malformed(message):
            await thieves[1].send(_sealed(thieves[1].session, raw))
            await asyncio.sleep(_BREATH_S)
    spectator = await NatsBus.connect(here.stack.url, visitor_login(WATCH))
    for watched in (watching.Watch(), watching.Fetch(0), watching.Leave()):
        for raw in malformed(watched):
            await spectator.publish(subjects.watch_up(table.hex(), spectator.user), raw)
            await spectator.barrier()
    guesser = await NatsBus.connect(here.stack.url, visitor_login(CODE))
    for raw in malformed(messages.Knock(bytes(16), _KEY)):
        await guesser.publish(subjects.code_up(table.hex(), 1, guesser.user), raw)
        await guesser.barrier()

    await thieves[1].say(client.Ping())
    pong = await thieves[1].first(client.Pong)
    await leave(thieves)
    for bus in (spectator, guesser):
        await bus.close()
    docket = await finished(here, table)

    assert isinstance(pong, client.Pong)
    assert "failed" not in faults.readouterr().err
    assert audit(docket).verdict is Verdict.CLEAN


class Babbles(Vault):
    """A vault that answers the dice with anything but a share."""

    asked = 0

    async def _on_share(self, subject: str, data: bytes) -> bytes | None:
        nonsense = tuple(malformed(messages.ShareReply(1, _KEY)))
        self.asked += 1
        return nonsense[self.asked % len(nonsense)]


async def _babbling(bus: NatsBus, settings: Settings) -> Vault:
    return Babbles(bus, seat=1, master=master_key(settings.home / "master.key"), home=settings.home)


async def test_dice_that_are_answered_nonsense_take_that_seats_share_from_the_log(
    tmp_path: Path, faults: pytest.CaptureFixture[str]
) -> None:
    options = tuple((name, "3" if name == "stall_s" else value) for name, value in COURT_TABLE)
    async with crooked_house(tmp_path, {"seat1": _babbling}) as here:
        docket = await evening(here, lambda: True, more=26, options=options)

    said = [(author, type(event)) for author, _, event in events(docket)]
    assert "failed" not in faults.readouterr().err
    assert ("seat1", Share) in said[: said.index((DICE, Roll))]
    assert ("gm", Drop) not in said
    assert audit(docket).verdict is Verdict.CLEAN


def test_a_client_refuses_every_malformed_message_of_its_vault() -> None:
    frame_private = PrivateKey.generate()
    session = ClientSession(bytes(frame_private.public_key), bytes(32), "Ada")
    vault = VaultSession(bytes(frame_private), read_hello(session.hello(), bytes(frame_private)))
    welcome = client.Welcome("", "", "", b"", 0, 2, (), occupied=False, session=b"")
    session.open(vault.welcome(welcome))

    refused = 0
    for raw in malformed(client.Over(None, "it is over", 1, "")):
        head = vault._id + vault._sent.to_bytes(4, "big") + len(raw).to_bytes(2, "big")
        vault._sent += 1
        try:
            session.open(BOXED + vault._box.encrypt(head + raw))
        except ProtocolError as error:
            refused += error.code == "frame/malformed"

    assert refused > 80
