"""Whoever loses a window, a connection or a vault comes back to exactly what was there, and to nothing for free."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

from tests.scenarios.evening import (
    Window,
    entries_of,
    insider,
    pass_time,
    reopen,
    restart,
    sent_on,
    until_asked,
    wander,
    wrong_accusations,
)
from tests.support.memory_bus import MemoryServer
from tests.support.tabletop import TABLE, Tabletop, master, secrets_of
from tests.support.virtual_time import moment, run

from chambers.clients.heard import Heard, Occupied
from chambers.clients.session import SeatSession
from chambers.fairness.boxes import box_public
from chambers.fairness.keys import pair_secret
from chambers.protocol import subjects
from chambers.protocol.client import (
    Begin,
    ChoiceAccepted,
    Choose,
    Leave,
    Ping,
    Replaced,
    Resync,
    Update,
    Welcome,
)
from chambers.protocol.errors import Refusal
from chambers.protocol.frames import BOXED, HELLO
from chambers.protocol.statements import read_leaf, read_statement
from chambers.protocol.tickets import Ticket
from chambers.rules.events import Say
from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.events import Accuse, Ask, Look

FEED = subjects.feed(subjects.ANY)


# a look that costs something


def test_whoever_looks_and_pulls_the_plug_has_looked(tmp_path: Path) -> None:
    """The player accuses and is gone before any answer: the accusation stands, and the envelope waits."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            seat, option = await until_asked(table, wrong_accusations(3), random.Random(2))
            chair = table.chairs[seat]
            await chair.say(Choose(chair.prompt, option))
            await chair._bus.close()
            await table.until(lambda: any(isinstance(entry.event, Look) for entry in entries_of(table)))

            window = await reopen(table, seat)

            assert window.last is not None
            assert window.last.view["public"]["seats"][seat]["out"]
            assert len(window.last.view["envelope"]) == 3
            assert not any(option.startswith(("accuse", "ask.")) for option in window.asked)
            await wander(table, random.Random(5), until=lambda: table.log.size > 150)
            assert not any(
                isinstance(entry.event, Accuse | Ask) and entry.author == seat_role(seat)
                for entry in entries_of(table)[_seq_of_look(table) :]
            )

    run(play())


def _seq_of_look(table: Tabletop) -> int:
    return next(entry.seq for entry in entries_of(table) if isinstance(entry.event, Look))


def test_whoever_was_not_heard_before_the_line_broke_has_seen_nothing(tmp_path: Path) -> None:
    """The other half of it: nothing of the envelope is on the wire to this seat before the accusation is stored."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            seat, option = await until_asked(table, wrong_accusations(3), random.Random(2))
            chair = table.chairs[seat]
            before = table.log.size
            await chair.say(Choose(chair.prompt, option))
            await table.until(lambda: bool(chair.last and chair.last.view.get("envelope")))
            seen = next(at for at, m in chair.opened if isinstance(m, Update) and m.view.get("envelope"))
            stored = len(sent_on(table.server.wire[:seen], subjects.log(TABLE.hex())))
            events = [type(entry.event) for entry in entries_of(table)[before:stored]]
            assert events[:2] == [Accuse, Look]

    run(play())


# the old window and the new one


def test_nothing_that_the_old_window_says_late_throws_the_new_one_out(tmp_path: Path) -> None:
    """The new window has the seat; then all frames of the old one arrive again, and what it had still to say."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await wander(table, random.Random(1), until=lambda: table.log.size > 30)
            old = table.chairs[0]
            said = sent_on(table.server.wire, subjects.seat_up(TABLE.hex(), 0))
            new = Window(table, 0)
            await new.sit_down()
            await table.until(lambda: new.last is not None)
            table.chairs[0] = new

            for passed in said:
                await table.server.connect("client0").publish(passed.subject, passed.data)
            for message in (Ping(), Resync(), Begin(take_over=True), Choose(new.prompt or "0.0", "ok"), Leave()):
                await old.say(message)
            await pass_time(60)
            heard = len(new.heard)
            await wander(table, random.Random(2), until=lambda: table.log.size > 60)

            assert not any(isinstance(message, Replaced) for message in new.heard)
            assert len(new.heard) > heard
            assert isinstance(old.heard[-1], Replaced)

    run(play())


class Courier:
    """Carries a real session's frames over the bus in memory; it loses those that `loses` says."""

    def __init__(self, server: MemoryServer, seat: int, *, loses: Callable[[], bool] = lambda: False) -> None:
        self.sent: list[bytes] = []
        self._bus = server.connect(f"client{seat}")
        self._up = subjects.seat_up(TABLE.hex(), seat)
        self._loses = loses

    async def listen(self, session: SeatSession) -> None:
        async def deliver(_: str, data: bytes) -> None:
            if not self._loses():
                await session.deliver(data)

        await self._bus.subscribe(session.subject, deliver)

    async def publish(self, data: bytes) -> None:
        self.sent.append(data)
        await self._bus.publish(self._up, data)

    async def close(self) -> None:
        await self._bus.close()


def ticket_of(seat: int) -> Ticket:
    """Return the ticket of a seat of the table in memory."""
    role = str(seat_role(seat))
    frame_key = secrets_of(role).frame_key
    assert frame_key is not None
    pair = pair_secret(master(role), TABLE, issue=0)
    return Ticket("memory", TABLE, seat, 0, b"a" * 32, pair, box_public(frame_key))


async def session_at(
    table: Tabletop, seat: int, *, take_over: bool = False, loses: Callable[[], bool] = lambda: False
) -> tuple[SeatSession, Courier, list[Heard]]:
    """Return a real session at a seat, what carries it, and the growing list of what it hears."""
    session = SeatSession(ticket_of(seat), "Ada", take_over=take_over)
    courier = Courier(table.server, seat, loses=loses)
    heard: list[Heard] = []

    async def listen() -> None:
        async for message in session.messages():
            heard.append(message)  # noqa: PERF401 - the list is read while it grows

    await courier.listen(session)
    await session.start(courier)
    session.listening = asyncio.create_task(listen())  # type: ignore[attr-defined]
    return session, courier, heard


def test_two_windows_of_one_ticket_do_not_fight_for_the_seat(tmp_path: Path) -> None:
    """Two tabs, each of which wants the seat and takes it at once: one hand-over in ten minutes, not hundreds."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await table.chairs[0]._bus.close()
            first, one, heard_first = await session_at(table, 0, take_over=True)
            await pass_time(1)
            second, two, heard_second = await session_at(table, 0, take_over=True)
            await pass_time(600)

            replaced = [m for m in (*heard_first, *heard_second) if isinstance(m, Replaced)]
            hellos = [frame for frame in (*one.sent, *two.sent) if frame[:1] == HELLO]
            assert len(replaced) == 1
            assert (first.ended, second.ended) == (True, False)
            assert len(hellos) == 2
            assert any(isinstance(message, Update) for message in heard_second)
            for session in (first, second):
                await session.close()

    run(play())


def test_a_second_window_that_only_looks_in_leaves_the_first_one_alone(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await table.chairs[0]._bus.close()
            first, _, heard_first = await session_at(table, 0, take_over=True)
            await pass_time(1)
            second, two, heard_second = await session_at(table, 0)
            await pass_time(600)

            assert [type(message) for message in heard_second] == [Occupied]
            assert len(two.sent) == 1
            assert not any(isinstance(message, Replaced | Occupied) for message in heard_first)
            assert not first.ended
            for session in (first, second):
                await session.close()

    run(play())


# what gets lost


def test_lost_entries_are_asked_for_and_not_in_a_storm(tmp_path: Path) -> None:
    """Half of what is republished reaches nobody: every service catches up, and the questions stay few."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            chance, lost = random.Random(8), 0
            for interest in table.server.interests:
                if interest.subject == FEED:
                    deliver = interest.deliver

                    async def sometimes(to: str, data: bytes, reply: str, deliver=deliver) -> None:  # type: ignore[no-untyped-def]
                        nonlocal lost
                        if chance.random() < 0.5:
                            lost += 1
                        else:
                            await deliver(to, data, reply)

                    interest.deliver = sometimes
            start, entries = len(table.server.wire), table.log.size
            await wander(table, random.Random(1), until=lambda: table.log.size > 150)
            await pass_time(5)

            asked = [p for p in table.server.wire[start:] if ".tail." in p.subject and not p.subject.startswith("_")]
            views = [chair.last.sequence for chair in table.chairs if chair.last is not None]
            assert views == [table.log.size - 1] * 3
            assert lost > 200
            answers = [p for p in table.server.wire[start:] if ".in." in p.subject]
            assert len(asked) < lost
            assert len(answers) < 2 * (table.log.size - entries)

    run(play())


def test_a_window_that_misses_half_of_its_frames_is_where_the_vault_is_soon_after(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            chance = random.Random(4)
            await table.chairs[0]._bus.close()
            session, courier, heard = await session_at(table, 0, take_over=True, loses=lambda: chance.random() < 0.5)
            await pass_time(30)
            asked_before = sum(frame[:1] == BOXED for frame in courier.sent)
            for n in range(40):
                talk = await insider(table, "seat1")
                await talk.submit(talk.statement(Say(f"word {n}")))
                await talk.bus.close()
                await pass_time(2)
            await pass_time(60)

            asked = sum(frame[:1] == BOXED for frame in courier.sent) - asked_before
            assert session.sequence == table.log.size - 1
            assert asked < 140 / 2
            updates = [message for message in heard if isinstance(message, Update)]
            assert updates[-1].sequence == table.log.size - 1
            await session.close()

    run(play())


# the seat keeps its state


def test_a_seat_that_comes_back_has_its_own_state_and_not_a_fresh_one(tmp_path: Path) -> None:
    """A player who accused wrongly starts everything anew, window and vault: still out, same cards, same notes."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            seat, option = await until_asked(table, wrong_accusations(3), random.Random(2))
            await table.note(seat, "B3 is with Cy")
            assert isinstance(await table.choose(seat, option), ChoiceAccepted)
            await wander(table, random.Random(9), until=lambda: table.log.size > 120)
            before = table.chairs[seat].last

            await restart(table, f"seat{seat}", tmp_path)
            again = table.chairs[seat].last

            assert before is not None
            assert again is not None
            assert (again.view, again.prompt) == (before.view, before.prompt)
            assert again.view["notes"] == "B3 is with Cy"
            assert again.view["public"]["seats"][seat]["out"]
            cheat = await insider(table, f"seat{seat}")
            for event in (Accuse(3), Ask(target=(seat + 1) % 3, question=0, public=True)):
                answer = await cheat.submit(cheat.statement(event))
                assert isinstance(answer, Refusal)
                assert answer.code.startswith("rule/")

    run(play())


def test_after_any_reopening_the_prompt_that_stands_can_be_answered(tmp_path: Path) -> None:
    """Every kind of prompt is met in a window that has just opened, and each of them is taken from there."""

    async def play() -> None:
        kinds: set[str] = set()
        async with Tabletop(tmp_path, seats=3) as table:
            chance = random.Random(6)
            while table.log.size < 180:
                asked = next((chair for chair in table.chairs if chair.asked), None)
                if asked is None:
                    await moment()
                    continue
                window = await reopen(table, asked.seat)
                assert isinstance(window.heard[0], Welcome)
                assert window.last is not None
                assert window.last.prompt is not None
                options = [option for option in window.asked if not option.startswith("accuse")]
                answer = await table.choose(asked.seat, chance.choice(options))
                assert isinstance(answer, ChoiceAccepted)
                kinds.add(_kind_of(window))
        assert {"ask", "answer", "object", "end"} <= kinds

    run(play())


def _kind_of(window: Window) -> str:
    asked = [message.prompt.kind for message in window.heard if isinstance(message, Update) and message.prompt]
    return asked[0]


def test_the_log_of_a_table_full_of_breaks_is_the_log_of_a_table_without_any(tmp_path: Path) -> None:
    """The same people make the same choices, once undisturbed and once with a new window at every one of them."""

    async def play(home: Path, *, breaks: bool) -> list[bytes]:
        async with Tabletop(home, seats=2) as table:
            chance = random.Random(3)
            while table.log.size < 110:
                asked = next((chair for chair in table.chairs if chair.asked), None)
                if asked is None:
                    await moment()
                    continue
                if breaks:
                    asked = await reopen(table, asked.seat)
                options = [option for option in asked.asked if not option.startswith("accuse")]
                await table.choose(asked.seat, chance.choice(options))
            return [_without_boxes(raw) for raw in table.log.leaves[:100]]

    assert run(play(tmp_path / "a", breaks=False)) == run(play(tmp_path / "b", breaks=True))


def _without_boxes(raw: bytes) -> bytes:
    statement = read_statement(read_leaf(raw).stmt)
    event = bytes(statement.ev)
    kept = b"" if event.startswith((b"\x94\xa4pass", b"\x94\xa4deal")) else event
    return b"/".join((str(statement.author).encode(), str(statement.n).encode(), kept))
