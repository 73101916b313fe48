"""What becomes of the tickets in a house of bots: gone with their issue, and kept while their table is only lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
import structlog
from tests.support.house import house

from chambers.clients.bot_house import BotHouse, lay
from chambers.protocol.tickets import Ticket


@asynccontextmanager
async def bots(folder: Path, *tickets: Ticket) -> AsyncIterator[None]:
    """Run a house of bots on these tickets."""
    lay(folder, tickets)
    running = asyncio.create_task(BotHouse(folder, level="random", longest=0.0, gone=0.0).run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@pytest.fixture(name="folder")
def a_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    folder.mkdir()
    return folder


def lying(folder: Path) -> list[str]:
    """Return what lies in the folder."""
    return [path.name for path in folder.iterdir()]


async def test_a_ticket_whose_table_is_lost_stays_and_is_tried_again(tmp_path: Path, folder: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        lost = msgspec.structs.replace(await here.host.ticket(await here.open(2), 0), table=bytes(16))
        with structlog.testing.capture_logs() as logs:
            async with bots(folder, lost), asyncio.timeout(60):
                while [one["event"] for one in logs].count("the ticket stays") < 2:  # noqa: ASYNC110 - all that it says
                    await asyncio.sleep(0.02)

    assert len(lying(folder)) == 1


async def test_a_ticket_that_was_voided_goes(tmp_path: Path, folder: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2)
        one = await here.host.ticket(table, 0)
        await here.host.void(table, 0)
        async with bots(folder, one), asyncio.timeout(60):
            while lying(folder):  # noqa: ASYNC110 - its folder is all that it shows
                await asyncio.sleep(0.02)

    assert lying(folder) == []
