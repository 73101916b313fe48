"""Keeping one's own vault: its key in a folder that no two processes use at once, its connection, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final

from chambers.bus.deployment import master_key
from chambers.bus.errors import BusError, disconnected
from chambers.bus.login import own_vault_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.addresses import Address, read_address
from chambers.clients.hosting import Refused
from chambers.clients.standing import turned_away
from chambers.protocol.client import Over
from chambers.protocol.errors import ProtocolError, Refusal
from chambers.protocol.tickets import Ticket, VaultTicket
from chambers.services.own_vault import OwnVault

_LOOK_S: Final = 0.5
Sit = Callable[[Ticket], Awaitable[Over | None]]
"""Plays at the seat, with the ticket that its vault has made; returns how the table closed, or None if it was left."""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Have a folder to oneself; Refused (`vault/runs-already`) if another process keeps this vault already."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("w", encoding="ascii") as lock:
        if not _locked(lock.fileno()):
            told = "This vault runs already on this machine; sit down with the ticket that it has printed."
            raise Refused(Refusal("vault/runs-already", told))
        yield


def _locked(handle: int) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Keeper:
    """A vault that runs on its player's machine, with its connection."""

    def __init__(self, vault: OwnVault, bus: NatsBus, *, server: str | None = None) -> None:
        self._vault = vault
        self._bus = bus
        self._server = server

    @property
    def ticket(self) -> Ticket:
        """Return the ticket with which the player sits down."""
        return self._vault.for_client()

    @property
    def closed(self) -> bool:
        """Return whether everything at the table has been said."""
        return self._vault.closed

    async def until_over(self, sit: Sit | None = None) -> Over | None:
        """Return how the table ended; None if the player, who sits at it by `sit`, left first.

        Refused if the vault cannot keep the seat any more, ProtocolError if its ticket was voided (`ticket/void`) or
        its table is gone (`ticket/no-table`).
        """
        ending, lost = asyncio.create_task(self._vault.end()), asyncio.create_task(self._bus.closed())
        beside = asyncio.ensure_future(sit(self.ticket) if sit is not None else self._tell_link())
        try:
            await asyncio.wait({ending, lost, beside}, return_when=asyncio.FIRST_COMPLETED)
            if beside.done() and beside.result() is None:
                return None
            await asyncio.wait({ending, lost}, return_when=asyncio.FIRST_COMPLETED)
            if not ending.done():
                raise await self._why_lost(lost.result() or disconnected())
            return _over(ending.result())
        finally:
            for task in (ending, lost, beside):
                task.cancel()
            # Gathered, so that what a task that was not asked any more has ended with is nobody's loss.
            await asyncio.gather(ending, lost, beside, return_exceptions=True)

    async def _why_lost(self, why: BusError) -> BusError | ProtocolError:
        return await turned_away(self.ticket, self._server) if why.code == "bus/login-refused" else why

    async def _tell_link(self) -> Over | None:
        there = True
        while True:
            await asyncio.sleep(_LOOK_S)
            if self._bus.connected != there:
                there = not there
                told = "The server is there again." if there else "The server is out of reach; your vault tries again."
                print(told, file=sys.stderr, flush=True)


def _over(over: Over | Refusal) -> Over:
    if isinstance(over, Refusal):
        raise Refused(over)
    return over


@contextlib.asynccontextmanager
async def own_vault(ticket: VaultTicket, folder: Path, *, server: str | None = None) -> AsyncIterator[Keeper]:
    """Run the vault of a ticket with the key in `folder`, made at its first start, until left.

    BusError if the server is silent or does not admit the ticket, Refused if this vault cannot keep the seat.
    """
    address = Address(read_address(server).url if server else ticket.server, ticket.fingerprint)
    master = master_key(folder / "master.key")
    bus = await NatsBus.connect(address.url, own_vault_login(ticket), tls=address.tls)
    vault = OwnVault(bus, ticket, master=master, home=folder)
    try:
        await vault.start()
        if vault.refusal is not None:
            raise Refused(vault.refusal)
        yield Keeper(vault, bus, server=server)
    finally:
        await vault.stop()
        await bus.close()
