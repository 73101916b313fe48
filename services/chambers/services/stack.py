"""The whole stack in one process: a private nats-server, and each service with its own connection and rights."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from chambers.bus.deployment import Deployment, init
from chambers.bus.errors import BusError
from chambers.bus.permissions import ADMIN, GALLERY, GATE
from chambers.bus.run import Make, Running, Settings, connect, start_service
from chambers.bus.server import NatsServer, free_port
from chambers.bus.server_config import ServerOptions
from chambers.bus.stream import create_stream
from chambers.rules.roles import DEALER, DICE, GM, MAX_SEATS, seat_role
from chambers.services import dealer, dice, gallery, game_master, gate, vault

MAKERS: Final[dict[str, Make]] = {
    str(GM): game_master.make,
    str(DEALER): dealer.make,
    str(DICE): dice.make,
    GATE: gate.make,
    GALLERY: gallery.make,
    **{str(seat_role(n)): vault.make for n in range(MAX_SEATS)},
}
"""How each user's service is made."""


_OTHER_PORTS: Final = 3
"""So many more ports are tried where none was named."""

STOP_S: Final = 7.0
"""How long services may take to stop, which is longer than a connection takes to give up its draining."""

TROUBLE_S: Final = 0.5
TROUBLE_SEEN: Final = 4
"""How often, and how many times in a row, the game master must be in trouble before the stack is."""


class Stack:
    """Started on entering, stopped on leaving; what it needs to go on later is in `home`."""

    def __init__(
        self,
        home: Path,
        listen: tuple[str, int] | None = None,
        *,
        sync: str = "always",
        seats: int = MAX_SEATS,
        tls: bool = False,
    ) -> None:
        self.home = home
        self._host, self._port = listen or ("127.0.0.1", free_port())
        self._other_ports = 0 if listen else _OTHER_PORTS
        self._sync = sync
        self._seats = seats
        self._tls = tls
        self._running: dict[str, Running] = {}
        self._server: NatsServer | None = None
        self._deployment: Deployment | None = None

    @property
    def url(self) -> str:
        """Return the server's address for a client on this machine."""
        return self.server.url

    @property
    def server(self) -> NatsServer:
        """Return the private nats-server."""
        assert self._server is not None
        return self._server

    @property
    def deployment(self) -> Deployment:
        """Return the keys and the configuration that this stack runs with."""
        assert self._deployment is not None
        return self._deployment

    @property
    def running(self) -> Mapping[str, Running]:
        """Return the service of each user that has been started."""
        return self._running

    @property
    def users(self) -> tuple[str, ...]:
        """Return the users whose services this stack runs; a vault for each seat in use."""
        return tuple(user for user in MAKERS if not user.startswith("seat") or int(user[4:]) < self._seats)

    async def __aenter__(self) -> Stack:
        await self._start_server()
        try:
            await self._make_stream()
            await self.start(str(GM))
            await asyncio.gather(*(self.start(user) for user in self.users if user != GM))
        except BaseException:
            await self._stop()
            raise
        return self

    async def _start_server(self) -> None:
        while True:
            options = ServerOptions(
                store=str(self.home.resolve() / "nats" / "store"), host=self._host, port=self._port, sync=self._sync
            )
            self._deployment = init(self.home, options, tls=self._tls)
            self._server = NatsServer(self._deployment.config, port=self._port, host=self._host)
            try:
                await self._server.start()
                return
            except BusError as error:
                if error.code != "bus/port-taken" or not self._other_ports:
                    raise
            self._other_ports -= 1
            self._port = free_port()  # the one that was free when it was drawn is somebody else's by now

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def start(self, user: str) -> None:
        """Start the service of a user."""
        seat = int(user[4:]) if user.startswith("seat") else None
        settings = Settings(user=user, home=self.deployment.role_home(user), server=self.url, seat=seat)
        self._running[user] = await start_service(MAKERS[user], settings)

    async def kill(self, user: str) -> None:
        """Cut a service off in the middle of everything, as a crash would; `start` brings it back."""
        await self._running.pop(user).kill()

    async def replace(self, user: str) -> None:
        """Start a service anew whose connection has ended; BusError if it cannot be, and it is as lost as before."""
        with contextlib.suppress(BusError):
            await self._running[user].kill()
        await self.start(user)

    async def trouble(self) -> BusError:
        """Return, when the log can be stored no more, the error that says why; else wait for ever."""
        seen = 0
        while True:
            await asyncio.sleep(TROUBLE_S)
            running = self._running.get(str(GM))
            trouble = getattr(running.service, "trouble", None) if running is not None else None
            seen = seen + 1 if trouble is not None else 0
            if isinstance(trouble, BusError) and seen >= TROUBLE_SEEN:
                return trouble

    async def _make_stream(self) -> None:
        bus = await connect(Settings(user=ADMIN, home=self.deployment.role_home(ADMIN), server=self.url))
        try:
            await create_stream(bus)
        finally:
            await bus.drain()

    async def _stop(self) -> None:
        running, self._running = self._running, {}
        # the game master goes last: what a role is saying just then would wait for an answer that never comes
        for users in (running.keys() - {str(GM)}, running.keys() & {str(GM)}):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await asyncio.gather(*(running[user].stop() for user in users), return_exceptions=True)
        await self.server.stop()
