"""A vault on its player's own machine: whole games with one, and what happens when it comes and goes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.house import TABLES, house
from tests.support.own_vaults import own_table, sit_at_own

from chambers import audit
from chambers.clients.connecting import as_spectator
from chambers.clients.keeping import own_vault


@pytest.mark.parametrize("game", TABLES)
async def test_a_whole_game_with_one_own_vault_is_clean_and_its_open_event_says_own(tmp_path: Path, game: str) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here, game=game)
        ticket = await here.host.vault_ticket(table, 1)
        spectator = await as_spectator(here.stack.url, table)
        async with own_vault(ticket, tmp_path / "own") as keeper:
            players = [await here.sit(table, seat, level="rules") for seat in (0, 2)]
            players.append(await sit_at_own(keeper))
            async with asyncio.timeout(90):
                over = await keeper.until_over()
                await asyncio.gather(*players)
        docket = await spectator.docket()
        await spectator.leave()

    report = audit.audit(docket, receipts=(over.receipt,))
    assert (report.exit_code, report.findings) == (0, ())
