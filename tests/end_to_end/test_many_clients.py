"""Many clients on one server: all get in, and all are back after the server was killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.crowd import SEATS, Crowd
from tests.support.house import house


@pytest.mark.parametrize(
    ("tables", "spectators"), [(6, 10), pytest.param(32, 40, marks=pytest.mark.slow, id="two hundred")]
)
async def test_everybody_gets_in_and_is_back_after_the_server_was_killed(
    tmp_path: Path, tables: int, spectators: int
) -> None:
    async with house(tmp_path, seats=SEATS) as here, Crowd(here, tables=tables, spectators=spectators) as crowd:
        await crowd.come()
        came = len(crowd.everybody)

        await crowd.come_back()

        assert came == tables * SEATS + spectators
        assert all(one.there.is_set() for one in crowd.everybody)
        assert len(await here.host.tables()) == tables
