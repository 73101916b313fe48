"""The program `chambers` as its users have it: a process, its lines as they come, and what is typed into it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOTS = tuple(str(Path(__file__).parents[2] / root) for root in ("shared", "services", "clients"))
PROGRAM = (sys.executable, "-c", "from chambers.clients.cli import main; raise SystemExit(main())")


class Command:
    """One running command. `lines` is what it has printed on standard output, `errors` on standard error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self.errors: list[str] = []
        self._grown = asyncio.Condition()
        self._readers = [
            asyncio.create_task(self._read(stream, into))
            for stream, into in ((process.stdout, self.lines), (process.stderr, self.errors))
        ]

    @classmethod
    async def start(cls, *arguments: str, home: Path, within: Sequence[str] = (), typed: str | None = None) -> Command:
        """Start `chambers`; `within` is what it is started by, say in a network of its own."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ROOTS), "HOME": str(home), "NO_COLOR": "1"}
        process = await asyncio.create_subprocess_exec(
            *within, *PROGRAM, *arguments, env=environment, cwd=home, limit=2**20,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        command = cls(process)
        if typed is not None:
            command.type(typed)
        return command

    async def _read(self, stream: asyncio.StreamReader | None, into: list[str]) -> None:
        assert stream is not None
        while line := await stream.readline():
            async with self._grown:
                into.append(line.decode().rstrip("\n"))
                self._grown.notify_all()
        async with self._grown:
            self._grown.notify_all()

    def type(self, text: str) -> None:
        """Type a text into its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())

    async def until(self, done: Callable[[], bool], *, limit: float = 60.0) -> None:
        """Return once something is so, looked at after each line; fail if the command ends first."""
        async with asyncio.timeout(limit), self._grown:
            while not done():
                assert not all(reader.done() for reader in self._readers), (self.lines[-5:], self.errors[-5:])
                await self._grown.wait()

    async def says(self, text: str, *, limit: float = 60.0) -> str:
        """Return the first line, on either stream, that holds a text."""
        found: list[str] = []

        def looked() -> bool:
            found[:] = [line for line in (*self.lines, *self.errors) if text in line]
            return bool(found)

        await self.until(looked, limit=limit)
        return found[0]

    async def ended(self, *, limit: float = 60.0) -> int:
        """Return its exit code, once it has ended by itself and everything is read."""
        async with asyncio.timeout(limit):
            await asyncio.gather(*self._readers)
            return await self.process.wait()

    async def stop(self) -> None:
        """End it as Ctrl-C does, or at once if it has not ended after ten seconds."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
        try:
            await self.ended(limit=10)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()


def tickets(lines: Sequence[str]) -> dict[int, str]:
    """Return the tickets that `chambers host` printed, by seat."""
    words = [line.split() for line in lines if line.startswith("seat ") and line.split()[-1].startswith("chambers1.")]
    return {int(one[1].rstrip(":")): one[-1] for one in words}


def table_of(lines: Sequence[str]) -> tuple[str, str]:
    """Return the table that `chambers host` opened, and the server's address for spectators."""
    name = next(line.split()[1] for line in lines if line.startswith("table "))
    return name, next(line.split()[-1] for line in lines if line.startswith("look on:"))
