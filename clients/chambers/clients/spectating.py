"""A spectator's end of the gallery: the public view at every entry, and the raw entries of a docket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

import msgspec

from chambers.bus.errors import BusError
from chambers.bus.ports import Bus, Subscription
from chambers.clients.gaps import Gaps
from chambers.protocol import subjects
from chambers.protocol.docket import Docket, Taken
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.statements import read_leaf, read_statement
from chambers.protocol.watching import Entries, Fetch, FromGallery, FromSpectator, Leave, NotShown, Scene, Watch

WATCH_S: Final = 5.0
CLOSED: Final = "closed"
_PATIENCE_S: Final = 3.0
_TRIES: Final = 5
_WAITING: Final = 1000
_SILENT: Final = 2
"""So many times unanswered, the gallery is said to be waited for: one answer may be lost on its way."""
_decoder = msgspec.msgpack.Decoder(FromGallery)


class NotWatched(Exception):
    """The gallery does not show this table, or did not answer; the refusal says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code}: {refusal.text}")
        self.refusal = refusal


class Spectator:
    """One spectator at one table; it asks again whenever the gallery is silent.

    Once the gallery has shown the table it is waited for without an end; `tell` hears when that begins and ends.
    """

    def __init__(
        self, bus: Bus, watcher: str, table: bytes, *, tell: Callable[[str], None] = lambda _sentence: None
    ) -> None:
        self.table = table
        self._say = tell
        self._shown = False
        self._unanswered = 0
        self._bus = bus
        self._up = subjects.watch_up(table.hex(), watcher)
        self._down = subjects.watch_down(table.hex(), watcher)
        self._heard: asyncio.Queue[FromGallery] = asyncio.Queue()
        self._subscription: Subscription | None = None
        self._have = -1
        self._gaps = Gaps()
        self._taken = Taken()

    async def start(self) -> None:
        """Listen to the gallery's answers."""
        self._subscription = await self._bus.subscribe(self._down, self._take)

    async def scenes(self) -> AsyncIterator[Scene]:
        """Yield the public view now and after every entry, each log line once, up to the close; NotWatched for a no."""
        await self._tell(Watch(have=self._have))
        asked = _now()
        while True:
            try:
                message = await asyncio.wait_for(self._heard.get(), WATCH_S)
            except TimeoutError:
                self._not_answered(self._shown)
                message = None
            if _now() - asked >= WATCH_S:
                await self._tell(Watch(have=self._have))
                asked = _now()
            if isinstance(message, NotShown):
                raise NotWatched(Refusal(message.code, message.text))
            if isinstance(message, Scene):
                self._answered()
            if not isinstance(message, Scene) or message.sequence < self._have:
                continue
            fresh = tuple(line for line in message.lines if line.sequence > self._have)
            if self._gaps.come_before(fresh, _now()):
                await self._tell(Watch(have=self._have))
                continue
            if message.sequence == self._have and message.phase != CLOSED:
                continue
            self._have = message.sequence
            yield msgspec.structs.replace(message, lines=fresh)
            if message.phase == CLOSED:
                return

    async def docket(self) -> Docket:
        """Return the table's whole log as it is now, with the edition and the last checkpoint; NotWatched for a no.

        ProtocolError for one that goes on longer than any game (`docket/too-long`), and for another table's
        (`log/other-table`): it might be clean, and this one not.
        """
        leaves: list[bytes] = []
        taken = Taken()
        edition, note = b"", ""
        while True:
            part = await self._fetch(len(leaves))
            taken.count(part.entries)
            leaves.extend(part.entries)
            edition, note = part.edition or edition, part.note
            if len(leaves) >= part.size or not part.entries:
                _check_table(leaves, self.table)
                return Docket(edition=edition, leaves=tuple(leaves), note=note)

    async def entries(self, start: int, *, patiently: bool = False) -> Entries:
        """Return the raw entries from `start` on that fit into one message; refuses as `docket` does.

        `patiently`: a gallery that has shown the table before is waited for until it is back.
        """
        part = await self._fetch(start, patiently=patiently)
        self._taken.count(part.entries)
        return part

    async def _fetch(self, start: int, *, patiently: bool = False) -> Entries:
        self._unanswered = 0
        while True:
            await self._tell(Fetch(start=start))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE_S):
                    part = await self._part(start)
                self._answered()
                return part
            self._not_answered(patiently and self._shown)

    async def leave(self) -> None:
        """Tell the gallery, stop listening and disconnect."""
        with contextlib.suppress(BusError):
            await self._tell(Leave())
        await self._bus.close()

    async def _part(self, start: int) -> Entries:
        while True:
            message = await self._heard.get()
            if isinstance(message, NotShown):
                raise NotWatched(Refusal(message.code, message.text))
            if isinstance(message, Entries) and message.start == start:
                return message

    def _answered(self) -> None:
        if self._shown and self._unanswered >= _SILENT:
            self._say("The gallery answers again.")
        self._shown, self._unanswered = True, 0

    def _not_answered(self, waits: bool) -> None:
        """Count a question without an answer, and say so at the second one; NotWatched after five of one who must."""
        self._unanswered += 1
        if self._unanswered >= _TRIES and not waits:
            raise NotWatched(_silence())
        if self._unanswered == _SILENT and waits:
            self._say("The gallery does not answer; it is waited for until it is back, or until Ctrl-C.")

    async def _tell(self, message: FromSpectator) -> None:
        with contextlib.suppress(BusError):
            await self._bus.publish(self._up, msgspec.msgpack.encode(message))

    async def _take(self, _subject: str, data: bytes) -> None:
        if self._heard.qsize() >= _WAITING:
            return  # what is left out here is asked for again, as what the network has lost
        with contextlib.suppress(*UNREADABLE):
            self._heard.put_nowait(_decoder.decode(data))


def _check_table(leaves: Sequence[bytes], table: bytes) -> None:
    """Refuse a record of another table; what cannot be read is left to the audit, which finds it."""
    try:
        told = read_statement(read_leaf(leaves[0]).stmt).table
    except (ProtocolError, IndexError):
        return
    if told != table:
        sentence = f"The gallery was asked for table {table.hex()} and shows the record of {told.hex()}."
        raise ProtocolError("log/other-table", sentence)


def _silence() -> Refusal:
    return Refusal("gallery/silent", "The gallery does not answer: no gallery runs there, or there is no such table.")


def _now() -> float:
    return asyncio.get_running_loop().time()
