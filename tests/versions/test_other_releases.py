"""Two releases that meet: they go on together, or say in a sentence why not; neither falls silent or falls over."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nacl.public import PublicKey, SealedBox
from tests.clients.vault_end import FRAME, TICKET
from tests.clients.vault_end import Vault as VaultEnd
from tests.support.memory_bus import MemoryServer
from tests.support.tabletop import SPECTATOR, TABLE, Chair, Tabletop
from tests.support.virtual_time import moment, run

from chambers.clients.hosting import list_tables
from chambers.clients.session import SeatSession
from chambers.protocol import frames, subjects
from chambers.protocol.client import ChoiceRefused, Ping, Pong, Welcome
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import BOXED, HELLO, ClientSession, VaultSession, other_version, read_hello
from chambers.protocol.messages import TableList, encode
from chambers.protocol.tickets import read_ticket
from chambers.protocol.versions import PROTOCOL, check_protocol, release, remark
from chambers.protocol.watching import Fetch, NotShown, Scene, Watch

LOBBY = subjects.lobby(subjects.GUESTS_VERB, "guest")


class Newer(msgspec.Struct, tag="whisper"):
    """A message that only another release knows."""

    text: str


def newer(message: msgspec.Struct, **fields: Any) -> bytes:
    """Return a message as a newer release might send it: with fields that are not known here."""
    return msgspec.msgpack.encode({**msgspec.msgpack.decode(msgspec.msgpack.encode(message)), **fields})


async def lobby_that_says(data: bytes) -> MemoryServer:
    async def answer(_subject: str, _data: bytes) -> bytes:
        return data

    server = MemoryServer()
    await server.connect("gm").serve(LOBBY, answer, asker="guest")
    return server


# the lobby


def test_the_lobby_says_release_protocol_and_time(tmp_path: Path) -> None:
    async def play() -> TableList:
        async with Tabletop(tmp_path, seats=2) as table:
            return await list_tables(table.server.connect("guest"), LOBBY)

    listed = run(play())

    assert (listed.version, listed.protocol) == (release(), PROTOCOL)
    assert listed.now > 0


async def test_a_lobby_of_another_protocol_version_is_refused_in_a_sentence() -> None:
    server = await lobby_that_says(encode(TableList((), protocol=2, version="9.1.0")))

    with pytest.raises(ProtocolError) as refused:
        await list_tables(server.connect("guest"), LOBBY)

    assert refused.value.code == "protocol/version"
    assert refused.value.sentence == (
        "The services there speak version 2 of the protocol (Chambers 9.1.0), "
        f"this Chambers {release()} speaks version 1: use the host's release."
    )


async def test_a_lobby_that_says_more_than_is_known_here_is_understood() -> None:
    server = await lobby_that_says(newer(TableList((), version="0.9.0"), motto="fair play", queue=[1, 2]))

    listed = await list_tables(server.connect("guest"), LOBBY)

    assert (listed.tables, listed.version) == ((), "0.9.0")


async def test_a_lobby_of_before_that_names_no_release_is_understood() -> None:
    server = await lobby_that_says(msgspec.msgpack.encode({"type": "tables", "tables": []}))

    assert (await list_tables(server.connect("guest"), LOBBY)).version == ""


def test_another_release_is_remarked_on_and_the_same_one_is_not() -> None:
    assert remark(release()) == remark("") == ""
    assert remark("9.1.0") == f"The services there are Chambers 9.1.0, this is Chambers {release()}; they go together."


def test_a_release_that_is_not_named_is_refused_all_the_same() -> None:
    with pytest.raises(ProtocolError, match="of an unknown release"):
        check_protocol(PROTOCOL + 1, "")


# tickets


@pytest.mark.parametrize("text", ["chambers2.mLVu", "chambers10.abc"])
def test_a_ticket_of_another_version_is_told_from_one_that_is_cut(text: str) -> None:
    with pytest.raises(ProtocolError) as refused:
        read_ticket(text)

    assert refused.value.code == "ticket/version"
    assert release() in refused.value.sentence


# the vault meets clients


def hello_of(v: int, **fields: Any) -> bytes:
    """Return the hello of a client that speaks version `v` of the protocol, sealed to the vault of these tests."""
    said = {"v": v, "key": bytes(range(32)), "pair": TICKET.pair, "c": bytes(16), "name": "Eve", **fields}
    return HELLO + SealedBox(PublicKey(TICKET.frame_key)).encrypt(msgspec.msgpack.encode(said))


def test_a_client_of_another_version_is_known_by_its_version_whatever_else_it_says() -> None:
    for hello in (hello_of(2), hello_of(2, key="quantum", seats=[1])):
        with pytest.raises(ProtocolError) as refused:
            read_hello(hello, bytes(FRAME))
        assert refused.value.code == "frame/version"


def test_a_client_that_says_more_than_is_known_here_is_welcome() -> None:
    assert read_hello(hello_of(PROTOCOL, version="9.1.0", colour="green"), bytes(FRAME)).version == "9.1.0"


def at_the_table(home: Path, what: Callable[[Tabletop], Any]) -> Any:
    async def play() -> Any:
        async with Tabletop(home, seats=2) as table:
            return await what(table)

    return run(play())


def test_a_vault_answers_a_hello_of_another_version_with_its_own(tmp_path: Path) -> None:
    async def meet(table: Tabletop) -> list[bytes]:
        heard: list[bytes] = []

        async def hear(_subject: str, data: bytes) -> None:
            heard.append(data)

        stranger = table.server.connect("client1")
        await stranger.subscribe(subjects.seat_down(TABLE.hex(), 1), hear)
        said = msgspec.msgpack.encode({"v": 2, "name": "Eve"})
        key = PublicKey(bytes(table.chairs[1].session._frame_key))
        await stranger.publish(subjects.seat_up(TABLE.hex(), 1), HELLO + SealedBox(key).encrypt(said))
        await moment()
        return heard

    assert at_the_table(tmp_path, meet) == [other_version()]


def test_a_message_that_the_vault_does_not_know_is_refused_and_the_table_goes_on(tmp_path: Path) -> None:
    async def meet(table: Tabletop) -> tuple[list[Any], list[Any]]:
        chair = table.chairs[1]
        before = len(chair.heard)
        await chair.say(Newer("psst"))  # type: ignore[arg-type]
        await table.until(lambda: len(chair.heard) > before)
        refused = chair.heard[before:]
        await chair.say(Ping())
        await table.until(lambda: any(isinstance(one, Pong) for one in chair.heard[before:]))
        return refused, table.faults

    (refused,), faults = at_the_table(tmp_path, meet)

    assert isinstance(refused, ChoiceRefused)
    assert refused.code == "frame/unknown-message"
    assert release() in refused.text
    assert faults == []


def test_a_vaults_own_frame_that_is_sent_back_to_it_gets_no_answer(tmp_path: Path) -> None:
    async def meet(table: Tabletop) -> int:
        chair = table.chairs[1]
        await chair.say(Ping())
        await moment()
        down = subjects.seat_down(TABLE.hex(), 1)
        own = [passed.data for passed in table.server.wire if passed.subject == down][-1]
        before = sum(passed.subject == down for passed in table.server.wire)
        await table.server.connect("client1").publish(subjects.seat_up(TABLE.hex(), 1), own)
        await moment()
        return sum(passed.subject == down for passed in table.server.wire) - before

    assert at_the_table(tmp_path, meet) == 0


def test_a_vault_says_its_release_with_its_welcome(tmp_path: Path) -> None:
    async def meet(table: Tabletop) -> Chair:
        return table.chairs[0]

    welcome = next(one for one in at_the_table(tmp_path, meet).heard if isinstance(one, Welcome))

    assert welcome.version == release()


# a client meets vaults


async def test_a_vault_of_another_version_ends_the_session_with_a_sentence() -> None:
    session = SeatSession(TICKET, "Bo")
    await session.start(VaultEnd())

    await session.deliver(frames.OTHER + msgspec.msgpack.encode({"v": 2, "version": "9.1.0", "more": 1}))

    (refused,) = [one async for one in session.messages()]
    assert isinstance(refused, ChoiceRefused)
    assert refused.code == "frame/version"
    assert "Chambers 9.1.0" in refused.text
    await session.close()


async def test_once_welcomed_nobody_can_end_a_session_by_talking_of_versions() -> None:
    vault, session = VaultEnd(), SeatSession(TICKET, "Bo")
    await session.start(vault)
    await session.deliver(vault.welcome())

    await session.deliver(frames.OTHER + msgspec.msgpack.encode({"v": 2}))

    assert not session.ended
    await session.close()


@pytest.mark.parametrize("frame", [other_version(), frames.OTHER, frames.OTHER + b"\xc1", b"\x05new", b""])
async def test_a_frame_that_says_nothing_here_is_passed_over(frame: bytes) -> None:
    session = SeatSession(TICKET, "Bo")
    await session.start(VaultEnd())

    await session.deliver(frame)

    assert not session.ended
    await session.close()


async def test_a_message_that_the_client_does_not_know_is_passed_over_and_the_next_is_heard() -> None:
    vault, session = VaultEnd(), SeatSession(TICKET, "Bo")
    await session.start(vault)
    await session.deliver(vault.welcome())

    await session.deliver(vault.say(Newer("psst")))  # type: ignore[arg-type]
    await session.deliver(vault.say(Pong(3)))

    stream = session.messages()
    heard = [await anext(stream) for _ in range(2)]
    assert isinstance(heard[0], Welcome)
    assert heard[1] == Pong(3)
    await session.close()


def test_a_field_that_the_client_does_not_know_is_passed_over() -> None:
    hello = ClientSession(TICKET.frame_key, TICKET.pair, "Bo")
    vault = VaultSession(bytes(FRAME), read_hello(hello.hello(), bytes(FRAME)))
    welcome = Welcome(
        table="00", game="g", edition="e", edition_hash=b"", seat=1, seats=2, options=(), occupied=False, session=b"",
        version="9.1.0",
    )  # fmt: skip
    said = newer(msgspec.structs.replace(welcome, session=vault._v), mood="sunny")
    plain = frames._HEAD.pack(bytes(16), 0, len(said)) + said

    heard = hello.open(BOXED + vault._box.encrypt(plain))

    assert isinstance(heard, Welcome)
    assert heard.version == "9.1.0"


# spectators


@pytest.mark.parametrize(
    "request_", [encode(Newer("psst")), encode(Watch(protocol=2)), encode(Fetch(0, protocol=2)), b"\xc1"]
)
def test_a_request_that_the_gallery_does_not_know_is_answered(tmp_path: Path, request_: bytes) -> None:
    async def meet(table: Tabletop) -> bytes:
        before = len(table.scenes)
        await table.server.connect("watch").publish(subjects.watch_up(TABLE.hex(), SPECTATOR), request_)
        await table.until(lambda: len(table.scenes) > before)
        return table.scenes[before]

    answer = msgspec.msgpack.decode(at_the_table(tmp_path, meet), type=NotShown)

    assert answer.code == "watch/version"
    assert release() in answer.text


def test_what_the_gallery_shows_names_its_release(tmp_path: Path) -> None:
    async def meet(table: Tabletop) -> bytes:
        return table.scenes[-1]

    assert msgspec.msgpack.decode(at_the_table(tmp_path, meet), type=Scene).version == release()
