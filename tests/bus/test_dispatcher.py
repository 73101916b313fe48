"""The dispatcher: order within a key, concurrency between keys, a bound on what waits."""

from __future__ import annotations

import asyncio

from chambers.bus.dispatcher import Dispatcher


async def test_work_of_one_key_runs_in_order_and_never_at_the_same_time() -> None:
    dispatcher, trace = Dispatcher(), list[str]()

    def work(name: str):  # type: ignore[no-untyped-def]
        async def run() -> None:
            trace.append(f"{name} begins")
            await asyncio.sleep(0)
            trace.append(f"{name} ends")

        return run

    for name in ("one", "two", "three"):
        await dispatcher.put("table", work(name))
    await dispatcher.idle()

    assert trace == [f"{name} {what}" for name in ("one", "two", "three") for what in ("begins", "ends")]


async def test_work_of_two_keys_runs_at_the_same_time() -> None:
    dispatcher, met = Dispatcher(), asyncio.Barrier(2)

    async def meet() -> None:
        await met.wait()

    await dispatcher.put("one", meet)
    await dispatcher.put("two", meet)

    await asyncio.wait_for(dispatcher.idle(), 60)


async def test_more_than_the_limit_has_to_wait_outside() -> None:
    dispatcher, go, done = Dispatcher(limit=2), asyncio.Event(), list[int]()

    async def wait() -> None:
        await go.wait()
        done.append(1)

    await dispatcher.put("a", wait)
    await dispatcher.put("b", wait)
    third = asyncio.create_task(dispatcher.put("c", wait))
    await asyncio.sleep(0)

    assert not third.done()
    go.set()
    await third
    await dispatcher.idle()
    assert done == [1, 1, 1]


async def test_stopping_cancels_what_runs_and_forgets_what_waits() -> None:
    dispatcher, ran = Dispatcher(limit=2), list[str]()

    async def hang() -> None:
        ran.append("first")
        await asyncio.Event().wait()

    async def never() -> None:
        ran.append("second")

    await dispatcher.put("a", hang)
    await dispatcher.put("a", never)
    await asyncio.sleep(0)
    await dispatcher.stop()
    await dispatcher.put("a", never)
    await dispatcher.put("b", never)
    await dispatcher.idle()

    assert ran == ["first", "second", "second"]
