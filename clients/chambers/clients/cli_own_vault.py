"""`chambers vault keep`: a player keeps the vault of his seat on his own machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.cli_play import keep_receipt, say_old_name, sit
from chambers.clients.exits import REFUSED, one_sentence
from chambers.clients.in_game import HELP
from chambers.clients.pipes import tell
from chambers.clients.running import Stopped, run
from chambers.clients.shelf import shelve

if TYPE_CHECKING:
    from chambers.clients.keeping import Keeper, Sit
    from chambers.protocol.client import Over
    from chambers.protocol.tickets import Ticket, VaultTicket

KEEP_EPILOG = f"{HELP}\n\nExample: chambers vault chambers1vault.l9uYXRzOi8v... --join --name Ada"
_Home = Annotated[
    Path | None, typer.Option("--home", help="Where your vaults are kept; else CHAMBERS_HOME.", metavar="DIR")
]


def keep(
    ticket: Annotated[
        str, typer.Argument(metavar="TICKET|CODE", help="The host's line for your vault, - reads it; or its code.")
    ],
    join: Annotated[bool, typer.Option("--join", help="Sit down at once, in this window.")] = False,
    name: Annotated[
        str | None, typer.Option("--name", help="With --join: what you are called.", metavar="NAME")
    ] = None,
    server: arguments.Server = None,
    home: _Home = None,
    plain: arguments.Plain = False,
    as_json: arguments.Json = False,
    seq: arguments.Numbered = False,
    hold: arguments.Hold = False,
    edition: arguments.OwnEditions = None,
    table: arguments.TableOfCode = None,
) -> None:
    """Keep the vault of your seat on this machine.

    The host's machine never holds a card of yours, but for what the dealer deals.

    It prints the ticket for chambers join, or seats you itself with --join, and has to run as long as you play. Started
    again with the same line it is where it was: its key stays in its folder.
    """
    called = arguments.player_name(name)
    named = None if table is None else arguments.table_digits(table)

    async def play(made: Ticket) -> Over | None:
        return await sit(made, called, server, as_json, seq, hold, take_over=False)

    with one_sentence():
        from chambers.clients.keeping import alone_in
        from chambers.clients.standing import check_admitted, standing

        shelve(edition)
        admitted = _admitted(ticket, server, named)
        if (there := run(standing(admitted, server))) is not None:
            run(check_admitted(admitted, there, server))
            if join and name is not None:
                say_old_name(admitted, there, called)
        folder = surroundings.own_vault(admitted.table.hex(), admitted.seat, given=home)
        try:
            with alone_in(folder):
                over, late = run(_keep(admitted, folder, server, play if join else None, as_json=as_json))
        except Stopped:
            _say_how_to_come_back(ticket, admitted)
            raise
    if over is None:
        _say_how_to_come_back(ticket, admitted)
        return
    tell(f"{'This table is over' if late else 'The table is over'}: {over.text}", err=True)
    # one that was kept when the table ended is not replaced by what the server says later
    if over.receipt and not (late and surroundings.receipt(admitted.table.hex()).exists()):
        keep_receipt(admitted, over, server)
    if late:
        raise typer.Exit(REFUSED)


def _admitted(given: str, server: str | None, table: str | None) -> VaultTicket:
    from chambers.protocol.codes import read_code
    from chambers.protocol.tickets import read_vault_ticket

    code = read_code(given)
    if code is None:
        return read_vault_ticket(arguments.ticket_line(given))
    from chambers.clients.finding import find_vault_ticket

    found = find_vault_ticket(code, server, table)
    typer.echo(f"You keep the vault of seat {found.seat}. To come back to it: chambers vault {found.text()}", err=True)
    return found


def _say_how_to_come_back(given: str, admitted: VaultTicket) -> None:
    from chambers.protocol.codes import read_code

    # a code opens nothing once its player has sat down
    how = (
        "the same line brings it back."
        if read_code(given) is None
        else f"to come back: chambers vault {admitted.text()}"
    )
    typer.echo(f"The table waits for your vault; {how}", err=True)


async def _keep(
    ticket: VaultTicket, folder: Path, server: str | None, play: Sit | None, *, as_json: bool
) -> tuple[Over | None, bool]:
    """Return how the table ended, None if the player left first; and whether it had ended before."""
    from chambers.clients.keeping import own_vault

    async with own_vault(ticket, folder, server=server) as keeper:
        if keeper.closed:
            return await keeper.until_over(), True
        if play is None:
            _print_ticket(keeper, as_json=as_json)
        return await keeper.until_over(play), False


def _print_ticket(keeper: Keeper, *, as_json: bool) -> None:
    ticket = keeper.ticket
    if as_json:
        from chambers.clients.json_mode import json_line

        typer.echo(json_line({"table": ticket.table.hex(), "seat": ticket.seat, "ticket": ticket.text()}))
        return
    told = f"The vault of seat {ticket.seat} is at the table. Leave this running, and sit down in another window with:"
    typer.echo(told, err=True)
    typer.echo(f"chambers join {ticket.text()}")
