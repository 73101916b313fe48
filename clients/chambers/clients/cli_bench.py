"""`chambers bench`: the figures of README, measured again, here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments
from chambers.clients.exits import REFUSED, one_sentence
from chambers.clients.running import run
from chambers.clients.shelf import EDITIONS, NAMED, table_of

if TYPE_CHECKING:
    from chambers.clients.bench_bus import GameFigures

bench = typer.Typer(
    help="Figures, measured on this machine.", epilog="Example: chambers bench rules", no_args_is_help=True
)


@bench.callback()
def _bench() -> None:
    """Figures, measured on this machine."""


@bench.command(epilog="Example: chambers bench rules --games 500 --bots random")
def rules(
    games: Annotated[int, typer.Option("--games", min=1, max=100_000, help="How many games.", metavar="N")] = 200,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="How many sit at the table.", metavar="N")] = 4,
    bots: Annotated[str, typer.Option("--bots", help="How they play: random or rules.", metavar="LEVEL")] = "random",
    game: arguments.Game = None,
    edition: arguments.EditionName = None,
    seed: Annotated[str, typer.Option("--seed", help="The same seed plays the same games.", metavar="TEXT")] = "bench",
    most: Annotated[
        int, typer.Option("--most", min=1, help="Entries after which a game is cut off.", metavar="N")
    ] = 5_000,
    as_json: arguments.Json = False,
) -> None:
    """Play whole games by the rules alone, and print their speed.

    All in one process, without a bus: games and moves a second of processor time.
    """
    level = arguments.bot_level(bots)
    with one_sentence():
        from chambers.clients.bench import run_games

        _, box = table_of(arguments.game_name(game), edition)
        found = run_games((level,) * seats, games, edition=box, seed=seed, most=most)
    if as_json:
        from chambers.clients.json_mode import json_line

        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        speed = {"games_a_second": found.games_a_second, "moves_a_second": found.moves_a_second}
        typer.echo(json_line({**fields, **speed}))
        return
    typer.echo(f"{found.games} games of {found.seats} {found.level} bots in {found.seconds:.2f} s of processor time")
    if found.unfinished:
        typer.echo(f"{found.unfinished} of them were cut off after {most} entries")
    digits = 0 if found.games_a_second >= 10 else 1
    typer.echo(f"{found.games_a_second:.{digits}f} games/s, {found.moves_a_second:.0f} moves/s")
    each = [value / found.games for value in (found.rounds, found.moves, found.rolls, found.entries)]
    typer.echo("a game: {:.1f} rounds, {:.0f} moves, {:.0f} rolls, {:.0f} entries".format(*each))


@bench.command(epilog="Example: chambers bench bus --games 10")
def bus(
    games: Annotated[int, typer.Option("--games", min=1, max=1_000, help="How many games.", metavar="N")] = 10,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="How many sit at the table.", metavar="N")] = 4,
    game: arguments.Game = None,
    edition: arguments.EditionName = None,
    sync: Annotated[
        str, typer.Option("--sync", help="When the log is on disk: default or always.", metavar="HOW")
    ] = "default",
) -> None:
    """Measure how long a choice takes to its seat's new view.

    One table of bots, the whole stack, no windows for objections.
    """
    if sync not in ("default", "always"):
        raise typer.BadParameter("Choose default or always.", param_hint="--sync")
    with one_sentence():
        from chambers.clients.bench_bus import measure_delays

        _, box = table_of(arguments.game_name(game), edition)
        found = run(measure_delays(games, seats=seats, edition=box, sync=sync))
    typer.echo(f"{found.choices} choices, {seats} seats, store synced {sync}")
    typer.echo(f"choice to own new view: p50 {found.p50:.1f} ms, p90 {found.p90:.1f} ms, p99 {found.p99:.1f} ms")


@bench.command(epilog="Example: chambers bench games --games 200")
def games(
    games: Annotated[int, typer.Option("--games", min=1, max=10_000, help="How many games.", metavar="N")] = 20,
    bots: Annotated[str, typer.Option("--bots", help="How they play: random or rules.", metavar="LEVEL")] = "rules",
    game: arguments.Game = None,
    edition: arguments.EditionName = None,
) -> None:
    """Play and audit games of 2 to 6 bots on the real services.

    Exit code 1 if one is not clean.
    """
    level = arguments.bot_level(bots)
    figures: list[GameFigures] = []

    def told(one: GameFigures) -> None:
        figures.append(one)
        clean = "clean" if one.audit == 0 else "NOT CLEAN"
        line = f"game {len(figures)}: {one.seats} seats, {one.rounds} rounds, {one.entries} entries, {clean}"
        typer.echo(line, err=True)

    with one_sentence():
        from chambers.clients.bench_bus import measure_games, summed

        _, box = table_of(arguments.game_name(game), edition)
        weight = run(measure_games(games, seats=(2, 3, 4, 5, 6), edition=box, level=level, told=told))
    for line in summed(figures):
        typer.echo(line)
    typer.echo(f"resident memory: {weight.services:.0f} MiB services and clients, {weight.server:.0f} MiB nats-server")
    if any(one.audit for one in figures):
        raise typer.Exit(REFUSED)


@bench.command(epilog="Example: chambers bench audit --entries 40000")
def audit(
    entries: Annotated[
        int, typer.Option("--entries", min=1_000, max=1_000_000, help="How long a log.", metavar="N")
    ] = 20_000,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=1, max=64, help="Processes for signatures; else one a core but one.", metavar="N"
        ),
    ] = None,
    game: arguments.Game = None,
    edition: arguments.EditionName = None,
) -> None:
    """Audit a long honest log, and print entries a second.

    Signatures are checked in a pool of processes.
    """
    with one_sentence():
        from chambers.clients.bench_audit import measure_audit

        _, box = table_of(arguments.game_name(game), edition)
        found = measure_audit(entries, workers, edition=box)
    typer.echo(f"{found.entries} entries in {found.seconds:.2f} s: {found.entries_a_second:.0f} entries/s")


@bench.command(epilog="Example: chambers bench fairness --game missing-suspect --games 20")
def fairness(
    games: Annotated[
        int, typer.Option("--games", min=1, max=1_000, help="How many games of each game.", metavar="N")
    ] = 10,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="How many sit at the table.", metavar="N")] = 4,
    game: Annotated[
        str | None, typer.Option("--game", help=f"Which game: {NAMED}; without it, both.", metavar="GAME")
    ] = None,
    edition: arguments.EditionName = None,
    as_json: arguments.Json = False,
) -> None:
    """Measure what fairness costs, over whole games of bots.

    That is each role's processor time a move, what it is spent on, and the bytes of a docket.

    signing, checks: signatures made and checked; boxes: sealed and opened; hashes: tree, commitments and dice chains;
    record: each entry's bytes and legality, checked again by every role; frames: sealed between vault and client. What
    a bot thinks is not counted. Exit code 1 if the audit of a game is not clean.
    """
    one = arguments.game_name(game)
    unclean = 0
    with one_sentence():
        from chambers.clients.bench_fairness import fairness_lines, measure_fairness

        for name, box in [table_of(one, edition)] if one or edition else EDITIONS.items():
            found = run(measure_fairness(games, game=name, seats=seats, edition=box))
            unclean += found.unclean
            if as_json:
                import msgspec

                from chambers.clients.json_mode import json_line

                typer.echo(json_line(msgspec.to_builtins(found)))
            else:
                typer.echo("\n".join(fairness_lines(found)))
    if unclean:
        raise typer.Exit(REFUSED)
