"""A half-typed line is the player's own: events may pour in meanwhile, and it is read as it was typed."""

from __future__ import annotations

import asyncio
import os
import pty
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest
from tests.clients.vault_end import TICKET, Vault

from chambers.clients.line_mode import LineMode
from chambers.clients.session import SeatSession
from chambers.clients.sights import Sights
from chambers.clients.speech import Speech
from chambers.protocol.client import Ask, Begin, Choice, Choose, FromClient, Leave, Line, Note, Talk, Update

ASK = Ask("5.1", "end", "End it?", (Choice("accuse.B", "Accuse Bea", {}), Choice("end", "End the turn", {})), "WS-49")
POURED = 200


@contextmanager
def _pipe() -> Iterator[tuple[TextIO, int]]:
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as source:
        yield source, writer
        os.close(writer)


@contextmanager
def _terminal() -> Iterator[tuple[TextIO, int]]:
    """A real terminal's line discipline: it keeps what is typed until Enter."""
    keys, screen = pty.openpty()
    settings = termios.tcgetattr(screen)
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(screen, termios.TCSANOW, settings)
    with os.fdopen(screen, encoding="utf-8") as source:
        yield source, keys
        os.close(keys)


async def _seated(vault: Vault) -> SeatSession:
    session = SeatSession(TICKET, "Bo")
    await session.start(vault)
    await session.deliver(vault.welcome())
    return session


def _update(sequence: int, text: str) -> Update:
    return Update(sequence, "play", {"public": {}}, (Line(sequence, text),), ASK)


async def _until_said(vault: Vault, count: int) -> None:
    async with asyncio.timeout(20):
        while len(vault.said) < count:
            vault.arrived.clear()
            if len(vault.said) < count:
                await vault.arrived.wait()


def _said(vault: Vault) -> list[FromClient]:
    """Return what the player said, without the client's own words at its coming and going."""
    return [message for message in vault.said if not isinstance(message, Begin | Leave)]


@pytest.mark.parametrize("typed_at", [_pipe, _terminal])
@pytest.mark.parametrize("hold", [False, True])
async def test_two_hundred_events_do_not_touch_the_line_being_typed(
    typed_at: object, hold: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = Vault()
    session = await _seated(vault)
    with typed_at() as (source, keys):  # type: ignore[operator]
        mode = LineMode(session, Speech(lambda name, _hash: Sights(None, name=name)), hold=hold)
        playing = asyncio.create_task(mode.run(source))
        await session.deliver(vault.say(_update(5, "Ada rolled 4.")))
        os.write(keys, b"say is it ")
        for number in range(POURED):
            await session.deliver(vault.say(_update(6 + number, f"Ada says: word {number}")))
            await asyncio.sleep(0)
        os.write(keys, "Bea, or Zoë?\n".encode())
        await _until_said(vault, 2)
        os.write(keys, b"note B3 is with C")
        await session.deliver(vault.say(_update(6 + POURED, "Cy rolled 2.")))
        os.write(keys, b"y\nend\n")
        await _until_said(vault, 4)
        os.write(keys, b"quit\n")
        await playing
    await session.close()

    assert _said(vault) == [Talk("is it Bea, or Zoë?"), Note("B3 is with Cy"), Choose("5.1", "end")]
    told = capsys.readouterr().out
    assert told.count("EVENT Ada says: word ") == POURED


async def test_nothing_is_printed_that_moves_a_cursor_or_redraws_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    vault = Vault()
    session = await _seated(vault)
    with _pipe() as (source, keys):
        playing = asyncio.create_task(
            LineMode(session, Speech(lambda name, _hash: Sights(None, name=name))).run(source)
        )
        for number in range(20):
            await session.deliver(vault.say(_update(5 + number, f"Ada says: word {number}")))
        os.write(keys, b"?\nlook log\nwhat\nend\n")
        await _until_said(vault, 2)
        os.write(keys, b"quit\n")
        await playing
    await session.close()

    told = capsys.readouterr().out
    assert told.count("\n") > 40
    assert all(char == "\n" or char.isprintable() for char in told)


async def test_a_choice_typed_while_the_question_changes_is_not_sent_for_the_new_one() -> None:
    """The line was typed for one prompt, and Enter came after it was replaced: only the words decide, never a place."""
    other = Ask("9.1", "object", "Object?", (Choice("ok", "Let it pass", {}), Choice("object", "Play I Object!", {})))
    vault = Vault()
    session = await _seated(vault)
    with _pipe() as (source, keys):
        playing = asyncio.create_task(
            LineMode(session, Speech(lambda name, _hash: Sights(None, name=name))).run(source)
        )
        await session.deliver(vault.say(_update(5, "Ada rolled 4.")))
        os.write(keys, b"end the ")
        await session.deliver(vault.say(Update(9, "play", {"public": {}}, (), other)))
        os.write(keys, b"turn\nlet it pass\n")
        await _until_said(vault, 2)
        os.write(keys, b"quit\n")
        await playing
    await session.close()

    assert _said(vault) == [Choose("9.1", "ok")]
