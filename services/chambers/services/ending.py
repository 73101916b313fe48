"""Ending a background task for certain: a cancellation may be swallowed by what the task is waiting for."""

from __future__ import annotations

import asyncio
from typing import Any, Final

_AGAIN_S: Final = 0.1


async def end(task: asyncio.Task[Any] | None) -> None:
    """Return when the task has ended; it is cancelled again for as long as it goes on."""
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_AGAIN_S)
