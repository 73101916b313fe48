"""Plays the tickets on standard input and prints how long a choice took until its seat had the new view."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import Bot, View, make_bot
from chambers.clients.connecting import take_seat
from chambers.clients.session import SeatSession
from chambers.protocol.client import Ask, Update, Welcome
from chambers.protocol.tickets import Ticket, read_ticket


class Timed:
    """A bot that notes when it chose."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.chose: float | None = None

    def choose(self, view: View, ask: Ask) -> str:
        """Return the bot's choice."""
        option = self._bot.choose(view, ask)
        self.chose = time.perf_counter()
        return option


class TimedSession(SeatSession):
    """A session that notes the milliseconds from its bot's choice to the next view."""

    bot: Timed | None = None

    def __init__(self, ticket: Ticket, delays: list[float]) -> None:
        super().__init__(ticket, f"Bot {ticket.seat}", take_over=True)
        self._delays = delays

    async def _updated(self, message: Update) -> None:
        if self.bot is not None and self.bot.chose is not None:
            self._delays.append((time.perf_counter() - self.bot.chose) * 1000)
            self.bot.chose = None
        await super()._updated(message)


async def _play(line: str, delays: list[float]) -> None:
    ticket = read_ticket(line)
    session = TimedSession(ticket, delays)
    await take_seat(ticket, session)

    def make(welcome: Welcome) -> Bot:
        bot = make_bot("rules", welcome.seat, seed="measured", game=welcome.game, edition=welcome.edition)
        session.bot = Timed(bot)
        return session.bot

    await BotRunner(session, make, pause=lambda: 0.0).play()
    await session.close()


async def _all(lines: list[str]) -> list[float]:
    delays: list[float] = []
    async with asyncio.timeout(300):
        await asyncio.gather(*(_play(line, delays) for line in lines))
    return sorted(delays)


def main() -> None:
    """Play and print."""
    found = asyncio.run(_all(sys.stdin.read().split()))
    p50, p90 = statistics.median(found), found[int(len(found) * 0.9)]
    print(f"choice to own new view: p50 {p50:.0f} ms, p90 {p90:.0f} ms, {len(found)} choices")


if __name__ == "__main__":
    main()
