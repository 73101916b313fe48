"""Whole games through the real services on a real server, from the opening to a clean audit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.house import house

from chambers import audit


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
async def test_a_whole_game_ends_by_itself_and_its_docket_audits_clean(tmp_path: Path, seats: int) -> None:
    async with house(tmp_path, seats=seats) as here:
        docket = await here.play(seats)

    report = audit.audit(docket)

    assert (report.exit_code, report.findings) == (0, ())
    assert report.counts.entries == len(docket.leaves)


async def test_three_tables_are_played_at_the_same_time_without_touching_each_other(tmp_path: Path) -> None:
    import asyncio

    async with house(tmp_path, seats=4) as here:
        dockets = await asyncio.gather(here.play(2), here.play(3), here.play(4))

    assert [audit.audit(docket).exit_code for docket in dockets] == [0, 0, 0]
