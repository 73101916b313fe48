"""mDNS over a real link: two network namespaces with a cable between them stand for two machines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lan.network import why_no_networks

pytestmark = [pytest.mark.netns, pytest.mark.timeout(240)]
HOST, PLAYER = "host", "player"
IPV4 = {HOST: "10.77.0.1", PLAYER: "10.77.0.2"}
IPV6 = {HOST: "fd77::1", PLAYER: "fd77::2"}


class Link:
    """Two machines on one cable, with addresses of one kind only."""

    def __init__(self, addresses: dict[str, str]) -> None:
        self.names = {HOST: f"chh{os.getpid()}", PLAYER: f"chp{os.getpid()}"}
        self._addresses = addresses
        self._six = addresses == IPV6
        self.server = f"nats://[{addresses[HOST]}]:4222" if self._six else f"nats://{addresses[HOST]}:4222"
        self.listen = "[::]:4222" if self._six else "0.0.0.0:4222"

    def up(self) -> None:
        host, player = self.names.values()
        for name in (host, player):
            self._ip("netns", "add", name)
        self._ip("link", "add", "lan0", "netns", host, "type", "veth", "peer", "name", "lan0", "netns", player)
        for who, name in self.names.items():
            # without nodad an IPv6 address could not be used for its first second
            more = ("/64", "nodad") if self._six else ("/24",)
            self._ip("-n", name, "addr", "add", self._addresses[who] + more[0], "dev", "lan0", *more[1:])
            for link in ("lo", "lan0"):
                self._ip("-n", name, "link", "set", link, "up")
            # multicast takes the way of everything that leaves
            self._ip("-n", name, "-6" if self._six else "-4", "route", "add", "default", "dev", "lan0")

    def down(self) -> None:
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)

    def command(self, where: str, *arguments: str) -> list[str]:
        return ["ip", "netns", "exec", self.names[where], sys.executable, "-m", "chambers.clients.cli", *arguments]

    @staticmethod
    def _ip(*arguments: str) -> None:
        done = subprocess.run(["ip", *arguments], check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"


@pytest.fixture(params=[IPV4, IPV6], ids=["IPv4", "IPv6"])
def link(request: pytest.FixtureRequest) -> Iterator[Link]:
    reason = why_no_networks()
    if reason and os.environ.get("CHAMBERS_REQUIRE_NETNS") == "1":
        pytest.fail(f"CHAMBERS_REQUIRE_NETNS is set, but {reason}")
    if reason:
        pytest.skip(f"needs network namespaces: {reason}")
    one = Link(request.param)
    try:
        one.up()
        yield one
    finally:
        one.down()


def surroundings(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHAMBERS_")}
    return {**kept, "CHAMBERS_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}


def ran(link: Link, where: str, home: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        link.command(where, *arguments), input=typed, env=surroundings(home), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


@pytest.fixture
def serving(link: Link, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        link.command(HOST, "serve", "--listen", link.listen, "--data", str(tmp_path / "data"), "--tls"),
        env=surroundings(tmp_path / "host"), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    while not (line := process.stderr.readline()).startswith(("Tables are shown", "Others may not")):
        assert line, "the server did not start"
    yield process
    process.terminate()
    process.wait(30)
    process.stderr.close()


def test_a_player_on_another_machine_finds_the_table_and_sits_down_by_its_code(
    link: Link, serving: subprocess.Popen[str], tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    opened = ran(link, HOST, tmp_path / "host", "host", "--server", link.server, "--home", data, "--seats", "2")
    code = re.findall(r"chambers join (1-\S+)", opened.stdout)[0]
    ticket = re.findall(r"seat 0: chambers join (\S+)", opened.stdout)[0]

    joined = _until_found(link, tmp_path / "ada", "join", code, "--name", "Ada", typed="quit\n")
    taken = _until_found(link, tmp_path / "bo", "join", code)
    by_ticket = ran(link, PLAYER, tmp_path / "bo", "join", ticket, typed="quit\n")
    healthy = ran(link, PLAYER, tmp_path / "bo", "doctor", ticket)
    serving.terminate()
    serving.wait(30)
    gone = ran(link, PLAYER, tmp_path / "bo", "join", code)

    assert (joined.returncode, "LINK you are at the table: seat 1 of 2" in joined.stdout) == (0, True)
    assert (by_ticket.returncode, "LINK you are at the table: seat 0 of 2" in by_ticket.stdout) == (0, True)
    assert healthy.returncode == 0, healthy.stdout
    told = "This seat is taken, and no code opens it any more; its player comes back with the ticket."
    assert taken.returncode == 2
    assert taken.stderr.splitlines()[-1].startswith(f"{told} The table that was tried is ")
    assert gone.returncode == 2
    assert "No table was found in this network" in gone.stderr


def _until_found(link: Link, home: Path, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Return what joining said; the server looks for new tables every other second, and an answer may be lost."""
    deadline = time.monotonic() + 90
    while True:
        joined = ran(link, PLAYER, home, *arguments, typed=typed)
        if "No table was found" not in joined.stderr or time.monotonic() > deadline:
            return joined
