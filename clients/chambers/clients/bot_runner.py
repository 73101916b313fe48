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
    """Plays one seat to the end: answers each prompt once, and another way only where the first answer was refused.

    Where it was not the rules that refused it, or they refused every answer, there is nothing wrong with the answer: a
    vault may be behind, a store in trouble. Then it is given again, ever more slowly.
    """

    def __init__(self, session: SeatSession, make: Callable[[Welcome], Bot], *, pause: Callable[[], float]) -> None:
        self._session = session
        self._make = make
        self._pause = pause
        self._bot: Bot | None = None
        self._update: Update | None = None
        self._answered = ""
        self._tried: set[str] = set()
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
        self._rounds = 0
        await self._answer(ask, after=self._pause())

    async def _reconsider(self, refused: ChoiceRefused) -> None:
        ask = self._update.prompt if self._update is not None else None
        if ask is None or ask.id != refused.prompt:
            return
        after = self._pause()
        if not refused.code.startswith("rule/") or len(self._tried) >= len(ask.options):
            after += _AGAIN_S[min(self._rounds, len(_AGAIN_S) - 1)]
            self._tried = set()
            self._rounds += 1
        await self._answer(ask, after=after)

    async def _answer(self, ask: Ask, *, after: float) -> None:
        if self._bot is None or self._update is None:
            return
        option = self._bot.choose(self._update.view, ask)
        if option in self._tried:
            option = next(one.id for one in ask.options if one.id not in self._tried)
        self._tried.add(option)
        await self._stop_waiting()
        self._waiting = asyncio.create_task(self._send(ask.id, option, after=after))

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
