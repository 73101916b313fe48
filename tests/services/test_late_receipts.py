"""The receipt at the end: a game master that is slow to sign it, and a client that has lost it, cost nobody theirs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.support.tabletop import TABLE, Tabletop
from tests.support.virtual_time import run

from chambers.protocol import subjects
from chambers.protocol.client import Over, Ping
from chambers.protocol.log import Log
from chambers.protocol.messages import Accepted, CloseRequest, LobbyAnswer, encode
from chambers.rules import Phase
from chambers.services.follower import Follower


async def closed(table: Tabletop) -> None:
    """Close the table in play, and return once everything is opened."""
    await table.until(lambda: table.log.table.phase is Phase.PLAY)
    raw = await table.server.connect("host").request(
        subjects.lobby("close", "host"), encode(CloseRequest(table=TABLE, why="it is late"))
    )
    assert isinstance(msgspec.msgpack.decode(raw, type=LobbyAnswer), Accepted)
    await table.until(lambda: table.log.table.phase is Phase.CLOSED)


def overs(table: Tabletop, seat: int) -> list[Over]:
    """Return every word of the end that a seat's client has heard."""
    return [message for message in table.chairs[seat].heard if isinstance(message, Over)]


def test_a_game_master_that_is_slow_to_sign_the_last_head_costs_nobody_the_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint, asked = Follower.checkpoint, {"times": 0}

    async def late(self: Follower, log: Log, size: int) -> str:
        if log.table.phase is Phase.CLOSED and asked["times"] < 5:
            asked["times"] += 1
            return ""
        return await checkpoint(self, log, size)

    monkeypatch.setattr(Follower, "checkpoint", late)

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await closed(table)
            await table.until(lambda: table.over)

            assert asked["times"] == 5
            assert [overs(table, seat)[-1].receipt != "" for seat in range(2)] == [True, True]

    run(play())


def test_a_client_that_still_asks_after_the_end_is_told_it_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await closed(table)
            await table.until(lambda: table.over)
            told = overs(table, 0)[-1]
            table.chairs[0].heard.clear()  # as if it had been lost on the way

            await table.chairs[0].say(Ping())
            await table.until(lambda: bool(overs(table, 0)))

            assert overs(table, 0) == [told]

    run(play())
