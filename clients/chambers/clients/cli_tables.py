"""`chambers tables`, `status` and `bench`: what there is, what runs, and how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.arguments import EDITION
from chambers.clients.exits import REFUSED, one_sentence
from chambers.clients.running import run

if TYPE_CHECKING:
    from pathlib import Path

    from chambers.bus.services_api import ServiceInfo
    from chambers.protocol.messages import TableInfo

app = typer.Typer()
bench = typer.Typer(
    help="Figures, measured on this machine.", epilog="Example: chambers bench rules", no_args_is_help=True
)


@app.command(epilog="Example: chambers tables --server nats://192.168.1.20:4222")
def tables(server: arguments.Server = None, as_json: arguments.Json = False) -> None:
    """List the tables that are open, and those that closed and are still stored."""
    with one_sentence():
        found = run(_tables(surroundings.server(server)))
    for info in found:
        typer.echo(_table_json(info) if as_json else _table_line(info))
    if not found:
        typer.echo("There is no table. Open one with: chambers host", err=True)


@app.command(epilog="Example: chambers status --json")
def status(server: arguments.Server = None, home: arguments.Home = None, as_json: arguments.Json = False) -> None:
    """List the services that answer, with version, latency and counts; exit code 1 if one is missing."""
    with one_sentence():
        found = run(_status(surroundings.server(server), surroundings.home(home)))
    for one in found:
        typer.echo(_service_json(one) if as_json else _service_line(one))
    missing = _missing(found)
    if missing:
        typer.echo(f"Not answering: {', '.join(missing)}.", err=True)
        raise typer.Exit(REFUSED)


@bench.callback()
def _bench() -> None:
    """Figures, measured on this machine."""


@bench.command(epilog="Example: chambers bench rules --games 500 --bots random")
def rules(
    games: Annotated[int, typer.Option("--games", min=1, max=100_000, help="How many games.")] = 200,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="How many sit at the table.")] = 4,
    bots: Annotated[str, typer.Option("--bots", help="How they play: random or rules.")] = "random",
    edition: arguments.EditionName = EDITION,
    seed: Annotated[str, typer.Option("--seed", help="The same seed plays the same games.")] = "bench",
    as_json: arguments.Json = False,
) -> None:
    """Play whole games in one process, without a bus, and print games and moves a second of processor time."""
    level = arguments.bot_level(bots)
    with one_sentence():
        from chambers.clients.bench import run_games

        found = run_games((level,) * seats, games, edition=edition, seed=seed)
    if as_json:
        from chambers.clients.json_mode import json_line

        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        speed = {"games_a_second": found.games_a_second, "moves_a_second": found.moves_a_second}
        typer.echo(json_line({**fields, **speed}))
        return
    typer.echo(f"{found.games} games of {found.seats} {found.level} bots in {found.seconds:.2f} s of processor time")
    typer.echo(f"{found.games_a_second:.0f} games/s, {found.moves_a_second:.0f} moves/s")
    each = [value / found.games for value in (found.rounds, found.moves, found.rolls, found.entries)]
    typer.echo("a game: {:.1f} rounds, {:.0f} moves, {:.0f} rolls, {:.0f} entries".format(*each))


async def _tables(server: str) -> tuple[TableInfo, ...]:
    from chambers.clients.connecting import as_guest
    from chambers.clients.hosting import list_tables

    bus = await as_guest(server)
    try:
        return await list_tables(bus, bus.user)
    finally:
        await bus.close()


async def _status(server: str, home: Path) -> list[ServiceInfo]:
    from chambers.bus.nats_bus import NatsBus
    from chambers.bus.services_api import discover
    from chambers.clients.connecting import as_host

    host = await as_host(server, home)
    try:
        assert isinstance(host.bus, NatsBus)
        return await discover(host.bus)
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
    seats = ", ".join(f"{name}{' (bot)' if bot else ''}" if taken else "free" for name, taken, bot in _seats(info))
    doors = "" if info.spectators else ", behind closed doors"
    return f"{info.table.hex()}  {info.game} {info.edition}  {info.phase}, {info.size} entries{doors}  {seats}"


def _seats(info: TableInfo) -> list[tuple[str, bool, bool]]:
    return list(zip(info.names, info.taken, info.bots, strict=True))


def _table_json(info: TableInfo) -> str:
    from chambers.clients.json_mode import json_line

    seats = [{"name": name, "taken": taken, "bot": bot} for name, taken, bot in _seats(info)]
    return json_line(
        {
            "table": info.table.hex(),
            "game": info.game,
            "edition": info.edition,
            "phase": info.phase,
            "size": info.size,
            "spectators": info.spectators,
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
