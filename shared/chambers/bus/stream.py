"""The log of record: the JetStream stream CHAMBERS, appended to at an expected sequence and read in batches."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
from nats.aio.msg import Msg

from chambers.bus.errors import BusError, WrongSequence, disk_full, no_log
from chambers.bus.logs import logger
from chambers.bus.nats_bus import NatsBus
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE

_EXPECT: Final = "Nats-Expected-Last-Subject-Sequence"
_TIMEOUT_S: Final = 3.0
_BATCH: Final = 500
_WRONG_SEQUENCE: Final = frozenset((10071, 10164))
_NO_ROOM: Final = frozenset((10002, 10023, 10047, 10077, 10122))
_NO_STREAM: Final = frozenset((10059, 10039))
_OTHER_SETTINGS: Final = 10058
_TRY_AGAIN_S: Final = 0.5


class _Fault(msgspec.Struct, frozen=True):
    code: int = 0
    err_code: int = 0
    description: str = ""


class _Ack(msgspec.Struct, frozen=True):
    seq: int = 0
    error: _Fault | None = None


class _State(msgspec.Struct, frozen=True):
    subjects: dict[str, int] | None = None


class _StreamInfo(msgspec.Struct, frozen=True):
    error: _Fault | None = None
    state: _State = _State()
    total: int = 0


_ack = msgspec.json.Decoder(_Ack)
_info = msgspec.json.Decoder(_StreamInfo)


def _error(fault: _Fault) -> BusError:
    if fault.err_code in _WRONG_SEQUENCE:
        return WrongSequence()
    logger("log").error("store refuses", code=fault.err_code, description=fault.description)
    if fault.err_code in _NO_ROOM:
        return disk_full()
    if fault.err_code in _NO_STREAM:
        return no_log()
    if fault.err_code == _OTHER_SETTINGS:
        return BusError("bus/other-log", "The server keeps the log with other settings, say another number of copies.")
    return BusError("bus/store-refused", f"The server's store refuses this (NATS error {fault.err_code}).")


class StreamLog:
    """The log of record over a connection of the game master, who alone writes it; the admin may read it, too."""

    def __init__(self, bus: NatsBus, *, timeout: float = _TIMEOUT_S) -> None:
        self._bus = bus
        self._timeout = timeout

    async def append(self, table: str, data: bytes, *, expect: int) -> int:
        """Return the entry's stream sequence; WrongSequence unless the table's last one is `expect` (0: none).

        After any other BusError the entry may be stored or not: read on and look.
        """
        # No Nats-Msg-Id: a reused id would acknowledge another payload without storing it.
        headers = {_EXPECT: str(expect)}
        try:
            reply = await self._bus.exchange(subjects.log(table), data, timeout=self._timeout, headers=headers)
        except BusError as error:
            raise await self._why_not_stored(error, table, expect=expect) from None
        ack: _Ack = _read(_ack, reply.data)
        if ack.error is not None:
            raise _error(ack.error)
        return ack.seq

    async def _why_not_stored(self, error: BusError, table: str, *, expect: int) -> BusError:
        if error.code == "bus/no-responder":
            return no_log()
        if error.code != "bus/timeout":
            return error
        # The server never acknowledges an entry that its disk did not take, and says so in its own log only.
        try:
            return disk_full() if await self._last(table) == expect else error
        except BusError:
            return error

    async def _last(self, table: str) -> int:
        """Return the stream sequence of the table's last entry, 0 for none."""
        ask = json.dumps({"last_by_subj": subjects.log(table)}).encode()
        message = await self._bus.exchange(subjects.DIRECT_GET, ask, timeout=self._timeout)
        headers = message.headers or {}
        return int(headers.get("Nats-Sequence", "0"))

    async def read(self, table: str, *, start: int = 1) -> AsyncIterator[tuple[int, bytes]]:
        """Yield stream sequence and data of the table's entries from stream sequence `start` on."""
        async with self._bus.inboxes.open() as inbox:
            more = True
            while more:
                ask = json.dumps({"seq": start, "batch": _BATCH, "next_by_subj": subjects.log(table)})
                await self._bus.ask(subjects.DIRECT_GET, ask.encode(), reply=inbox.address)
                while True:
                    message = await _next(inbox.replies)
                    headers = message.headers or {}
                    status = headers.get("Status")
                    if status is not None:
                        more = _more(status, headers)
                        break
                    sequence = int(headers["Nats-Sequence"])
                    start = sequence + 1
                    yield sequence, message.data

    async def tables(self) -> list[str]:
        """Return every table that has an entry."""
        found: list[str] = []
        while True:
            ask = json.dumps({"subjects_filter": subjects.EVERY_LOG, "offset": len(found)}).encode()
            info = await _api(self._bus, subjects.STREAM_INFO, ask)
            names = info.state.subjects or {}
            found.extend(subjects.table_token(name) for name in names)
            if not names or len(found) >= info.total:
                return found


def _read(decoder: msgspec.json.Decoder[Any], data: bytes) -> Any:
    try:
        return decoder.decode(data)
    except UNREADABLE:
        raise BusError("bus/store-refused", "The server's store answered something unreadable.") from None


async def _api(bus: NatsBus, subject: str, data: bytes) -> _StreamInfo:
    try:
        reply = await bus.exchange(subject, data, timeout=_TIMEOUT_S)
    except BusError as error:
        raise (no_log() if error.code == "bus/no-responder" else error) from None
    info: _StreamInfo = _read(_info, reply.data)
    if info.error is not None:
        raise _error(info.error)
    return info


async def _next(queue: asyncio.Queue[Msg]) -> Msg:
    if not queue.empty():
        return queue.get_nowait()
    try:
        return await asyncio.wait_for(queue.get(), _TIMEOUT_S)
    except TimeoutError:
        raise BusError("bus/timeout", f"The log was not read within {_TIMEOUT_S:g} s.") from None


def _more(status: str, headers: dict[str, str]) -> bool:
    """Return whether a finished batch left something unread; BusError if it failed."""
    if status == "204":
        return int(headers.get("Nats-Num-Pending", "0")) > 0
    if status == "404":
        return False
    if status == "503":
        raise no_log()
    raise BusError("bus/store-refused", f"The log cannot be read (NATS status {status}).")


async def create_stream(bus: NatsBus, *, replicas: int = 1, patience: float = 0.0) -> None:
    """Make the stream CHAMBERS, as the admin; creating it twice is creating it once, BusError if it differs.

    A cluster takes a while to agree on a leader: `patience` is for how many seconds a refusal is not believed.
    """
    config = {
        "name": subjects.STREAM,
        "subjects": [subjects.EVERY_LOG],
        "retention": "limits",
        "storage": "file",
        "discard": "new",
        "deny_delete": True,
        "allow_direct": True,
        "num_replicas": replicas,
        "max_consumers": -1,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_age": 0,
        "republish": {"src": subjects.EVERY_LOG, "dest": subjects.FEED_OF_LOG},
    }
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    while True:
        try:
            await _api(bus, subjects.STREAM_CREATE, json.dumps(config).encode())
        except BusError as error:
            if error.code == "bus/other-log" or loop.time() >= deadline:
                raise
        else:
            return
        await asyncio.sleep(_TRY_AGAIN_S)


async def delete_table(bus: NatsBus, table: str) -> None:
    """Purge a table's entries from the stream, as the admin; nobody else may."""
    await _api(bus, subjects.STREAM_PURGE, json.dumps({"filter": subjects.log(table)}).encode())
