"""A modified game master: whatever it does to the order of things, somebody's signed head no longer fits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.attacks.crooked_house import COURT_TABLE, Window, crooked_house, found, open_table
from tests.support.house import House

from chambers import editions
from chambers.audit import audit
from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings
from chambers.bus.stream import StreamLog
from chambers.fairness.notes import sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol import subjects
from chambers.protocol.client import ChoiceAccepted
from chambers.protocol.docket import Docket
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import Accepted, TailReply, encode
from chambers.protocol.statements import Entry, leaf, read_event, read_leaf, read_statement, sign, unpack
from chambers.rules.events import Close, Commit, Mix, Say, Stall, TableEvent, Ticket
from chambers.rules.roles import GM
from chambers.services.game_master import GameMaster
from chambers.services.ledger import Ledger
from chambers.services.vault import Vault

_replies = msgspec.msgpack.Decoder(TailReply)


class CrookedGameMaster(GameMaster):
    """A game master that can write what it likes into its own store, and sign any head."""

    def __init__(self, bus: NatsBus, store: StreamLog, *, key: SigningKey) -> None:
        super().__init__(bus, store, key=key)
        self.notes: list[str] = []
        self.played = asyncio.Event()

    def sign(self, ledger: Ledger, leaves: list[bytes]) -> str:
        """Return a checkpoint over any leaves."""
        tree = Tree()
        for raw in leaves:
            tree.append(leaf_hash(raw))
        return sign_checkpoint(self._key, ledger.log.id, size=tree.size, root=tree.root())

    def entry(self, ledger: Ledger, author: str, event: TableEvent, *, n: int | None = None) -> bytes:
        """Return what would be the next entry, in anybody's name, signed with the game master's key."""
        size, root = ledger.log.head()
        number = ledger.log.counter(author) if n is None else n  # type: ignore[arg-type]
        sig, stmt = sign(self._key, table=ledger.log.id, author=author, n=number, size=size, root=root, event=event)  # type: ignore[arg-type]
        return leaf(Entry(size, ledger.log.table.ts, stmt, sig))

    async def force(self, table: bytes, make: Callable[[Ledger], bytes]) -> list[bytes]:
        """Store an entry unexamined, and return the leaves with it."""
        ledger = await self._ledger(table)
        async with ledger.lock:
            raw = make(ledger)
            await self._store.append(table.hex(), raw, expect=ledger._last)
        return [*ledger.log.leaves, raw]


class Drops(CrookedGameMaster):
    """Acknowledges the first statement of a seat's play and stores it nowhere."""

    dropped = b""

    async def _on_statement(self, subject: str, data: bytes) -> bytes:
        sig, stmt = unpack(data)
        statement = read_statement(stmt)
        event = read_event(bytes(statement.ev), "witness-stand")
        if statement.author != "seat0" or self.dropped or isinstance(event, Commit | Mix | Say):
            return await super()._on_statement(subject, data)
        self.dropped = stmt
        ledger = await self._ledger(statement.table)
        raw = leaf(Entry(ledger.log.size, ledger.log.table.ts, stmt, sig))
        self.notes.append(self.sign(ledger, [*ledger.log.leaves, raw]))
        self.played.set()
        return encode(Accepted(ledger.log.size, self.notes[-1]))


class HoldsBack(CrookedGameMaster):
    """Refuses the first statement of a seat's play, and keeps it for later."""

    held: tuple[bytes, bytes] | None = None

    async def _on_statement(self, subject: str, data: bytes) -> bytes:
        sig, stmt = unpack(data)
        statement = read_statement(stmt)
        event = read_event(bytes(statement.ev), "witness-stand")
        if statement.author != "seat0" or self.held or isinstance(event, Commit | Mix | Say):
            return await super()._on_statement(subject, data)
        self.held = sig, stmt
        self.played.set()
        return encode(Refusal("rule/not-now", "Not now."))


class Curious(CrookedGameMaster):
    """Refuses whatever a seat answers in play, and keeps what it was."""

    def __init__(self, bus: NatsBus, store: StreamLog, *, key: SigningKey) -> None:
        super().__init__(bus, store, key=key)
        self.answers: list[TableEvent] = []

    async def _on_statement(self, subject: str, data: bytes) -> bytes:
        statement = read_statement(unpack(data)[1])
        event = read_event(bytes(statement.ev), "witness-stand")
        if statement.author != "seat0" or isinstance(event, Commit | Mix | Say):
            return await super()._on_statement(subject, data)
        self.answers.append(event)
        self.played.set()
        return encode(Refusal("rule/not-now", "Not now. " * 5000))


class SaysYes(Curious):
    """Says of whatever a seat answers in play that it is stored, stores nothing, and keeps what it was."""

    async def _on_statement(self, subject: str, data: bytes) -> bytes:
        heard = len(self.answers)
        answer = await super()._on_statement(subject, data)
        if len(self.answers) == heard:
            return answer
        ledger = await self._ledger(read_statement(unpack(data)[1]).table)
        return encode(Accepted(ledger.log.size - 1, ledger.checkpoint()))


class KeepsWhatItRefuses(CrookedGameMaster):
    """Plays by the rules, and keeps every statement that they forbid."""

    def __init__(self, bus: NatsBus, store: StreamLog, *, key: SigningKey) -> None:
        super().__init__(bus, store, key=key)
        self.refused: list[TableEvent] = []

    async def _on_statement(self, subject: str, data: bytes) -> bytes:
        answer = await super()._on_statement(subject, data)
        refusal = msgspec.msgpack.decode(answer, type=Refusal | Accepted)
        if isinstance(refusal, Refusal) and refusal.code.startswith("rule/"):
            self.refused.append(read_event(bytes(read_statement(unpack(data)[1]).ev), "witness-stand"))
        return answer


class Reorders(CrookedGameMaster):
    """Hands the log out to one seat with two entries exchanged, numbered as if nothing had happened."""

    async def _on_tail(self, subject: str, data: bytes) -> bytes:
        honest = await super()._on_tail(subject, data)
        if subjects.asker(subject) != "seat2" or not self.played.is_set():
            return honest
        reply = _replies.decode(honest)
        if len(reply.entries) < 5:
            return honest
        leaves = [*reply.entries[:-3], reply.entries[-2], reply.entries[-3], reply.entries[-1]]
        moved = [leaf(msgspec.structs.replace(read_leaf(raw), seq=n)) for n, raw in enumerate(leaves, reply.start)]
        return encode(msgspec.structs.replace(reply, entries=tuple(moved)))


class Forks(CrookedGameMaster):
    """Shows one seat an entry of its own that nobody else is shown."""

    async def _on_tail(self, subject: str, data: bytes) -> bytes:
        honest = await super()._on_tail(subject, data)
        reply = _replies.decode(honest)
        if subjects.asker(subject) != "seat2" or reply.start or not self.played.is_set():
            return honest
        ledger = await self._ledger(subjects.table_id(subject))
        extra = self.entry(ledger, GM, Ticket(0, 1))
        leaves = [*ledger.log.leaves, extra]
        self.notes.append(self.sign(ledger, leaves))
        return encode(TailReply(0, tuple(leaves), len(leaves), self.notes[-1]))


class LeadsNowhere(CrookedGameMaster):
    """Answers one seat with an entry that it has not asked for, and says that there are many more."""

    answered = 0

    async def _on_tail(self, subject: str, data: bytes) -> bytes:
        honest = await super()._on_tail(subject, data)
        reply = _replies.decode(honest)
        if subjects.asker(subject) != "seat2" or not self.played.is_set():
            return honest
        self.answered += 1
        return encode(TailReply(reply.start + 1, (b"later",), reply.size + 9, reply.note))


def made(kind: type[CrookedGameMaster]) -> Callable[[NatsBus, Settings], object]:
    async def make(bus: NatsBus, settings: Settings) -> GameMaster:
        return kind(bus, StreamLog(bus), key=SigningKey(master_key(settings.home / "log.key")))

    return make


def master(here: House) -> CrookedGameMaster:
    service = here.stack._running["gm"].service
    assert isinstance(service, CrookedGameMaster)
    return service


def record(leaves: list[bytes], note: str) -> Docket:
    return Docket(editions.canonical(editions.load("tandem-target")), tuple(leaves), note)


async def seated(
    here: House, *, plays: bool = False, options: tuple[tuple[str, str], ...] = COURT_TABLE
) -> tuple[bytes, list[Window]]:
    """Return a table at which three have sat down and seat 0 owes its corner."""
    table = await open_table(here, options=options)
    windows = [await Window.open(here, table, seat, plays=plays) for seat in range(3)]
    await windows[0].until(lambda: any(getattr(message, "prompt", None) for message in windows[0].heard))
    return table, windows


def names_at(here: House, table: bytes) -> list[str]:
    """Return the names of those who have sat down."""
    return [commit.name for _, commit in master(here)._ledgers[table].log.table.commits if commit.name]


@pytest.mark.parametrize("author", ["seat1", "dice", "dealer"])
async def test_an_invented_entry_stops_every_vault_and_is_nobodys_but_the_game_masters(
    tmp_path: Path, author: str
) -> None:
    async with crooked_house(tmp_path, {"gm": made(CrookedGameMaster)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here)
        gm = master(here)

        leaves = await gm.force(table, lambda ledger: gm.entry(ledger, author, Say("I never said this.")))
        told = [await window.told("vault/stopped") for window in windows]
        docket = record(leaves, gm.sign(gm._ledgers[table], leaves))
        for window in windows:
            await window.close()

    report = audit(docket)

    assert len(told) == 3
    assert found(report) == {("A03", len(leaves) - 1, GM)}


async def test_an_entry_stored_twice_stops_every_vault_and_names_the_game_master(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(CrookedGameMaster)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here)
        gm = master(here)

        leaves = await gm.force(
            table,
            lambda ledger: leaf(msgspec.structs.replace(read_leaf(ledger.log.leaves[-2]), seq=ledger.log.size)),
        )
        told = [await window.told("vault/stopped") for window in windows]
        docket = record(leaves, gm.sign(gm._ledgers[table], leaves))
        for window in windows:
            await window.close()

    report = audit(docket)

    assert len(told) == 3
    assert [(item.entry, item.culprit) for item in report.findings] == [(len(leaves) - 1, GM)]


async def test_an_entry_from_before_the_last_one_stops_every_vault_and_names_the_game_master(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(CrookedGameMaster)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here)
        gm = master(here)

        leaves = await gm.force(
            table,
            lambda of: leaf(
                msgspec.structs.replace(read_leaf(gm.entry(of, GM, Close("aborted: late"))), ts=of.log.table.ts - 1)
            ),
        )
        told = [await window.told("vault/stopped") for window in windows]
        docket = record(leaves, gm.sign(gm._ledgers[table], leaves))
        for window in windows:
            await window.close()

    report = audit(docket)

    assert len(told) == 3
    assert found(report) == {("A01", len(leaves) - 1, GM)}


async def test_a_statement_that_was_acknowledged_and_dropped_is_missed_by_its_author(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(Drops)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here)
        gm = master(here)
        asked = next(m.prompt for m in reversed(windows[0].heard) if getattr(m, "prompt", None))
        await windows[0].choose(asked.id, asked.options[0].id)
        await asyncio.wait_for(gm.played.wait(), 60)

        await windows[1].say("Who is dawdling?")
        told = await windows[0].told("vault/stopped")
        ledger = await gm._ledger(table)
        docket = record(list(ledger.log.leaves), ledger.checkpoint())
        for window in windows:
            await window.close()

    report = audit(docket, receipts=gm.notes)

    assert "signed another log" in told.text
    assert found(report) == {("A07", None, GM)}


@pytest.mark.parametrize("closed", [True, False])
async def test_a_statement_that_was_held_back_until_it_was_wrong_is_not_held_against_its_author(
    tmp_path: Path, closed: bool
) -> None:
    async with crooked_house(tmp_path, {"gm": made(HoldsBack)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here)
        gm = master(here)
        assert isinstance(gm, HoldsBack)
        asked = next(m.prompt for m in reversed(windows[0].heard) if getattr(m, "prompt", None))
        await windows[0].choose(asked.id, asked.options[0].id)
        await windows[0].told("vault/not-taken")
        if closed:
            await here.host.close(table, "it is late")
        else:
            await windows[0].say("I have answered!")  # takes the number of what was refused
            await windows[0].until(lambda: any(isinstance(m, ChoiceAccepted) for m in windows[0].heard))

        assert gm.held is not None
        sig, stmt = gm.held
        leaves = await gm.force(table, lambda of: leaf(Entry(of.log.size, of.log.table.ts, stmt, sig)))
        docket = record(leaves, gm.sign(gm._ledgers[table], leaves))
        for window in windows:
            await window.close()

    report = audit(docket)

    assert [(item.entry, item.culprit) for item in report.findings] == [(len(leaves) - 1, GM)]


async def test_a_game_master_that_refuses_falsely_hears_one_answer_and_no_other(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(Curious)}) as here:  # type: ignore[dict-item]
        _, windows = await seated(here)
        gm = master(here)
        assert isinstance(gm, Curious)
        asked = next(m.prompt for m in reversed(windows[0].heard) if getattr(m, "prompt", None))
        await windows[0].choose(asked.id, asked.options[0].id)
        told = await windows[0].told("vault/not-taken")
        for option in asked.options[1:]:
            await windows[0].choose(asked.id, option.id)
            await windows[0].told("prompt/answered")
        heard = len(gm.answers)
        async with asyncio.timeout(30):
            while len(gm.answers) < heard + 2:  # noqa: ASYNC110 - it is the vault that repeats itself
                await asyncio.sleep(0.05)
        for window in windows:
            await window.close()

    assert told.text.startswith("The game master has not taken your answer: Not now. ")
    assert told.text.endswith(" Your vault gives it again.")
    assert len(asked.options) > 1
    assert gm.answers == [gm.answers[0]] * len(gm.answers)


async def test_a_game_master_that_takes_an_answer_and_stores_none_hears_no_other(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(SaysYes)}) as here:  # type: ignore[dict-item]
        _, windows = await seated(here)
        gm = master(here)
        assert isinstance(gm, SaysYes)
        asked = next(m.prompt for m in reversed(windows[0].heard) if getattr(m, "prompt", None))
        await windows[0].choose(asked.id, asked.options[0].id)
        async with asyncio.timeout(30):
            await gm.played.wait()
        for option in asked.options[1:]:
            await windows[0].choose(asked.id, option.id)
            await windows[0].told("prompt/answered")
        async with asyncio.timeout(30):
            while len(gm.answers) < 3:  # noqa: ASYNC110 - it is the vault that repeats itself
                await asyncio.sleep(0.05)
        for window in windows:
            await window.close()

    assert len(asked.options) > 1
    assert gm.answers == [gm.answers[0]] * len(gm.answers)


async def test_an_honest_seat_signs_nothing_that_the_rules_forbid_and_a_game_master_could_store(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(KeepsWhatItRefuses)}) as here:  # type: ignore[dict-item]
        table = await open_table(here, options=COURT_TABLE)
        windows = []
        for seat in range(3):
            windows.append(await Window.open(here, table, seat, plays=False, name="Ada"))
            await windows[-1].until(lambda: len(names_at(here, table)) == len(windows))
        await windows[1].say("a" * 201)
        told = await windows[1].told("rule/say")
        gm = master(here)
        assert isinstance(gm, KeepsWhatItRefuses)
        names = names_at(here, table)
        for window in windows:
            await window.close()

    assert told.text
    assert names == ["Ada", "Ada 2", "Ada 3"]
    assert gm.refused == []


async def test_a_game_master_whose_clock_stands_still_has_no_seat_convicted_that_says_who_has_stalled(
    tmp_path: Path,
) -> None:
    limits = ("answer_limit", "object_window", "stall_s", "turn_limit")
    impatient = (("answer_floor_ms", "0"), *((name, "1") for name in limits))
    async with crooked_house(tmp_path, {"gm": made(CrookedGameMaster)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here, options=impatient, plays=True)
        await here.stack.kill("seat2")
        gm = master(here)
        await windows[0].until(lambda: bool(stalls_in(gm._ledgers[table])), limit=60)
        leaves = list(gm._ledgers[table].log.leaves)
        at = stalls_in(gm._ledgers[table])[0]
        before = read_leaf(leaves[at - 1])
        frozen = [*leaves[:at], leaf(msgspec.structs.replace(read_leaf(leaves[at]), ts=before.ts))]
        docket = record(frozen, gm.sign(gm._ledgers[table], frozen))
        for window in windows:
            await window.close()

    report = audit(docket)

    assert found(report) == {("A13", at, GM)}


def stalls_in(ledger: Ledger) -> list[int]:
    """Return the entries in which somebody says that another has stalled, the votes that have been counted included."""
    said = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in ledger.log.leaves[1:]]
    return [seq for seq, event in enumerate(said, start=1) if isinstance(event, Stall)]


async def test_a_log_handed_out_in_another_order_is_refused_by_the_vault_that_gets_it(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(Reorders)}) as here:  # type: ignore[dict-item]
        _, windows = await seated(here)
        master(here).played.set()

        await here.restart("seat2")
        told = await windows[2].told("vault/stopped")
        for window in windows:
            await window.close()

    assert told.text


async def test_a_vault_that_is_led_nowhere_asks_again_in_its_own_time_and_hears_the_feed_meanwhile(
    tmp_path: Path,
) -> None:
    async with crooked_house(tmp_path, {"gm": made(LeadsNowhere)}) as here:  # type: ignore[dict-item]
        _, windows = await seated(here)
        gm = master(here)
        assert isinstance(gm, LeadsNowhere)
        vault = here.stack._running["seat2"].service
        assert isinstance(vault, Vault)
        (log,) = vault._follower.logs.values()
        await vault._follower.catch_up(log)  # so that it asks for nothing of its own accord in the next two seconds

        gm.played.set()
        async with asyncio.timeout(60):
            await vault._follower.catch_up(log)
        asked = gm.answered
        await windows[1].say("Is anybody there?")
        await windows[2].until(lambda: "Is anybody there?" in lines_of(windows[2]))
        for window in windows:
            await window.close()

    assert asked == 1


def lines_of(window: Window) -> str:
    """Return all log lines that a player has heard."""
    return "\n".join(line.text for message in window.heard for line in getattr(message, "lines", ()))


async def test_two_seats_that_are_shown_two_logs_never_agree_again(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {"gm": made(Forks)}) as here:  # type: ignore[dict-item]
        table, windows = await seated(here)
        gm = master(here)
        gm.played.set()
        await here.restart("seat2")
        size = gm._ledgers[table].log.size
        await windows[1].say("I am in the one log.")
        await windows[0].until(lambda: any(getattr(m, "sequence", -1) >= size for m in windows[0].heard))
        await windows[0].say("So am I.")

        told = await windows[2].told("vault/stopped")
        ledger = await gm._ledger(table)
        docket = record(list(ledger.log.leaves), ledger.checkpoint())
        for window in windows:
            await window.close()

    report = audit(docket, receipts=gm.notes[-1:])

    assert told.text
    assert found(report) == {("A07", None, GM)}
