"""The line mode: a person at a terminal or a pipe, one sentence a line, nothing redrawn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final, TextIO

from chambers.clients import typed
from chambers.clients.heard import Heard, Occupied, Unsent
from chambers.clients.in_game import COMMANDS
from chambers.clients.pipes import TypedLines, say
from chambers.clients.session import SeatSession
from chambers.clients.speech import Speech
from chambers.protocol.client import Ask, ChoiceAccepted, ChoiceRefused, Over, Replaced, Update

_LASTING_S: Final = 3.0
"""How long the table waits for others before that is said: bots and quick answers need no line."""
_GLANCE_S: Final = 1.0
"""How long a question must have been read by whoever was about to answer another one."""
_CHANGED: Final = (
    "ERR The question changed while you typed, and nothing was chosen. Type it again if you mean this one."
)
_ON_ITS_WAY: Final = " The first answer counts; it is on its way."
_LATER: Final = " It reaches your vault when the link is back."
FAREWELL: Final = "you leave; your seat stays. The same ticket brings you back."


class LineMode:
    """One person's seat in line mode. `hold`: events are printed only after Enter.

    `patient` is for pipes, whose lines come before anything is asked: a choice then waits for its prompt, and the next
    line for its answer. A person at a terminal is answered at once. After `lasting` seconds of silence it is told whom
    the table waits for. A choice is never taken for a question that came while it was typed: one that is held back
    still, or that took the place of another less than `glance` seconds ago, if the line would have answered that one.
    """

    def __init__(
        self,
        session: SeatSession,
        speech: Speech,
        *,
        hold: bool = False,
        patient: bool = False,
        farewell: str = "",
        lasting: float = _LASTING_S,
        glance: float = _GLANCE_S,
    ) -> None:
        self._session = session
        self._speech = speech
        self._hold = hold
        self._patient = patient
        self._farewell = farewell or FAREWELL
        self._lasting = lasting
        self._glance = glance
        self._unanswered = ""
        self._asked = self._read = ""
        self._before: Ask | None = None
        self._latest: Ask | None = None
        self._left_open = False
        self._came_at = -glance
        self._at_door: Occupied | None = None
        self._held: list[str] = []
        self.over: Over | None = None

    async def run(self, source: TextIO) -> None:
        """Play until the table closes, the player leaves, or input ends; the seat stays in any case."""
        lines, stream = TypedLines(source), self._session.messages()
        hearing: asyncio.Task[Heard | None] = asyncio.create_task(_next(stream))
        typing: asyncio.Task[str | None] = asyncio.create_task(lines.next())
        try:
            while True:
                ready = not typing.done() or self._may_take(typing.result())
                awaited = {hearing, typing} if ready else {hearing}
                done, _ = await asyncio.wait(awaited, timeout=self._lasting, return_when=asyncio.FIRST_COMPLETED)
                if not done and not self._hold:
                    say(self._speech.waiting())
                if hearing.done():
                    heard = hearing.result()
                    if heard is None or self._hear(heard):
                        return
                    hearing = asyncio.create_task(_next(stream))
                elif typing.done() and self._may_take(typing.result()):
                    line = typing.result()
                    if line is None:
                        say((*self._held, f"LINK {self._farewell}"))
                        self._held.clear()
                        return
                    if not await self._typed(line):
                        return
                    typing = asyncio.create_task(lines.next())
        finally:
            hearing.cancel()
            typing.cancel()
            say(self._held)

    def _may_take(self, line: str | None) -> bool:
        if not self._patient or self._at_door:
            return True
        if self._speech.update is None or self._unanswered:
            return False
        chooses = line is not None and isinstance(typed.read_line(line, None), typed.Unclear)
        return self._speech.ask is not None or not chooses

    def _hear(self, heard: Heard) -> bool:
        """Print what was heard; return whether it was the last thing."""
        self._at_door = heard if isinstance(heard, Occupied) else None
        lines = self._speech.lines(heard)
        if self._hold and isinstance(heard, Update):
            self._held.extend(lines)
        else:
            say(lines)
        self._note_question(heard)
        if isinstance(heard, ChoiceAccepted | ChoiceRefused | Unsent) and heard.prompt == self._unanswered:
            self._unanswered = ""
        if isinstance(heard, Over):
            self.over = heard
        return isinstance(heard, Over | Replaced)

    def _note_question(self, heard: Heard) -> None:
        ask = self._speech.ask
        if isinstance(heard, ChoiceRefused) and heard.prompt == self._asked:
            self._left_open = True
        if not isinstance(heard, Update) or ask is None or ask.id == self._asked:
            return
        self._came_at = _now() if self._left_open else -self._glance
        self._before, self._latest = self._latest, ask
        self._asked, self._left_open = ask.id, True
        if not self._hold:
            self._read = ask.id

    def _overlooks(self, line: str, read: str) -> bool:
        """Return whether a line was typed for another question than the present one; a pipe's were written beforehand.

        `read` is the last question that was printed when Enter was pressed.
        """
        if self._patient or read != self._asked:
            return not self._patient
        meant = isinstance(typed.read_line(line, self._before), typed.Chosen | typed.Nothing)
        return meant and _now() - self._came_at < self._glance

    async def _typed(self, line: str) -> bool:
        say(self._held)
        self._held.clear()
        read, self._read = self._read, self._asked
        if line.strip().lower() == "take":
            await self._session.take_over()
            return True
        if self._at_door and not isinstance(typed.read_line(line, None), typed.Quit):
            say(self._speech.lines(self._at_door))
            return True
        said = typed.read_line(line, self._speech.ask)
        match said:
            case typed.Quit():
                say((f"LINK {self._farewell}",))
                return False
            case typed.Chosen(option=option):
                await self._choose(option.id, late=self._overlooks(line, read))
            case typed.Nothing():
                await self._enter(late=self._overlooks(line, read))
            case typed.Again():
                say((*self._speech.prompt(), f"ASK you can also type: {COMMANDS}"))
            case typed.Rule():
                say(self._speech.rule())
            case typed.LookAt(sight=sight):
                say(self._speech.look(sight))
            case typed.Jot(text=text):
                await self._note(text)
            case typed.Speak(text=text):
                await self._speak(text)
            case typed.Unclear(sentence=sentence):
                say((f"ERR {sentence}",))
        return True

    async def _note(self, text: str) -> None:
        if self._speech.update is None:
            say(("ERR Your vault is not heard yet, and keeps no notes before; type that again in a moment.",))
            return
        before = self._speech.notes()
        await self._session.note(text)
        told = f"OK noted, instead of: {before}" if before else "OK noted."
        say((f"{told}{_LATER}" if self._session.cut_off else told,))

    async def _speak(self, text: str) -> None:
        await self._session.say(text)
        if self._session.cut_off:
            say((f"OK said.{_LATER}",))

    async def _enter(self, *, late: bool) -> None:
        ask = self._speech.ask
        if ask is not None and len(ask.options) == 1 and not self._hold:
            await self._choose(ask.options[0].id, late=late)

    async def _choose(self, option: str, *, late: bool) -> None:
        ask = self._speech.ask
        if ask is None:
            return
        if late:
            say((_CHANGED,))
            return
        if self._unanswered == ask.id:
            say((f"ERR You have answered this already.{_LATER if self._session.cut_off else _ON_ITS_WAY}",))
            return
        self._left_open = False
        chosen = next(one for one in ask.options if one.id == option)
        self._speech.sending(ask, chosen)
        self._unanswered = ask.id
        await self._session.choose(ask.id, option)
        if self._session.cut_off:
            say((f"OK chosen: {chosen.label}.{_LATER}",))


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _next(stream: AsyncIterator[Heard]) -> Heard | None:
    return await anext(stream, None)
