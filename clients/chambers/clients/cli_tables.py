"""`chambers tables` and `status`: what there is, and what runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.exits import REFUSED, one_sentence
from chambers.clients.pipes import tell
from chambers.clients.running import run

if TYPE_CHECKING:
    from pathlib import Path

    from chambers.bus.services_api import ServiceInfo
    from chambers.protocol.messages import TableInfo

app = typer.Typer()


@app.command(epilog="Example: chambers tables --server nats://192.168.1.20:4222")
def tables(server: arguments.Server = None, as_json: arguments.Json = False) -> None:
    """List the tables on a server.

    Those that are open, and those that closed and are still stored.
    """
    with one_sentence():
        from chambers.clients.connecting import listed

        found = run(listed(surroundings.server(server), known=arguments.known_servers()))
    for info in found:
        tell(_table_json(info) if as_json else _table_line(info))
    if not found:
        typer.echo("There is no table. Open one with: chambers host", err=True)


@app.command(epilog="Example: chambers status --json")
def status(server: arguments.Server = None, home: arguments.Home = None, as_json: arguments.Json = False) -> None:
    """List the services that answer, with version and latency.

    Requests and errors are counted since each started. Exit code 1 if one is missing.
    """
    with one_sentence():
        found = run(_status(surroundings.server(server), surroundings.home(home)))
    for one in found:
        tell(_service_json(one) if as_json else _service_line(one))
    missing = _missing(found)
    if missing:
        tell(f"Not answering: {', '.join(missing)}.", err=True)
        raise typer.Exit(REFUSED)


async def _status(server: str, home: Path) -> list[ServiceInfo]:
    from chambers.bus.nats_bus import NatsBus
    from chambers.bus.services_api import find
    from chambers.clients.connecting import as_host

    host = await as_host(server, home)
    try:
        assert isinstance(host.bus, NatsBus)
        return await find(host.bus, _missing)
    finally:
        await host.leave()


def _missing(found: list[ServiceInfo]) -> list[str]:
    from chambers.bus.permissions import SERVICE_NAMES

    there = {one.user for one in found}
    seats = any(user.startswith("seat") for user in there)
    # A private server runs vaults only for the seats in use; without any vault nobody can play.
    wanted = [user for user in SERVICE_NAMES if not user.startswith("seat")]
    return [user for user in wanted if user not in there] + ([] if seats else ["every vault"])


def _table_line(info: TableInfo) -> str:
    seats = ", ".join(_seat(info, n) for n in range(len(info.names)))
    doors = "" if info.spectators else ", behind closed doors"
    opened = {"auditor": ", revealed to its auditor only", "none": ", revealed to nobody"}.get(info.reveal, "")
    return f"{info.table.hex()}  {info.game} {info.edition}  {info.phase}, {info.size} entries{doors}{opened}  {seats}"


def _seat(info: TableInfo, n: int) -> str:
    name = info.names[n] if info.taken[n] else "free"
    marks = ", ".join(mark for mark, there in (("bot", info.bots[n]), ("own vault", n in info.own)) if there)
    return f"{name} ({marks})" if marks else name


def _table_json(info: TableInfo) -> str:
    from chambers.clients.json_mode import json_line

    seats = [
        {"name": name, "taken": info.taken[n], "bot": info.bots[n], "own": n in info.own}
        for n, name in enumerate(info.names)
    ]
    return json_line(
        {
            "table": info.table.hex(),
            "game": info.game,
            "edition": info.edition,
            "phase": info.phase,
            "size": info.size,
            "spectators": info.spectators,
            "reveal": info.reveal,
            "seats": seats,
        }
    )


def _service_line(one: ServiceInfo) -> str:
    return (
        f"{one.name:<12} {one.user:<8} {one.version:<8} {one.latency_ms:6.1f} ms  "
        f"{one.requests} requests, {one.errors} errors, since {one.started[:19]}"
    )


def _service_json(one: ServiceInfo) -> str:
    from chambers.clients.json_mode import json_line

    return json_line({name: getattr(one, name) for name in one.__struct_fields__})
