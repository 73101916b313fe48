"""The vault that a player keeps on his own machine: one seat of one table, for as long as the table lasts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from chambers.bus.errors import BusError
from chambers.bus.ports import Bus
from chambers.fairness.boxes import box_public
from chambers.fairness.keys import pair_secret
from chambers.protocol.client import Over
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Log
from chambers.protocol.tickets import Ticket, VaultTicket
from chambers.rules import Phase
from chambers.services.vault import TICK_S, Vault
from chambers.services.vault_table import VaultTable

LINGER_S: Final = 3.0
"""How long a vault whose table is over stays for a client whose link may just be bad."""


class OwnVault(Vault):
    """A vault with the rights of its ticket; its connection is that of `own_vault_login`."""

    def __init__(self, bus: Bus, ticket: VaultTicket, *, master: bytes, home: Path) -> None:
        super().__init__(bus, seat=ticket.seat, master=master, home=home, at=ticket.table)
        self._ticket = ticket
        self._broken = ""

    async def start(self) -> None:
        """Take the seat up; BusError if the game master does not show the table's log."""
        await super().start()
        if not self._broken and self._here is None:
            raise BusError("bus/timeout", "The game master does not show this table.")

    async def _on_broken(self, log: Log, sentence: str) -> None:
        self._broken = sentence
        await super()._on_broken(log, sentence)

    @property
    def _here(self) -> VaultTable | None:
        return self._tables.get(self._ticket.table)

    @property
    def closed(self) -> bool:
        """Return whether everything at the table has been said."""
        table = self._here
        return table is not None and table.log.table.phase is Phase.CLOSED

    @property
    def refusal(self) -> Refusal | None:
        """Return why this vault cannot keep the seat; None as long as it can."""
        if self._broken:
            return Refusal("vault/broken-log", f"This vault cannot follow the table's log: {self._broken}")
        table = self._here
        if table is None or table.me.mine:
            return None
        told = "Another vault has this seat: one with another key than this folder holds."
        what = "Start it on the machine where you sat down; if you never did, tell the host."
        return Refusal("vault/other-key", f"{told} {what}")

    def for_client(self) -> Ticket:
        """Return the ticket of the seat's client; its `pair` and frame key have never been anywhere else."""
        table = self._here
        assert table is not None
        frame_key = table.me.secrets.frame_key
        assert frame_key is not None
        pair = pair_secret(self._master, self._ticket.table, issue=self._ticket.issue)
        return self._ticket.for_client(pair=pair, frame_key=box_public(frame_key))

    async def end(self) -> Over | Refusal:
        """Return how the table ended, once the client has been told or has had the time; or why this vault ends."""
        loop = asyncio.get_running_loop()
        over_since: float | None = None
        while True:
            refusal = self.refusal
            if refusal is not None:
                return refusal
            table = self._here
            if table is not None and table.over is not None and self._done(table):
                over_since = over_since or loop.time()
                if not table.client.there or loop.time() - over_since >= LINGER_S:
                    return table.over
            await asyncio.sleep(TICK_S)

    def _done(self, table: VaultTable) -> bool:
        public = table.log.table
        said = self._seat in public.dropped or table.role in public.reveals
        return public.phase is Phase.CLOSED or (public.phase is Phase.REVEAL and said)
