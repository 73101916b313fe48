"""The adapter to NATS: connects, sends, hears and answers, with what nats-py needs to be trusted with that."""

from __future__ import annotations

import asyncio
import itertools
import ssl
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as NatsSubscription

from chambers.bus import answers, natsfix, replies
from chambers.bus.backlog import Backlog
from chambers.bus.connect_faults import connect_fault
from chambers.bus.dispatcher import Dispatcher
from chambers.bus.endpoint import Endpoint
from chambers.bus.errors import BusError, disconnected, login_refused
from chambers.bus.inboxes import Inboxes
from chambers.bus.login import Login
from chambers.bus.logs import fault, logger
from chambers.bus.ports import Answerer, Asker, Handler, Room
from chambers.protocol import subjects

_FIRST_CONNECT: Final = {"allow_reconnect": False, "max_reconnect_attempts": 1, "reconnect_time_wait": 0.1}
_LATER: Final = {"allow_reconnect": True, "max_reconnect_attempts": -1, "reconnect_time_wait": 0.25}
_REFUSALS_BEFORE_GIVING_UP: Final = 3
_DRAIN_LIMIT_S: Final = 5.0
_CONNECT_TIMEOUT_S: Final = 4
_DENIED_KEPT: Final = 1000
_LIBRARY_TIMES: Final = 8


class NatsSubscriptionHandle:
    """Interest in a subject on one connection."""

    def __init__(self, subscription: NatsSubscription) -> None:
        self._subscription = subscription

    async def cancel(self) -> None:
        """End it; messages that have already come are still handled."""
        try:
            await self._subscription.drain()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        except nats.errors.Error:
            return


class NatsBus:
    """One connection of one user, kept up until it is closed or the server refuses its log-in."""

    def __init__(self, server: str, login: Login) -> None:
        self.server = server
        self.endpoints: list[Endpoint] = []
        self.backlogs: dict[int, Backlog] = {}
        self.denied: list[str] = []
        self._login = login
        self._client = Client()
        self.inboxes = Inboxes(self._client, self.ask)
        self._dispatcher = Dispatcher()
        self._subscriptions: list[NatsSubscription] = []
        self._callbacks: list[Callable[[], Awaitable[None]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._refusals = 0
        self._alone = map(str, itertools.count())
        self._closed: asyncio.Future[BusError | None] = asyncio.get_running_loop().create_future()
        self._log = logger("bus", user=login.user)

    @classmethod
    async def connect(
        cls, server: str, login: Login, *, tls: ssl.SSLContext | None = None, name: str | None = None
    ) -> NatsBus:
        """Return a connection; BusError at once if the server is silent or refuses. A later loss is mended for ever."""
        natsfix.install()
        bus = cls(server, login)
        await bus._connect(tls, name or login.user)
        return bus

    async def _connect(self, tls: ssl.SSLContext | None, name: str) -> None:
        options: dict[str, Any] = {
            # The nodes of a cluster are named with commas between them.
            "servers": self.server.split(","),
            "name": name,
            "nkeys_seed_str": self._login.seed,
            "token": self._login.token,
            "inbox_prefix": subjects.inbox(self._login.user),
            "connect_timeout": _CONNECT_TIMEOUT_S,
            "ping_interval": 5,
            "max_outstanding_pings": 2,
            "drain_timeout": _DRAIN_LIMIT_S,
            "skip_subject_validation": True,
            "error_cb": self._on_error,
            "reconnected_cb": self._on_reconnected,
            "closed_cb": self._on_closed,
            **_FIRST_CONNECT,
        }
        if tls is not None:
            options["tls"] = tls
        try:
            await self._client.connect(**options)
        except (OSError, nats.errors.Error, TimeoutError, ssl.SSLError) as error:
            await self._give_up()
            last = self._client.last_error
            raise connect_fault(error, last, server=self.server, user=self.user, tls=tls is not None) from None
        self._client.options.update(_LATER)

    async def _give_up(self) -> None:
        if not self._closed.done():
            self._closed.set_result(None)
        try:
            await self._client.close()
        except (OSError, nats.errors.Error, AssertionError, AttributeError):
            # The last two: the library writes its farewell to a connection that is not there any more.
            return

    async def _on_error(self, error: Exception) -> None:
        # Must never raise: the library's read loop would end without a sign.
        text = str(error)
        if "permissions violation" in text:
            del self.denied[: max(0, len(self.denied) - _DENIED_KEPT)]
            self.denied.append(text.removeprefix("nats: "))
            self._log.warning("denied by the server", what=self.denied[-1])
        elif "authorization violation" in text.lower() and not self._client.is_connected:
            self._refusals += 1
            if self._refusals >= _REFUSALS_BEFORE_GIVING_UP and not self._closed.done():
                self._closed.set_result(login_refused(self.server, self._login.user))
                self._spawn(self._give_up())
        elif isinstance(error, nats.errors.SlowConsumerError) and error.sid in self.backlogs:
            self.backlogs[error.sid].drop()
        else:
            self._log.debug("connection fault", **fault(error))

    async def _on_reconnected(self) -> None:
        self._refusals = 0
        self._log.info("connected again")
        for callback in self._callbacks:
            self._spawn(self._run_callback(callback))

    async def _run_callback(self, callback: Callable[[], Awaitable[None]]) -> None:
        try:
            await callback()
        except Exception as error:  # noqa: BLE001 - an edge of the process: the connection lives on whatever a service does
            self._log.error("reconnect callback failed", **fault(error))

    async def _on_closed(self) -> None:
        if not self._closed.done():
            self._closed.set_result(login_refused(self.server, self._login.user))

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def user(self) -> str:
        """Return the user this connection is logged in as."""
        return self._login.user

    @property
    def connected(self) -> bool:
        """Return whether the server is in reach."""
        return bool(self._client.is_connected)

    @property
    def lost(self) -> BusError | None:
        """Return why the connection has been ended for good, if not by us."""
        return self._closed.result() if self._closed.done() else None

    async def closed(self) -> BusError | None:
        """Return when the connection is closed for good: None if we did it, else why."""
        return await asyncio.shield(self._closed)

    async def barrier(self) -> None:
        """Return when the server has processed all that was sent before; BusError if it is out of reach."""
        try:
            await natsfix.barrier(self._client)
        except (nats.errors.Error, TimeoutError, OSError):
            raise disconnected() from None

    async def publish(self, subject: str, data: bytes) -> None:
        """Send a message to whoever listens; BusError while the server is out of reach, or if it is too big."""
        await self._send(subject, data)

    async def _send(self, subject: str, data: bytes, *, reply: str = "") -> None:
        # Buffered messages would come out late, and a full buffer would leak: say at once that nobody hears.
        if not self._client.is_connected:
            raise disconnected()
        try:
            await self._client.publish(subject, data, reply=reply)
        except nats.errors.MaxPayloadError:
            raise self._too_big(data) from None
        except (nats.errors.Error, OSError):
            raise disconnected() from None

    def _too_big(self, data: bytes) -> BusError:
        limit = self._client.max_payload
        return BusError("bus/too-big", f"A message of {len(data)} bytes is more than the server takes ({limit}).")

    async def request(self, subject: str, data: bytes, *, timeout: float = 2.0) -> bytes:
        """Return the reply; BusError `bus/timeout` after `timeout` seconds, `bus/no-responder` if nobody serves it."""
        return bytes((await self.exchange(subject, data, timeout=timeout)).data)

    async def exchange(
        self, subject: str, data: bytes, *, timeout: float, headers: dict[str, str] | None = None
    ) -> Msg:
        """Return the reply with its headers; for the modules of the bus that talk to JetStream."""
        if not self._client.is_connected:
            raise disconnected()
        try:
            return await self._client.request(subject, data, timeout=timeout, headers=headers)
        except nats.errors.NoRespondersError:
            raise BusError("bus/no-responder", "Nobody serves this request at the moment.") from None
        except nats.errors.TimeoutError:
            raise BusError("bus/timeout", f"No answer came within {timeout:g} s.") from None
        except nats.errors.MaxPayloadError:
            raise self._too_big(data) from None
        except (nats.errors.Error, OSError):
            raise disconnected() from None

    async def ask(self, subject: str, data: bytes, *, reply: str) -> None:
        """Send a request whose replies come to an inbox of ours."""
        await self._send(subject, data, reply=reply)

    async def _subscribe(
        self, subject: str, callback: Any, *, queue: str, room: Room | None = None
    ) -> NatsSubscription:
        # What our own services send is bounded by their protocols, and must not be dropped. What strangers send waits
        # here only while nothing is handled at all, and whose it is makes no difference here: so there is more room.
        size = 0 if room is None else _LIBRARY_TIMES * room.bytes
        try:
            return await self._client.subscribe(
                subject, queue=queue, cb=callback, pending_msgs_limit=0, pending_bytes_limit=size
            )
        except (nats.errors.Error, OSError):
            raise disconnected() from None

    async def subscribe(
        self, subject: str, handler: Handler, *, queue: str | None = None, lane: str = "", room: Room | None = None
    ) -> NatsSubscriptionHandle:
        """Hear messages; with a queue, each goes to one of its members. In force when this returns."""

        async def handle(message: Msg) -> None:
            try:
                await handler(message.subject, message.data)
            except Exception as error:  # noqa: BLE001 - an edge of the process: one bad message must not end the service
                self._log.error("handler failed", subject=subject, **fault(error))

        return await self._hear(subject, handle, queue=queue, lane=lane, room=room)

    async def serve(
        self,
        subject: str,
        answerer: Answerer,
        *,
        asker: Asker,
        queue: str | None = None,
        lane: str = "",
        room: Room | None = None,
    ) -> NatsSubscriptionHandle:
        """Answer requests, and only below the inbox of their asker; other requests are dropped unread."""
        endpoint = Endpoint(subject, queue)
        self.endpoints.append(endpoint)

        def may_answer(message: Msg) -> bool:
            who = asker if isinstance(asker, str) else asker(message.subject)
            return replies.may_answer(message.reply, who)

        return await self._answer(endpoint, answerer, may_answer, lane=lane, room=room)

    async def serve_server(self, subject: str, answerer: Answerer, *, queue: str) -> NatsSubscriptionHandle:
        """Answer the NATS server's own requests, on a connection of an account that nobody else can publish in."""

        def may_answer(message: Msg) -> bool:
            return message.reply.startswith(f"{subjects.SERVER_INBOX}.")

        return await self._answer(Endpoint(subject, queue), answerer, may_answer, lane=None)

    async def _answer(
        self,
        endpoint: Endpoint,
        answerer: Answerer,
        may_answer: Callable[[Msg], bool],
        *,
        lane: str | None,
        room: Room | None = None,
    ) -> NatsSubscriptionHandle:
        async def handle(message: Msg) -> None:
            if not may_answer(message):
                endpoint.refused += 1
                self._log.warning("reply subject is not the asker's", subject=endpoint.subject)
                return
            start = time.monotonic()
            reply, failed = await answers.answer(answerer, message.subject, message.data, self._log)
            endpoint.requests += 1
            endpoint.errors += failed
            endpoint.seconds += time.monotonic() - start
            if reply is not None:
                try:
                    await self._send(message.reply, reply)
                except BusError as error:
                    endpoint.errors += 1
                    self._log.warning("reply not sent", subject=endpoint.subject, code=error.code)

        return await self._hear(endpoint.subject, handle, queue=endpoint.queue, lane=lane, room=room)

    async def _hear(
        self,
        subject: str,
        handle: Callable[[Msg], Awaitable[None]],
        *,
        queue: str | None,
        lane: str | None,
        room: Room | None = None,
    ) -> NatsSubscriptionHandle:
        backlog = None if room is None else Backlog(subject, room, self._log)

        async def and_make_room(message: Msg) -> None:
            try:
                await handle(message)
            finally:
                assert backlog is not None
                backlog.leave(message.subject, len(message.data))

        async def incoming(message: Msg) -> None:
            work = handle
            if backlog is not None:
                if not backlog.enter(message.subject, len(message.data)):
                    return
                work = and_make_room
            key = next(self._alone) if lane is None else f"{lane}/{subjects.table_token(message.subject)}"
            await self._dispatcher.put(key, lambda: work(message))

        subscription = await self._subscribe(subject, incoming, queue=queue or "", room=room)
        self._subscriptions.append(subscription)
        if backlog is not None:
            self.backlogs[subscription._id] = backlog
        await self.barrier()
        return NatsSubscriptionHandle(subscription)

    def on_reconnect(self, callback: Callable[[], Awaitable[None]]) -> None:
        """Run `callback` whenever the connection is back after a loss."""
        self._callbacks.append(callback)

    async def drain(self) -> None:
        """Take no more messages, finish and answer what has come, disconnect; after 5 s, disconnect anyway."""
        if not self._closed.done():
            self._closed.set_result(None)
        try:
            async with asyncio.timeout(_DRAIN_LIMIT_S):
                # The library's own drain does not wait for work that a callback handed on.
                for subscription in self._subscriptions:
                    await NatsSubscriptionHandle(subscription).cancel()
                await self._dispatcher.idle()
                await natsfix.barrier(self._client)
        except (TimeoutError, nats.errors.Error, OSError) as error:
            self._log.debug("drain cut short", **fault(error))
        await self.close()

    async def close(self) -> None:
        """Disconnect at once."""
        await self._give_up()
        await self._dispatcher.stop()
        for task in tuple(self._tasks):
            if task is not asyncio.current_task():
                task.cancel()
