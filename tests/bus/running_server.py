"""A deployment in a fresh folder with its own nats-server on a free port, and its users' connections."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from chambers.bus import deployment
from chambers.bus.login import Login
from chambers.bus.nats_bus import NatsBus
from chambers.bus.server import NatsServer, free_port
from chambers.bus.server_config import ServerOptions
from chambers.bus.stream import create_stream

TABLE = "0123456789abcdef0123456789abcdef"
OTHER = "f" * 32


class Site:
    """Everything that one test owns; all connections are closed and the server is killed at its end."""

    def __init__(self, home: Path, *, max_store: str = "1GB") -> None:
        self.port = free_port()
        options = ServerOptions(store=str(home / "nats" / "store"), port=self.port, sync="default", max_store=max_store)
        self.deployment = deployment.init(home, options)
        self.server = NatsServer(self.deployment.config, port=self.port)
        self._open: list[NatsBus] = []

    async def user(self, user: str) -> NatsBus:
        return await self.log_in(self.deployment.login(user))

    async def log_in(self, login: Login) -> NatsBus:
        bus = await NatsBus.connect(self.server.url, login)
        self._open.append(bus)
        return bus

    async def with_stream(self) -> None:
        await create_stream(await self.user("admin"))

    async def __aenter__(self) -> Site:
        await self.server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for bus in self._open:
            await bus.close()
        await self.server.kill()
