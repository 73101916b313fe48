"""Who is connected to the servers by a ticket, as the servers themselves tell it, and the end of a connection."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from chambers.bus import logs
from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus
from chambers.bus.server_config import GAME_ACCOUNT
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE

_PAGE: Final = 500
_LISTEN_S: Final = 0.5


class Connection(msgspec.Struct, frozen=True):
    """One connection: on which server, under which number there, and what the gate called its user."""

    server: str
    client: int
    user: str


class _Client(msgspec.Struct, frozen=True):
    cid: int
    authorized_user: str = ""


class _Page(msgspec.Struct, frozen=True):
    server_id: str
    total: int = 0
    connections: tuple[_Client, ...] = ()


class _Answer(msgspec.Struct, frozen=True):
    data: _Page | None = None


_answer = msgspec.json.Decoder(_Answer)


class Doorkeeper:
    """Asks and tells the servers over the connection `sys`; each server of a cluster answers for its own clients."""

    def __init__(self, sys: NatsBus) -> None:
        self._sys = sys
        self._log = logs.logger("gate")

    async def inside(self, user: str = "") -> list[Connection]:
        """Return the connections of a user whom the gate has admitted, or of everybody; BusError out of reach."""
        found: list[Connection] = []
        offset, more = 0, True
        while more:
            asked: dict[str, Any] = {"auth": True, "acc": GAME_ACCOUNT, "offset": offset, "limit": _PAGE}
            if user:
                asked["user"] = user
            answers = await self._sys.inboxes.gather(subjects.CONNECTIONS, json.dumps(asked).encode(), wait=_LISTEN_S)
            pages = [page for data, _ in answers if (page := _page(data)) is not None]
            for page in pages:
                found += [Connection(page.server_id, one.cid, one.authorized_user) for one in page.connections]
            offset += _PAGE
            more = any(page.total > offset for page in pages)
        return found

    async def end(self, server: str, client: int) -> None:
        """End a connection; one that has gone already, or cannot be reached, is left at that."""
        # The server heeds a request only, and has nothing to say about a client that has already gone.
        try:
            await self._sys.request(subjects.kick(server), json.dumps({"cid": client}).encode())
        except BusError as error:
            self._log.warning("connection not ended", code=error.code)
        else:
            self._log.info("ended a connection whose ticket is void")


def _page(data: bytes) -> _Page | None:
    try:
        return _answer.decode(data).data
    except UNREADABLE:
        return None
