"""Runs handlers: in order for each key, at the same time for different keys, never more than a fixed number waiting."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

Work = Callable[[], Awaitable[None]]
_LIMIT = 4096


class Dispatcher:
    """A queue a key, each worked off by one task that ends when its queue is empty."""

    def __init__(self, *, limit: int = _LIMIT) -> None:
        self._room = asyncio.Semaphore(limit)
        self._queues: dict[str, deque[Work]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def put(self, key: str, work: Work) -> None:
        """Queue `work` behind what has the same key; waits while too much is queued. Work must not raise."""
        await self._room.acquire()
        queue = self._queues.get(key)
        if queue is not None:
            queue.append(work)
            return
        self._queues[key] = deque((work,))
        task = asyncio.create_task(self._work_off(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work_off(self, key: str) -> None:
        queue = self._queues[key]
        try:
            while queue:
                work = queue.popleft()
                try:
                    await work()
                finally:
                    self._room.release()
        finally:
            for _ in queue:
                self._room.release()
            del self._queues[key]

    async def idle(self) -> None:
        """Return when nothing is queued and nothing runs."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def stop(self) -> None:
        """Cancel what runs and forget what is queued."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
