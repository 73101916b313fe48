"""Roles that act when the game master pokes them: one replica at a time, at the size where something is due."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from chambers.bus.ports import Bus
from chambers.protocol import subjects
from chambers.protocol.copies import FOLDER
from chambers.protocol.log import Admitted, Log
from chambers.rules.roles import Role
from chambers.rules.terms import Due
from chambers.services.contributor import Contributor
from chambers.services.copies import Copies
from chambers.services.follower import LANE, Follower

Act = Callable[[Contributor, Due], Awaitable[None]]
Learn = Callable[[Contributor, Admitted], Awaitable[None]]
Rest = Callable[[bytes], None]


class Poked:
    """Follows every table and runs `act` with what its role owes; replicas share the queue of pokes, and `home`.

    `learn`, if given, runs for every entry of every table, in order, in each replica; `rest` when a table is forgotten.
    """

    def __init__(
        self,
        bus: Bus,
        *,
        role: Role,
        master: bytes,
        act: Act,
        learn: Learn | None = None,
        rest: Rest | None = None,
        home: Path | None = None,
    ) -> None:
        self._bus = bus
        self._role = role
        self._master = master
        self._act = act
        self._learn = learn
        self._rest = rest
        self._tables: dict[bytes, Contributor] = {}
        copies = Copies(home / FOLDER, role=role) if home is not None else None
        self._follower = Follower(bus, on_entry=self._on_entry, on_rest=self._on_rest, copies=copies)

    async def start(self) -> None:
        """Follow the tables, and act when poked."""
        await self._bus.subscribe(subjects.poke(subjects.ANY, self._role), self._on_poke, queue=self._role, lane=LANE)
        await self._follower.start()

    async def stop(self) -> None:
        """Stop following."""
        await self._follower.stop()

    async def _on_entry(self, log: Log, entry: Admitted) -> None:
        # what an entry makes due is not done here: that is for one replica, which is poked
        if self._learn is not None:
            await self._learn(self._at(log), entry)

    async def _on_rest(self, log: Log) -> None:
        self._tables.pop(log.id, None)
        if self._rest is not None:
            self._rest(log.id)

    def _at(self, log: Log) -> Contributor:
        known = self._tables.get(log.id)
        if known is None:
            known = self._tables[log.id] = Contributor(self._bus, log, role=self._role, master=self._master)
        return known

    async def _on_poke(self, subject: str, data: bytes) -> None:
        size = int(data) if data.isdigit() and len(data) < 12 else 1
        table = subjects.table_id(subject)
        known = self._tables.get(table)
        # its own last statement must be folded, or what it did is taken for still owed
        log = await self._follower.log(table, at_least=max(size, known.said if known is not None else 1))
        if not log.opened or log.size < log.kept:
            return
        known = self._at(log)
        item = known.owed()
        if item is not None and known.mine and (not log.handed_in() or item.act in ("bye", "reveal")):
            await self._act(known, item)
