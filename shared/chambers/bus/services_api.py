"""Services announce themselves by the NATS services API (PING, INFO, STATS), and the host finds them."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import msgspec

from chambers.bus.endpoint import Endpoint
from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import HOST
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE

_TYPE: Final = "io.nats.micro.v1.{verb}_response"
_LANE: Final = "services"
_LONGER_S: Final = 3.0
_T = TypeVar("_T")


class _Pong(msgspec.Struct, frozen=True):
    id: str


class _EndpointStats(msgspec.Struct, frozen=True):
    num_requests: int
    num_errors: int


class _Stats(msgspec.Struct, frozen=True):
    id: str
    name: str
    version: str
    started: str
    metadata: dict[str, str] | None = None
    endpoints: tuple[_EndpointStats, ...] | None = None


class ServiceInfo(msgspec.Struct, frozen=True):
    """One running service: who it is, how long a ping took, and how many requests it served and failed."""

    name: str
    user: str
    id: str
    version: str
    started: str
    latency_ms: float
    requests: int
    errors: int


class Announcement:
    """Answers what the host asks of every service, and the host alone; nats.micro would answer any reply subject."""

    def __init__(self, bus: NatsBus, *, name: str, version: str, description: str) -> None:
        self._bus = bus
        self._description = description
        self._started = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        self._who = {"name": name, "id": secrets.token_hex(11), "version": version, "metadata": {"user": bus.user}}

    async def start(self) -> None:
        """Be found from here on."""
        # The list of endpoints is the service's own; that of the services API itself is not part of it.
        served = tuple(self._bus.endpoints)
        name, ident = str(self._who["name"]), str(self._who["id"])
        for verb in subjects.SERVICE_VERBS:
            reply = self._answerer(verb, served)
            for subject in (
                subjects.service(verb),
                subjects.service(verb, name),
                subjects.service(verb, name, ident),
            ):
                await self._bus.serve(subject, reply, asker=HOST, lane=_LANE)

    def _answerer(self, verb: str, served: tuple[Endpoint, ...]) -> Any:
        async def reply(_subject: str, _data: bytes) -> bytes:
            return msgspec.json.encode(self._response(verb, served))

        return reply

    def _response(self, verb: str, served: tuple[Endpoint, ...]) -> dict[str, Any]:
        answer: dict[str, Any] = {"type": _TYPE.format(verb=verb.lower()), **self._who}
        if verb == "INFO":
            answer |= {"description": self._description, "endpoints": [_described(one) for one in served]}
        elif verb == "STATS":
            answer |= {"started": self._started, "endpoints": [_counted(one) for one in served]}
        return answer


def _described(endpoint: Endpoint) -> dict[str, Any]:
    name = endpoint.subject.replace(".", "-").replace("*", "any")
    return {"name": name, "subject": endpoint.subject, "queue_group": endpoint.queue, "metadata": {}}


def _counted(endpoint: Endpoint) -> dict[str, Any]:
    nanoseconds = int(endpoint.seconds * 1e9)
    return {
        **_described(endpoint),
        "num_requests": endpoint.requests,
        "num_errors": endpoint.errors,
        "last_error": "",
        "processing_time": nanoseconds,
        "average_processing_time": nanoseconds // max(1, endpoint.requests),
        "data": {"refused": endpoint.refused},
    }


async def announce(bus: NatsBus, *, name: str, version: str, description: str = "") -> None:
    """Let the host find this service; call it when everything the service serves is served."""
    await Announcement(bus, name=name, version=version, description=description).start()


async def discover(bus: NatsBus, *, wait: float = 0.5) -> list[ServiceInfo]:
    """Return every service that answers within `wait` seconds, by name and user; asked as the host."""
    pongs, stats = await asyncio.gather(
        bus.inboxes.gather(subjects.service("PING"), b"", wait=wait),
        bus.inboxes.gather(subjects.service("STATS"), b"", wait=wait),
    )
    latency = {one.id: seconds * 1000 for data, seconds in pongs if (one := _read(data, _Pong)) is not None}
    found = [_service_info(stat, latency) for data, _ in stats if (stat := _read(data, _Stats)) is not None]
    return sorted(found, key=lambda one: (one.name, one.user, one.id))


async def find(bus: NatsBus, missing: Callable[[list[ServiceInfo]], list[str]]) -> list[ServiceInfo]:
    """Return every service that answers; if that leaves somebody `missing`, all are asked again and given 3 seconds."""
    found = await discover(bus)
    return await discover(bus, wait=_LONGER_S) if missing(found) else found


def _read(data: bytes, kind: type[_T]) -> _T | None:
    """Return what a service says of itself; None if that is not what services say."""
    try:
        return msgspec.json.decode(data, type=kind)
    except UNREADABLE:
        return None


def _service_info(stats: _Stats, latency: dict[str, float]) -> ServiceInfo:
    endpoints = stats.endpoints or ()
    return ServiceInfo(
        name=stats.name,
        user=(stats.metadata or {}).get("user", ""),
        id=stats.id,
        version=stats.version,
        started=stats.started,
        latency_ms=round(latency.get(stats.id, float("nan")), 2),
        requests=sum(one.num_requests for one in endpoints),
        errors=sum(one.num_errors for one in endpoints),
    )
