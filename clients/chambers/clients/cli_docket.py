"""`chambers log`, `export`, `replay` and `audit`: what a table's record says, and whether it holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.exits import could_not, one_sentence, read_text, write_text
from chambers.clients.running import run

if TYPE_CHECKING:
    from chambers.audit import Told
    from chambers.protocol.docket import Docket

app = typer.Typer()
_Which = Annotated[str, typer.Argument(metavar="FILE|TABLE", help="A docket's file, or a table on the server.")]
_Eyes = Annotated[str, typer.Option("--as", help="Whose eyes: public, seat0 to seat5, or all.", metavar="VIEWER")]


@app.command(epilog="Example: chambers export 5d0a9e1ac2f84b7796e0b1d3c4a5f607 -o game.docket")
def export(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table, from: chambers tables")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file; else output.", metavar="FILE")
    ] = None,
    server: arguments.Server = None,
) -> None:
    """Write a table's docket: its whole log in one text file that can be mailed, replayed and audited anywhere."""
    named = arguments.table_id(table)
    with one_sentence():
        from chambers.protocol.docket import dump

        found = run(_fetched(surroundings.server(server), named))
        if output is None:
            typer.echo(dump(found), nl=False)
            return
        write_text(output, dump(found))
    typer.echo(f"{len(found.leaves)} entries are in {output}", err=True)


@app.command(epilog="Example: chambers audit game.docket --receipt ada.note")
def audit(
    which: _Which,
    receipt: Annotated[
        list[Path] | None, typer.Option("--receipt", help="A note that a player kept; may be given again.")
    ] = None,
    server: arguments.Server = None,
    as_json: arguments.Json = False,
) -> None:
    """Check everything that a table's record proves.

    Exit code 0: clean; 1: somebody cheated, and who; 2: incomplete, or it cannot be verified.
    """
    with one_sentence():
        found = _docket(which, server)
        notes = [read_text(path) for path in receipt or ()]
        from chambers.audit import audit as check
        from chambers.clients.json_mode import json_line
        from chambers.clients.verdicts import report_fields, report_lines

        report = check(found, receipts=notes)
    if as_json:
        typer.echo(json_line(report_fields(report)))
    else:
        for line in report_lines(report):
            typer.echo(line)
    raise typer.Exit(report.exit_code)


@app.command(epilog="Example: chambers replay game.docket --as seat1 --at 40")
def replay(
    which: _Which,
    eyes: _Eyes = "public",
    at: Annotated[int | None, typer.Option("--at", min=0, help="Show the table after this entry, too.")] = None,
    plain: arguments.Plain = False,
    server: arguments.Server = None,
) -> None:
    """Tell a game again, entry by entry, as one viewer saw it; --at stops at an entry and shows the board there."""
    with one_sentence():
        found = _docket(which, server)
        last: Told | None = None
        for told in _told(found, eyes):
            typer.echo(f"{told.seq} {told.sentence}")
            last = told
            if at is not None and told.seq >= at:
                break
        if at is not None and last is not None:
            _board(last)


@app.command("log", epilog="Example: chambers log game.docket --as seat0")
def show_log(
    which: _Which,
    eyes: _Eyes = "public",
    follow: Annotated[bool, typer.Option("--follow", help="Go on as the table goes on.")] = False,
    server: arguments.Server = None,
    as_json: arguments.Json = False,
) -> None:
    """Print a table's log as sentences, one entry a line; eyes other than the public's need the revealed secrets."""
    with one_sentence():
        from chambers.clients.json_mode import json_line

        newest = -1
        for told in _told(_docket(which, server), eyes):
            newest = told.seq
            fields = {"type": "log", "sequence": told.seq, "ts": told.ts, "text": told.sentence}
            typer.echo(json_line(fields) if as_json else f"{told.seq} {told.sentence}")
        if follow and not Path(which).exists():
            run(_follow(surroundings.server(server), arguments.table_id(which), newest, as_json=as_json))


def _docket(which: str, server: str | None) -> Docket:
    from chambers.protocol.docket import load

    path = Path(which)
    if path.exists():
        return load(read_text(path))
    if len(which) != 32 or not all(digit in "0123456789abcdef" for digit in which):
        could_not(f"There is no file {which}, and it is no table: a table is named by 32 hex digits.")
    return run(_fetched(surroundings.server(server), bytes.fromhex(which)))


def _told(docket: Docket, eyes: str) -> list[Told]:
    from chambers.audit import replay as tell
    from chambers.rules.terms import Viewer

    return list(tell(docket, Viewer(eyes)))


def _board(told: Told) -> None:
    from chambers.clients.seating import sights_of
    from chambers.clients.seen import flat
    from chambers.protocol.views import public_view

    table = told.table
    sights = sights_of(table.setup.opening.edition, table.setup.opening.edition_hash)
    for line in sights.board(flat(public_view(table))):
        typer.echo(f"BOARD {line}")


async def _fetched(server: str, table: bytes) -> Docket:
    from chambers.clients.connecting import as_spectator

    spectator = await as_spectator(server, table)
    try:
        return await spectator.docket()
    finally:
        await spectator.leave()


async def _follow(server: str, table: bytes, newest: int, *, as_json: bool) -> None:
    from chambers.clients.connecting import as_spectator
    from chambers.clients.json_mode import json_line
    from chambers.clients.pipes import say

    spectator = await as_spectator(server, table)
    try:
        async for scene in spectator.scenes():
            for line in scene.lines:
                if line.sequence > newest:
                    fields = {"type": "log", "sequence": line.sequence, "text": line.text}
                    say((json_line(fields) if as_json else f"{line.sequence} {line.text}",))
    finally:
        await spectator.leave()
