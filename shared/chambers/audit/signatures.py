"""The signatures of a long log, checked in batches by worker processes while the log is being folded."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, NamedTuple

from chambers.fairness.errors import FairnessError
from chambers.fairness.signatures import check_statement

BATCH: Final = 256
SHORT: Final = 2048
"""Up to this many signatures, starting workers costs more than it saves."""


class Signed(NamedTuple):
    """A statement that stands in the log as entry `seq`, with the key that must have signed it."""

    seq: int
    public: bytes
    sig: bytes
    stmt: bytes


def is_signed(item: Signed) -> bool:
    """Return whether the key made the signature."""
    try:
        check_statement(item.public, item.sig, stmt=item.stmt)
    except FairnessError:
        return False
    return True


def first_false(batch: list[Signed]) -> int | None:
    """Return the entry of the first signature in a batch that its key did not make; None if all are right."""
    return next((item.seq for item in batch if not is_signed(item)), None)


class SignatureCheck:
    """Collects signatures in log order, and tells the first false one; `expected` is how many there will be.

    `workers` is the most processes that are started, None for what the machine has; a short log needs none.
    """

    def __init__(self, *, expected: int, workers: int | None = None) -> None:
        self.count = 0
        self._batch: list[Signed] = []
        self._batches: list[tuple[list[Signed], Future[int | None] | None]] = []
        # One core is busy with the fold itself.
        spare = max(1, (os.cpu_count() or 1) - 1)
        most = spare if workers is None else workers
        self._pool = _pool(most if expected > SHORT else 0)

    def add(self, item: Signed) -> None:
        """Take one more signature."""
        self.count += 1
        self._batch.append(item)
        if len(self._batch) == BATCH:
            self._send()

    def finish(self) -> int | None:
        """Return the entry of the first false signature, or None; stops the workers."""
        self._send()
        try:
            for batch, future in self._batches:
                found = self._result(batch, future)
                if found is not None:
                    return found
            return None
        finally:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)

    def _send(self) -> None:
        batch, self._batch = self._batch, []
        future = None
        if self._pool is not None and batch:
            try:
                future = self._pool.submit(first_false, batch)
            except (BrokenProcessPool, RuntimeError):
                future = None
        self._batches.append((batch, future))

    def _result(self, batch: list[Signed], future: Future[int | None] | None) -> int | None:
        if future is None:
            return first_false(batch)
        try:
            return future.result()
        except BrokenProcessPool:
            # A worker that was killed (memory, a container's limits) proves nothing about the log.
            return first_false(batch)


def _pool(workers: int) -> ProcessPoolExecutor | None:
    if workers <= 0:
        return None
    # A forked copy of a process that has threads may inherit a lock that nobody will ever release.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    try:
        return ProcessPoolExecutor(max_workers=workers, mp_context=multiprocessing.get_context(method))
    except (OSError, NotImplementedError):
        return None
