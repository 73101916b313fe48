"""A whole stack for a test: services on a private server, players at its tables, and the hand that breaks things."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import Bot, bot_for
from chambers.clients.connecting import as_host, as_spectator, take_seat
from chambers.clients.hosting import Host, Refused
from chambers.clients.luck import OwnLuck
from chambers.clients.session import SeatSession
from chambers.protocol.client import Over, Welcome
from chambers.protocol.docket import Docket
from chambers.protocol.watching import Scene
from chambers.services.stack import Stack

NAMES = ("Ada", "Bo", "Cy", "Dee", "Ed", "Flo")
BOT_TABLE = (("answer_floor_ms", "0"), ("object_window", "none"))
TABLES = {
    "witness-stand": ("tandem-target", BOT_TABLE),
    "missing-suspect": ("missing-suspect", (("answer_floor_ms", "0"),)),
}

PATIENCE_S = 30.0
"""A client's patience with its vault for tests of what the vault says last: a busy machine may take seconds to that."""

AtEntry = Callable[[Scene], Awaitable[None]]
MakeBot = Callable[[Welcome], Bot]


class Runs(Protocol):
    """What runs the services: one process for all, or one for each."""

    @property
    def url(self) -> str: ...

    @property
    def home(self) -> Path: ...

    async def start(self, user: str) -> None: ...

    async def kill(self, user: str) -> None: ...


Running_co = TypeVar("Running_co", bound=Runs, covariant=True)


class HouseOf(Generic[Running_co]):
    """One running set of services and its host."""

    def __init__(self, stack: Running_co, host: Host) -> None:
        self.stack = stack
        self.host = host

    async def open(
        self,
        seats: int,
        *,
        game: str = "witness-stand",
        options: tuple[tuple[str, str], ...] | None = None,
        reveal: str = "public",
        auditor_key: bytes | None = None,
    ) -> bytes:
        """Return the id of a new table at which all seats are played by bots."""
        edition, usual = TABLES[game]
        agreed = usual if options is None else options
        return await self.host.open_table(
            game, edition, options=agreed, bots=(True,) * seats, reveal=reveal, auditor_key=auditor_key
        )

    async def sit(
        self,
        table: bytes,
        seat: int,
        *,
        level: str = "random",
        seed: str = "",
        make: MakeBot | None = None,
        luck: OwnLuck | None = None,
        silence: float = 0.5,
    ) -> asyncio.Task[Over | None]:
        """Return the running bot of a seat: one of a level, or what `make` makes; `luck` is what it brings.

        After `silence` seconds it looks whether its vault is still there; at the end, after five times as long, it goes
        without its last word.
        """
        ticket = await self.host.ticket(table, seat)
        session = SeatSession(ticket, NAMES[seat], take_over=True, luck=luck, silence=silence)
        await take_seat(ticket, session)
        runner = BotRunner(session, make or bot_for(level, seed=seed or table.hex()), pause=lambda: 0.0)
        return asyncio.create_task(runner.play())

    async def play(
        self,
        seats: int,
        *,
        game: str = "witness-stand",
        at_entry: AtEntry | None = None,
        level: str = "random",
        make: MakeBot | None = None,
        limit: float = 90.0,
        reveal: str = "public",
        auditor_key: bytes | None = None,
    ) -> Docket:
        """Return the docket of a whole game among bots; `at_entry` runs at each scene that a spectator sees."""
        table = await self.open(seats, game=game, reveal=reveal, auditor_key=auditor_key)
        spectator = await as_spectator(self.stack.url, table)
        players = [await self.sit(table, seat, level=level, make=make) for seat in range(seats)]
        try:
            async with asyncio.timeout(limit):
                async for scene in spectator.scenes():
                    if at_entry is not None:
                        await at_entry(scene)
                return await spectator.docket()
        finally:
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            await spectator.leave()

    async def close(self, table: bytes, why: str) -> None:
        """Close a table in the middle of its game, which may end by itself at the same moment."""
        try:
            await self.host.close(table, why)
        except Refused as refused:
            if refused.refusal.code not in {"rule/ended", "rule/closed"}:
                raise

    async def restart(self, user: str) -> None:
        """Cut a service off in the middle of everything, and start it again."""
        await self.stack.kill(user)
        await self.stack.start(user)


House = HouseOf[Stack]
"""The usual house: every service in this process."""

AnyHouse = HouseOf[Runs]


@asynccontextmanager
async def house(home: Path, *, seats: int = 6, sync: str = "default") -> AsyncIterator[House]:
    """Open a house on a free port with `seats` vaults."""
    async with Stack(home, seats=seats, sync=sync) as stack:
        host = await as_host(stack.url, stack.home)
        try:
            yield House(stack, host)
        finally:
            await host.bus.close()
