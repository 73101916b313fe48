"""Connecting to a NATS server, losing it and getting it back."""

from __future__ import annotations

import asyncio
import contextlib
from urllib.parse import urlparse

import pytest
from nats.aio.client import Client, Srv
from tests.bus.running_server import TABLE, Site
from tests.support.ports import silent_port

from chambers.bus import natsfix, natsjwt
from chambers.bus.errors import BusError
from chambers.bus.login import Login
from chambers.bus.nats_bus import NatsBus
from chambers.protocol import subjects


async def test_no_server_is_one_sentence_at_once() -> None:
    with silent_port() as port, pytest.raises(BusError) as caught:
        await NatsBus.connect(f"nats://127.0.0.1:{port}", Login("gm", natsjwt.new_seed(natsjwt.USER)))

    assert caught.value.code == "bus/no-server"
    assert caught.value.sentence == f"No NATS server answers at nats://127.0.0.1:{port}."


async def test_a_stranger_is_told_that_the_gate_is_silent_while_no_gate_runs(site: Site) -> None:
    with pytest.raises(BusError) as caught:
        await site.log_in(Login("stranger", natsjwt.new_seed(natsjwt.USER), "watch"))

    assert caught.value.code == "bus/gate-silent"


async def test_a_subscription_is_in_force_when_subscribe_returns(site: Site) -> None:
    dealer, gm = await site.user("dealer"), await site.user("gm")
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def hear(_subject: str, data: bytes) -> None:
        heard.put_nowait(data)

    await dealer.subscribe(subjects.poke(subjects.ANY, "dealer"), hear)
    await gm.publish(subjects.poke(TABLE, "dealer"), b"7")

    assert await asyncio.wait_for(heard.get(), 60) == b"7"


async def test_a_killed_server_is_found_again_with_every_subscription(site: Site) -> None:
    dealer, gm = await site.user("dealer"), await site.user("gm")
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    back: dict[str, asyncio.Event] = {"dealer": asyncio.Event(), "gm": asyncio.Event()}

    async def hear(_subject: str, data: bytes) -> None:
        heard.put_nowait(data)

    async def dealer_is_back() -> None:
        back["dealer"].set()

    async def gm_is_back() -> None:
        back["gm"].set()

    await dealer.subscribe(subjects.poke(subjects.ANY, "dealer"), hear)
    dealer.on_reconnect(dealer_is_back)
    gm.on_reconnect(gm_is_back)

    await site.server.restart()
    await asyncio.wait_for(asyncio.gather(back["dealer"].wait(), back["gm"].wait()), 60)
    await dealer.barrier()
    await gm.publish(subjects.poke(TABLE, "dealer"), b"again")

    assert await asyncio.wait_for(heard.get(), 60) == b"again"


async def test_nothing_is_sent_into_the_void_while_the_server_is_away(site: Site) -> None:
    gm = await site.user("gm")
    gone = asyncio.Event()
    gm._client._disconnected_cb = _setter(gone)

    await site.server.kill()
    await asyncio.wait_for(gone.wait(), 60)

    with pytest.raises(BusError, match="bus/disconnected"):
        await gm.publish(subjects.poke(TABLE, "dealer"), b"7")
    with pytest.raises(BusError, match="bus/disconnected"):
        await gm.request(subjects.STREAM_INFO, b"")


def _setter(event: asyncio.Event):  # type: ignore[no-untyped-def]
    async def set_it() -> None:
        event.set()

    return set_it


async def test_a_message_that_is_too_big_is_refused_before_it_is_sent(site: Site) -> None:
    gm = await site.user("gm")

    with pytest.raises(BusError) as caught:
        await gm.publish(subjects.poke(TABLE, "dealer"), b"x" * 65537)

    assert caught.value.code == "bus/too-big"
    assert "65537" in caught.value.sentence
    assert gm.connected


async def test_a_request_that_nobody_serves_says_so(site: Site) -> None:
    dealer = await site.user("dealer")

    with pytest.raises(BusError, match="bus/no-responder"):
        await dealer.request(subjects.tail(TABLE, "dealer"), b"")


async def test_a_request_that_gets_no_answer_in_time_says_so(site: Site) -> None:
    dealer, gm = await site.user("dealer"), await site.user("gm")

    async def stay_silent(_subject: str, _data: bytes) -> None:
        return None

    await gm.serve(subjects.tail(subjects.ANY, subjects.ANY), stay_silent, asker=subjects.asker)

    with pytest.raises(BusError, match="bus/timeout"):
        await dealer.request(subjects.tail(TABLE, "dealer"), b"", timeout=0.05)


async def test_a_connection_that_we_close_has_no_reason(site: Site) -> None:
    gm = await site.user("gm")

    await gm.close()

    assert await gm.closed() is None


async def test_what_a_user_may_not_do_is_noted_and_the_connection_lives_on(site: Site) -> None:
    dice = await site.user("dice")

    await dice.publish(subjects.log(TABLE), b"forged")
    await dice.barrier()

    assert any(f"chambers.{TABLE}.log" in line for line in dice.denied)
    assert dice.connected


def test_a_log_in_shows_no_seed() -> None:
    seed = natsjwt.new_seed(natsjwt.USER)

    assert seed not in repr(Login("gm", seed))


async def test_a_client_that_was_cancelled_while_an_attempt_failed_does_not_try_again() -> None:
    natsfix.install()
    client = Client()

    async def attempt_again() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)  # the cancellation is lost, as in an attempt that fails just then
        await client._connect_to_server(Srv(urlparse("nats://127.0.0.1:1")))

    task = asyncio.create_task(attempt_again())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
