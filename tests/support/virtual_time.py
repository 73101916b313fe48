"""An event loop whose time passes only when nothing is left to do: no test waits, and every run has one order."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import sys
import time
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

_EPOCH_S = 1_800_000_000
_T = TypeVar("_T")


class _Selector(selectors.DefaultSelector):
    """Never waits: what the loop would have waited for becomes the passing of its time."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("nothing is left that could ever happen")
        if not ready and timeout:
            self.loop.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that keeps its own time, in seconds from zero."""

    def __init__(self) -> None:
        self.now = 0.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now


class Clock:
    """Stands in for the module `time` where the program reads the clock."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop

    def monotonic(self) -> float:
        return self._loop.now

    def time(self) -> float:
        return _EPOCH_S + self._loop.now

    def time_ns(self) -> int:
        return int(self.time() * 1000) * 1_000_000


@contextlib.contextmanager
def _reading(clock: Clock) -> Iterator[None]:
    ours = [module for name, module in sys.modules.items() if name.startswith("chambers.")]
    readers = [module for module in ours if getattr(module, "time", None) is time]
    try:
        for module in readers:
            module.time = clock  # type: ignore[attr-defined]
        yield
    finally:
        for module in readers:
            module.time = time  # type: ignore[attr-defined]


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Return what `main` returns, run in virtual time; an error of any task or callback is raised here."""
    faults: list[dict[str, Any]] = []
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner, _reading(Clock(loop)):
        loop.set_exception_handler(lambda _, context: faults.append(context))
        result = runner.run(main)
    if faults:
        raise RuntimeError(f"a task failed: {faults[0]}") from faults[0].get("exception")
    return result


async def moment() -> None:
    """Return when everything that can happen now has happened, and a millisecond later."""
    await asyncio.sleep(0.001)
