"""Inboxes for requests with many replies, never more of them at once than the server lets a connection have."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, Protocol

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from chambers.bus.errors import disconnected

_AT_ONCE: Final = 16


class Inbox(NamedTuple):
    """Where replies come to, and those that have come."""

    address: str
    replies: asyncio.Queue[Msg]


class Ask(Protocol):
    """Sends a request whose replies come to an inbox."""

    def __call__(self, subject: str, data: bytes, *, reply: str) -> Awaitable[None]: ...


class Inboxes:
    """Those of one connection, which asks with `ask`."""

    def __init__(self, client: Client, ask: Ask) -> None:
        self._client = client
        self._ask = ask
        # The server ends a connection that has more subscriptions than it allows, and the library gives it up for good.
        self._free = asyncio.Semaphore(_AT_ONCE)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Inbox]:
        """Yield a fresh inbox; waits while 16 are open. BusError while the server is out of reach."""
        inbox = Inbox(self._client.new_inbox(), asyncio.Queue())

        async def incoming(message: Msg) -> None:
            inbox.replies.put_nowait(message)

        async with self._free:
            try:
                subscription = await self._client.subscribe(
                    inbox.address, cb=incoming, pending_msgs_limit=0, pending_bytes_limit=0
                )
            except (nats.errors.Error, OSError):
                raise disconnected() from None
            try:
                yield inbox
            finally:
                with contextlib.suppress(nats.errors.Error, OSError):
                    await subscription.unsubscribe()

    async def gather(self, subject: str, data: bytes, *, wait: float) -> list[tuple[bytes, float]]:
        """Return every reply to a request that comes within `wait` seconds, with the seconds it took."""
        found: list[tuple[bytes, float]] = []
        async with self.open() as inbox:
            start = time.monotonic()
            await self._ask(subject, data, reply=inbox.address)
            while (left := start + wait - time.monotonic()) > 0:
                try:
                    message = await asyncio.wait_for(inbox.replies.get(), left)
                except TimeoutError:
                    break
                if not message.headers:
                    found.append((bytes(message.data), time.monotonic() - start))
        return found
