"""`chambers log`, `export`, `replay` and `audit`: what a table's record says, and whether it holds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.cli_auditor import auditor_of
from chambers.clients.exits import could_not, one_sentence, read_input, read_text, write_text
from chambers.clients.pipes import printable, tell
from chambers.clients.running import run

if TYPE_CHECKING:
    from chambers.audit import Told
    from chambers.protocol.auditor import AuditorKey
    from chambers.protocol.client import Ask
    from chambers.protocol.docket import Docket
    from chambers.rules import Table

app = typer.Typer()
_Which = Annotated[
    str, typer.Argument(metavar="FILE|TABLE", help="A docket's file, - reads one; or a table on the server.")
]
_Eyes = Annotated[str, typer.Option("--as", help="Whose eyes: public, seat0 to seat5, or all.", metavar="VIEWER")]


@app.command(epilog="Example: chambers export 5d0a9e1ac2f84b7796e0b1d3c4a5f607 -o game.docket")
def export(
    table: arguments.TableName,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file; else output.", metavar="FILE")
    ] = None,
    server: arguments.Server = None,
) -> None:
    """Write a table's docket: its whole log in one text file.

    It can be mailed, replayed and audited anywhere.
    """
    digits = arguments.table_digits(table)
    with one_sentence():
        from chambers.clients.table_names import on_server
        from chambers.protocol.docket import dump

        where = surroundings.server(server)
        found = run(_fetched(where, on_server(digits, where)))
        if output is None:
            typer.echo("\n".join(map(printable, dump(found).split("\n"))), nl=False)
            return
        write_text(output, dump(found))
    typer.echo(f"{len(found.leaves)} entries are in {output}", err=True)


@app.command(epilog="Example: chambers restore left/5d0a9e1a.dealer.docket --home /srv/chambers")
def restore(
    which: Annotated[
        list[str], typer.Argument(metavar="DOCKET...", help="Dockets, the longest of each table; - reads one.")
    ],
    uncovered: Annotated[
        bool,
        typer.Option("--uncovered", help="Take entries beyond the checkpoint, too: whoever kept the file chose them."),
    ] = False,
    home: arguments.Home = None,
) -> None:
    """Put a table back of which the store has lost entries.

    It goes into the game master's volume, without any server. The game master appends what is missing when it is
    started the next time, or when somebody next asks for the table, entry for entry as it was, before it does anything
    else with it. What its own volume has kept of a table that the store still knows it puts back by itself.
    """
    with one_sentence():
        from chambers.protocol.docket import load
        from chambers.services.restoring import restore as put_back

        for name in which:
            text = read_input() if name == "-" else read_text(Path(name))
            log, beyond = put_back(load(text), surroundings.home(home), uncovered=uncovered)
            when = "when the game master is started, or when somebody next asks for the table"
            typer.echo(f"{log.size} entries of table {log.id.hex()} are put back {when}.")
            if beyond:
                tell(
                    f"No checkpoint covers the last {beyond}: that they are the true ones rests on this file.", err=True
                )


@app.command(epilog="Example: chambers audit game.docket --receipt ada.note --html game.html")
def audit(
    which: _Which,
    receipt: Annotated[
        list[Path] | None,
        typer.Option("--receipt", help="A note that a player kept; may be given again.", metavar="FILE"),
    ] = None,
    reveals: Annotated[
        Path | None, typer.Option("--reveals", help="A folder of reveals that were handed in.", metavar="DIR")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the audit as one page to look at, too.", metavar="FILE")
    ] = None,
    auditor_key: arguments.Auditor = None,
    live: Annotated[bool, typer.Option("--live", help="Follow a table that is being played, up to its close.")] = False,
    server: arguments.Server = None,
    as_json: arguments.Json = False,
) -> None:
    """Check everything that a table's record proves.

    Exit code 0: clean; 1: somebody cheated, and who; 2: incomplete, or it cannot be verified.
    """
    with one_sentence():
        from chambers.clients import auditing

        notes = [read_text(path) for path in receipt or ()]
        handed_in = auditing.handed_in(reveals) if reveals is not None else ()
        auditor = auditor_of(auditor_key)
        if live:
            from chambers.clients.table_names import on_server

            where, known = surroundings.server(server), arguments.known_servers()
            table = on_server(arguments.table_digits(which), where)
            found = run(auditing.follow(where, table, as_json=as_json, known=known))
        else:
            found, _ = _record(which, server)
        report, text = auditing.checked(found, notes, handed_in, auditor=auditor, drawn=html is not None)
        if html is not None:
            write_text(html, text, private=auditor is not None)
    for line in auditing.lines(report, as_json=as_json):
        tell(line)
    if html is not None:
        typer.echo(f"The page is {html}", err=True)
    raise typer.Exit(report.exit_code)


@app.command(epilog="Example: chambers replay game.docket --as seat1 --at 40")
def replay(
    which: _Which,
    eyes: _Eyes = "public",
    at: Annotated[
        int | None, typer.Option("--at", min=0, help="Show the table after this entry, too.", metavar="ENTRY")
    ] = None,
    auditor_key: arguments.Auditor = None,
    plain: arguments.Plain = False,
    server: arguments.Server = None,
    as_json: arguments.Json = False,
) -> None:
    """Tell a game again, entry by entry, as one viewer saw it.

    --at stops at an entry and shows the board there.

    With the eyes of a seat and --json, it is what `chambers join --json` said there: every view, line and prompt.
    """
    with one_sentence():
        auditor = auditor_of(auditor_key)
        found, _ = _record(which, server)
        if eyes.startswith("seat") and (as_json or at is not None):
            _replay_seat(found, eyes, at, auditor=auditor, as_json=as_json)
        else:
            _replay(found, eyes, at, auditor=auditor, as_json=as_json)


@app.command("log", epilog="Example: chambers log game.docket --as seat0")
def show_log(
    which: _Which,
    eyes: _Eyes = "public",
    auditor_key: arguments.Auditor = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on as the table goes on.")] = False,
    server: arguments.Server = None,
    as_json: arguments.Json = False,
) -> None:
    """Print a table's log as sentences, one entry a line.

    Eyes other than the public's need the revealed secrets.
    """
    with one_sentence():
        from chambers.clients.json_mode import json_line

        newest = -1
        found, table = _record(which, server)
        for told in _told(found, eyes, auditor_of(auditor_key)):
            newest = told.seq
            fields = {"type": "log", "sequence": told.seq, "ts": told.ts, "text": told.sentence}
            tell(json_line(fields) if as_json else f"{told.seq} {told.sentence}")
        if follow and table is not None:
            run(_follow(surroundings.server(server), table, newest, as_json=as_json))


def _record(which: str, server: str | None) -> tuple[Docket, bytes | None]:
    """Return a record, and the table if it is one on the server; ends the command for neither a table nor a file."""
    from chambers.clients.table_names import beginning, on_server
    from chambers.protocol.docket import load

    if which == "-":
        return load(read_input()), None
    path = Path(which)
    if path.exists():
        return load(read_text(path)), None
    digits, where = beginning(which), surroundings.server(server)
    if digits is None:
        could_not(f"There is no file {which}, and it is no table: {arguments.NAMED_BY}.")
    table = on_server(digits, where)
    return run(_fetched(where, table)), table


def _told(docket: Docket, eyes: str, auditor: AuditorKey | None) -> list[Told]:
    from chambers.audit import replay as retold
    from chambers.rules.terms import Viewer

    return list(retold(docket, Viewer(eyes), auditor=auditor))


def _replay(docket: Docket, eyes: str, at: int | None, *, auditor: AuditorKey | None, as_json: bool) -> None:
    from chambers.clients.json_mode import json_line
    from chambers.protocol.views import public_view

    last: Told | None = None
    for told in _told(docket, eyes, auditor):
        fields = {"type": "log", "sequence": told.seq, "ts": told.ts, "text": told.sentence}
        tell(json_line(fields) if as_json else f"{told.seq} {told.sentence}")
        last = told
        if at is not None and told.seq >= at:
            break
    if at is None or last is None:
        return
    view = public_view(last.table)
    if as_json:
        typer.echo(json_line({"type": "view", "sequence": last.seq, **view}))
    else:
        _board(last.table, view)


def _replay_seat(docket: Docket, eyes: str, at: int | None, *, auditor: AuditorKey | None, as_json: bool) -> None:
    from chambers.audit import replay as retold
    from chambers.audit import sent
    from chambers.clients.json_mode import JsonLines
    from chambers.protocol.client import Update
    from chambers.rules.terms import Viewer

    last: Update | None = None
    voice = JsonLines()
    for one in sent(docket, Viewer(eyes), auditor=auditor):
        if at is not None and one.seq > at:
            break
        last = one.message if isinstance(one.message, Update) else last
        if as_json:
            lines: tuple[str, ...] = voice.lines(one.message)
        else:
            lines = tuple(f"{line.sequence} {line.text}" for line in getattr(one.message, "lines", ()))
        for line in lines:
            tell(line)
    if last is not None and not as_json:
        table = next(told.table for told in retold(docket) if told.seq == last.sequence)
        _board(table, last.view, last.prompt)


def _board(table: Table, view: dict[str, Any], asked: Ask | None = None) -> None:
    from chambers.clients.seating import sights_of
    from chambers.clients.seen import flat
    from chambers.clients.speech import prompt_lines

    sights, seen = sights_of(table.setup.opening.edition, table.setup.opening.edition_hash), flat(view)
    for line in sights.board(seen):
        tell(f"BOARD {line}")
    if "hand" in seen:
        for line in sights.hand(seen):
            tell(f"HAND {line}")
    for line in prompt_lines(asked, sights, seen) if asked is not None else ():
        tell(line)


async def _fetched(server: str, table: bytes) -> Docket:
    from chambers.clients.connecting import as_spectator

    spectator = await as_spectator(server, table, known=arguments.known_servers())
    try:
        return await spectator.docket()
    finally:
        await spectator.leave()


async def _follow(server: str, table: bytes, newest: int, *, as_json: bool) -> None:
    from chambers.clients.connecting import as_spectator
    from chambers.clients.json_mode import json_line
    from chambers.clients.pipes import say

    spectator = await as_spectator(server, table, known=arguments.known_servers(), tell=partial(tell, err=True))
    try:
        async for scene in spectator.scenes():
            for line in scene.lines:
                if line.sequence > newest:
                    fields = {"type": "log", "sequence": line.sequence, "text": line.text}
                    say((json_line(fields) if as_json else f"{line.sequence} {line.text}",))
    finally:
        await spectator.leave()
