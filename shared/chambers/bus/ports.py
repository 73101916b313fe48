"""What services see of the bus: typed ports, so that none of them knows NATS."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Protocol

import msgspec

Handler = Callable[[str, bytes], Awaitable[None]]
"""Gets the subject and the data of a message."""

Answerer = Callable[[str, bytes], Awaitable[bytes | None]]
"""Gets the subject and the data of a request; returns the reply, or None to stay silent."""

Asker = str | Callable[[str], str]
"""Who asks: one user, or how a request's subject tells it."""


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """How much may wait of what clients send: messages on one subject, messages in all, bytes in all."""

    each: int
    messages: int
    bytes: int


class Subscription(Protocol):
    """Interest in a subject."""

    async def cancel(self) -> None:
        """End it; messages that have already come are still handled."""
        ...


class Bus(Protocol):
    """Messages between processes. Every method may raise BusError.

    Handlers of one lane and table run in order, those of different tables at the same time. A table is the second
    token of a subject. What comes on a subject that clients publish to has a `room`, and is dropped beyond it.
    """

    @property
    def user(self) -> str:
        """Return the user this connection is logged in as."""
        ...

    async def publish(self, subject: str, data: bytes) -> None:
        """Send a message to whoever listens."""
        ...

    async def request(self, subject: str, data: bytes, *, timeout: float = 2.0) -> bytes:
        """Return the reply; BusError `bus/timeout` after `timeout` seconds, `bus/no-responder` if nobody serves it."""
        ...

    async def subscribe(
        self, subject: str, handler: Handler, *, queue: str | None = None, lane: str = "", room: Room | None = None
    ) -> Subscription:
        """Hear messages; with a queue, each goes to one of its members."""
        ...

    async def serve(
        self,
        subject: str,
        answerer: Answerer,
        *,
        asker: Asker,
        queue: str | None = None,
        lane: str = "",
        room: Room | None = None,
    ) -> Subscription:
        """Answer requests, and only below the inbox of their asker; other requests are dropped unread."""
        ...

    def on_reconnect(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Run `callback` whenever the connection is back after a loss."""
        ...

    async def drain(self) -> None:
        """Take no more messages, finish what has come, answer it, and disconnect."""
        ...

    async def close(self) -> None:
        """Disconnect at once."""
        ...


class LogStore(Protocol):
    """The log of record; a table is named by its 32 hex digits. Every method may raise BusError."""

    async def append(self, table: str, data: bytes, *, expect: int) -> int:
        """Return the entry's stream sequence; WrongSequence unless the table's last one is `expect` (0: none)."""
        ...

    def read(self, table: str, *, start: int = 1) -> AsyncIterator[tuple[int, bytes]]:
        """Yield stream sequence and data of the table's entries from stream sequence `start` on."""
        ...

    async def tables(self) -> list[str]:
        """Return every table that has an entry."""
        ...
