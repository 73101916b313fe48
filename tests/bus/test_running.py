"""A service as a process: settings, connection, service; a signal ends it; a fault is one sentence and exit code 2."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process

import pytest
from tests.bus.running_server import TABLE, Site
from tests.support.ports import silent_port

from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings, run_service, start_service
from chambers.bus.services_api import ServiceInfo, discover
from chambers.protocol import subjects

GATE = "import sys; from chambers.services.gate import main; sys.exit(main())"


class Echo:
    """A service that answers every request for entries with itself."""

    def __init__(self, bus: NatsBus) -> None:
        self.bus = bus
        self.stopped = False

    async def start(self) -> None:
        await self.bus.serve(subjects.tail(subjects.ANY, subjects.ANY), self._answer, asker=subjects.asker)

    async def stop(self) -> None:
        self.stopped = True

    async def _answer(self, _subject: str, data: bytes) -> bytes:
        return data


async def make_echo(bus: NatsBus, _settings: Settings) -> Echo:
    return Echo(bus)


async def _gate_process(site: Site, *, server: str | None = None) -> Process:
    home = str(site.deployment.role_home("gate"))
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", GATE, "--home", home, "--server", server or site.server.url, stderr=PIPE, stdout=PIPE
    )


async def _until_found(host: NatsBus, name: str) -> ServiceInfo:
    while True:
        for service in await discover(host, wait=0.1):
            if service.name == name:
                return service


async def test_a_started_service_answers_and_is_found_and_stops_in_order(site: Site) -> None:
    settings = Settings(user="gm", home=site.deployment.role_home("gm"), server=site.server.url)
    running = await start_service(make_echo, settings)
    dealer, host = await site.user("dealer"), await site.user("host")

    assert await dealer.request(subjects.tail(TABLE, "dealer"), b"here") == b"here"
    assert (await _until_found(host, "game-master")).user == "gm"
    await running.stop()
    with pytest.raises(BusError, match="bus/no-responder"):
        await dealer.request(subjects.tail(TABLE, "dealer"), b"here")


async def test_a_process_ends_with_code_0_when_it_is_told_to(site: Site) -> None:
    process = await _gate_process(site)
    found = await asyncio.wait_for(_until_found(await site.user("host"), "gate"), 60)

    process.terminate()
    _, err = await asyncio.wait_for(process.communicate(), 60)

    assert found.user == "gate"
    assert process.returncode == 0
    assert b"Traceback" not in err


async def test_a_process_without_a_server_ends_with_code_2_and_one_sentence(site: Site) -> None:
    with silent_port() as port:
        url = f"nats://127.0.0.1:{port}"
        process = await _gate_process(site, server=url)
        out, err = await asyncio.wait_for(process.communicate(), 60)

    assert (process.returncode, out, err.decode()) == (2, b"", f"No NATS server answers at {url}.\n")


def test_a_service_without_its_key_ends_with_code_2_and_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path_factory.mktemp("empty")

    code = run_service(make_echo, user="gm", argv=["--home", str(home), "--server", "nats://127.0.0.1:1"])

    assert code == 2
    assert capsys.readouterr().err == f"{home}/login.nk holds no log-in key; set the deployment up first.\n"


def test_a_vault_has_to_be_told_its_seat(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run_service(make_echo, user=None, argv=["--home", "x", "--server", "nats://127.0.0.1:1"])

    assert caught.value.code == 2
    assert "--seat" in capsys.readouterr().err
