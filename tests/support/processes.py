"""Every service as a process of its own, so that it can be killed as a machine kills: with no word of farewell."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chambers.bus.deployment import Deployment, init
from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import ADMIN, SERVICE_NAMES
from chambers.bus.server import NatsServer, free_port
from chambers.bus.server_config import ServerOptions
from chambers.bus.stream import create_stream

_MODULES = {user: name.replace("-", "_") for user, name in SERVICE_NAMES.items()}


class Processes:
    """The services of one deployment, each a process; `kill` is SIGKILL."""

    def __init__(self, deployment: Deployment, server: NatsServer) -> None:
        self.deployment = deployment
        self.server = server
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._drains: list[asyncio.Task[bytes]] = []

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def home(self) -> Path:
        return self.deployment.home

    async def start(self, user: str) -> None:
        """Start a service; return when it says that it is ready."""
        code = f"from chambers.services.{_MODULES[user]} import main; raise SystemExit(main())"
        seat = ["--seat", user[4:]] if user.startswith("seat") else []
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, "--home", str(self.deployment.role_home(user)), "--server", self.url, *seat,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stderr is not None
        while b"ready" not in (line := await asyncio.wait_for(process.stderr.readline(), 30)):
            assert line, f"{user} ended with {await process.wait()}"
        # what a full pipe holds back, a service would wait for
        self._drains.append(asyncio.create_task(process.stderr.read()))
        self._running[user] = process

    async def kill(self, user: str) -> None:
        """Kill a service as a power cut would."""
        process = self._running.pop(user)
        process.send_signal(signal.SIGKILL)
        await process.wait()

    async def stop(self) -> None:
        """Kill whatever runs."""
        for user in tuple(self._running):
            await self.kill(user)
        await self.server.stop()


@asynccontextmanager
async def processes(home: Path, *, seats: int) -> AsyncIterator[Processes]:
    """Run a server and one process for each service, with a vault for each of `seats`."""
    port = free_port()
    deployment = init(home, ServerOptions(store=str(home / "nats" / "store"), port=port, sync="default"))
    server = NatsServer(deployment.config, port=port)
    await server.start()
    bus = await NatsBus.connect(server.url, deployment.login(ADMIN))
    await create_stream(bus)
    await bus.close()
    running = Processes(deployment, server)
    try:
        users = [user for user in SERVICE_NAMES if not user.startswith("seat") or int(user[4:]) < seats]
        await running.start("gm")
        await asyncio.gather(*(running.start(user) for user in users if user != "gm"))
        yield running
    finally:
        await running.stop()
