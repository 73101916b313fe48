"""A table at which one seat's vault is its player's own."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from types import TracebackType

from tests.support.house import NAMES, TABLES, AnyHouse, MakeBot

from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import bot_for
from chambers.clients.connecting import take_seat
from chambers.clients.keeping import Keeper
from chambers.clients.session import SeatSession
from chambers.clients.surroundings import own_vault
from chambers.protocol.client import Over
from chambers.protocol.tickets import Ticket, VaultTicket, read_ticket

OWN = 1


async def own_table(here: AnyHouse, *, game: str = "witness-stand", seats: int = 3) -> bytes:
    """Return the id of a new table at which the player of seat 1 keeps the vault."""
    edition, options = TABLES[game]
    return await here.host.open_table(game, edition, options=options, bots=(True,) * seats, own=(OWN,))


async def sit_down(ticket: Ticket, *, make: MakeBot | None = None) -> asyncio.Task[Over | None]:
    """Return the running bot of the seat that a ticket opens: one by the rules, or what `make` makes."""
    session = SeatSession(ticket, NAMES[ticket.seat], take_over=True, silence=0.5)
    await take_seat(ticket, session)
    return asyncio.create_task(BotRunner(session, make or bot_for("rules", seed="own"), pause=lambda: 0.0).play())


async def sit_at_own(keeper: Keeper) -> asyncio.Task[Over | None]:
    """Return the running bot of a seat whose vault runs in this process."""
    return await sit_down(keeper.ticket)


class OwnVaultProcess:
    """`chambers vault TICKET`, as a player runs it on a machine of his own, whose folder is `home`."""

    def __init__(self, home: Path, ticket: VaultTicket) -> None:
        self._home = home
        self._own = ticket
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[bytes] | None = None
        self.ticket: Ticket
        """The ticket that it has printed for its client."""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def master(self) -> bytes:
        return (own_vault(self._own.table.hex(), self._own.seat, given=self._home) / "master.key").read_bytes()

    async def start(self) -> None:
        """Start it; return when it has printed the ticket."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "chambers.clients.cli", "vault", self._own.text(),
            env={**os.environ, "CHAMBERS_HOME": str(self._home)}, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._reading = asyncio.create_task(self._process.stderr.read())
        line = await asyncio.wait_for(self._process.stdout.readline(), 30)
        assert line, await self._reading
        self.ticket = read_ticket(line.decode().removeprefix("chambers join "))

    async def end(self, number: int = signal.SIGKILL) -> tuple[int, str]:
        """Send it a signal; return its exit code and what it has said."""
        assert self._process is not None
        self._process.send_signal(number)
        return await self.ended()

    async def ended(self) -> tuple[int, str]:
        """Return its exit code and what it has said, once it has ended."""
        assert self._process is not None
        assert self._reading is not None
        code = await asyncio.wait_for(self._process.wait(), 60)
        self._process = None
        return code, (await self._reading).decode()

    async def __aenter__(self) -> OwnVaultProcess:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            await self.end()
