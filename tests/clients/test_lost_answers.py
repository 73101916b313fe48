"""What a real vault has said and a real window has not heard: it is told later, and nothing untrue in its place."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.scenarios.evening import pass_time, start_user, stop_user, wander
from tests.scenarios.test_reconnecting import session_at
from tests.support.tabletop import Tabletop
from tests.support.virtual_time import run

from chambers.clients.heard import Heard, Unsent
from chambers.protocol.client import Ask, ChoiceAccepted, ChoiceRefused, Talk, Update
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import Accepted
from chambers.rules.events import Say
from chambers.services.pen import Pen

PATIENT = (("answer_floor_ms", "0"), ("stall_s", "600"))


def asked(heard: Sequence[Heard]) -> Ask | None:
    """Return what a window is asked by the last view that it has heard."""
    return next((one.prompt for one in reversed(heard) if isinstance(one, Update)), None)


def told(heard: Sequence[Heard]) -> list[str]:
    """Return what a window was told of its choices: the option that was taken, a refusal's code, or that it is lost."""
    said: list[str] = []
    for one in heard:
        match one:
            case ChoiceAccepted(option=option):
                said.append(option)
            case ChoiceRefused(code=code):
                said.append(code)
            case Unsent():
                said.append("unsent")
    return said


class Link:
    """The way of the vault's frames to a window, which can be cut."""

    def __init__(self) -> None:
        self.cut = False

    def loses(self) -> bool:
        return self.cut


def test_a_choice_that_counted_while_the_window_heard_nothing_is_told_to_have_counted(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            link = Link()
            await table.chairs[0]._bus.close()
            session, _, heard = await session_at(table, 0, take_over=True, loses=link.loses)
            await wander(table, random.Random(1), until=lambda: asked(heard) is not None, gone={0})
            ask = asked(heard)
            assert ask is not None
            link.cut = True
            await session.choose(ask.id, ask.options[0].id)
            await pass_time(2)
            link.cut = False

            await session.reconnected()
            await pass_time(2)

            assert told(heard) == [ask.options[0].id]
            await session.close()

    run(play())


def test_a_choice_that_counted_before_its_vault_was_killed_is_told_to_have_counted(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            link = Link()
            await table.chairs[0]._bus.close()
            session, _, heard = await session_at(table, 0, take_over=True, loses=link.loses)
            await wander(table, random.Random(1), until=lambda: asked(heard) is not None, gone={0})
            ask = asked(heard)
            assert ask is not None
            link.cut = True
            await session.choose(ask.id, ask.options[0].id)
            await pass_time(2)
            await stop_user(table, "seat0")
            link.cut = False

            await start_user(table, "seat0", tmp_path)
            await pass_time(20)

            assert told(heard) == [ask.options[0].id]
            await session.close()

    run(play())


def test_an_acceptance_that_was_lost_alone_is_told_a_few_seconds_later(tmp_path: Path) -> None:
    """The vault's link dropped the frame, and the window's own knows of no break."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            link = Link()
            await table.chairs[0]._bus.close()
            session, _, heard = await session_at(table, 0, take_over=True, loses=link.loses)
            await wander(table, random.Random(1), until=lambda: asked(heard) is not None, gone={0})
            ask = asked(heard)
            assert ask is not None
            link.cut = True
            await session.choose(ask.id, ask.options[0].id)
            await pass_time(0.5)
            link.cut = False

            await pass_time(20)

            assert told(heard) == [ask.options[0].id]
            await session.close()

    run(play())


def words_of(table: Tabletop) -> list[str]:
    """Return everything that was said at a table."""
    assert table.log.size
    return [entry.event.text for entry in table.read if isinstance(entry.event, Say)]


def test_words_that_are_said_again_while_they_are_under_way_are_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game master is slow, and the window has come back meanwhile."""
    answers, submit = asyncio.Event(), Pen.submit

    async def slowly(pen: Pen, submission: bytes) -> Accepted | Refusal:
        await answers.wait()
        return await submit(pen, submission)

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            monkeypatch.setattr(Pen, "submit", slowly)
            await table.chairs[0].say(Talk("Good evening."))
            await pass_time(2)
            await table.chairs[0].say(Talk("Good  evening."))
            await pass_time(2)
            answers.set()
            await pass_time(2)

            assert words_of(table) == ["Good evening."]
            assert told(table.chairs[0].heard) == []

    run(play())


def test_what_was_said_while_the_window_heard_nothing_is_in_the_log_once(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            link = Link()
            await table.chairs[0]._bus.close()
            session, courier, heard = await session_at(table, 0, take_over=True, loses=link.loses)
            await pass_time(1)
            publish = courier.publish

            async def lost(_: bytes) -> None:
                return

            courier.publish = lost  # type: ignore[method-assign,assignment]
            await session.say("Good  evening.")
            await session.say("Anybody there?")
            courier.publish = publish  # type: ignore[method-assign]
            for _ in range(3):
                await session.reconnected()
                await pass_time(5)

            assert words_of(table) == ["Good evening.", "Anybody there?"]
            assert told(heard) == []
            await session.close()

    run(play())


def test_what_happened_while_a_window_heard_nothing_is_told_in_order_at_a_busy_table(tmp_path: Path) -> None:
    """Something happens before the window, back from its break, has asked what it missed."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            link = Link()
            await table.chairs[0]._bus.close()
            session, _, heard = await session_at(table, 0, take_over=True, loses=link.loses)
            await pass_time(2)
            for n in range(6):
                link.cut = n in (2, 3)
                await table.chairs[1 + n % 2].say(Talk(f"word {n}"))
                await pass_time(1.5)

            lines = [line for one in heard if isinstance(one, Update) for line in one.lines]
            fresh = [line for n, line in enumerate(lines) if all(line.sequence > old.sequence for old in lines[:n])]
            assert [line.text.partition(" says: ")[2] for line in fresh if "word" in line.text] == [
                f"word {n}" for n in range(6)
            ]
            assert session.sequence == table.log.size - 1
            await session.close()

    run(play())
