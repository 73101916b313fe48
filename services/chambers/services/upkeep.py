"""Keeps a running stack up: what has ended by itself is started again, and whoever runs the stack is told."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import structlog

from chambers.bus.errors import BusError
from chambers.services.stack import Stack

LOOK_S: Final = 0.5
"""How long something has been gone at most when it is noticed."""

TIMES: Final = 5
WITHIN_S: Final = 60.0
"""What ends as many times within as many seconds is not started again."""

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


class Upkeep:
    """Looks after the server and the services of one stack."""

    def __init__(self, stack: Stack, tell: Callable[[str], None] = lambda _: None) -> None:
        self._stack = stack
        self._tell = tell
        self._ended: dict[str, deque[float]] = {}

    async def watch(self) -> BusError:
        """Start again whatever ends by itself; return why the server or a service cannot be kept up."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self._look()
            except BusError as error:
                return error

    async def _look(self) -> None:
        server = self._stack.server
        if server.ended:
            why = f"The NATS server ends again and again; {server.log_before} says why."
            self._count("server", BusError("bus/server-failed", why))
            self._tell("The NATS server has ended by itself; it is started again.")
            await server.start()
            self._tell("The NATS server is back; tables go on where they were.")
        for user, running in tuple(self._stack.running.items()):
            lost = running.lost
            if lost is None:
                continue
            self._count(user, lost)
            self._tell(f"The server has ended the connection of {user}; its service is started again.")
            with contextlib.suppress(BusError):  # then it is as lost as before, and is seen again
                await self._stack.replace(user)

    def _count(self, what: str, error: BusError) -> None:
        _log.warning("stack.ended", what=what, code=error.code)
        times = self._ended.setdefault(what, deque(maxlen=TIMES))
        now = time.monotonic()
        if len(times) == TIMES and now - times[0] < WITHIN_S:
            raise error
        times.append(now)


async def unless(work: Coroutine[Any, Any, _T], *troubles: Coroutine[Any, Any, BusError]) -> _T:
    """Return what some work on a stack returns; BusError as soon as there is trouble that it would wait out in vain."""
    working = asyncio.create_task(work)
    waiting = [asyncio.create_task(trouble) for trouble in troubles]
    try:
        await asyncio.wait({working, *waiting}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise next(task for task in waiting if task.done()).result()
        return working.result()
    finally:
        for task in (working, *waiting):
            task.cancel()
        await asyncio.wait({working, *waiting})
