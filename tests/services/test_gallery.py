"""The gallery among strangers: who names tables at random has the game master asked about few of them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.audit.honest_game import play_game
from tests.support.house import house
from tests.support.memory_bus import MemoryServer

from chambers.bus.login import WATCH, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.connecting import as_spectator
from chambers.protocol import subjects
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Log
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


async def test_a_spectator_who_leaves_while_others_are_shown_a_scene_keeps_it_from_nobody() -> None:
    played, server = play_game(seats=2, seed=3, most=60), MemoryServer()
    there = Gallery(server.connect("gallery"))
    shown: list[str] = []

    async def leaves(subject: str, _: bytes) -> None:
        shown.append(subject)
        there._watchers[played.id].pop("gone", None)

    there._bus.publish = leaves  # type: ignore[method-assign,assignment]
    there._watchers[played.id] = {"first": math.inf, "gone": 0.0, "last": math.inf}
    log = Log(played.id, edition_of=lambda _: played.edition)

    await there._on_entry(log, log.admit(played.log.leaves[0]))

    assert shown == [subjects.watch_down(played.id.hex(), one) for one in ("first", "last")]
