"""The game master: puts signed statements in order, or refuses them. It holds no secret and speaks for nobody else.

    chambers.<t>.in.<role>       signature + statement -> Accepted | Refusal      _on_statement
    chambers.<t>.tail.<user>     TailRequest           -> TailReply | Refusal     _on_tail
                                 both with .own behind a seat whose vault asks from its player's machine
    chambers-lobby.*.<user>      see lobby.py                                 _on_open, _on_list, ...
    chambers.<t>.feed            entries that any replica has stored              _on_feed
    chambers.<t>.poke.<role>     sent to the dealer and the dice for what they owe
    chambers.<t>.log             the JetStream log: the only state

Any number of replicas serve any table: each append says which entry it follows, and the store takes one of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from pathlib import Path
from typing import TypeVar

import msgspec
import structlog

from chambers.bus.deployment import master_key
from chambers.bus.errors import BusError
from chambers.bus.logs import fault
from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import GATE
from chambers.bus.ports import Bus, LogStore, Room
from chambers.bus.run import Settings, run_service
from chambers.bus.stream import StreamLog
from chambers.fairness.errors import FairnessError
from chambers.fairness.signatures import SigningKey
from chambers.protocol import subjects
from chambers.protocol.copies import FOLDER
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.messages import (
    Accepted,
    CloseRequest,
    OpenRequest,
    TableInfo,
    TableIssues,
    TailRequest,
    VoidRequest,
    encode,
)
from chambers.protocol.statements import read_leaf, read_statement, unpack
from chambers.rules import Phase, RuleError, due
from chambers.rules.events import Close, TableEvent, Ticket
from chambers.rules.roles import DEALER, DICE, GM, seat_of
from chambers.rules.table import Table
from chambers.services.clockwork import for_each, keep_on
from chambers.services.code_door import coded_vaults
from chambers.services.copies import Copies
from chambers.services.ending import end
from chambers.services.follower import REST_S
from chambers.services.housekeeping import own_event
from chambers.services.ledger import Ledger
from chambers.services.lobby import describe, listed, opening, own_seats, table_list

NAME = "game-master"
QUEUE = "gm"
TICK_S = 0.25
POKE_AGAIN_S = 0.5
STORED_S = 10.0
LISTED_S = 0.5
GUESTS = Room(each=4, messages=256, bytes=64 * 1024)
OWN_VAULTS = Room(each=16, messages=256, bytes=4 * 1024 * 1024)
STORE_TROUBLE = frozenset({"bus/disk-full", "bus/no-log", "bus/store-refused"})
_logger = structlog.get_logger(__name__)


class GameMaster:
    """One replica. `key` is the deployment's log key, which all replicas share."""

    def __init__(self, bus: Bus, store: LogStore, *, key: SigningKey, home: Path | None = None) -> None:
        self._bus = bus
        self._store = store
        self._key = key
        self._copies = Copies(home / FOLDER, role=GM) if home is not None else None
        self._ledgers: dict[bytes, Ledger] = {}
        self._rested: dict[bytes, TableInfo] = {}
        self._used: dict[bytes, float] = {}
        self._poked: dict[bytes, tuple[int, float]] = {}
        self._unread: deque[str] = deque()
        self._pushing: set[asyncio.Task[None]] = set()
        self._clock: asyncio.Task[None] | None = None
        self._listed: tuple[float, bytes] = (-LISTED_S, b"")
        self._looked = time.monotonic()
        self.trouble: BusError | None = None

    async def start(self) -> None:
        """Serve every subject, and begin to take up every table that the store holds."""
        bus, any_ = self._bus, subjects.ANY
        await bus.subscribe(subjects.feed(any_), self._on_feed, lane="feed")
        asker = subjects.asker
        for own, room in ((False, None), (True, OWN_VAULTS)):
            inbound, tail = subjects.inbound(any_, any_, own=own), subjects.tail(any_, any_, own=own)
            await bus.serve(inbound, self._on_statement, asker=asker, queue=QUEUE, lane="in", room=room)
            await bus.serve(tail, self._on_tail, asker=asker, queue=QUEUE, lane="tail", room=room)
        for verb, answer in (
            ("open", self._on_open),
            ("list", self._on_list),
            ("close", self._on_close),
            ("void", self._on_void),
        ):
            await bus.serve(subjects.lobby(verb, any_), answer, asker=subjects.asker, queue=QUEUE, lane="lobby")
        guests, gates = subjects.lobby(subjects.GUESTS_VERB, any_), subjects.lobby(subjects.GATES_VERB, GATE)
        await bus.serve(guests, self._on_tables, asker=subjects.asker, queue=QUEUE, lane="guests", room=GUESTS)
        await bus.serve(gates, self._on_issues, asker=GATE, queue=QUEUE, lane="gate")
        wanted = self._copies.wanted() if self._copies is not None else []
        self._unread.extend([*wanted, *await self._store.tables()])
        bus.on_reconnect(self._after_reconnect)
        self._clock = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop the clock; the bus is drained by whoever runs the service."""
        await end(self._clock)
        if self._copies is not None:
            self._copies.close()

    async def _ledger(self, table: bytes) -> Ledger:
        ledger = self._ledgers.get(table)
        if ledger is None:
            if len(table) != 16:
                raise ProtocolError("gm/no-table", "There is no such table.")
            ledger = Ledger(table, self._store, self._key, self._copies)
            async with ledger.lock:
                await ledger.read_on()
            if not ledger.log.opened:
                raise ProtocolError("gm/no-table", "There is no such table.")
            ledger = self._ledgers.setdefault(table, ledger)
            self._rested.pop(table, None)
        self._used[table] = time.monotonic()
        return ledger

    # statements

    async def _on_statement(self, subject: str, data: bytes) -> bytes:
        try:
            sig, stmt = unpack(data)
            statement = read_statement(stmt)
            asker = subjects.asker(subject)
            if statement.author != subjects.role_of(asker):
                raise ProtocolError("gm/wrong-author", "A statement is taken only on its author's own subject.")
            if statement.table != subjects.table_id(subject):
                raise ProtocolError("log/other-table", "This statement was made for another table.")
            ledger = await self._ledger(statement.table)
            if subjects.is_own(asker) != (seat_of(statement.author) in own_seats(ledger.log.table)):
                raise ProtocolError("gm/wrong-vault", "This seat's vault is kept elsewhere, as the open event says.")
            async with ledger.lock:
                accepted, new = await ledger.append(sig, stmt)
            self.trouble = None
            if new:
                self._push_soon(ledger)
            return encode(accepted)
        except (ProtocolError, RuleError, FairnessError, BusError) as error:
            self._note(error)
            _logger.info("gm.refused", subject=subject, code=error.code)
            return encode(_refusal(error))

    def _note(self, error: Exception) -> None:
        if isinstance(error, BusError) and error.code in STORE_TROUBLE:
            self.trouble = error

    async def _on_tail(self, subject: str, data: bytes) -> bytes:
        try:
            request = _decode(data, TailRequest)
            ledger = await self._ledger(subjects.table_id(subject))
            if request.start > ledger.log.size:
                async with ledger.lock:
                    await ledger.read_on()
            return encode(ledger.tail(request.start, at=request.at))
        except (ProtocolError, BusError) as error:
            return encode(_refusal(error))

    async def _on_feed(self, subject: str, data: bytes) -> None:
        try:
            ledger = await self._ledger(subjects.table_id(subject))
            if read_leaf(data).seq >= ledger.log.size:
                async with ledger.lock:
                    if read_leaf(data).seq >= ledger.log.size:
                        await ledger.read_on()
        except (ProtocolError, BusError) as error:
            _logger.warning("gm.behind", subject=subject, code=error.code)

    # the lobby

    async def _on_open(self, subject: str, data: bytes) -> bytes:
        return await self._for_host(subject, data, OpenRequest)

    async def _on_close(self, subject: str, data: bytes) -> bytes:
        return await self._for_host(subject, data, CloseRequest)

    async def _on_void(self, subject: str, data: bytes) -> bytes:
        return await self._for_host(subject, data, VoidRequest)

    async def _on_list(self, subject: str, data: bytes) -> bytes:
        if not data:
            logs = (ledger.log for ledger in self._ledgers.values())
            return encode(listed(logs, self._rested.values(), reading=bool(self._unread)))
        try:
            return encode(table_list((describe((await self._ledger(data)).log),)))
        except (ProtocolError, BusError) as error:
            return encode(table_list(()) if error.code == "gm/no-table" else _refusal(error))

    async def _on_tables(self, _subject: str, _data: bytes) -> bytes:
        # Whatever strangers ask costs one list in a while.
        if time.monotonic() - self._listed[0] >= LISTED_S:
            self._listed = (time.monotonic(), await self._on_list("", b""))
        return self._listed[1]

    async def _on_issues(self, _subject: str, data: bytes) -> bytes:
        try:
            log = (await self._ledger(data)).log
            return encode(TableIssues(log.table.issues, own=own_seats(log.table), coded=coded_vaults(log)))
        except (ProtocolError, BusError) as error:
            return encode(TableIssues(()) if error.code == "gm/no-table" else _refusal(error))

    async def _for_host(self, subject: str, data: bytes, kind: type[OpenRequest | CloseRequest | VoidRequest]) -> bytes:
        try:
            if subjects.asker(subject) != "host":
                raise ProtocolError("lobby/host-only", "Only the host may do that.")
            request = _decode(data, kind)
            if isinstance(request, OpenRequest):
                return encode(await self._open(request))
            ledger = await self._ledger(request.table)
            async with ledger.lock:
                await ledger.read_on()  # on a log that is behind, the second ticket to be voided looks like the first
                accepted = await ledger.state(lambda: _wished(ledger.log.table, request))
            assert accepted is not None
            self._push_soon(ledger)
            return encode(accepted)
        except (ProtocolError, RuleError, BusError) as error:
            return encode(_refusal(error))

    async def _open(self, request: OpenRequest) -> Accepted:
        event = opening(request, self._key.public)
        ledger = self._ledgers.get(request.table) or Ledger(request.table, self._store, self._key, self._copies)
        async with ledger.lock:
            await ledger.read_on()
            await ledger.state(lambda: None if ledger.log.opened else event)
            if ledger.log.table.setup.opening != event:
                raise ProtocolError("lobby/taken", "There is another table under this id already.")
            accepted = Accepted(0, ledger.checkpoint())
        ledger = self._ledgers.setdefault(request.table, ledger)
        self._push_soon(ledger)
        return accepted

    # what is due

    def _push_soon(self, ledger: Ledger) -> None:
        # the author has its answer before anything that follows from it is begun
        task = asyncio.create_task(self._push_quietly(ledger))
        self._pushing.add(task)
        task.add_done_callback(self._pushing.discard)

    async def _push_quietly(self, ledger: Ledger) -> None:
        try:
            await self._push(ledger)
        except (ProtocolError, RuleError, FairnessError, BusError) as error:
            self._note(error)
            _logger.warning("gm.push", table=ledger.log.id.hex(), code=error.code)  # the clock pushes again

    async def _push(self, ledger: Ledger) -> None:
        """Poke the dealer and the dice for what they owe, and say what the game master owes, until nothing is left."""
        for _ in range(8):
            async with ledger.lock:
                try:
                    if await ledger.state(lambda: own_event(ledger.log.table, _now(ledger))) is None:
                        break
                except RuleError as error:
                    _logger.warning("gm.own-event-refused", code=error.code)
                    break
        owing = {item.who for item in due(ledger.log.table)}
        size = ledger.log.size
        for role in (DEALER, DICE):
            if role in owing:
                self._poked[ledger.log.id] = (size, time.monotonic())
                await self._bus.publish(subjects.poke(ledger.log.id.hex(), role), str(size).encode())

    def _rest(self, ledger: Ledger) -> None:
        """Forget a closed table that nobody has asked for in a while; it is read again for whoever asks."""
        table = ledger.log.id
        if not ledger.broken and time.monotonic() - self._used.get(table, 0.0) >= REST_S and not ledger.lock.locked():
            self._rested[table] = describe(ledger.log)
            for kept in (self._ledgers, self._used, self._poked):
                kept.pop(table, None)
            if self._copies is not None:
                self._copies.rest(table)

    async def _run(self) -> None:
        await self._take_up()
        await keep_on(self._look_after_all, every=TICK_S, name=NAME)

    async def _take_up(self) -> None:
        """Read the tables that the store held at the start; one that somebody needs before its turn is read at once."""
        while self._unread:
            table = self._unread[0]
            try:
                await self._ledger(bytes.fromhex(table))
            except BusError:
                self._unread.rotate(-1)
                return  # the clock goes on with it
            except ProtocolError:
                pass
            except Exception as error:  # noqa: BLE001 - the edge: one table's fault must not hold up all others
                _logger.error("gm.fault", table=table, **fault(error))
            self._unread.remove(table)

    async def _after_reconnect(self) -> None:
        """Read what was stored meanwhile: the feed brings nothing twice, and perhaps nobody else is left who knows."""
        for ledger in tuple(self._ledgers.values()):
            with contextlib.suppress(ProtocolError, BusError):  # it is read on with the next statement
                async with ledger.lock:
                    await ledger.read_on()
        known = {table.hex() for table in (*self._ledgers, *self._rested)} | set(self._unread)
        self._unread.extend(table for table in await self._store.tables() if table not in known)

    async def _look_after_all(self) -> None:
        await self._take_up()
        if self._copies is not None:
            self._copies.settle()
        if time.monotonic() - self._looked >= STORED_S:
            self._looked = time.monotonic()
            await self._forget_deleted()
        await for_each(self._ledgers, self._look_after, name=NAME)

    async def _forget_deleted(self) -> None:
        """Forget the tables of which the store has nothing any more: the admin has deleted them."""
        before = tuple(self._ledgers)  # a table that is opened meanwhile may not be in the answer
        try:
            stored = frozenset(await self._store.tables())
        except BusError:
            return
        for table in (*before, *self._rested):
            if table.hex() not in stored:
                _logger.warning("gm.deleted", table=table.hex())
                for kept in (self._ledgers, self._used, self._poked, self._rested):
                    kept.pop(table, None)

    async def _look_after(self, ledger: Ledger) -> None:
        if ledger.broken or ledger.log.table.phase is Phase.CLOSED:
            self._rest(ledger)
            return
        size, when = self._poked.get(ledger.log.id, (-1, 0.0))
        if size != ledger.log.size or time.monotonic() - when >= POKE_AGAIN_S:
            await self._push_quietly(ledger)


def _wished(table: Table, request: CloseRequest | VoidRequest) -> TableEvent:
    if isinstance(request, CloseRequest):
        return Close(f"aborted: {request.why}")
    issue = table.issues[request.seat] if 0 <= request.seat < table.seats else 0
    return Ticket(request.seat, issue + 1)


def _now(ledger: Ledger) -> int:
    return max(time.time_ns() // 1_000_000, ledger.log.table.ts)


def _refusal(error: ProtocolError | RuleError | FairnessError | BusError) -> Refusal:
    if isinstance(error, RuleError):
        return Refusal(error.code, error.sentence, error.section, error.ruling)
    return Refusal(error.code, error.sentence)


_T = TypeVar("_T")


def _decode(data: bytes, kind: type[_T]) -> _T:
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except UNREADABLE:
        raise ProtocolError("gm/malformed", "This request cannot be read.") from None


async def make(bus: NatsBus, settings: Settings) -> GameMaster:
    """Return a game master on its connection, with the deployment's log key from its own volume."""
    return GameMaster(bus, StreamLog(bus), key=SigningKey(master_key(settings.home / "log.key")), home=settings.home)


def main() -> int:
    """Run a game master until told to stop."""
    return run_service(make, user=GM)
