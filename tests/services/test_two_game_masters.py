"""Two game masters at one table: what one of them means to say is not said if the other has made it untrue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest
from tests.scenarios.evening import pass_time
from tests.support.memory_bus import MemoryBus, MemoryStore
from tests.support.tabletop import TABLE, Tabletop, master
from tests.support.virtual_time import run

from chambers.bus.errors import BusError
from chambers.fairness.signatures import SigningKey
from chambers.protocol import subjects
from chambers.protocol.client import Talk
from chambers.protocol.messages import Accepted, CloseRequest, InboundReply, OpenRequest, TableList, VoidRequest, encode
from chambers.rules import Phase
from chambers.rules.due import ATTEMPTS
from chambers.rules.events import Close, Mix, Say, Ticket
from chambers.rules.roles import seat_role
from chambers.services.game_master import GameMaster
from chambers.services.luck import SeatLuck

LIMIT_S = 10


class Bus(MemoryBus):
    """A connection that can come back after a loss."""

    def on_reconnect(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Remember what is to be done then."""
        self.back = callback


async def another_game_master(table: Tabletop) -> GameMaster:
    """Return a replica that has read the table, and hears of nothing that is stored from here on."""
    bus = Bus(table.server, "gm")
    late = GameMaster(bus, table.server.store, key=SigningKey(master("log")))
    await late.start()
    await pass_time(0.3)
    await bus.close()
    return late


def test_a_game_master_whose_connection_is_back_has_read_what_it_did_not_hear_of(tmp_path: Path) -> None:
    """The replica that stored it may be gone by then, and the table would wait for what it has."""
    other = bytes(range(1, 17))

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            late = await another_game_master(table)
            await table.chairs[0].say(Talk("Good evening."))
            await pass_time(1)
            opening = table.log.table.setup.opening
            opened = OpenRequest(
                table=other, game=opening.game, edition=opening.edition, options=opening.options, bots=(False,) * 3
            )
            await table.game_masters[0]._on_open(subjects.lobby("open", "host"), encode(opened))
            assert late._ledgers[TABLE].log.size < table.log.size

            assert isinstance(late._bus, Bus)
            await late._bus.back()
            await pass_time(1)

            assert late._ledgers[TABLE].log.size == table.log.size
            assert set(late._ledgers) == {TABLE, other}
            await late.stop()

    run(play())


class Slow(MemoryStore):
    """A store that shows nothing but the first entry to whoever reads it for the first time."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store._server)
        self._entries = store._entries
        self._first = True

    async def read(self, table: str, *, start: int = 1) -> AsyncIterator[tuple[int, bytes]]:
        """Yield the entries, the first time only one."""
        async for one in super().read(table, start=start):
            yield one
            if self._first:
                self._first = False
                return


class Withheld:
    """The mix of seat 2, which is not said before it is let go."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.held = True
        mix = SeatLuck.mix

        def perhaps(luck: SeatLuck) -> Mix | None:
            return None if self.held and luck._me.role == seat_role(2) else mix(luck)

        patch.setattr(SeatLuck, "mix", perhaps)

    def let_go(self, table: Tabletop) -> None:
        """Have seat 2 say it now."""
        self.held = False
        table.vaults[2]._tables[TABLE]._voice.wake()


def test_a_setup_that_was_done_in_time_is_not_closed_by_a_game_master_that_has_not_heard_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mix = Withheld(monkeypatch)

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=(("stall_s", str(LIMIT_S)),)) as table:
            await table.until(lambda: table.log.table.attempt == ATTEMPTS and table.log.table.phase is Phase.MIX)
            late = await another_game_master(table)
            assert late._ledgers[TABLE].log.table.attempt == ATTEMPTS
            mix.let_go(table)
            await table.until(lambda: table.log.table.phase is Phase.PLAY)

            await pass_time(2 * LIMIT_S)

            await late.stop()
            assert not any(isinstance(entry.event, Close) for entry in table.read)
            assert table.log.table.phase is Phase.PLAY

    run(play())


def test_a_ticket_is_voided_by_a_game_master_that_has_not_heard_of_the_last_voiding(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            late = await another_game_master(table)
            first, again = VoidRequest(TABLE, 1), VoidRequest(TABLE, 1)
            await table.game_masters[0]._on_void(subjects.lobby("void", "host"), encode(first))

            await late._on_void(subjects.lobby("void", "host"), encode(again))

            await late.stop()
            assert table.log.table.issues[1] == 2
            assert [entry.event for entry in table.read if isinstance(entry.event, Ticket)] == [
                Ticket(1, 1),
                Ticket(1, 2),
            ]

    run(play())


def test_a_host_closes_a_table_by_a_game_master_that_is_behind(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            late = await another_game_master(table)
            await table.game_masters[0]._on_void(subjects.lobby("void", "host"), encode(VoidRequest(TABLE, 1)))

            await late._on_close(subjects.lobby("close", "host"), encode(CloseRequest(TABLE, "the evening is over")))

            await late.stop()
            assert table.log.table.reason == "aborted: the evening is over"

    run(play())


def test_a_player_is_no_stranger_to_a_game_master_that_has_not_heard_of_his_coming(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            store = Slow(table.server.store)
            late = GameMaster(table.server.connect("gm"), store, key=SigningKey(master("log")))
            assert (await late._ledger(TABLE)).log.size == 1
            said = table.vaults[1]._tables[TABLE].me.pen.write(lambda _: Say("Good evening."))

            answer = await late._on_statement(subjects.inbound(TABLE.hex(), seat_role(1)), said)

            assert isinstance(msgspec.msgpack.decode(answer, type=InboundReply), Accepted)

    run(play())


class Shut(MemoryStore):
    """A store that gives nothing of any table as long as it is `shut`."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store._server)
        self._entries = store._entries
        self.shut = True

    async def read(self, table: str, *, start: int = 1) -> AsyncIterator[tuple[int, bytes]]:
        """Yield the entries, or raise as a store does that has no leader."""
        if self.shut:
            raise BusError("bus/timeout", "The log was not read within 3 s.")
        async for one in super().read(table, start=start):
            yield one


def test_a_game_master_takes_up_the_table_that_its_store_did_not_give_at_the_start(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            store = Shut(table.server.store)
            late = GameMaster(table.server.connect("gm"), store, key=SigningKey(master("log")))
            await late.start()
            await pass_time(1)
            before = msgspec.msgpack.decode(await late._on_list("", b""), type=TableList)
            store.shut = False

            await pass_time(1)

            after = msgspec.msgpack.decode(await late._on_list("", b""), type=TableList)
            await late.stop()
            assert (before.reading, before.tables) == (True, ())
            assert (after.reading, [info.table for info in after.tables]) == (False, [TABLE])

    run(play())
