"""Everything is switched off and on again: the same tables, the same hands, the same chance, the same prompts."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.scenarios.evening import docket_of, reopen, restart, start_user, stop_user, wander
from tests.support.house import NAMES, House
from tests.support.tabletop import Tabletop, rolls
from tests.support.virtual_time import moment, run

from chambers import audit
from chambers.bus.server import free_port
from chambers.clients.connecting import as_host, as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.protocol.client import Update
from chambers.rules.events import Deal, Roll
from chambers.rules.roles import seat_role
from chambers.services.stack import Stack


async def _first_update(here: House, table: bytes, seat: int) -> Update:
    """Return what a window at a seat is shown as soon as it opens."""
    ticket = await here.host.ticket(table, seat)
    session = SeatSession(ticket, "Ada", take_over=True)
    await take_seat(ticket, session)
    try:
        async with asyncio.timeout(60):
            async for heard in session.messages():
                if isinstance(heard, Update):
                    return heard
    finally:
        await session.close()
    raise AssertionError("the session ended without a view")


async def _at_rest(here: House, tables: list[bytes]) -> list[Update]:
    """Return what every window is shown once the tables wait for players alone, and nothing is under way any more."""
    shown: list[Update] = []
    async with asyncio.timeout(60):
        while True:
            before, shown = shown, [await _first_update(here, table, seat) for table in tables for seat in range(2)]
            if shown == before and {name for update in shown for name in update.waiting} <= set(NAMES):
                return shown


async def _play_until(here: House, table: bytes, size: int) -> None:
    """Have bots play a table until its log is that long, and then leave."""
    spectator = await as_spectator(here.stack.url, table)
    players = [await here.sit(table, seat, level="rules") for seat in range(2)]
    async with asyncio.timeout(60):
        async for scene in spectator.scenes():
            if scene.sequence >= size:
                break
    for player in players:
        player.cancel()
    await asyncio.gather(*players, return_exceptions=True)
    await spectator.leave()


async def test_the_whole_house_is_closed_for_the_night_and_every_table_goes_on_the_next_day(tmp_path: Path) -> None:
    """Server, store and all services end; what comes up again on the same disk is what was left, prompt for prompt."""
    listen = ("127.0.0.1", free_port())
    async with Stack(tmp_path, listen, seats=2, sync="default") as stack:
        here = House(stack, await as_host(stack.url, stack.home))
        tables = [await here.open(2, game="missing-suspect") for _ in range(2)]  # whose games are long
        for table in tables:
            await _play_until(here, table, 30)
        evening = await _at_rest(here, tables)
        await here.host.bus.close()

    async with Stack(tmp_path, listen, seats=2, sync="default") as stack:
        here = House(stack, await as_host(stack.url, stack.home))
        morning = [await _first_update(here, table, seat) for table in tables for seat in range(2)]
        spectators = [await as_spectator(stack.url, table) for table in tables]
        players = [await here.sit(table, seat, level="rules", seed="morning") for table in tables for seat in range(2)]
        async with asyncio.timeout(60):
            for table, spectator in zip(tables, spectators, strict=True):
                async for scene in spectator.scenes():
                    if scene.phase == "play" and scene.sequence >= 60:
                        await here.close(table, "the next day is over")
        reports = [audit.audit(await spectator.docket()) for spectator in spectators]
        for player in players:
            player.cancel()
        for spectator in spectators:
            await spectator.leave()
        await here.host.bus.close()

    for before, after in zip(evening, morning, strict=True):
        assert after.sequence == before.sequence
        assert (after.view, after.prompt, after.waiting) == (before.view, before.prompt, before.waiting)
    assert [report.exit_code for report in reports] == [0, 0]


@pytest.mark.parametrize("size", [12, 30, 55, 90])
def test_after_a_restart_of_everything_nobody_has_other_cards_or_another_choice(size: int, tmp_path: Path) -> None:
    """Chance included: the dice of the next rolls are those that were bound before the first."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            chance = random.Random(6)
            await wander(table, chance, until=lambda: table.log.size > size)
            await moment()
            before = [chair.last for chair in table.chairs]
            users = ["gm", "dealer", "dice", *(str(seat_role(seat)) for seat in range(3))]
            for user in users:
                await stop_user(table, user)
            for user in users:
                await start_user(table, user, tmp_path)
            after = [(await reopen(table, seat)).last for seat in range(3)]
            for old, new in zip(before, after, strict=True):
                assert old is not None
                assert new is not None
                assert (new.view, new.prompt, new.sequence) == (old.view, old.prompt, old.sequence)

            await wander(table, chance, accuse=0.3)
            await table.until(lambda: table.log.table.phase == "closed")
            entries = table.read
            value = rolls(3)
            thrown = [entry.event for entry in entries if isinstance(entry.event, Roll)]
            assert [roll.value for roll in thrown] == [value(roll.k) for roll in thrown]
            assert sum(isinstance(entry.event, Deal) for entry in entries) == 1
            assert audit.audit(docket_of(table)).exit_code == 0

    run(play())


def test_a_dealer_that_was_started_anew_shows_the_very_envelope_of_the_deal(tmp_path: Path) -> None:
    """It restarts between every two entries of a game that ends with the envelope open on the table."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            chance = random.Random(3)
            for size in range(20, 400, 12):
                await wander(table, chance, until=lambda size=size: table.log.size > size, accuse=0.3)  # type: ignore[misc]
                await restart(table, "dealer", tmp_path)
                if table.log.table.phase != "play":
                    break
            await wander(table, chance, accuse=1.0)
            await table.until(lambda: table.log.table.phase == "closed")
            report = audit.audit(docket_of(table))
            assert report.counts.looks
            assert report.exit_code == 0

    run(play())
