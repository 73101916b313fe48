"""The gallery among strangers: who names tables at random has the game master asked about few of them."""

from __future__ import annotations

import pytest
from tests.support.memory_bus import MemoryServer

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
