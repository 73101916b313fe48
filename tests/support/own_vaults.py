"""A table at which one seat's vault is its player's own."""

from __future__ import annotations

import asyncio

from tests.support.house import NAMES, TABLES, House

from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import bot_for
from chambers.clients.connecting import take_seat
from chambers.clients.keeping import Keeper
from chambers.clients.session import SeatSession
from chambers.protocol.client import Over
from chambers.protocol.tickets import Ticket

OWN = 1


async def own_table(here: House, *, game: str = "witness-stand", seats: int = 3) -> bytes:
    """Return the id of a new table at which the player of seat 1 keeps the vault."""
    edition, options = TABLES[game]
    return await here.host.open_table(game, edition, options=options, bots=(True,) * seats, own=(OWN,))


async def sit_down(ticket: Ticket, *, seed: str = "own") -> asyncio.Task[Over | None]:
    """Return the running bot of the seat that a ticket opens."""
    session = SeatSession(ticket, NAMES[ticket.seat], take_over=True, silence=0.5)
    await take_seat(ticket, session)
    return asyncio.create_task(BotRunner(session, bot_for("rules", seed=seed), pause=lambda: 0.0).play())


async def sit_at_own(keeper: Keeper) -> asyncio.Task[Over | None]:
    """Return the running bot of a seat whose vault runs in this process."""
    return await sit_down(keeper.ticket)
