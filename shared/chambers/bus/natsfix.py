"""Work-arounds for nats-py that no option offers; installed once, before the first connection."""

from __future__ import annotations

import asyncio
from typing import Any

import nats.errors
from nats.aio.client import Client
from nats.aio.transport import TcpTransport

from chambers.bus import own_servers

_CLOSE_LIMIT_S = 1.0
_wait_closed: Any = TcpTransport.wait_closed
_log_in: Any = Client._process_connect_init
_say_who: Any = Client._connect_command
_connect_tls: Any = TcpTransport.connect_tls
_connect: Any = Client._connect_to_server


class HungUpError(nats.errors.Error):
    """The server closed the connection in the middle of the log-in, without a word."""


class StrangerError(nats.errors.Error):
    """Another program greets at the address of a server that this process has started."""


class NoTlsError(nats.errors.Error):
    """The server, or somebody in its place, offers no TLS to a client that was told to expect it."""


def _say_who_in_private(self: Any) -> bytes:
    # The library takes TLS settings for a permission, and talks in the clear to a server that offers none.
    if "tls" in self.options and not self._server_info.get("tls_required"):
        raise NoTlsError
    # The library logs in to whoever greets; who is in the server's place must not even hear who we are.
    if own_servers.is_stranger(self._current_server.uri.netloc, str(self._server_info.get("server_id", ""))):
        raise StrangerError
    return bytes(_say_who(self))


async def _connect_tls_knowingly(self: Any, *given: Any, **named: Any) -> None:
    # The library does not tell the reader of the connection that it is one over TLS, and so asyncio prints a warning
    # at every end of one.
    await _connect_tls(self, *given, **named)
    self._io_writer.transport.get_protocol()._over_ssl = True


async def _bounded_wait_closed(self: Any) -> None:
    # On a half-open link the library waits for the peer to close, for ever or for 30 s with TLS,
    # and so never gets to reconnect (nats.py #671).
    try:
        await asyncio.wait_for(_wait_closed(self), _CLOSE_LIMIT_S)
    except (TimeoutError, OSError):
        writer = self._io_writer
        if writer is not None:
            writer.transport.abort()


async def _checked_log_in(self: Any) -> None:
    # The library takes a server that hangs up for one that said yes, and then waits for it: at the first connect it
    # returns a dead client, at a reconnect it hangs for good.
    await _log_in(self)
    if self._status != Client.CONNECTED:
        for task in (self._reading_task, self._ping_interval_task, self._flusher_task):
            task.cancel()
        self._transport.close()
        raise HungUpError


async def _connect_unless_cancelled(self: Any, server: Any) -> None:
    # Where an attempt fails at the moment at which its task is cancelled, the cancellation is lost (`asyncio.wait_for`
    # before Python 3.12), and the library tries on for ever: a program that ends would hang.
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
    await _connect(self, server)


def install() -> None:
    """Bound how long a lost connection may take to close, notice a refused log-in, insist on TLS; twice is once.

    A client that tries to connect again ends when it is cancelled.
    """
    TcpTransport.wait_closed = _bounded_wait_closed  # type: ignore[method-assign]  # that is the purpose
    Client._process_connect_init = _checked_log_in  # type: ignore[method-assign]  # that is the purpose
    TcpTransport.connect_tls = _connect_tls_knowingly  # type: ignore[method-assign]  # that is the purpose
    Client._connect_to_server = _connect_unless_cancelled  # type: ignore[method-assign,assignment]  # that is the purpose
    Client._connect_command = _say_who_in_private  # type: ignore[method-assign]  # that is the purpose


async def barrier(client: Client) -> None:
    """Return when the server has processed all that this client has sent."""
    # A PING goes to the socket at once while commands still wait for the flusher: let it write them first.
    await asyncio.sleep(0)
    await client.flush()
