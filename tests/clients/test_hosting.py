"""The host at the lobby: tickets from two halves, refusals, and services that are late."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest
from nacl.public import PrivateKey, PublicKey, SealedBox
from tests.support.memory_bus import MemoryServer

from chambers.bus.errors import BusError
from chambers.clients.hosting import Host, Refused
from chambers.protocol import subjects
from chambers.protocol.errors import ProtocolError, Refusal
from chambers.protocol.messages import (
    Accepted,
    AdmitReply,
    AdmitRequest,
    OpenRequest,
    PairReply,
    PairRequest,
    TableInfo,
    TableList,
    encode,
)
from chambers.protocol.tickets import read_ticket

TABLE = bytes(range(16))
INFO = TableInfo(
    table=TABLE,
    game="witness-stand",
    edition="tandem-target",
    phase="play",
    size=30,
    names=("Ada", "Bo"),
    taken=(True, True),
    bots=(False, True),
    issues=(0, 3),
    spectators=True,
)
Answer = Callable[[bytes], bytes]


async def serving(server: MemoryServer, subject: str, answer: Answer) -> None:
    async def reply(_subject: str, data: bytes) -> bytes:
        return answer(data)

    await server.connect("service").serve(subject, reply, asker="host")


def admit(data: bytes) -> bytes:
    asked = msgspec.msgpack.decode(data, type=AdmitRequest)
    return encode(AdmitReply(SealedBox(PublicKey(asked.key)).encrypt(b"a" * 31 + bytes([asked.issue]))))


def pair(data: bytes) -> bytes:
    asked = msgspec.msgpack.decode(data, type=PairRequest)
    return encode(PairReply(SealedBox(PublicKey(asked.key)).encrypt(b"p" * 31 + bytes([asked.issue])), b"f" * 32))


@pytest.fixture
async def server() -> MemoryServer:
    one = MemoryServer()
    await serving(
        one, subjects.lobby("list", "host"), lambda asked: encode(TableList((INFO,) if asked in (b"", TABLE) else ()))
    )
    await serving(one, subjects.lobby("admit", "host"), admit)
    await serving(one, subjects.ticket(TABLE.hex(), 1), pair)
    return one


def host(server: MemoryServer) -> Host:
    return Host(server.connect("host"), "nats://example:4222")


async def test_a_ticket_is_made_of_both_halves_for_the_issue_that_counts(server: MemoryServer) -> None:
    ticket = await host(server).ticket(TABLE, 1)

    assert (ticket.issue, ticket.seat, ticket.server) == (3, 1, "nats://example:4222")
    assert ticket.admit == b"a" * 31 + b"\x03"
    assert ticket.pair == b"p" * 31 + b"\x03"
    assert read_ticket(ticket.text()) == ticket


async def test_neither_half_of_a_ticket_is_on_the_wire_in_clear(server: MemoryServer) -> None:
    await host(server).ticket(TABLE, 1)

    assert all(b"a" * 31 not in passed.data and b"p" * 31 not in passed.data for passed in server.wire)


async def test_a_seat_that_there_is_not_is_refused(server: MemoryServer) -> None:
    with pytest.raises(Refused) as caught:
        await host(server).ticket(TABLE, 2)

    assert caught.value.refusal.code == "lobby/no-seat"


async def test_a_table_that_there_is_not_is_refused(server: MemoryServer) -> None:
    with pytest.raises(Refused) as caught:
        await host(server).ticket(bytes(16), 0)

    assert caught.value.refusal.code == "lobby/unknown-table"


async def test_a_vault_that_has_not_seen_the_table_yet_is_asked_again() -> None:
    server, asked = MemoryServer(), []
    await serving(server, subjects.lobby("admit", "host"), admit)

    def late(data: bytes) -> bytes:
        asked.append(data)
        return pair(data) if len(asked) == 3 else encode(Refusal("vault/no-table", "Not yet."))

    await serving(server, subjects.ticket(TABLE.hex(), 1), late)

    ticket = await host(server).ticket(TABLE, 1, issue=0)

    assert ticket.frame_key == b"f" * 32
    assert len(asked) == 3


async def test_a_half_that_was_sealed_to_another_key_is_no_ticket() -> None:
    server = MemoryServer()
    stranger = SealedBox(PrivateKey.generate().public_key)
    await serving(server, subjects.lobby("admit", "host"), lambda _: encode(AdmitReply(stranger.encrypt(bytes(32)))))
    await serving(server, subjects.ticket(TABLE.hex(), 1), pair)

    with pytest.raises(ProtocolError, match="protocol/bad-box"):
        await host(server).ticket(TABLE, 1, issue=0)


async def test_an_opened_table_keeps_the_id_that_the_host_chose() -> None:
    server, seen = MemoryServer(), []

    def opened(data: bytes) -> bytes:
        seen.append(msgspec.msgpack.decode(data, type=OpenRequest))
        return encode(Accepted(0, ""))

    await serving(server, subjects.lobby("open", "host"), opened)

    table = await host(server).open_table(
        "witness-stand",
        "tandem-target",
        options=(("step3", "always"), ("assist", "no")),
        bots=(False, True),
        table=TABLE,
    )

    assert table == TABLE
    assert seen[0].options == (("assist", "no"), ("step3", "always"))


@pytest.mark.parametrize("verb", ["open", "close", "void"])
async def test_a_refusal_of_the_lobby_reaches_the_host(verb: str) -> None:
    server = MemoryServer()
    refusal = Refusal("lobby/x", "No.", "Play", "WS-1")
    await serving(server, subjects.lobby(verb, "host"), lambda _: encode(refusal))
    one = host(server)
    asking: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
        "open": lambda: one.open_table("witness-stand", "x", bots=(True, True)),
        "close": lambda: one.close(TABLE, "late"),
        "void": lambda: one.void(TABLE, 0),
    }

    with pytest.raises(Refused) as caught:
        await asking[verb]()

    assert caught.value.refusal == refusal


async def test_an_unreadable_answer_is_a_protocol_error() -> None:
    server = MemoryServer()
    await serving(server, subjects.lobby("list", "host"), lambda _: b"\xc1")

    with pytest.raises(ProtocolError, match="protocol/malformed"):
        await host(server).tables()


async def test_an_empty_lobby_is_a_bus_error() -> None:
    with pytest.raises(BusError, match="bus/no-responder"):
        await host(MemoryServer()).tables()
