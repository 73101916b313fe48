"""A server or a service that ends by itself under a running stack: it is started again, and players go on."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.support.commands import Command
from tests.support.house import house

from chambers import audit
from chambers.bus.server import free_port
from chambers.protocol.watching import Scene
from chambers.services import upkeep
from chambers.services.upkeep import Upkeep

SERVER_ENDED = "The NATS server has ended by itself; it is started again."
SERVER_BACK = "The NATS server is back; tables go on where they were."


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not so():  # noqa: ASYNC110 - what makes it so tells nobody
            await asyncio.sleep(0.05)


async def test_a_server_that_is_killed_in_mid_game_is_started_again_and_the_game_goes_on(tmp_path: Path) -> None:
    told: list[str] = []
    killed: list[int] = []
    async with house(tmp_path, seats=3, sync="always") as here:
        watching = asyncio.create_task(Upkeep(here.stack, told.append).watch())

        async def kill(scene: Scene) -> None:
            pid = here.stack.server.pid
            if scene.sequence >= 12 and not killed and pid is not None:
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        docket = await here.play(3, at_entry=kill)
        again, given_up = here.stack.server.pid, watching.done()
        watching.cancel()

    assert audit.audit(docket).verdict == "clean"
    assert killed
    assert again not in (None, killed[0])
    assert told == [SERVER_ENDED, SERVER_BACK]
    assert not given_up


@pytest.mark.parametrize("user", ["gm", "dealer", "dice", "gallery", "gate", "seat0"])
async def test_a_service_whose_connection_was_ended_for_good_is_started_again_and_the_game_goes_on(
    tmp_path: Path, user: str
) -> None:
    told: list[str] = []
    async with house(tmp_path, seats=3) as here:
        watching = asyncio.create_task(Upkeep(here.stack, told.append).watch())
        first = here.stack.running[user]
        cut: list[bool] = []

        async def cut_off(scene: Scene) -> None:
            if scene.sequence >= 12 and not cut:
                cut.append(True)
                await first.bus._client.close()  # the library gives a connection up that the server refuses

        docket = await here.play(3, at_entry=cut_off)
        await until(lambda: here.stack.running[user] is not first)
        watching.cancel()

    assert audit.audit(docket).verdict == "clean"
    assert told == [f"The server has ended the connection of {user}; its service is started again."]


async def test_a_server_that_ends_again_and_again_is_given_up_and_its_log_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "LOOK_S", 0.02)
    monkeypatch.setattr(upkeep, "WITHIN_S", 600.0)
    told: list[str] = []
    killed: list[int] = []
    async with house(tmp_path, seats=3) as here, asyncio.timeout(90):
        watching = asyncio.create_task(Upkeep(here.stack, told.append).watch())
        while not watching.done():
            pid = here.stack.server.pid
            # one that is killed while it starts has not ended again: it cannot be started
            if pid is not None and told.count(SERVER_BACK) == len(killed):
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.05)
        error = watching.result()
        written = here.stack.server.log_before.read_text()

    assert error.code == "bus/server-failed"
    assert len(killed) == upkeep.TIMES + 1
    assert str(here.stack.server.log_before) in error.sentence
    assert "Starting nats-server" in written


async def test_a_server_that_cannot_be_started_again_is_given_up(tmp_path: Path) -> None:
    async with house(tmp_path, seats=3) as here, asyncio.timeout(60):
        here.stack.server.config.write_text("no such configuration {", encoding="utf-8")
        assert here.stack.server.pid is not None
        os.kill(here.stack.server.pid, signal.SIGKILL)
        error = await Upkeep(here.stack).watch()

    assert error.code == "bus/server-failed"
    assert error.sentence.endswith("says why.")


async def listed(server: str, home: Path) -> list[str]:
    """Return the tables that a server lists, once its services have found it again."""
    async with asyncio.timeout(60):
        while True:
            tables = await Command.start("tables", "--server", server, home=home)
            if await tables.ended() == 0 and tables.lines:
                return tables.lines


async def test_serve_says_that_its_server_has_ended_and_goes_on(tmp_path: Path) -> None:
    port = free_port()
    url = f"nats://127.0.0.1:{port}"
    serve = await Command.start("serve", "--listen", f"127.0.0.1:{port}", "--data", "data", home=tmp_path)
    await serve.says("Serving at")
    host = await Command.start("host", "--server", url, "--home", "data", "--seats", "2", home=tmp_path)
    await host.ended()
    os.kill(int((tmp_path / "data/nats/server.lock").read_text().split()[0]), signal.SIGKILL)
    await serve.says(SERVER_BACK)
    tables = await listed(url, tmp_path)
    await serve.stop()

    assert re.match(r"[0-9a-f]{32}", tables[0])
    assert tables[0].split()[0] == host.lines[0].split()[1]


async def test_a_program_that_takes_the_port_of_a_server_that_ended_hears_nobody_log_in(tmp_path: Path) -> None:
    told: list[str] = []
    heard: list[bytes] = []
    async with house(tmp_path, seats=2) as here:
        url = urlsplit(here.stack.url)
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        greeting = await reader.readline()  # the stranger greets as the server did, id and all
        writer.close()
        knocked = asyncio.Event()

        async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(greeting)
            knocked.set()
            with contextlib.suppress(ConnectionError):
                heard.append(await reader.read(65536))
            writer.close()

        pid = here.stack.server.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: here.stack.server.ended)
        async with await asyncio.start_server(listen, url.hostname, url.port):
            await asyncio.wait_for(knocked.wait(), 60)
            await asyncio.sleep(1.0)
        async with asyncio.timeout(60):
            watching = asyncio.create_task(Upkeep(here.stack, told.append).watch())
            await until(lambda: bool(told) and all(one.bus.connected for one in here.stack.running.values()))
        watching.cancel()

    assert heard
    assert set(heard) == {b""}
    assert told == [SERVER_ENDED, SERVER_BACK]
