"""Standard input and output as lines: printed at once, and read beside the event loop."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterable
from typing import TextIO


def say(lines: Iterable[str]) -> None:
    """Print lines at once; BrokenPipeError when nobody reads any more."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


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
