"""Options and arguments that several commands share."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from chambers.clients import surroundings
from chambers.clients.exits import could_not
from chambers.clients.shelf import EDITIONS, GAME, NAMED
from chambers.clients.table_names import beginning

if TYPE_CHECKING:
    from chambers.clients.known_servers import KnownServers

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
Plain = Annotated[bool, typer.Option("--plain", help="One sentence a line; this is what there is without --json.")]
Numbered = Annotated[bool, typer.Option("--seq", help="Print each event's number in the log.")]
Hold = Annotated[bool, typer.Option("--hold", help="Print events only after Enter.")]
TableName = Annotated[
    str, typer.Argument(metavar="TABLE", help="The table, from: chambers tables; its first digits do, 4 at least.")
]
TableOfCode = Annotated[
    str | None, typer.Option("--table", help="With a code: the table, if there are several.", metavar="TABLE")
]
Server = Annotated[str | None, typer.Option("--server", help="The NATS server; else CHAMBERS_SERVER.", metavar="URL")]
Home = Annotated[
    Path | None, typer.Option("--home", help="The deployment's folder; else CHAMBERS_HOME.", metavar="DIR")
]
TicketLine = Annotated[str, typer.Argument(metavar="TICKET", help="The line from the host; - reads it from input.")]
TicketOrCode = Annotated[
    str | None,
    typer.Argument(
        metavar="TICKET|CODE",
        help="The line from the host, - reads it from input; or a code. Without: look for tables.",
    ),
]
Level = Annotated[str, typer.Option("--level", help="How the bot plays: random or rules.", metavar="LEVEL")]
OptionPairs = Annotated[
    list[str] | None,
    typer.Option("--option", help="A table option; a wrong name lists them; may be given again.", metavar="NAME=VALUE"),
]
Game = Annotated[str | None, typer.Option("--game", help=f"Which game: {NAMED}; without it, {GAME}.", metavar="GAME")]
EditionName = Annotated[
    str | None,
    typer.Option("--edition", help="Which edition, if not the game's own; see: chambers edition list", metavar="NAME"),
]
OwnEditions = Annotated[
    list[Path] | None,
    typer.Option("--edition", help="An edition of your own, or a folder of them; may be given again.", metavar="FILE"),
]
Auditor = Annotated[
    Path | None,
    typer.Option("--auditor-key", help="The auditor's key, for a table revealed to its auditor.", metavar="FILE"),
]

NAMED_BY: Final = "a table is named by 32 hex digits, or by the first of them, 4 at least"
WHICH_TABLE: Final = "The tables on a server are listed by: chambers tables"
LEVELS: Final = ("random", "rules")


def known_servers() -> KnownServers:
    """Return the servers that this user has met; a first meeting is said on stderr."""
    from chambers.clients.connecting import certificate_of
    from chambers.clients.known_servers import KnownServers

    pin = certificate_of(surroundings.home()) if (url := surroundings.hosted_server()) else None
    return KnownServers(
        surroundings.home() / "known-servers",
        lambda sentence: typer.echo(sentence, err=True),
        ours={url: pin} if url and pin else None,
    )


def option_pairs(given: list[str] | None) -> tuple[tuple[str, str], ...]:
    """Return the table options that were given as NAME=VALUE; a usage error for anything else."""
    pairs = []
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"'{text}' is not NAME=VALUE.", param_hint="--option")
        pairs.append((name.strip(), value.strip()))
    return tuple(pairs)


def game_name(given: str | None) -> str | None:
    """Return a game that there is, or None where none was named; a usage error for another one."""
    if given is not None and given not in EDITIONS:
        raise typer.BadParameter(f"'{given}' is none of: {', '.join(sorted(EDITIONS))}.", param_hint="--game")
    return given


def bot_level(given: str) -> str:
    """Return a bot level that there is; a usage error for another one."""
    if given not in LEVELS:
        raise typer.BadParameter(f"'{given}' is none of: {', '.join(LEVELS)}.", param_hint="--bots or --level")
    return given


def player_name(given: str | None) -> str:
    """Return the name to sit down with; ends the command with one sentence if the one given is longer than 20 signs."""
    if given is not None and len(surroundings.squeezed(given)) > surroundings.NAME_LENGTH:
        could_not(f"A name has at most {surroundings.NAME_LENGTH} characters.")
    return surroundings.player_name(given)


def ticket_line(given: str) -> str:
    """Return the line of a ticket: the one given, or for `-` one from standard input; one sentence if none comes."""
    if given != "-":
        return given
    line = sys.stdin.readline()
    if not line.strip():
        could_not("No ticket came on standard input.")
    return line


def table_digits(given: str) -> str:
    """Return the hex digits, 4 to 32, with which a table's name begins; a usage error for anything else."""
    digits = beginning(given)
    if digits is None:
        raise typer.BadParameter(f"'{given}' is no table: {NAMED_BY}. {WHICH_TABLE}", param_hint="TABLE")
    return digits
