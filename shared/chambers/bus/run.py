"""How a service runs: settings, connection, service, in that order; until it is told to stop or loses its place."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import msgspec

from chambers import editions
from chambers.bus import certificates, logs
from chambers.bus.deployment import certificate_in, login_of
from chambers.bus.errors import BusError
from chambers.bus.heartbeat import beat
from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import SERVICE_NAMES
from chambers.bus.services_api import announce
from chambers.protocol.versions import release
from chambers.rules.roles import MAX_SEATS, seat_role

_REFUSED_TO_START: Final = 2
_TRY_AGAIN_S: Final = 0.5


class Service(Protocol):
    """What a process runs."""

    async def start(self) -> None:
        """Subscribe and serve; return when the service is ready."""
        ...

    async def stop(self) -> None:
        """End what runs beside the subscriptions."""
        ...


@runtime_checkable
class Connected(Protocol):
    """A service with connections of its own beside the one it was given."""

    connections: tuple[NatsBus, ...]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What a service is told when it starts: its user, its own volume, the server, and for a vault its seat.

    `ca` is the server's certificate where it is not in the volume; `alive` a file to touch while the service answers;
    `patience` how many seconds to wait for a server that is not there yet; `editions` the owner's own, to play as well.
    """

    user: str
    home: Path
    server: str
    ca: Path | None = None
    seat: int | None = None
    alive: Path | None = None
    patience: float = 0.0
    editions: tuple[Path, ...] = ()


Make = Callable[[NatsBus, Settings], Awaitable[Service]]


class Running:
    """A started service with its connection."""

    def __init__(self, bus: NatsBus, service: Service) -> None:
        self.bus = bus
        self.service = service
        beside = service.connections if isinstance(service, Connected) else ()
        self.buses: tuple[NatsBus, ...] = (bus, *beside)

    @property
    def lost(self) -> BusError | None:
        """Return why one of its connections has been ended for good; None if they are all kept up, or we ended them."""
        return next((bus.lost for bus in self.buses if bus.lost is not None), None)

    async def closed(self) -> BusError | None:
        """Return when one of its connections is closed for good: None if we did it, else why."""
        waiting = [asyncio.create_task(bus.closed()) for bus in self.buses]
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result()
        finally:
            for task in waiting:
                task.cancel()

    async def stop(self) -> None:
        """Finish what has come, then disconnect."""
        await self.service.stop()
        await self.bus.drain()

    async def kill(self) -> None:
        """Disconnect in the middle of everything, as a crash would."""
        await self.bus.close()
        await self.service.stop()


async def connect(settings: Settings, *, user: str | None = None) -> NatsBus:
    """Return a connection as the service's user, or as another user whose key is in its volume."""
    login = login_of(settings.home, user or settings.user)
    ca = settings.ca or certificate_in(settings.home)
    return await NatsBus.connect(settings.server, login, tls=None if ca is None else certificates.trusted(ca))


async def connect_patiently(settings: Settings) -> NatsBus:
    """Return a connection as the user; BusError if the server is not there after the patience that is set."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + settings.patience
    while True:
        try:
            return await connect(settings)
        except BusError as error:
            if error.code != "bus/no-server" or loop.time() >= deadline:
                raise
        await asyncio.sleep(_TRY_AGAIN_S)


async def start_service(make: Make, settings: Settings) -> Running:
    """Return the service, connected, started and announced; BusError if it cannot be."""
    bus = await connect_patiently(settings)
    try:
        service = await make(bus, settings)
        await service.start()
        await announce(bus, name=SERVICE_NAMES[settings.user], version=release())
    except BaseException:
        await bus.close()
        raise
    return Running(bus, service)


def _settings(user: str | None, argv: Sequence[str] | None) -> tuple[Settings, str]:
    parser = argparse.ArgumentParser(description="Runs one service of Chambers until it is told to stop.")
    parser.add_argument("--home", type=Path, required=True, help="the service's own volume, with its log-in key")
    parser.add_argument("--server", required=True, help="the NATS server, like nats://127.0.0.1:4222")
    parser.add_argument("--ca", type=Path, help="the server's certificate, else that in the volume")
    parser.add_argument("--alive", type=Path, help="a file to touch every few seconds while the service answers")
    parser.add_argument(
        "--patience", type=float, default=0.0, help="how long to wait for the server to start, s; else 0"
    )
    parser.add_argument(
        "--edition",
        type=Path,
        action="append",
        metavar="FILE",
        help="an edition of the owner's to play as well, or a folder of them; may be given again",
    )
    parser.add_argument("--log-level", choices=logs.LEVELS, default="info", help="what to log; else info")
    if user is None:
        parser.add_argument("--seat", type=int, choices=range(MAX_SEATS), required=True, help="the seat of this vault")
    given = parser.parse_args(argv)
    seat: int | None = getattr(given, "seat", None)
    who = user if seat is None else seat_role(seat)
    settings = Settings(
        user=str(who), home=given.home, server=given.server, ca=given.ca, seat=seat,
        alive=given.alive, patience=given.patience,
        editions=tuple(given.edition or ()),
    )  # fmt: skip
    return settings, given.log_level


async def _until_told(make: Make, settings: Settings) -> None:
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, told.set)
    running = await start_service(make, settings)
    log = logs.logger("run", user=settings.user)
    log.info("ready")
    lost = asyncio.create_task(running.closed())
    waiting = asyncio.create_task(told.wait())
    beating = [] if settings.alive is None else [asyncio.create_task(beat(running.buses, settings.alive))]
    await asyncio.wait((lost, waiting), return_when=asyncio.FIRST_COMPLETED)
    why = lost.result() if lost.done() else None
    for task in (lost, waiting, *beating):
        task.cancel()
    await running.stop()
    if why is not None:
        raise why
    log.info("stopped")


def run_service(make: Make, *, user: str | None, argv: Sequence[str] | None = None) -> int:
    """Run a service until SIGTERM or SIGINT and return the exit code: 0, or 2 with one sentence on stderr.

    `user` None is a vault, whose seat is an argument.
    """
    settings, level = _settings(user, argv)
    logs.configure(level)
    try:
        for place in settings.editions:
            editions.shelve_all(place)
        asyncio.run(_until_told(make, settings))
    except (BusError, editions.EditionError) as error:
        print(error.sentence, file=sys.stderr)
        return _REFUSED_TO_START
    return 0
