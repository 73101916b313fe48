"""The end of a table at one seat: how it ended, and the receipt that the player keeps of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from chambers.fairness.notes import cosignature_line
from chambers.protocol.client import Over
from chambers.protocol.log import Admitted, Log
from chambers.rules import Phase
from chambers.rules.events import LastWord
from chambers.rules.roles import Role
from chambers.services.ending import end
from chambers.services.vault_client import VaultClient

PATIENCE_S: Final = 5.0
"""How long a player waits for the last goodbyes and secrets before being told without them."""

ASKED: Final = 4
ASK_AGAIN_S: Final = 0.5
"""How often, and how soon again, the game master is asked for the note that makes the receipt."""

CheckpointAt = Callable[[Log, int], Awaitable[str]]
"""Gives the game master's signed note over a log at a size, or an empty text."""


class Farewell:
    """Tells the client once everything is open, or a while after the close if somebody has left without a goodbye."""

    def __init__(self, log: Log, client: VaultClient, checkpoint: CheckpointAt) -> None:
        self._log = log
        self._client = client
        self._checkpoint = checkpoint
        self._cosigned: dict[Role, bytes] = {}
        self._head = 0
        self._task: asyncio.Task[None] | None = None
        self.told: Over | None = None

    def on_entry(self, entry: Admitted) -> None:
        """Take in the close, or an entry after it."""
        if isinstance(entry.event, LastWord):
            self._cosigned[entry.author] = entry.event.cosignature
        else:
            self._head = entry.seq + 1  # what is cosigned ends with the last goodbye, or whatever made up for one
        if self._task is not None:
            self._task.cancel()
        seconds = 0.0 if entry.after.phase is Phase.CLOSED else PATIENCE_S
        self._task = asyncio.create_task(self._tell(seconds))

    def again(self, seconds: float = 0.0) -> None:
        """Tell a client that has come back after the end, in `seconds` from now."""
        if self._task is not None and self._task.done():
            self._task = asyncio.create_task(self._tell(seconds))

    async def stop(self) -> None:
        """Tell nobody any more."""
        await end(self._task)

    async def _tell(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        table = self._log.table
        size = self._head
        note = await self._note(size)
        result = table.game.result(table.play) if table.play is not None else None
        text = result.text if result is not None else f"The table was closed: {table.reason.rstrip('.')}."
        winner = result.winner if result is not None else None
        root = self._log.tree.root_at(size).hex()
        self.told = Over(winner, text, size, root, receipt(self._log, note, self._cosigned))
        await self._client.send(self.told)

    async def _note(self, size: int) -> str:
        for _ in range(ASKED):
            note = await self._checkpoint(self._log, size)
            if note:
                return note
            await asyncio.sleep(ASK_AGAIN_S)
        return ""


def receipt(log: Log, note: str, cosigned: dict[Role, bytes]) -> str:
    """Return the game master's note with a line for each role that cosigned it; empty without a note."""
    if not note:
        return ""
    commits = dict(log.table.commits)
    lines = (
        cosignature_line(log.id, role, public=commits[role].sign, cosignature=cosignature)
        for role, cosignature in sorted(cosigned.items())
    )
    return note + "".join(lines)
