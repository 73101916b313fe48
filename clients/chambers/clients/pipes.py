"""Standard input and output as lines: printed at once, and read beside the event loop."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterable
from typing import TextIO

import typer


def printable(text: str) -> str:
    """Return a text as one line that no terminal obeys: a `?` for each sign that cannot be printed."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "?" for sign in text)


def say(lines: Iterable[str]) -> None:
    """Print lines at once, each as `printable` has it; BrokenPipeError when nobody reads any more."""
    for line in lines:
        sys.stdout.write(f"{printable(line)}\n")
    sys.stdout.flush()


def tell(line: str, *, err: bool = False) -> None:
    """Print a line as `printable` has it, for a text may be a stranger's: a vault's, a server's, a record's."""
    typer.echo(printable(line), err=err)


class TypedLines:
    """The lines of standard input, read beside the event loop; None at the end of input."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        # A daemon thread: a read that waits for a person must not keep the program from ending.
        threading.Thread(target=self._read, name="typed-lines", daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._source:
                self._put(line.rstrip("\r\n"))
        except (OSError, ValueError):
            pass
        self._put(None)

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:
            return

    async def next(self) -> str | None:
        """Return the next line, or None when there will be no more."""
        return await self._queue.get()
