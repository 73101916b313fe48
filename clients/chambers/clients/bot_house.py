"""A house of bots: it plays every seat whose ticket lies in its folder, and at the end has a receipt instead of it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import structlog

from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus
from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import bot_for, pauses
from chambers.clients.connecting import take_seat
from chambers.clients.hosting import Refused
from chambers.clients.session import SeatSession
from chambers.clients.standing import standing
from chambers.editions import EditionError
from chambers.protocol.errors import ProtocolError
from chambers.protocol.tickets import Ticket, read_ticket

_SUFFIX: Final = ".ticket"
_LOOK_AGAIN_S: Final = 1.0
_TRY_AGAIN_S: Final = 2.0
_GONE_S: Final = 60.0
"""How long until a ticket whose table is not on the server is tried again."""
_GROUP_MAY_READ: Final = 0o640
_log = structlog.get_logger(__name__)


def lay(folder: Path, tickets: Iterable[Ticket]) -> None:
    """Lay tickets into the folder of a house of bots; OSError if it takes none."""
    for ticket in tickets:
        path = folder / f"{ticket.table.hex()}-{ticket.seat}{_SUFFIX}"
        draft = path.with_suffix(f".{secrets.token_hex(4)}")
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _GROUP_MAY_READ)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(ticket.text() + "\n")
        draft.replace(path)


class BotHouse:
    """Plays the tickets in one folder. `server` overrides where they say that the server is.

    A ticket whose table is not there is tried again after `gone` seconds.
    """

    def __init__(
        self, folder: Path, *, level: str, longest: float, server: str | None = None, gone: float = _GONE_S
    ) -> None:
        self._folder = folder
        self._level = level
        self._longest = longest
        self._server = server
        self._gone = gone
        self._playing: dict[Path, asyncio.Task[None]] = {}
        self._connected: dict[Ticket, NatsBus] = {}

    async def run(self, alive: Path | None = None) -> None:
        """Play whatever lies there and whatever comes, until cancelled.

        `alive` is touched at every look as long as every bot that sits is in reach of the server.
        """
        try:
            while True:
                for path in await asyncio.to_thread(self._found):
                    if path not in self._playing:
                        self._playing[path] = asyncio.create_task(self._play(path))
                self._playing = {path: task for path, task in self._playing.items() if not task.done()}
                if alive is not None and all(bus.connected for bus in self._connected.values()):
                    await asyncio.to_thread(alive.touch)
                await asyncio.sleep(_LOOK_AGAIN_S)
        finally:
            for task in self._playing.values():
                task.cancel()
            await asyncio.gather(*self._playing.values(), return_exceptions=True)

    def _found(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_SUFFIX}"))

    def _keep(self, ticket: Ticket, receipt: str) -> None:
        """Keep the receipt of a table; the bots of all its seats get the same one."""
        path = self._folder / f"{ticket.table.hex()}.note"
        draft = path.with_suffix(f".{secrets.token_hex(4)}")
        try:
            draft.write_text(receipt, encoding="utf-8", newline="\n")
            draft.replace(path)
        except OSError as error:
            _log.warning("cannot keep a receipt", file=path.name, why=error.strerror)

    async def _play(self, path: Path) -> None:
        try:
            ticket = read_ticket(await asyncio.to_thread(path.read_text, encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ProtocolError):
            _log.warning("no ticket", file=path.name)
            await asyncio.sleep(_TRY_AGAIN_S)
            return
        again = await self._sit(ticket)
        if again is not None:
            # The next look finds the ticket where it was, and starts again.
            await asyncio.sleep(again)
            return
        with contextlib.suppress(FileNotFoundError):
            await asyncio.to_thread(path.unlink)

    async def _sit(self, ticket: Ticket) -> float | None:
        """Return after how many seconds to sit down again.

        None if the seat needs no bot any more: its table has closed, its ticket is void, or it was taken.
        """
        seed = secrets.token_hex(8)
        session = SeatSession(ticket, f"Bot {ticket.seat}", take_over=True)
        pause = pauses(ticket.seat, seed=seed, longest=self._longest)
        try:
            self._connected[ticket] = await take_seat(ticket, session, server=self._server)
            over = await BotRunner(session, bot_for(self._level, seed=seed), pause=pause).play()
            if over is not None and over.receipt:
                await asyncio.to_thread(self._keep, ticket, over.receipt)
            return await self._refused(ticket) if session.why_shut_out else None
        except BusError as error:
            _log.warning("cannot sit down", seat=ticket.seat, code=error.code)
            return await self._refused(ticket) if error.code == "bus/login-refused" else _TRY_AGAIN_S
        except EditionError as error:
            _log.warning("cannot play", seat=ticket.seat, edition=error.sentence)
            return _TRY_AGAIN_S
        finally:
            self._connected.pop(ticket, None)
            await session.close()

    async def _refused(self, ticket: Ticket) -> float | None:
        """Return when to try a ticket again that is not admitted; None if it was voided.

        One whose table is not there stays: a host who has lost the store may put the table back from a copy.
        """
        try:
            there = await standing(ticket, self._server)
        except (BusError, ProtocolError, Refused):
            return _TRY_AGAIN_S
        if there is not None and there.voids(ticket):
            return None
        if there is None or there.table is not None:
            return _TRY_AGAIN_S
        _log.warning("the ticket stays", seat=ticket.seat, table=ticket.table.hex()[:8], why="its table is not there")
        return self._gone
