"""The gallery among strangers: who names tables at random has the game master asked about few of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.house import house
from tests.support.memory_bus import MemoryServer

from chambers.bus.login import WATCH, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.connecting import as_spectator
from chambers.protocol import subjects
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import encode
from chambers.protocol.watching import Watch
from chambers.services import gallery
from chambers.services.gallery import UNKNOWN_AT_ONCE, Gallery

WATCHER = "0123456789abcdef"


async def test_spectators_that_name_tables_at_random_have_the_game_master_asked_about_few_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gallery, "UNKNOWN_A_SECOND", 0)
    server, asked = MemoryServer(), list[str]()

    async def no_table(subject: str, _: bytes) -> bytes:
        asked.append(subject)
        return encode(Refusal("gm/no-table", "There is no such table."))

    await server.connect("gm").serve(subjects.tail(subjects.ANY, "gallery"), no_table, asker="gallery")
    there = Gallery(server.connect("gallery"))

    for number in range(4 * UNKNOWN_AT_ONCE):
        await there._on_up(subjects.watch_up(number.to_bytes(16, "big").hex(), WATCHER), encode(Watch()))

    assert len(asked) == UNKNOWN_AT_ONCE


async def test_a_table_that_there_is_is_shown_however_many_strangers_name_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(gallery, "UNKNOWN_A_SECOND", 0)
    async with house(tmp_path, seats=3) as here:
        docket = await here.play(3, level="rules")
        table = next(info.table for info in await here.host.tables())
        await here.restart("gallery")  # it follows no table that has closed until somebody asks
        stranger = await NatsBus.connect(here.stack.url, visitor_login(WATCH))
        for number in range(4 * UNKNOWN_AT_ONCE):
            await stranger.publish(subjects.watch_up(number.to_bytes(16, "big").hex(), stranger.user), encode(Watch()))
        await stranger.barrier()
        spectator = await as_spectator(here.stack.url, table)
        found = await spectator.docket()
        await spectator.leave()
        await stranger.close()

    assert found.leaves == docket.leaves
