"""Killing any one service at any entry loses nothing and doubles nothing: the log is the only state."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from tests.support.house import HouseOf, house
from tests.support.processes import processes

from chambers import audit
from chambers.bus.server import free_port
from chambers.clients.connecting import as_host, as_spectator
from chambers.protocol.watching import Scene
from chambers.services.stack import Stack

MOST_KILLS = 80
"""As many entries as most games of three among random bots have; of the few long ones the rest goes undisturbed."""


@pytest.mark.parametrize("user", ["gm", "dealer", "dice", "seat0", "seat2", "gate"])
async def test_a_service_that_is_killed_at_every_entry_stops_no_game(tmp_path: Path, user: str) -> None:
    async with house(tmp_path, seats=3) as here:
        killed: list[int] = []

        async def kill(scene: Scene) -> None:
            if len(killed) < MOST_KILLS:
                killed.append(scene.sequence)
                await here.restart(user)

        docket = await here.play(3, at_entry=kill, limit=110.0)

    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())
    assert len(killed) > 20


async def test_the_server_is_killed_and_comes_back_with_its_store(tmp_path: Path) -> None:
    async with house(tmp_path, seats=3, sync="always") as here:
        killed: list[int] = []

        async def kill(scene: Scene) -> None:
            if scene.sequence % 25 == 10 and len(killed) < 4:
                killed.append(scene.sequence)
                await here.stack.server.restart()

        docket = await here.play(3, at_entry=kill, limit=110.0)

    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())
    assert killed


@pytest.mark.parametrize("game", ["witness-stand", "missing-suspect"])
async def test_everything_is_stopped_and_started_again_under_sitting_clients(game: str, tmp_path: Path) -> None:
    def stack() -> Stack:
        return Stack(tmp_path, ("127.0.0.1", port), seats=3)

    port = free_port()
    async with stack() as running, asyncio.timeout(90):
        host = await as_host(running.url, running.home)
        here = HouseOf(running, host)
        table = await here.open(3, game=game)
        spectator = await as_spectator(running.url, table)
        players = [await here.sit(table, seat, level="rules") for seat in range(3)]
        scenes = spectator.scenes()
        before = await until(scenes, lambda scene: scene.phase == "play" and scene.sequence > 18)
    async with stack(), asyncio.timeout(90):
        last = await until(scenes, lambda scene: scene.phase == "closed")
        docket = await spectator.docket()
        overs = await asyncio.gather(*players)
        await spectator.leave()
        await host.bus.close()

    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())
    assert before.sequence < last.sequence
    assert None not in overs


async def until(scenes: AsyncIterator[Scene], happened: Callable[[Scene], bool]) -> Scene:
    """Return the first scene at which something has happened; fail if the table closes before."""
    async for scene in scenes:
        if happened(scene):
            return scene
    raise AssertionError("the table closed before")


async def test_two_game_masters_serve_one_table(tmp_path: Path) -> None:
    from chambers.bus.run import Settings, start_service
    from chambers.services import game_master

    async with house(tmp_path, seats=3) as here:
        home = here.stack.deployment.role_home("gm")
        second = await start_service(game_master.make, Settings(user="gm", home=home, server=here.stack.url))
        docket = await here.play(3)
        await second.stop()

    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())


async def test_processes_that_are_killed_outright_stop_no_game(tmp_path: Path) -> None:
    async with processes(tmp_path, seats=3) as running:
        host = await as_host(running.url, running.home)
        here = HouseOf(running, host)
        victims = ["dice", "seat1", "gm", "dealer", "seat0", "gate", "gm", "dice", "seat2", "gallery", "gm", "seat1"]

        async def kill(scene: Scene) -> None:
            if victims and scene.sequence % 4 == 3:
                await here.restart(victims.pop(0))

        docket = await here.play(3, at_entry=kill, limit=110.0)
        await host.bus.close()

    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())
    assert len(victims) < 8
