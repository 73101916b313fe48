"""`chambers doctor`: what is wrong with this machine, a server or a ticket, and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, pipes, surroundings
from chambers.clients.exits import one_sentence
from chambers.clients.running import run

if TYPE_CHECKING:
    from chambers.clients.checkup import Check
    from chambers.clients.checkup_server import Patient

    Tell = Callable[[Check], None]

app = typer.Typer()


@app.command(epilog="Example: chambers doctor chambers1.lq9uYXRz...")
def doctor(
    ticket: Annotated[
        str | None,
        typer.Argument(
            metavar="TICKET", help="A ticket to try, a player's or a vault's, - reads it; its seat is not taken."
        ),
    ] = None,
    server: arguments.Server = None,
    home: arguments.Home = None,
    as_json: arguments.Json = False,
) -> None:
    """Say what is wrong, and what to do.

    It tests this machine, the server and the ticket, a step a line. With a host's folder, every service and the log are
    tested too. Exit code 0: nothing is wrong; 1: something is; 2: something is, and what depends on it could not be
    tested.
    """
    from chambers.clients.checkup import exit_code, of_this_machine

    found: list[Check] = []

    def tell(check: Check) -> None:
        found.append(check)
        pipes.tell(_json(check) if as_json else check.line)

    with one_sentence():
        for check in of_this_machine(surroundings.home(home)):
            tell(check)
        patient = _patient(ticket, server, home, tell)
        if patient is not None:
            run(_look(patient, tell))
    raise typer.Exit(exit_code(found))


def _patient(ticket: str | None, server: str | None, home: Path | None, tell: Tell) -> Patient | None:
    """Return the server to look at, None if what was given names none; that is told."""
    from chambers.bus.errors import BusError
    from chambers.clients.addresses import Address, read_address
    from chambers.clients.checkup import Check, State, wrong
    from chambers.clients.checkup_server import Patient
    from chambers.protocol.errors import ProtocolError
    from chambers.protocol.tickets import read_any_ticket

    admitted = None
    try:
        if ticket is not None:
            admitted = read_any_ticket(arguments.ticket_line(ticket))
        named = read_address(surroundings.server(server))
    except (ProtocolError, BusError) as error:
        tell(wrong("ticket" if isinstance(error, ProtocolError) else "address", error.sentence, ""))
        tell(Check("rest", State.UNTESTED, "No server was tested."))
        return None
    if admitted is not None:
        named = Address(named.url if server else admitted.server, admitted.fingerprint)
    return Patient(named, admitted, surroundings.home(home), arguments.known_servers())


async def _look(patient: Patient, tell: Tell) -> None:
    from chambers.clients.checkup_server import of_a_server

    async for check in of_a_server(patient):
        tell(check)


def _json(check: Check) -> str:
    from chambers.clients.json_mode import json_line

    return json_line({name: str(getattr(check, name)) for name in check.__struct_fields__})
