"""Requests and their answers: only below the asker's inbox, and never more than the asker may read."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.bus.running_server import OTHER, TABLE, Site

from chambers.bus.nats_bus import NatsBus
from chambers.bus.replies import may_answer
from chambers.protocol import subjects
from chambers.protocol.errors import ProtocolError, Refusal
from chambers.rules.errors import RuleError

TAILS = subjects.tail(subjects.ANY, subjects.ANY)


async def _echo(_subject: str, data: bytes) -> bytes:
    return b"echo " + data


async def test_the_asker_gets_the_answer(site: Site) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")
    await gm.serve(TAILS, _echo, asker=subjects.asker, queue="gm")

    assert await dealer.request(subjects.tail(TABLE, "dealer"), b"hello") == b"echo hello"


@pytest.mark.parametrize(
    "reply",
    [
        f"chambers.{TABLE}.seat.1.down",
        f"chambers.{TABLE}.log",
        "_INBOX.seat1.abc.def",
        "_INBOX.seat21.abc",
        "_INBOX.seat2",
        "_INBOX.seat2.",
        "_INBOX.seat2.*",
        "_INBOX.seat2.>",
        "_INBOX.seat2.a.b.c",
        "_INBOX.seat2.a b",
        "",
    ],
)
def test_no_other_reply_subject_is_ever_answered(reply: str) -> None:
    assert not may_answer(reply, "seat2")


def test_an_asker_may_be_answered_below_its_own_inbox() -> None:
    assert may_answer("_INBOX.seat2.kY7Zq.00af", "seat2")


async def test_a_request_with_somebody_elses_reply_subject_is_dropped_unread(site: Site) -> None:
    gm, vault, victim = await site.user("gm"), await site.user("seat2"), await site.user("seat1")
    seen: list[bytes] = []

    async def note(_subject: str, data: bytes) -> bytes:
        seen.append(data)
        return b"answer"

    await gm.serve(subjects.inbound(subjects.ANY, subjects.ANY), note, asker=subjects.asker)

    async with victim.inboxes.open() as inbox:
        await vault.ask(subjects.inbound(TABLE, "seat2"), b"forged", reply=inbox.address)
        await vault.request(subjects.inbound(TABLE, "seat2"), b"honest")
        await gm.barrier()
        await victim.barrier()

    assert seen == [b"honest"]
    assert inbox.replies.empty()
    assert [endpoint.refused for endpoint in gm.endpoints] == [1]


async def test_a_fixed_asker_is_the_only_one_answered(site: Site) -> None:
    dice, vault = await site.user("dice"), await site.user("seat0")
    await vault.serve(subjects.share(subjects.ANY, 0), _echo, asker="dice")

    assert await dice.request(subjects.share(TABLE, 0), b"k") == b"echo k"


async def test_a_reply_carries_none_of_the_requests_headers(site: Site) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")
    await gm.serve(TAILS, _echo, asker=subjects.asker)

    message = await dealer.exchange(subjects.tail(TABLE, "dealer"), b"", timeout=2, headers={"Status": "503"})

    assert message.headers is None
    assert message.data == b"echo "


async def _refused_with(gm: NatsBus, asker: NatsBus, error: Exception) -> Refusal:
    async def fail(_subject: str, _data: bytes) -> bytes:
        raise error

    await gm.serve(TAILS, fail, asker=subjects.asker)
    reply = await asker.request(subjects.tail(TABLE, "dealer"), b"")
    return msgspec.msgpack.decode(reply, type=Refusal)


async def test_an_unexpected_error_is_answered_without_its_text(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")

    refusal = await _refused_with(gm, dealer, ValueError("the canary is yellow"))

    assert refusal.code == "bus/internal"
    assert "canary" not in refusal.text
    assert "canary" not in "".join(capsys.readouterr())


async def test_a_rule_error_is_answered_with_its_section_and_ruling(site: Site) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")
    error = RuleError("rule/not-your-turn", "It is not your turn.", section="Play", ruling="WS-49")

    refusal = await _refused_with(gm, dealer, error)

    assert refusal == Refusal("rule/not-your-turn", "It is not your turn.", "Play", "WS-49")


async def test_bad_bytes_are_answered_with_their_code(site: Site) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")

    refusal = await _refused_with(gm, dealer, ProtocolError("protocol/malformed", "No."))

    assert refusal == Refusal("protocol/malformed", "No.")


async def test_a_handler_that_fails_does_not_end_the_subscription(site: Site) -> None:
    dealer, gm = await site.user("dealer"), await site.user("gm")
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def hear(_subject: str, data: bytes) -> None:
        heard.put_nowait(data)
        if data == b"bad":
            raise ValueError(data)

    await dealer.subscribe(subjects.poke(subjects.ANY, "dealer"), hear)
    await gm.publish(subjects.poke(TABLE, "dealer"), b"bad")
    await gm.publish(subjects.poke(TABLE, "dealer"), b"good")

    assert [await asyncio.wait_for(heard.get(), 60) for _ in range(2)] == [b"bad", b"good"]


async def test_draining_answers_every_request_that_has_come(site: Site) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")
    go, inside = asyncio.Event(), asyncio.Semaphore(0)

    async def slow(_subject: str, data: bytes) -> bytes:
        inside.release()
        await go.wait()
        return data

    await gm.serve(TAILS, slow, asker=subjects.asker)
    requests = [
        asyncio.create_task(dealer.request(subjects.tail(table, "dealer"), table.encode(), timeout=60))
        for table in (TABLE, OTHER)
    ]
    await inside.acquire()
    await inside.acquire()
    draining = asyncio.create_task(gm.drain())
    go.set()
    await draining

    assert await asyncio.gather(*requests) == [TABLE.encode(), OTHER.encode()]


async def test_one_tables_slow_request_holds_up_no_other_table(site: Site) -> None:
    gm, dealer = await site.user("gm"), await site.user("dealer")
    go = asyncio.Event()

    async def slow_here(subject: str, _data: bytes) -> bytes:
        if TABLE in subject:
            await go.wait()
        return b"done"

    await gm.serve(TAILS, slow_here, asker=subjects.asker)
    held = asyncio.create_task(dealer.request(subjects.tail(TABLE, "dealer"), b"", timeout=60))

    assert await dealer.request(subjects.tail(OTHER, "dealer"), b"", timeout=60) == b"done"
    assert not held.done()
    go.set()
    assert await held == b"done"
