"""A dealer whose complaint of a bad box was not taken at once, for a reason that passes: it complains again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scenarios.evening import pass_time
from tests.support.tabletop import TABLE, Tabletop
from tests.support.virtual_time import run

from chambers.protocol.client import Talk
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import Accepted
from chambers.rules.events import Bad


@pytest.mark.parametrize("refused", [0, 1, 3])
def test_a_complaint_is_made_until_the_table_has_stopped(refused: int, tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=(("stall_s", "600"),)) as table:
            me, dealing = table.dealer._poked._tables[TABLE], table.dealer._tables[TABLE]
            say, left = me.say, refused

            async def in_trouble(submission: bytes) -> Accepted | Refusal:
                nonlocal left
                left -= 1
                return Refusal("bus/timeout", "No answer came.") if left >= 0 else await say(submission)

            me.say = in_trouble  # type: ignore[method-assign]
            dealing._bad, dealing.stopped = Bad(1, "fairness/box"), True

            for n in range(refused + 2):
                await table.chairs[0].say(Talk(f"word {n}"))
                await pass_time(2)

            assert table.log.table.phase == "closed"
            assert [entry.event for entry in table.read if isinstance(entry.event, Bad)] == [Bad(1, "fairness/box")]

    run(play())
