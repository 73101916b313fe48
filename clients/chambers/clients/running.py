"""Runs a command's asynchronous work: SIGTERM and SIGHUP stop it as Ctrl-C does, so that nothing is left running.

One signal stops it; those that follow while it puts things in order are not heeded.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class Stopped(Exception):
    """The command was told to stop by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.number = number


def run(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Return what the work returns; Stopped after a signal, once the work has cleaned up behind itself."""
    return asyncio.run(_guarded(work))


async def _guarded(work: Coroutine[Any, Any, _Result]) -> _Result:
    loop = asyncio.get_running_loop()
    task = asyncio.create_task(work)
    told: list[int] = []

    def stop(number: int) -> None:
        told.append(number)
        if len(told) == 1:  # another one would cut short what the first has begun to put in order
            task.cancel()

    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        # A loop that knows no signals (Windows) leaves Ctrl-C to the interpreter.
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            if number is not None:
                loop.add_signal_handler(number, stop, int(number))
    try:
        return await task
    except asyncio.CancelledError:
        if told:
            raise Stopped(told[0]) from None
        raise
