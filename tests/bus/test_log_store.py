"""The log of record on JetStream: optimistic append, reading, republishing, and what survives a kill."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

import pytest
from tests.bus.running_server import OTHER, TABLE, Site

from chambers.bus.errors import BusError, WrongSequence
from chambers.bus.stream import StreamLog, create_stream, delete_table
from chambers.protocol import subjects


async def _log(site: Site) -> StreamLog:
    await site.with_stream()
    return StreamLog(await site.user("gm"))


async def _all(log: StreamLog, table: str, *, start: int = 1) -> list[tuple[int, bytes]]:
    return [entry async for entry in log.read(table, start=start)]


async def test_an_entry_is_read_back_with_its_stream_sequence(site: Site) -> None:
    log = await _log(site)

    first = await log.append(TABLE, b"open", expect=0)
    second = await log.append(TABLE, b"commit", expect=first)

    assert await _all(log, TABLE) == [(first, b"open"), (second, b"commit")]
    assert await _all(log, TABLE, start=second) == [(second, b"commit")]
    assert await _all(log, TABLE, start=second + 1) == []


async def test_an_append_that_expects_another_end_is_refused_and_stores_nothing(site: Site) -> None:
    log = await _log(site)
    first = await log.append(TABLE, b"open", expect=0)
    await log.append(TABLE, b"theirs", expect=first)

    with pytest.raises(WrongSequence):
        await log.append(TABLE, b"ours", expect=first)
    with pytest.raises(WrongSequence):
        await log.append(TABLE, b"ours", expect=0)

    assert [data for _, data in await _all(log, TABLE)] == [b"open", b"theirs"]


async def test_of_two_replicas_that_append_at_once_one_wins(site: Site) -> None:
    one, other = await _log(site), StreamLog(await site.user("gm"))

    results = await asyncio.gather(
        one.append(TABLE, b"mine", expect=0), other.append(TABLE, b"yours", expect=0), return_exceptions=True
    )

    assert sum(isinstance(result, WrongSequence) for result in results) == 1
    assert len(await _all(one, TABLE)) == 1


async def test_the_same_bytes_are_stored_twice_when_asked_twice(site: Site) -> None:
    log = await _log(site)

    first = await log.append(TABLE, b"same", expect=0)
    await log.append(TABLE, b"same", expect=first)

    assert [data for _, data in await _all(log, TABLE)] == [b"same", b"same"]


async def test_other_tables_do_not_disturb_the_expected_end(site: Site) -> None:
    log = await _log(site)
    first = await log.append(TABLE, b"open", expect=0)
    await log.append(OTHER, b"open", expect=0)

    await log.append(TABLE, b"commit", expect=first)

    assert [data for _, data in await _all(log, TABLE)] == [b"open", b"commit"]
    assert sorted(await log.tables()) == sorted([TABLE, OTHER])


async def test_a_log_longer_than_a_batch_is_read_whole_and_in_order(site: Site) -> None:
    log, expect = await _log(site), 0
    for number in range(1003):
        expect = await log.append(TABLE, b"%d" % number, expect=expect)

    assert [int(data) for _, data in await _all(log, TABLE)] == list(range(1003))


async def test_an_empty_stream_has_no_table_and_no_entry(site: Site) -> None:
    log = await _log(site)

    assert await log.tables() == []
    assert await _all(log, TABLE) == []


async def test_a_stored_entry_comes_on_the_feed_and_a_refused_one_does_not(site: Site) -> None:
    log, dealer = await _log(site), await site.user("dealer")
    heard: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()

    async def hear(subject: str, data: bytes) -> None:
        heard.put_nowait((subject, data))

    await dealer.subscribe(subjects.feed(subjects.ANY), hear)
    first = await log.append(TABLE, b"open", expect=0)
    with pytest.raises(WrongSequence):
        await log.append(TABLE, b"refused", expect=first + 1)
    await log.append(TABLE, b"commit", expect=first)

    feed = subjects.feed(TABLE)
    assert [await asyncio.wait_for(heard.get(), 60) for _ in range(2)] == [(feed, b"open"), (feed, b"commit")]


async def test_what_was_acknowledged_survives_a_kill_of_the_server(site: Site) -> None:
    log, expect = await _log(site), 0
    for number in range(20):
        expect = await log.append(TABLE, b"%d" % number, expect=expect)

    await site.server.restart()
    again = StreamLog(await site.user("gm"))

    assert len(await _all(again, TABLE)) == 20
    assert await again.append(TABLE, b"next", expect=expect) == expect + 1


async def test_making_the_stream_twice_is_making_it_once(site: Site) -> None:
    log = await _log(site)
    await log.append(TABLE, b"open", expect=0)

    await create_stream(await site.user("admin"))

    assert len(await _all(log, TABLE)) == 1


async def test_without_the_stream_there_is_no_log(site: Site) -> None:
    log = StreamLog(await site.user("gm"))

    with pytest.raises(BusError, match="bus/no-log"):
        await log.append(TABLE, b"open", expect=0)
    with pytest.raises(BusError, match="bus/no-log"):
        await log.tables()


async def test_the_admin_can_delete_one_whole_table(site: Site) -> None:
    log, admin = await _log(site), await site.user("admin")
    await log.append(TABLE, b"open", expect=0)
    await log.append(OTHER, b"open", expect=0)

    await delete_table(admin, TABLE)

    assert await log.tables() == [OTHER]


FULL = "The server stores no more entries; its disk is probably full."


async def test_a_store_at_its_limit_is_one_sentence(tmp_path: Path) -> None:
    async with Site(tmp_path, max_store="100KB") as site:
        log = await _log(site)
        last = await log.append(TABLE, b"x" * 60_000, expect=0)
        last = await log.append(TABLE, b"x" * 60_000, expect=last)

        with pytest.raises(BusError) as caught:
            await log.append(TABLE, b"x" * 60_000, expect=last)

    assert (caught.value.code, caught.value.sentence) == ("bus/disk-full", FULL)


async def test_a_disk_that_takes_no_more_bytes_is_one_sentence(site: Site) -> None:
    await site.with_stream()
    log = StreamLog(await site.user("gm"))
    last = await log.append(TABLE, b"x" * 60_000, expect=0)
    assert site.server.pid is not None
    resource.prlimit(site.server.pid, resource.RLIMIT_FSIZE, (70_000, 70_000))

    with pytest.raises(BusError) as caught:
        await log.append(TABLE, b"x" * 60_000, expect=last)

    assert (caught.value.code, caught.value.sentence) == ("bus/disk-full", FULL)
    assert await _all(log, TABLE) == [(last, b"x" * 60_000)]
