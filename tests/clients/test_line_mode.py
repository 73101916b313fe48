"""The line mode as a pipe sees it: lines typed ahead, choices that wait for their prompt, and the end of input."""

from __future__ import annotations

import asyncio
import io
import os

import pytest
from tests.clients.vault_end import TICKET, Vault

from chambers.clients.in_game import COMMANDS
from chambers.clients.json_mode import JsonMode
from chambers.clients.line_mode import FAREWELL, LineMode
from chambers.clients.session import SeatSession
from chambers.clients.sights import Sights
from chambers.clients.speech import Speech
from chambers.protocol.client import (
    Ask,
    Choice,
    ChoiceAccepted,
    ChoiceRefused,
    Choose,
    Leave,
    Note,
    Over,
    Resync,
    Talk,
    Update,
)

ASK = Ask("5.1", "end", "End it?", (Choice("accuse.B", "Accuse Bea", {}), Choice("end", "End the turn", {})), "WS-49")


def update(sequence: int, ask: Ask | None) -> Update:
    return Update(sequence, "play", {"public": {}}, (), ask)


async def seat(vault: Vault) -> SeatSession:
    session = SeatSession(TICKET, "Bo")
    await session.start(vault)
    await session.deliver(vault.welcome())
    return session


def line_mode(session: SeatSession, *, hold: bool = False, patient: bool = True) -> LineMode:
    return LineMode(session, Speech(lambda name, _hash: Sights(None, name=name)), hold=hold, patient=patient)


async def until_said(vault: Vault, count: int) -> None:
    async with asyncio.timeout(60):
        while len(vault.said) < count:
            vault.arrived.clear()
            if len(vault.said) < count:
                await vault.arrived.wait()


async def test_lines_typed_ahead_wait_for_the_prompt_and_for_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    playing = asyncio.create_task(line_mode(session).run(io.StringIO("end\n? rule\n")))

    await session.deliver(vault.say(update(5, ASK)))
    await until_said(vault, 2)
    await session.deliver(vault.say(ChoiceAccepted("5.1", "end", 6)))
    await playing
    await session.close()

    assert vault.said[1] == Choose("5.1", "end")
    told = capsys.readouterr().out.splitlines()
    assert told[-3:] == [
        "OK End the turn",
        "ASK the rule: WS-49, Play: A turn is: a question, the move, a question if allowed, then an accusation, "
        "Witness Dismissed, or the end.",
        f"LINK {FAREWELL}",
    ]


async def test_a_refused_choice_is_explained_and_the_next_line_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    playing = asyncio.create_task(line_mode(session).run(io.StringIO("1\nquit\n")))

    await session.deliver(vault.say(update(5, ASK)))
    await until_said(vault, 2)
    await session.deliver(vault.say(ChoiceRefused("5.1", "rule/x", "Not now.", "Winning the Game", "WS-31")))
    await playing
    await session.close()

    told = capsys.readouterr().out.splitlines()
    assert told[-2] == "ERR Not now. (Winning the Game, WS-31)"
    assert told[-1] == "LINK you leave; your seat stays. The same ticket brings you back."


async def test_the_end_of_input_leaves_the_seat_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    mode = line_mode(session)
    playing = asyncio.create_task(mode.run(io.StringIO("note B3 is with Cy\nsay good evening\n")))

    await session.deliver(vault.say(update(5, ASK)))
    await playing
    await session.close()

    assert vault.said[1:] == [Note("B3 is with Cy"), Talk("good evening"), Leave()]
    assert mode.over is None
    assert "ERR" not in capsys.readouterr().out


async def test_a_question_mark_names_the_commands_and_a_new_note_shows_the_old_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    vault = Vault()
    session = await seat(vault)
    playing = asyncio.create_task(line_mode(session).run(io.StringIO("?\nnote new\nnote\n")))

    await session.deliver(vault.say(Update(5, "play", {"public": {}, "notes": "old"}, (), ASK)))
    await playing
    await session.close()

    told = capsys.readouterr().out.splitlines()
    assert f"ASK you can also type: {COMMANDS}" in told
    assert "OK noted, instead of: old" in told
    assert told[-2].startswith("HAND your notes: ")
    assert told[-1] == f"LINK {FAREWELL}"
    assert vault.said[1] == Note("new")


async def test_a_note_before_the_vault_is_heard_is_not_said_to_be_kept(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)

    await line_mode(session, patient=False).run(io.StringIO("note early\n"))
    await session.close()

    assert "ERR Your vault is not heard yet" in capsys.readouterr().out
    assert Note("early") not in vault.said


async def test_a_wait_that_lasts_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    speech = Speech(lambda name, _hash: Sights(None, name=name))
    reading, writing = _pipe()
    playing = asyncio.create_task(LineMode(session, speech, lasting=0.01).run(reading))

    await session.deliver(vault.say(Update(5, "play", {"public": {}}, (), None, waiting=("Bo", "Cy"))))
    told = ""
    async with asyncio.timeout(60):
        while "waiting" not in told:
            await asyncio.sleep(0)
            told += capsys.readouterr().out
    writing.write("quit\n")
    writing.close()
    await playing
    await session.close()

    assert "EVENT waiting for Bo, Cy." in told.splitlines()


async def test_held_events_come_with_enter_and_with_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    playing = asyncio.create_task(line_mode(session, hold=True).run(io.StringIO("\n")))

    await session.deliver(vault.say(update(5, ASK)))
    await playing
    await session.close()

    assert "ASK End it?" in capsys.readouterr().out.splitlines()


async def test_a_taken_seat_is_taken_over_by_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = SeatSession(TICKET, "Bo")
    await session.start(vault)
    await session.deliver(vault.welcome(occupied=True))

    playing = asyncio.create_task(line_mode(session).run(io.StringIO("take\n")))

    await until_said(vault, 1)
    await session.deliver(vault.say(update(5, None)))
    await playing
    await session.close()

    assert [type(one).__name__ for one in vault.said] == ["Begin", "Leave"]
    assert capsys.readouterr().out.startswith("LINK another window plays this seat.")


async def test_a_single_option_is_chosen_by_enter_alone() -> None:
    vault = Vault()
    session = await seat(vault)
    playing = asyncio.create_task(line_mode(session).run(io.StringIO("\n")))
    only = Ask("5.1", "object", "Object?", (Choice("ok", "Let it pass", {}),))

    await session.deliver(vault.say(update(5, only)))
    await until_said(vault, 2)
    await session.deliver(vault.say(ChoiceAccepted("5.1", "ok", 6)))
    await playing
    await session.close()

    assert vault.said[1] == Choose("5.1", "ok")


async def test_the_close_ends_the_line_mode_and_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    mode = line_mode(session)
    over = Over(1, "Bo wins.", 90, "ab" * 32)
    reading, writing = _pipe()
    playing = asyncio.create_task(mode.run(reading))

    await session.deliver(vault.say(update(5, None)))
    await session.deliver(vault.say(over))
    await playing
    await session.close()
    writing.close()

    assert mode.over == over
    assert "END Bo wins." in capsys.readouterr().out.splitlines()


async def test_json_answers_bad_lines_and_obeys_good_ones(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await seat(vault)
    lines = 'nonsense\n\n{"resync":true}\n{"choose":"5.1","option":"end"}\n{"say":"hello"}\n'

    await JsonMode(session).run(io.StringIO(lines))
    await session.close()

    assert vault.said[1:] == [Resync(), Choose("5.1", "end"), Talk("hello"), Leave()]
    assert '"code":"client/not-json"' in capsys.readouterr().out


def _pipe() -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
    reading, writing = os.pipe()
    return os.fdopen(reading, "r"), os.fdopen(writing, "w")
