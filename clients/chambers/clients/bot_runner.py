"""A bot at a seat: an ordinary client whose player is a program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from chambers.clients.bots import Bot
from chambers.clients.heard import Occupied, Unsent
from chambers.clients.session import SeatSession
from chambers.protocol.client import Ask, ChoiceRefused, Over, Replaced, Update, Welcome


class BotRunner:
    """Plays one seat to the end: answers each prompt once, and another way only where the first answer was refused."""

    def __init__(self, session: SeatSession, make: Callable[[Welcome], Bot], *, pause: Callable[[], float]) -> None:
        self._session = session
        self._make = make
        self._pause = pause
        self._bot: Bot | None = None
        self._update: Update | None = None
        self._answered = ""
        self._tried: set[str] = set()
        self._waiting: asyncio.Task[None] | None = None

    async def play(self) -> Over | None:
        """Return how the table closed, or None if this window was closed or another one took the seat.

        The session is closed in any case: a bot that does not play must not look as if it sat there.
        """
        try:
            async for heard in self._session.messages():
                match heard:
                    case Welcome():
                        self._bot = self._make(heard)
                    case Update():
                        self._update = heard
                        await self._consider()
                    case ChoiceRefused(prompt=prompt):
                        await self._reconsider(prompt)
                    case Unsent():
                        self._answered = ""
                    case Over():
                        return heard
                    case Occupied() | Replaced():
                        return None
                    case _:
                        continue
            return None
        finally:
            await self._stop_waiting()
            await self._session.close()

    async def _consider(self) -> None:
        ask = self._update.prompt if self._update is not None else None
        if ask is None or ask.id == self._answered:
            return
        self._answered = ask.id
        self._tried = set()
        await self._answer(ask)

    async def _reconsider(self, prompt: str) -> None:
        ask = self._update.prompt if self._update is not None else None
        if ask is None or ask.id != prompt or len(self._tried) >= len(ask.options):
            return
        await self._answer(ask)

    async def _answer(self, ask: Ask) -> None:
        if self._bot is None or self._update is None:
            return
        option = self._bot.choose(self._update.view, ask)
        if option in self._tried:
            option = next(one.id for one in ask.options if one.id not in self._tried)
        self._tried.add(option)
        await self._stop_waiting()
        self._waiting = asyncio.create_task(self._send(ask.id, option))

    async def _send(self, prompt: str, option: str) -> None:
        seconds = self._pause()
        if seconds > 0:
            await asyncio.sleep(seconds)
        await self._session.choose(prompt, option)

    async def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            # Not awaited itself: that would take this task's own cancellation for the other one's.
            await asyncio.wait({self._waiting})
            self._waiting = None
