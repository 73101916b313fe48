"""Tables on a LAN: each player in a network of its own, cables that are pulled, and a line that is slow and loses."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.lan.evening import evening
from tests.lan.network import Network
from tests.support.commands import Command

pytestmark = [pytest.mark.netns, pytest.mark.timeout(240)]


def _plug_in(lan: Network, players: int) -> None:
    for n in range(players):
        lan.plug_in(f"p{n}", f"10.77.0.{10 + n}")


def _events(command: Command) -> int:
    return sum(line.startswith("EVENT ") for line in command.lines)


@pytest.mark.parametrize("game", ["witness-stand", "missing-suspect"])
async def test_a_whole_game_is_played_between_networks_over_tls(tmp_path: Path, lan: Network, game: str) -> None:
    _plug_in(lan, 3)
    async with evening(tmp_path, lan, seats=3, game=game) as table:
        bots = [await table.bot(f"p{seat}", seat, pause=0) for seat in range(3)]
        ends = [await bot.ended(limit=150) for bot in bots]
        report = await table.report()

    assert ends == [0, 0, 0]
    assert "#" in table.server
    assert (report.exit_code, report.findings) == (0, ())


@pytest.mark.parametrize("seconds", [5, pytest.param(60, marks=pytest.mark.slow)])
async def test_a_cable_that_is_pulled_in_the_middle_of_a_game_loses_nothing(
    tmp_path: Path, lan: Network, seconds: int
) -> None:
    _plug_in(lan, 3)
    async with evening(tmp_path, lan, seats=3) as table:
        ada, typing = await table.person("p0", 0)
        bots = [await table.bot(f"p{seat}", seat, pause=0.1) for seat in (1, 2)]
        await ada.until(lambda: _events(ada) >= 14)

        lan.pull("p0")
        await asyncio.sleep(seconds)  # what is tested: a cable that is out for so long
        before = _events(ada)
        lan.put_back("p0")

        await ada.until(lambda: _events(ada) > before)
        ends = [await bot.ended(limit=150) for bot in bots]
        left = await ada.ended(limit=90)
        typing.cancel()
        report = await table.report()
        seen = await table.seen_by(0)

    links = [line for line in ada.lines if line.startswith("LINK ")]
    told = [line.removeprefix("EVENT ") for line in ada.lines if line.startswith("EVENT ")]
    assert (left, *ends) == (0, 0, 0)
    assert (report.exit_code, report.findings) == (0, ())
    # What she did herself, or was asked, she is told by other words than EVENT.
    assert told == [line for line in seen if line in told]
    assert [line for line in seen if line not in told and "you" not in line.lower()] == []
    assert any(line.startswith("END ") for line in ada.lines)
    if seconds > 15:
        assert "LINK lost. Your seat is held; trying again." in links
        assert any(line.startswith("LINK is back after") for line in links)


async def test_a_line_of_80_ms_there_and_back_that_loses_one_frame_in_a_hundred_is_played_on(
    tmp_path: Path, lan: Network
) -> None:
    lan.plug_in("p0", "10.77.0.10")
    lan.plug_in_far_away("p1", "10.77.0.11", delay=0.04, loss=0.01)
    async with evening(tmp_path, lan, seats=2) as table:
        bots = [await table.bot(f"p{seat}", seat, pause=0) for seat in range(2)]
        ends = [await bot.ended(limit=150) for bot in bots]
        report = await table.report()
    carried, lost = lan.cut()

    assert ends == [0, 0]
    assert carried > 10 * lost
    assert lost > 0 or carried < 1000  # a very short game may lose nothing
    assert (report.exit_code, report.findings) == (0, ())
