"""A deployment under a Docker engine, and clients in containers on a network of their own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEPLOY = Path(__file__).parents[2] / "deploy"
IMAGE = "chambers:local"
BOT_TABLE = ("--option", "object_window=none", "--option", "answer_floor_ms=0")
SHORT_TABLE = ("--option", "object_window=skip", "--option", "answer_floor_ms=0")
_LIMIT_S = 240


def compose_command() -> list[str] | None:
    """Return how Compose is called here, None if it is not installed."""
    if shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else None


def why_no_engine() -> str:
    """Return why no deployment can be started here, empty if one can."""
    if shutil.which("docker") is None:
        return "there is no docker program"
    if subprocess.run(["docker", "info"], capture_output=True).returncode != 0:
        return "no Docker engine answers"
    return "" if compose_command() else "Docker Compose is not installed"


def docker(*arguments: str, given: str | None = None, check: bool = True, limit: float = _LIMIT_S) -> str:
    """Return what a docker command prints; with its errors, if it fails unexpectedly."""
    done = subprocess.run(["docker", *arguments], input=given, capture_output=True, text=True, timeout=limit)
    assert not check or done.returncode == 0, f"docker {arguments[0]}: {done.stderr[-2000:]}"
    return done.stdout


class Table:
    """A table that the host opened: its tickets by seat, and where spectators go."""

    def __init__(self, lines: list[str]) -> None:
        self.id = next(line.split()[1] for line in lines if line.startswith("table "))
        self.tickets = {
            int(line.split()[1].rstrip(":")): line.split()[-1]
            for line in lines
            if line.split()[-1].startswith("chambers1.")
        }
        self.server = next(line.split()[-1] for line in lines if line.startswith("look on:"))


class Watch:
    """A spectator in a container; `reached` returns once the log is that long."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.sequence = -1
        self.over = ""
        self._grown = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            scene = json.loads(line)
            if scene["type"] == "view":
                with self._grown:
                    self.sequence, self.over = scene["sequence"], scene["over"] or self.over
                    self._grown.notify_all()
        with self._grown:
            self._grown.notify_all()

    def reached(self, sequence: int, *, limit: float = 120.0) -> None:
        """Return when the entry is stored; fail if it is not within `limit` seconds."""
        with self._grown:
            there = self._grown.wait_for(lambda: self.sequence >= sequence or not self._reader.is_alive(), limit)
            assert there, f"the table stands still at entry {self.sequence}"

    def ended(self, *, limit: float = 240.0) -> str:
        """Return how the table closed; fail if it does not."""
        assert self.process.wait(limit) == 0
        self._reader.join(limit)
        return self.over


class Deployment:
    """One project of Compose on a free port, with a network for clients that no service is on."""

    def __init__(self, name: str, *files: str, ports: dict[str, str] | None = None, **settings: str) -> None:
        self.name = name
        self.lan = f"{name}-lan"
        named = [part for file in ("compose.yaml", *files) for part in ("--file", str(DEPLOY / file))]
        self._compose = [*(compose_command() or []), "--project-name", name, *named]
        numbers = {"CHAMBERS_PORT": str(_free_port()), **(ports or {})}
        self._environment = {**os.environ, "CHAMBERS_BOT_PAUSE": "0.15", **numbers, **settings}

    def compose(self, *arguments: str, check: bool = True) -> str:
        """Return what a Compose command prints."""
        done = subprocess.run(
            [*self._compose, *arguments], env=self._environment, capture_output=True, text=True, timeout=_LIMIT_S
        )
        assert not check or done.returncode == 0, f"compose {arguments[0]}: {done.stderr[-2000:]}"
        return done.stdout

    def up(self) -> None:
        """Start everything; return when Compose says that it is up."""
        self.compose("up", "--detach")

    def container(self, service: str, number: int = 1) -> str:
        """Return the id of a service's container."""
        label = "com.docker.compose"
        return docker(
            "ps", "--all", "--quiet", "--no-trunc",
            "--filter", f"label={label}.project={self.name}",
            "--filter", f"label={label}.service={service}",
            "--filter", f"label={label}.container-number={number}",
        ).strip()  # fmt: skip

    def containers(self) -> list[dict[str, Any]]:
        """Return what the engine knows of every container, those that have ended too."""
        found = docker("ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self.name}").split()
        inspected: list[dict[str, Any]] = json.loads(docker("inspect", *found))
        return inspected

    def state(self, service: str, number: int = 1) -> dict[str, Any]:
        """Return the state of a service's container."""
        state: dict[str, Any] = json.loads(docker("inspect", self.container(service, number)))[0]
        return state

    def crash(self, service: str, number: int = 1) -> None:
        """Kill a service's process from outside, as a lack of memory would; its restart policy has to bring it back."""
        container = self.container(service, number)
        process = self.state(service, number)["State"]["Pid"]
        docker("run", "--rm", "--pid", "host", "--user", "0", "--entrypoint", "sh", IMAGE, "-c", f"kill -9 {process}")
        until(lambda: _came_back(container, process), f"{service} does not come back")

    def host(self, *arguments: str) -> Table:
        """Return a table that was opened as README says."""
        return Table(self.compose("run", "--rm", "-T", "host", *arguments).splitlines())

    def client(self, *arguments: str, given: str = "") -> subprocess.Popen[str]:
        """Return a client that runs in a container on the clients' network; a ticket goes in by standard input."""
        process = subprocess.Popen(
            ["docker", "run", "--rm", "--interactive", "--network", self.lan, IMAGE, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(given)
        process.stdin.close()
        return process

    def play(self, table: Table, *, pause: float = 0.15) -> list[subprocess.Popen[str]]:
        """Return clients that play every seat for which the host printed a ticket."""
        return [
            self.client("bot", "-", "--pause", str(pause), given=ticket + "\n") for ticket in table.tickets.values()
        ]

    def watch(self, table: Table) -> Watch:
        """Return a spectator on the clients' network."""
        return Watch(self.client("watch", table.id, "--server", table.server, "--json"))

    def docket(self, table: Table) -> str:
        """Return the table's docket, fetched from the clients' network."""
        return docker("run", "--rm", "--network", self.lan, IMAGE, "export", table.id, "--server", table.server)


def until(done: Callable[[], bool], otherwise: str, *, limit: int = 240) -> None:
    """Return once something is so, looked at again and again; fail after `limit` looks."""
    pause = threading.Event()
    for _ in range(limit):
        if done():
            return
        pause.wait(0.5)
    raise AssertionError(otherwise)


def _came_back(container: str, before: int) -> bool:
    state = json.loads(docker("inspect", container))[0]["State"]
    return bool(state["Running"]) and state["Pid"] not in (0, before)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


@contextmanager
def deployment(name: str, *files: str, **settings: str) -> Iterator[Deployment]:
    """Run a deployment, and leave nothing of it behind."""
    ports = {name: str(_free_port()) for name in ("CHAMBERS_PORT_2", "CHAMBERS_PORT_3")} if files else {}
    running = Deployment(f"{name}{os.getpid()}", *files, ports=ports, **settings)
    docker("network", "create", running.lan)
    try:
        running.up()
        yield running
    finally:
        running.compose("down", "--volumes", "--remove-orphans", check=False)
        clients = docker("ps", "--quiet", "--filter", f"network={running.lan}").split()
        if clients:
            docker("kill", *clients, check=False)
        docker("network", "rm", running.lan, check=False)
