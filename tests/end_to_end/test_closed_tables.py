"""A table that its host ends: everybody opens what they hold, the record is audited, and a second time is refused."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.commands import Command
from tests.support.house import PATIENCE_S, House, house

from chambers.audit import Verdict, audit
from chambers.clients.connecting import as_spectator

WHY = "We go on next week."
NOBODY = "nats://127.0.0.1:1"


async def _close(here: House, home: Path, table: str, *, why: str = WHY) -> tuple[int, list[str], list[str]]:
    """Return how the command ends: exit code, output, and what it says beside that."""
    command = await Command.start(
        "close", table, "--why", why, "--server", here.stack.url, "--home", str(here.stack.home), home=home
    )
    return await command.ended(), command.lines, command.errors


async def test_a_table_is_ended_in_the_middle_of_its_game_and_everything_is_opened(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=3) as here:
        table = await here.open(3, game="missing-suspect")
        spectator = await as_spectator(here.stack.url, table)
        players = [await here.sit(table, seat, silence=PATIENCE_S) for seat in range(3)]
        told, overs = None, []
        async with asyncio.timeout(60):
            async for scene in spectator.scenes():
                overs.append(scene.over)
                if scene.phase == "play" and told is None:
                    told = await _close(here, tmp_path, table.hex())
        docket = await spectator.docket()
        twice = await _close(here, tmp_path, table.hex())
        ends = await asyncio.gather(*players)
        await spectator.leave()

    report = audit(docket)
    assert told is not None
    assert told[:2] == (0, [f"Closed table {table.hex()}: {WHY}"])
    assert told[2][-1].endswith(f"chambers audit {table.hex()} --server {here.stack.url}")
    assert overs[-1] == f"aborted: {WHY}"
    assert [end.text for end in ends if end is not None] == [f"The table was closed: aborted: {WHY}"] * 3
    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())
    assert twice == (1, [], ["This table is closed already."])


@pytest.mark.parametrize(
    "why", ["", " ", "\x1b[2J", "one\ntwo", "x" * 192], ids=["empty", "blank", "signs", "lines", "long"]
)
async def test_a_reason_that_nobody_could_read_is_refused_before_anybody_is_asked(tmp_path: Path, why: str) -> None:
    command = await Command.start("close", "00" * 16, "--why", why, "--server", NOBODY, home=tmp_path)

    assert (await command.ended(), command.lines) == (2, [])
    assert command.errors == [
        "--why takes one line of 1 to 191 printable characters, like: --why 'We go on next week.'"
    ]


@pytest.mark.parametrize("why", ["x", "x" * 191], ids=["shortest", "longest"])
async def test_a_reason_of_any_length_that_is_taken_closes_the_table(tmp_path: Path, why: str) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2)

        told = await _close(here, tmp_path, table.hex(), why=why)

    assert told[:2] == (0, [f"Closed table {table.hex()}: {why}"])


async def test_a_table_that_is_not_there_cannot_be_ended(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        told = await _close(here, tmp_path, "00" * 16)

    assert told == (2, [], ["There is no such table. Try: chambers tables"])
