"""Who runs the nats-server on a store: two locks, so that no two do, and that one left behind is known as such."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
from pathlib import Path
from typing import Final

from chambers.bus.errors import BusError

_END_LIMIT_S: Final = 10.0
_LOOK_AGAIN_S: Final = 0.02


class ServerLock:
    """The locks beside a server's configuration: `.owner` is ours, `.lock` the server's, which inherits it.

    The server holds its own as long as it lives, whatever becomes of us: two servers on one store would ruin it. So a
    server whose owner's lock is free has been left behind by one that was killed.
    """

    def __init__(self, config: Path) -> None:
        self._folder = config.parent
        self._server = config.with_suffix(".lock")
        self._owner = config.with_suffix(".owner")
        self._owned: int | None = None
        self.replaced: int | None = None

    async def take(self) -> int:
        """Return the handle of the lock that the server inherits, once a server that was left behind has ended.

        BusError (`bus/store-in-use`) if the owner of the one that runs there lives, or that one cannot be ended.
        """
        if self._owned is None:
            self._owned = self._own()
        handle = self._open(self._server)
        try:
            if not _locked(handle):
                await self._end_the_one_left_behind(handle)
            os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            self.release()
            raise
        return handle

    def started(self, handle: int, pid: int, name: str) -> None:
        """Note the process and the name of the server that has inherited the lock."""
        _write(handle, f"{pid} {name}\n")

    def release(self) -> None:
        """Give up our own lock, when the server has ended."""
        if self._owned is not None:
            os.close(self._owned)
            self._owned = None

    def _own(self) -> int:
        handle = self._open(self._owner)
        if _locked(handle):
            _write(handle, f"{os.getpid()}\n")
            return handle
        whose = os.pread(handle, 32, 0).decode(errors="replace").strip()
        os.close(handle)
        raise self._in_use(f"process {whose} runs it; end that first" if whose.isdecimal() else "end that first")

    async def _end_the_one_left_behind(self, handle: int) -> None:
        pid, name = _noted(handle)
        # A number alone may be another process by now; the name is on the command line of that one server.
        if not name or name not in await asyncio.to_thread(_command, pid):
            raise self._in_use("what started it is gone; end that nats-server first")
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        except PermissionError:
            raise self._in_use(f"it is process {pid} of another user; have that ended first") from None
        try:
            async with asyncio.timeout(_END_LIMIT_S):
                while not _locked(handle):  # noqa: ASYNC110 - nothing tells that a lock is free
                    await asyncio.sleep(_LOOK_AGAIN_S)
        except TimeoutError:
            raise self._in_use(f"it is process {pid} and does not end; try: kill -9 {pid}") from None
        self.replaced = pid

    def _open(self, path: Path) -> int:
        try:
            return os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise BusError("bus/store-unwritable", f"{path.parent} cannot be written: {error.strerror}.") from None

    def _in_use(self, what: str) -> BusError:
        return BusError("bus/store-in-use", f"Another server already runs in {self._folder}: {what}.")


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _write(handle: int, text: str) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)


def _noted(handle: int) -> tuple[int, str]:
    """Return process and name of the server that holds a lock; 0 and nothing if that was not noted."""
    pid, _, name = os.pread(handle, 128, 0).decode(errors="replace").strip().partition(" ")
    return (int(pid), name) if pid.isdecimal() and name else (0, "")


def _command(pid: int) -> str:
    """Return the command line of a process, empty if there is none or it cannot be told."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        pass
    try:
        asked = ("ps", "-o", "args=", "-p", str(pid))
        return subprocess.run(asked, capture_output=True, text=True, timeout=_END_LIMIT_S, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
