"""A bot at a seat: an ordinary client whose player is a program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from chambers.clients.bots import Bot
from chambers.clients.heard import Occupied, Unsent
from chambers.clients.session import SeatSession
from chambers.protocol.client import Ask, ChoiceRefused, Over, Replaced, Update, Welcome

_AGAIN_S: Final = (1.0, 2.0, 5.0, 10.0)


class BotRunner:
    """Plays one seat to the end: answers each prompt once, and never in another way.

    A prompt lists what the rules and the hand allow and nothing else, so whoever refuses an answer is wrong, or behind,
    or in trouble. Then it is given again, ever more slowly. To look for another one would show whoever refuses, and be
    it falsely, what else the seat could have answered: a card that it holds.
    """

    def __init__(self, session: SeatSession, make: Callable[[Welcome], Bot], *, pause: Callable[[], float]) -> None:
        self._session = session
        self._make = make
        self._pause = pause
        self._bot: Bot | None = None
        self._update: Update | None = None
        self._answered = ""
        self._option = ""
        self._rounds = 0
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
                    case ChoiceRefused():
                        await self._reconsider(heard)
                    case Unsent(prompt=self._answered):
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
        self._option = ""
        self._rounds = 0
        await self._answer(ask, after=self._pause())

    async def _reconsider(self, refused: ChoiceRefused) -> None:
        ask = self._update.prompt if self._update is not None else None
        if ask is None or ask.id != refused.prompt:
            return
        after = self._pause() + _AGAIN_S[min(self._rounds, len(_AGAIN_S) - 1)]
        self._rounds += 1
        await self._answer(ask, after=after)

    async def _answer(self, ask: Ask, *, after: float) -> None:
        if self._bot is None or self._update is None:
            return
        if self._option not in {one.id for one in ask.options}:
            self._option = self._bot.choose(self._update.view, ask)
        await self._stop_waiting()
        self._waiting = asyncio.create_task(self._send(ask.id, self._option, after=after))

    async def _send(self, prompt: str, option: str, *, after: float) -> None:
        if after > 0:
            await asyncio.sleep(after)
        await self._session.choose(prompt, option)

    async def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            # Not awaited itself: that would take this task's own cancellation for the other one's.
            await asyncio.wait({self._waiting})
            self._waiting = None
