"""A deployment under a Docker engine, called as people call it (ADR 23), and clients on a network of their own."""

from __future__ import annotations

import io
import json
import os
import secrets
import shutil
import socket
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DEPLOY = Path(__file__).parents[2] / "deploy"
IMAGE = os.environ.get("CHAMBERS_IMAGE", "chambers:local")
BOT_TABLE = ("--option", "object_window=none", "--option", "answer_floor_ms=0")
SHORT_TABLE = ("--option", "object_window=skip", "--option", "answer_floor_ms=0")
VOLUMES = (
    "store", "nats", "gm", "dealer", "dice", "gate", "gallery", "host", "admin",
    *(f"seat{n}" for n in range(6)), "bots",
)  # fmt: skip
LABEL = "chambers.test.lan"
STILL_S = 150.0
_LIMIT_S = 240
_BEING_WRITTEN = (b"file changed as we read it", b"file removed before we read it")


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
    """A table that the host opened: its tickets and those for own vaults by seat, and where spectators go."""

    def __init__(self, lines: list[str]) -> None:
        self.id = next(line.split()[1] for line in lines if line.startswith("table "))
        self.tickets = _by_seat(lines, "chambers1.")
        self.vaults = _by_seat(lines, "chambers1vault.")
        self.server = next(line.split()[-1] for line in lines if line.startswith("look on:"))


def _by_seat(lines: list[str], kind: str) -> dict[int, str]:
    words = [line.split() for line in lines if line.startswith("seat ")]
    return {int(one[1].rstrip(":")): one[-1] for one in words if one[-1].startswith(kind)}


class Watch:
    """A spectator in a container; `reached` returns once the log is that long."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.sequence = -1
        self.over = ""
        self._done = False
        self._grown = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            scene = json.loads(line)
            if scene["type"] == "view":
                with self._grown:
                    self.sequence, self.over = scene["sequence"], scene["over"] or self.over
                    self._grown.notify_all()
        with self._grown:
            self._done = True
            self._grown.notify_all()

    def reached(self, sequence: int, *, limit: float = 120.0) -> None:
        """Return when the entry is stored; fail if it is not within `limit` seconds."""
        with self._grown:
            there = self._grown.wait_for(lambda: self.sequence >= sequence or self._done, limit)
            assert there, f"the table stands still at entry {self.sequence}"

    def ended(self, *, limit: float = STILL_S) -> str:
        """Return how the table closed, however long its game is; fail if it stands still for `limit` seconds."""
        with self._grown:
            while not self._done:
                assert self._grown.wait(limit), f"the table stands still at entry {self.sequence}"
        assert self.process.wait(60) == 0
        return self.over


class OwnVault:
    """A player's own vault in a container on the clients' network; what it keeps is in a volume of its own."""

    def __init__(self, lan: str, ticket: str) -> None:
        self.name = f"{lan}-own-{secrets.token_hex(4)}"
        self._lan = lan
        self._ticket = ticket
        self._process: subprocess.Popen[str] | None = None
        docker("volume", "create", "--label", f"{LABEL}={lan}", self.name)

    def start(self) -> str:
        """Start it as deploy/README.md says; return the ticket that it prints for the seat's client."""
        self._process = subprocess.Popen(
            [
                "docker", "run", "--rm", "--interactive", "--name", self.name, "--network", self._lan, "--read-only",
                "--cap-drop", "ALL", "--tmpfs", "/tmp", "--volume", f"{self.name}:/srv/chambers/own",
                "--env", "CHAMBERS_HOME=/srv/chambers/own", IMAGE, "vault", "-",
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{self._ticket}\n")
        self._process.stdin.close()
        line = self._process.stdout.readline()
        assert line.startswith("chambers join "), self.ended()
        return line.split()[-1]

    def kill(self) -> None:
        """Kill it, if it has not ended by itself, and return when its container is gone."""
        docker("kill", self.name, check=False)
        self.ended()

    def ended(self) -> tuple[int, str]:
        """Return its exit code and what it has told, once it has ended."""
        assert self._process is not None
        code = self._process.wait(60)
        assert self._process.stderr is not None
        until(lambda: self.name not in _names(), "its container stays", limit=60)
        return code, self._process.stderr.read()

    def files(self) -> dict[str, bytes]:
        """Return what it keeps, by path, read by root from outside."""
        return unpacked({self.name: "own"})


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

    def piped(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes]:
        """Return the exit code of a Compose command, and the bytes that it prints."""
        done = subprocess.run(
            [*self._compose, *arguments], env=self._environment, input=given, capture_output=True, timeout=_LIMIT_S
        )
        return done.returncode, done.stdout

    def lose(self, volume: str) -> None:
        """Take everything down, and one volume away."""
        self.compose("down")
        docker("volume", "rm", f"{self.name}_{volume}")

    def up(self) -> None:
        """Start everything; return when Compose says that it is up."""
        self.compose("up", "--detach")

    def packed(self) -> bytes:
        """Return a backup of every volume, made as docs/operating.md says; while nothing runs."""
        return _tar(self._volumes, "--create", "all")

    def unpack(self, backup: bytes) -> None:
        """Put a backup into empty volumes, before the first `up`."""
        _tar(self._volumes, "--extract", given=backup)

    @property
    def _volumes(self) -> dict[str, str]:
        return {f"{self.name}_{volume}": volume for volume in VOLUMES}

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

    def logs(self) -> str:
        """Return what every service and client has printed last, to find out why something stands still."""
        names = [one["Name"].lstrip("/") for one in self.containers()]
        names += docker("ps", "--filter", f"network={self.lan}", "--format", "{{.Names}}").split()
        return "\n".join(f"--- {name}\n{_last_lines(name)}" for name in names)

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

    def close(self, table: Table) -> None:
        """Have the host end a table's game, which may have ended by itself: some last for many minutes."""
        code, _ = self.piped("run", "--rm", "-T", "chambers", "close", table.id, "--why", "It is late.")
        assert code in (0, 1)

    def own_vault(self, table: Table, seat: int) -> OwnVault:
        """Return the vault that the player of a seat keeps in a container on the clients' network."""
        return OwnVault(self.lan, table.vaults[seat])

    def watch(self, table: Table) -> Watch:
        """Return a spectator on the clients' network."""
        return Watch(self.client("watch", table.id, "--server", table.server, "--json"))

    def docket(self, table: Table) -> str:
        """Return the table's docket, fetched from the clients' network."""
        return docker("run", "--rm", "--network", self.lan, IMAGE, "export", table.id, "--server", table.server)


def unpacked(volumes: dict[str, str]) -> dict[str, bytes]:
    """Return every file of some volumes, by path: each volume is a folder of the name that is given for it."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(_tar(volumes, "--create", "all"))) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                found[member.name.removeprefix("all/")] = file.read()
    return found


def _tar(volumes: dict[str, str], *arguments: str, given: bytes = b"") -> bytes:
    """Return what tar prints that root runs over some volumes, each in a folder of the name that is given for it."""
    mounts = [part for volume, name in volumes.items() for part in ("--volume", f"{volume}:/all/{name}")]
    command = ["docker", "run", "--rm", "--interactive", "--user", "0", *mounts, "--entrypoint", "tar", IMAGE]
    done = subprocess.run([*command, "--directory", "/", *arguments], input=given, capture_output=True, timeout=60)
    # what a running service writes just then is read as far as it was written
    told = [line for line in done.stderr.lower().splitlines() if not line.endswith(_BEING_WRITTEN)]
    assert done.returncode == 0 or (done.returncode == 1 and not told), done.stderr
    return done.stdout


def _last_lines(container: str) -> str:
    shown = subprocess.run(
        ["docker", "logs", "--timestamps", "--tail", "200", container],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return shown.stdout


def _names() -> list[str]:
    return docker("ps", "--all", "--format", "{{.Names}}").split()


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
    except Exception as failed:
        failed.add_note(running.logs())
        raise
    finally:
        running.compose("down", "--volumes", "--remove-orphans", check=False)
        clients = docker("ps", "--quiet", "--filter", f"network={running.lan}").split()
        if clients:
            docker("kill", *clients, check=False)
        own = docker("volume", "ls", "--quiet", "--filter", f"label={LABEL}={running.lan}").split()
        if own:
            docker("volume", "rm", *own, check=False)
        docker("network", "rm", running.lan, check=False)
