"""A meter of processor time: which role spends it, and on what. Only the bench puts it on; a game knows nothing of it.

Every service and client of the bench runs in one thread. What an event loop runs has a context, and so a role; what a
role does with keys, boxes, hashes and the record goes through functions that stand behind a clock meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Final

from chambers.fairness import boxes, dice, hashing, signatures, tree
from chambers.protocol import frames, log

ROLE: Final[ContextVar[str]] = ContextVar("role", default="")
"""Who runs: inherited by every task and callback that is made while it is set."""


class Part(StrEnum):
    """What processor time is spent on; all that is none of these is called the rest."""

    SIGNING = "signing"
    CHECKS = "checks"
    BOXES = "boxes"
    HASHES = "hashes"
    RECORD = "record"
    FRAMES = "frames"
    BOTS = "bots"


_FUNCTIONS: Final = (
    (Part.CHECKS, signatures.verifies),
    (Part.BOXES, boxes.seal_box),
    (Part.BOXES, boxes.open_box),
    (Part.BOXES, boxes.check_box_key),
    (Part.BOXES, boxes.box_public),
    (Part.HASHES, hashing.digest),
    (Part.HASHES, hashing.prf),
    (Part.HASHES, tree.leaf_hash),
    (Part.FRAMES, frames.read_hello),
)
_METHODS: Final = (
    (Part.SIGNING, signatures.SigningKey, ("__init__", "sign")),
    (Part.HASHES, tree.Tree, ("append",)),
    (Part.HASHES, dice.Chain, ("__init__",)),
    (Part.FRAMES, frames.VaultSession, ("__init__", "seal", "open")),
    (Part.FRAMES, frames.ClientSession, ("__init__", "hello", "seal", "open")),
    (Part.RECORD, log.Log, ("admit", "examine")),
)
_SIGNATURES_KEPT: Final = 1 << 16
_CALIBRATIONS: Final = 20_000


class Meter:
    """Nanoseconds of this thread's processor time, by role and part; what the meter itself takes is subtracted."""

    def __init__(self) -> None:
        self.whole = 0
        self.handled = 0
        self._by_role: Counter[str] = Counter()
        self._own: Counter[tuple[str, Part]] = Counter()
        self._role = ""
        self._part: Part | None = None
        self._nested = 0
        self._inside = self._around = 0.0
        self._inside, self._around = self._calibrate()

    def of(self, role: str) -> int:
        """Return the nanoseconds of a role, all in all."""
        return self._by_role[role]

    def part(self, role: str, part: Part) -> int:
        """Return the nanoseconds that a role spent on a part, without what other parts took of it."""
        return self._own[role, part]

    def behind(self, part: Part, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function behind the clock. What it calls counts as its own, but for the record's checks."""
        clock = time.thread_time_ns

        @functools.wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            outer, nested = self._part, self._nested
            if outer is part or (outer is not None and outer is not Part.RECORD):
                return function(*given, **named)
            self._part, self._nested = part, 0
            start = clock()
            try:
                return function(*given, **named)
            finally:
                spent = clock() - start
                self._charge(part, spent)
                self._part, self._nested = outer, nested + spent + int(self._around - self._inside)

        return timed

    def _charge(self, part: Part, spent: int) -> None:
        self._own[self._role, part] += spent - self._nested - int(self._inside)
        self._by_role[self._role] -= int(self._around)

    def run(self, handle: asyncio.Handle, work: Callable[[asyncio.Handle], None]) -> None:
        """Run a callback of the event loop for the role whose context it has."""
        context = handle._context  # type: ignore[attr-defined]  # what asyncio runs it in
        self._role = context.get(ROLE, "")
        start = time.thread_time_ns()
        try:
            work(handle)
        finally:
            spent = time.thread_time_ns() - start
            self._by_role[self._role] += spent
            self.handled += spent

    def _calibrate(self) -> tuple[float, float]:
        """Return what a metered call costs more than a bare one, in ns: as the clock sees it, and in all."""
        timed = self.behind(Part.BOTS, _nothing)
        bare = _time_of(_nothing)
        around = _time_of(timed) - bare
        inside = self._own["", Part.BOTS] / _CALIBRATIONS - bare
        self._own.clear()
        self._by_role.clear()
        return max(0.0, inside), max(0.0, around)


def _nothing() -> None:
    return None


def _time_of(function: Callable[[], Any]) -> float:
    start = time.thread_time_ns()
    for _ in range(_CALIBRATIONS):
        function()
    return (time.thread_time_ns() - start) / _CALIBRATIONS


@contextlib.contextmanager
def acting(role: str) -> Iterator[None]:
    """Have everything that is started meanwhile count as a role's."""
    token = ROLE.set(role)
    try:
        yield
    finally:
        ROLE.reset(token)


@contextlib.contextmanager
def metered() -> Iterator[Meter]:
    """Have this thread's time measured meanwhile.

    Roles share one process here, and so what it remembers of signatures that it has checked; each is given a memory
    of its own, as it has where it runs alone.
    """
    meter = Meter()
    with contextlib.ExitStack() as undo:
        _give_memories(meter, undo)
        for part, function in _FUNCTIONS:
            _bind_everywhere(function, meter.behind(part, function), undo)
        for part, kind, names in _METHODS:
            for name in names:
                _bind(kind, name, meter.behind(part, getattr(kind, name)), undo)
        run = asyncio.Handle._run
        _bind(asyncio.Handle, "_run", lambda handle: meter.run(handle, run), undo)
        start = time.thread_time_ns()
        yield meter
        meter.whole = time.thread_time_ns() - start


def _give_memories(meter: Meter, undo: contextlib.ExitStack) -> None:
    check = signatures._verifies.__wrapped__

    @functools.lru_cache(maxsize=_SIGNATURES_KEPT)
    def remembered(_role: str, public: bytes, sig: bytes, message: bytes) -> bool:
        return check(public, sig, message)

    def by_role(public: bytes, sig: bytes, message: bytes) -> bool:
        return remembered(meter._role, public, sig, message)

    _bind(signatures, "_verifies", by_role, undo)


def _bind_everywhere(function: Any, instead: Any, undo: contextlib.ExitStack) -> None:
    """Put a function in another's place, wherever a module of ours has imported it."""
    for module in tuple(sys.modules.values()):
        if module.__name__.startswith("chambers."):
            for name, value in tuple(vars(module).items()):
                if value is function:
                    _bind(module, name, instead, undo)


def _bind(owner: Any, name: str, instead: Any, undo: contextlib.ExitStack) -> None:
    undo.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, instead)
