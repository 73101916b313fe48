"""The gallery: shows spectators what everybody may see, and hands out the raw log for export and audit.

chambers.<t>.watch.<id>.up     Watch, Fetch, Leave from a spectator       _on_up
chambers.<t>.watch.<id>.down   sent: Scene, Entries, NotShown
chambers.<t>.feed              entries, verified and folded               Follower
chambers.<t>.tail.gallery      sent: asks for entries and checkpoints
"""

from __future__ import annotations

import contextlib
import time
from typing import Final

import msgspec

from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus
from chambers.bus.ports import Bus, Room
from chambers.bus.run import Settings, run_service
from chambers.editions import canonical
from chambers.protocol import subjects
from chambers.protocol.client import Line
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.protocol.log import Admitted, Log
from chambers.protocol.messages import encode
from chambers.protocol.versions import PROTOCOL, release
from chambers.protocol.views import public_view, waited_for
from chambers.protocol.watching import Entries, Fetch, FromSpectator, Leave, NotShown, Scene, Watch
from chambers.rules import Phase, narrate
from chambers.rules.terms import PUBLIC
from chambers.services.follower import LANE, Follower
from chambers.services.pace import Pace

NAME = "gallery"
WATCH_S: Final = 30.0
SPECTATORS: Final = Room(each=8, messages=1024, bytes=1024 * 1024)
ENTRY_BYTES: Final = 32 * 1024
LINES: Final = 40
UNKNOWN_AT_ONCE: Final = 50
UNKNOWN_A_SECOND: Final = 20
"""Tables that the gallery does not follow, about which it asks the game master: anybody may name any table here."""
WATCHERS: Final = 1000
"""Spectators of one table who are sent its scenes; whoever has not asked for longest makes room for the next."""
_NO_TABLE: Final = NotShown("watch/no-table", "There is no such table.")
_spectator = msgspec.msgpack.Decoder(FromSpectator)


class Gallery:
    """Spectators of all tables. It holds nothing that is not public."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._watchers: dict[bytes, dict[str, float]] = {}
        self._lines: dict[bytes, list[Line]] = {}
        self._editions: dict[bytes, bytes] = {}
        self._unknown = Pace(UNKNOWN_A_SECOND, UNKNOWN_AT_ONCE)
        self._follower = Follower(bus, on_entry=self._on_entry, on_rest=self._on_rest, on_gone=self._on_gone)

    async def start(self) -> None:
        """Follow every table and listen to spectators."""
        any_ = subjects.ANY
        await self._bus.subscribe(subjects.watch_up(any_, any_), self._on_up, lane=LANE, room=SPECTATORS)
        await self._follower.start()

    async def stop(self) -> None:
        """Stop following."""
        await self._follower.stop()

    async def _on_entry(self, log: Log, entry: Admitted) -> None:
        text = narrate(entry.before, entry.after, entry.author, entry.event, None, PUBLIC)
        lines = self._lines.setdefault(log.id, [])
        lines.append(Line(entry.seq, text))
        watchers = self._watchers.get(log.id)
        if not watchers:
            return
        scene = encode(_scene(log, tuple(lines[-1:])))
        now = time.monotonic()
        for watcher, until in tuple(watchers.items()):
            if until < now:
                watchers.pop(watcher, None)  # who has left meanwhile is there no more
            else:
                with contextlib.suppress(BusError):  # whoever missed it asks again
                    await self._bus.publish(subjects.watch_down(log.id.hex(), watcher), scene)

    async def _on_rest(self, log: Log) -> None:
        self._watchers.pop(log.id, None)
        self._lines.pop(log.id, None)

    async def _on_gone(self, log: Log) -> None:
        for watcher in tuple(self._watchers.get(log.id, {})):
            with contextlib.suppress(BusError):  # whoever missed it asks again, and is told then
                await self._bus.publish(subjects.watch_down(log.id.hex(), watcher), encode(_NO_TABLE))
        self._follower.forget(log.id)
        await self._on_rest(log)

    async def _on_up(self, subject: str, data: bytes) -> None:
        watcher = subject.split(".")[3]
        try:
            down = subjects.watch_down(subjects.table_id(subject).hex(), watcher)
            message = _read(data)
            if message is None:
                await self._bus.publish(down, encode(_other_version()))
                return
            table = subjects.table_id(subject)
            if table not in self._follower.known and not self._unknown.keeps():
                return  # the spectator asks again
            log = await self._follower.log(table)
        except ProtocolError:
            return
        if isinstance(message, Leave):
            self._watchers.get(log.id, {}).pop(watcher, None)
            return
        if not log.opened and log.id in self._follower.logs:
            return  # the game master could not be asked; the spectator asks again
        refusal = _closed_doors(log)
        if refusal is not None:
            await self._bus.publish(down, encode(refusal))
        elif isinstance(message, Watch):
            now = time.monotonic()
            there = {one: until for one, until in self._watchers.get(log.id, {}).items() if until >= now}
            there.pop(watcher, None)
            while len(there) >= WATCHERS:
                del there[next(iter(there))]
            self._watchers[log.id] = {**there, watcher: now + WATCH_S}
            new = [line for line in self._lines[log.id] if line.sequence > message.have]
            await self._bus.publish(down, encode(_scene(log, tuple(new[-LINES:]))))
        elif isinstance(message, Fetch):
            await self._bus.publish(down, await self._entries(log, message.start))

    async def _entries(self, log: Log, start: int) -> bytes:
        chosen = _part(log, start)
        if start + len(chosen) >= log.size:  # the end of it: what has come since, and the newest checkpoint
            await self._follower.catch_up(log)
            chosen = _part(log, start)
        edition = self._edition(log) if start == 0 else b""
        return encode(Entries(start, chosen, log.size, self._follower.notes.get(log.id, ""), edition))

    def _edition(self, log: Log) -> bytes:
        # Whoever asks from the beginning wants it, and its bytes are the same for all tables that are played with it.
        setup = log.table.setup
        known = self._editions.get(setup.opening.edition_hash)
        if known is None:
            known = self._editions[setup.opening.edition_hash] = canonical(setup.edition)  # type: ignore[arg-type]
        return known


def _read(data: bytes) -> FromSpectator | None:
    """Return what a spectator says, None for what only another version's can say."""
    try:
        message = _spectator.decode(data)
    except UNREADABLE:
        return None
    return None if not isinstance(message, Leave) and message.protocol != PROTOCOL else message


def _other_version() -> NotShown:
    text = f"The gallery there speaks version {PROTOCOL} of the protocol (Chambers {release()}) and does not know that."
    return NotShown("watch/version", f"{text} Use the host's release.")


def _part(log: Log, start: int) -> tuple[bytes, ...]:
    chosen: list[bytes] = []
    room = ENTRY_BYTES
    for raw in log.leaves[max(0, start) :]:
        room -= len(raw)
        if room < 0 and chosen:
            break
        chosen.append(raw)
    return tuple(chosen)


def _scene(log: Log, lines: tuple[Line, ...]) -> Scene:
    table = log.table
    opening = table.setup.opening
    result = table.game.result(table.play) if table.play is not None else None
    closed = table.phase in (Phase.REVEAL, Phase.CLOSED)
    over = (result.text if result is not None else table.reason) if closed else ""
    return Scene(
        sequence=log.size - 1,
        phase=str(table.phase),
        game=opening.game,
        edition=opening.edition,
        view=public_view(table),
        lines=lines,
        waiting=waited_for(table),
        over=over,
        version=release(),
    )


def _closed_doors(log: Log) -> NotShown | None:
    if not log.opened:
        return _NO_TABLE
    if not log.table.setup.opening.spectators and log.table.phase is not Phase.CLOSED:
        return NotShown(
            "watch/closed-doors", "This table is played behind closed doors; its log is open once it has ended."
        )
    return None


async def make(bus: NatsBus, settings: Settings) -> Gallery:
    """Return the gallery on its connection."""
    return Gallery(bus)


def main() -> int:
    """Run the gallery until told to stop."""
    return run_service(make, user="gallery")
