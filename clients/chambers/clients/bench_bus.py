"""Figures of the whole stack on a private server: how long a move takes, how long games are, what it all weighs."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from chambers import editions
from chambers.audit import audit, replay
from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import Bot, make_bot
from chambers.clients.connecting import as_host, as_spectator, take_seat
from chambers.clients.hosting import Host
from chambers.clients.playing import BOTS_ONLY, NAMES, agreed
from chambers.clients.session import SeatSession
from chambers.protocol.client import Ask, Over, Update
from chambers.protocol.docket import Docket, dump
from chambers.services.stack import Stack

LONGEST_S: Final = 120.0
_WHOLE: Final = {"witness-stand": "random"}
"""How bots play whole games with the least thinking, where that is not by the rules: random ones may never end."""


class Delays(msgspec.Struct, frozen=True):
    """Times from sending a choice to having the seat's own new view, in ms."""

    choices: int
    p50: float
    p90: float
    p99: float


class GameFigures(msgspec.Struct, frozen=True):
    """One whole game: its seats, rounds, entries, the bytes of its docket, seconds, and the audit's exit code."""

    seats: int
    rounds: int
    entries: int
    size: int
    seconds: float
    audit: int


class Weight(msgspec.Struct, frozen=True):
    """Resident memory in MiB: this process with every service and client, and the nats-server."""

    services: float
    server: float


class Timed:
    """A bot that notes when it chose, and how long its own next view took to come."""

    def __init__(self, bot: Bot, delays: list[float]) -> None:
        self._bot = bot
        self._delays = delays
        self._chose: float | None = None

    def choose(self, view: dict[str, object], ask: Ask) -> str:
        """Return the bot's choice."""
        option = self._bot.choose(view, ask)
        self._chose = time.perf_counter()
        return option

    def saw(self, update: Update) -> None:
        """Take the first view after a choice."""
        if self._chose is not None:
            self._delays.append((time.perf_counter() - self._chose) * 1000)
            self._chose = None


class TimedSession(SeatSession):
    """A session that shows each update to the bot's stopwatch first."""

    stopwatch: Timed | None = None

    async def _updated(self, message: Update) -> None:
        if self.stopwatch is not None:
            self.stopwatch.saw(message)
        await super()._updated(message)


@contextlib.asynccontextmanager
async def private_stack(seats: int, sync: str, *, kind: type[Stack] = Stack) -> AsyncIterator[tuple[Stack, Host]]:
    """Yield a stack on a private server that forgets everything at its end, and its host."""
    with tempfile.TemporaryDirectory(prefix="chambers-", ignore_cleanup_errors=True) as home:
        async with kind(Path(home), seats=seats, sync=sync) as stack:
            host = await as_host(stack.url, stack.home)
            try:
                yield stack, host
            finally:
                await host.leave()


async def measure_delays(games: int, *, seats: int, edition: str, sync: str) -> Delays:
    """Return how long a choice takes until its seat has its own new view: one table of bots, no object window."""
    delays: list[float] = []
    level = _WHOLE.get(editions.load(edition).game, "rules")
    async with private_stack(seats, sync) as (_, host):
        for number in range(games):
            options = {**dict(BOTS_ONLY), "object_window": "skip"}
            bots = [Timed(bot, delays) for bot in bots_of(level, seats, edition=edition, seed=str(number))]
            await play_game(host, bots, edition=edition, options=options)
    ordered = sorted(delays)
    return Delays(
        choices=len(ordered),
        p50=statistics.median(ordered),
        p90=ordered[int(len(ordered) * 0.90)],
        p99=ordered[int(len(ordered) * 0.99)],
    )


async def measure_games(
    games: int, *, seats: tuple[int, ...], edition: str, level: str, told: Callable[[GameFigures], None]
) -> Weight:
    """Play and audit `games` games, cycling through table sizes, telling each one's figures; return the memory used."""
    async with private_stack(max(seats), "always") as (stack, host):
        for number in range(games):
            size = seats[number % len(seats)]
            start = time.perf_counter()
            bots = bots_of(level, size, edition=edition, seed=str(number))
            docket = await play_game(host, bots, edition=edition, options=dict(BOTS_ONLY))
            seconds = time.perf_counter() - start
            told(await asyncio.to_thread(_figures, docket, size, seconds))
        return Weight(services=_resident("self"), server=_resident(str(stack.server.pid)))


def _figures(docket: Docket, seats: int, seconds: float) -> GameFigures:
    report = audit(docket, workers=1)
    *_, last = replay(docket)
    view = last.table.game.public_view(last.table.play)
    return GameFigures(
        seats=seats,
        rounds=int(view["turn"]["round"]),
        entries=len(docket.leaves),
        size=len(dump(docket)),
        seconds=seconds,
        audit=report.exit_code,
    )


async def play_game(
    host: Host,
    bots: Sequence[Bot],
    *,
    edition: str,
    options: dict[str, str],
    as_client: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext,
) -> Docket:
    """Return the docket of one game of bots through the services; each client is started within `as_client`."""
    game = editions.load(edition).game
    seats = len(bots)
    table = await host.open_table(game, edition, options=agreed(game, tuple(options.items())), bots=(True,) * seats)
    spectator = await as_spectator(host.server, table)
    sessions: list[SeatSession] = []
    playing: list[asyncio.Task[Over | None]] = []
    try:
        for seat, bot in enumerate(bots):
            ticket = await host.ticket(table, seat, issue=0)
            with as_client():
                session = TimedSession(ticket, NAMES[seat])
                session.stopwatch = bot if isinstance(bot, Timed) else None
                await take_seat(ticket, session)
                sessions.append(session)
                runner = BotRunner(session, lambda _welcome, bot=bot: bot, pause=lambda: 0.0)  # type: ignore[misc]
                playing.append(asyncio.create_task(runner.play()))
        async with asyncio.timeout(LONGEST_S):
            async for _ in spectator.scenes():
                continue
        return await spectator.docket()
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await asyncio.gather(*(session.close() for session in sessions), return_exceptions=True)
        await spectator.leave()


def bots_of(level: str, seats: int, *, edition: str, seed: str) -> list[Bot]:
    """Return a bot for each seat; the same seed gives bots that choose alike."""
    game = editions.load(edition).game
    return [make_bot(level, seat, seed=seed, game=game, edition=edition) for seat in range(seats)]


def summed(figures: list[GameFigures]) -> list[str]:
    """Return one line a table size: games, clean audits, and the medians of rounds, entries, bytes and seconds."""
    lines = []
    for seats in sorted({one.seats for one in figures}):
        some = [one for one in figures if one.seats == seats]
        clean = Counter(one.audit for one in some)[0]
        middle = [
            statistics.median(values)
            for values in zip(*((g.rounds, g.entries, g.size, g.seconds) for g in some), strict=True)
        ]
        lines.append(
            f"{seats} seats: {len(some)} games, {clean} clean; median {middle[0]:.0f} rounds, {middle[1]:.0f} entries, "
            f"{middle[2] / 1024:.0f} KiB, {middle[3]:.2f} s a game"
        )
    return lines


def _resident(process: str) -> float:
    """Return the resident memory of a process in MiB; 0 where the system does not tell."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * 4096 / 2**20
    return 0.0
