"""What a service does again and again: a turn that fails is noted in its own log, and is not the last one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import structlog

from chambers.bus.logs import fault

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


async def keep_on(turn: Callable[[], Awaitable[None]], *, every: float, name: str) -> None:
    """Run `turn` every `every` seconds until cancelled; `name` says in the log which one it was that failed."""
    while True:
        await asyncio.sleep(every)
        try:
            await turn()
        except Exception as error:  # noqa: BLE001 - the edge: a service whose clock has stopped looks alive and does nothing
            _log.error("clock.fault", clock=name, **fault(error))


async def for_each(tables: Mapping[bytes, _T], turn: Callable[[_T], Awaitable[None]], *, name: str) -> None:
    """Run `turn` for every table by its id; one at which it fails is noted, and holds up none of the others."""
    for table, one in tuple(tables.items()):
        try:
            await turn(one)
        except Exception as error:  # noqa: BLE001 - the edge: what is wrong at one table is not to reach another
            _log.error("clock.fault", clock=name, table=table.hex(), **fault(error))
