"""A question that comes while a line is typed: the line was meant for the one before, and is not taken for it."""

from __future__ import annotations

import asyncio
import os

import pytest
from msgspec.structs import replace
from tests.clients.vault_end import TICKET, Vault

from chambers.clients.line_mode import LineMode
from chambers.clients.session import SeatSession
from chambers.clients.sights import Sights
from chambers.clients.speech import Speech
from chambers.protocol.client import Ask, Choice, ChoiceAccepted, Choose, FromVault, Update

OBJECT = Ask("5.1", "object", "Object?", (Choice("object", "Object", {}), Choice("ok", "Let it pass", {})), "WS-12")
END = Ask("7.1", "end", "End it?", (Choice("accuse.B", "Accuse Bea", {}), Choice("end", "End the turn", {})), "WS-49")
ONLY = Ask("8.1", "claim", "Claim?", (Choice("claim", "Claim it", {}),))
CHANGED = "ERR The question changed while you typed"


class Player:
    """A person at a terminal: what is typed, what is printed, and what reaches the vault."""

    def __init__(self, session: SeatSession, vault: Vault, capsys: pytest.CaptureFixture[str]) -> None:
        self.printed = ""
        self._session, self._vault, self._capsys = session, vault, capsys
        reading, writing = os.pipe()
        self._source, self._keys = os.fdopen(reading, "r"), os.fdopen(writing, "w", buffering=1)

    @classmethod
    async def sit(cls, capsys: pytest.CaptureFixture[str]) -> Player:
        """Sit down at a seat."""
        vault = Vault()
        session = SeatSession(TICKET, "Bo")
        await session.start(vault)
        await session.deliver(vault.welcome())
        return cls(session, vault, capsys)

    def play(self, *, hold: bool = False, glance: float = 60.0) -> None:
        """Begin to read and to type."""
        speech = Speech(lambda name, _hash: Sights(None, name=name))
        mode = LineMode(self._session, speech, hold=hold, glance=glance)
        self._playing = asyncio.create_task(mode.run(self._source))

    async def hears(self, *messages: FromVault) -> None:
        """Have the vault say something."""
        for message in messages:
            await self._session.deliver(self._vault.say(message))

    async def sees(self, text: str) -> None:
        """Return once a text has been printed since the last time."""
        async with asyncio.timeout(10):
            while text not in self.printed:
                await asyncio.sleep(0)
                self.printed += self._capsys.readouterr().out
        self.printed = self.printed.partition(text)[2]

    async def loses_the_link(self) -> None:
        """Break the connection, and make it again."""
        await self._session.reconnected()

    async def types(self, line: str) -> None:
        """Type a line and press Enter."""
        self._keys.write(f"{line}\n")

    async def leaves(self) -> list[Choose]:
        """Leave; return every choice that was made."""
        await self.types("quit")
        await self._playing
        await self._session.close()
        self._keys.close()
        return [one for one in self._vault.said if isinstance(one, Choose)]


def asks(sequence: int, ask: Ask | None) -> Update:
    return Update(sequence, "play", {"public": {}}, (), ask)


async def test_a_number_meant_for_a_question_that_has_just_lapsed_answers_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    player = await Player.sit(capsys)
    player.play()
    await player.hears(asks(5, OBJECT))
    await player.sees("CHOICE")
    await player.hears(asks(6, None), asks(7, END))
    await player.sees("End it?")

    await player.types("1")

    await player.sees(CHANGED)
    assert await player.leaves() == []


async def test_words_that_answer_the_new_question_alone_are_taken_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    player = await Player.sit(capsys)
    player.play()
    await player.hears(asks(5, OBJECT), asks(7, END))
    await player.sees("End it?")

    await player.types("end the turn")
    await player.types("look log")

    await player.sees("nothing has happened")
    assert await player.leaves() == [Choose("7.1", "end")]


async def test_enter_meant_for_a_question_that_has_just_lapsed_answers_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    player = await Player.sit(capsys)
    player.play()
    await player.hears(asks(5, OBJECT))
    await player.sees("CHOICE")
    await player.hears(asks(8, ONLY))
    await player.sees("Claim?")

    await player.types("")

    await player.sees(CHANGED)
    assert await player.leaves() == []


async def test_a_question_that_was_there_for_a_moment_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    player = await Player.sit(capsys)
    player.play(glance=0.0)
    await player.hears(asks(5, OBJECT), asks(7, END))
    await player.sees("End it?")

    await player.types("2")
    await player.types("look log")

    await player.sees("nothing has happened")
    assert await player.leaves() == [Choose("7.1", "end")]


async def test_the_question_after_one_that_was_answered_may_be_answered_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    player = await Player.sit(capsys)
    player.play()
    await player.hears(asks(5, OBJECT))
    await player.sees("Object?")
    await player.types("2")
    await player.types("look log")
    await player.sees("nothing has happened")
    await player.hears(ChoiceAccepted("5.1", "ok", 6), asks(7, END))
    await player.sees("End it?")

    await player.types("2")
    await player.types("look log")

    await player.sees("nothing has happened")
    assert await player.leaves() == [Choose("5.1", "ok"), Choose("7.1", "end")]


async def test_of_two_answers_the_first_counts_and_the_second_is_told_so_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With a limit a vault may choose; it has not here."""
    player = await Player.sit(capsys)
    player.play()
    await player.hears(asks(5, replace(OBJECT, deadline=1_800_000_000_000)))
    await player.sees("Object?")
    await player.types("1")
    await player.types("2")
    await player.sees("ERR You have answered this already. The first answer counts; it is on its way.\n")

    await player.hears(ChoiceAccepted("5.1", "object", 6))

    await player.sees("OK Object\n")
    assert await player.leaves() == [Choose("5.1", "object")]


async def test_an_answer_that_is_typed_while_the_link_is_down_is_told_to_be_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    player = await Player.sit(capsys)
    player.play()
    await player.hears(asks(5, OBJECT))
    await player.sees("Object?")
    await player.loses_the_link()
    await player.types("1")
    await player.sees("OK chosen: Object. It reaches your vault when the link is back.\n")
    await player.types("2")
    await player.sees("ERR You have answered this already. It reaches your vault when the link is back.\n")

    await player.hears(asks(5, OBJECT))
    await player.hears(ChoiceAccepted("5.1", "object", 6))

    await player.sees("OK Object\n")
    assert await player.leaves() == [Choose("5.1", "object")]


async def test_a_question_that_is_held_back_is_not_answered_unread(capsys: pytest.CaptureFixture[str]) -> None:
    player = await Player.sit(capsys)
    player.play(hold=True, glance=0.0)
    await player.hears(asks(5, OBJECT), asks(7, END))

    await player.types("2")
    await player.sees(CHANGED)
    await player.types("2")
    await player.types("look log")

    await player.sees("nothing has happened")
    assert await player.leaves() == [Choose("7.1", "end")]
