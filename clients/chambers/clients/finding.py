"""`chambers join` without a ticket: the tables that can be found from here, and a seat at one of them by its code."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Sequence
from typing import Final, TypeVar

import msgspec
import typer

from chambers.clients import arguments, surroundings
from chambers.clients.addresses import Address, read_address
from chambers.clients.connecting import listed
from chambers.clients.discovery import Found, browse, reaches, shown_of
from chambers.clients.exits import could_not
from chambers.clients.interfaces import shut_in
from chambers.clients.known_servers import KnownServers
from chambers.clients.pipes import tell
from chambers.clients.questions import Mistyped, ask
from chambers.clients.running import run
from chambers.clients.short_codes import ticket_by_code, vault_ticket_by_code
from chambers.clients.table_names import beginning
from chambers.protocol.codes import Code, read_code
from chambers.protocol.errors import ProtocolError
from chambers.protocol.tickets import Ticket, VaultTicket

_Opened = TypeVar("_Opened", Ticket, VaultTicket)

_HERE: Final = ("127.0.0.1", 4222)
_COME_BACK: Final = "Whoever has sat there comes back with the ticket that chambers join printed then."
_OTHER_CODE: Final = ("code/wrong", "code/taken", "code/none", "code/too-often", "vault/no-table")
"""Refusals after which another code, or the same one later, may open a seat of the table."""


class Table(msgspec.Struct, frozen=True):
    """A table that one could sit down at, and where its server is; `silent` lists addresses that did not answer."""

    table: bytes
    game: str
    taken: int
    seats: int
    address: Address
    silent: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """Return the table as it is shown in a list."""
        where = f"{self.game}, {self.taken} of {self.seats} seats taken, at {self.address.url}"
        silent = f"; no answer at {', '.join(self.silent)}" if self.silent else ""
        return f"{where} (table {self.table.hex()[:8]}){silent}"


async def tables_of(server: str, known: KnownServers) -> tuple[Table, ...]:
    """Return the open tables of a server; BusError if it is silent."""
    shown = shown_of(await listed(server, known=known), tls=False)
    address = read_address(server)
    return tuple(Table(bytes.fromhex(one.table), one.game, one.taken, one.seats, address) for one in shown)


async def tables_around() -> tuple[tuple[Table, ...], tuple[Found, ...]]:
    """Return the tables that are shown in this network and can be reached, and those that cannot."""
    found = await browse()
    reached = tuple(
        Table(
            bytes.fromhex(one.shown.table),
            one.shown.game,
            one.shown.taken,
            one.shown.seats,
            Address(one.url),
            one.silent,
        )
        for one in found
        if one.answered
    )
    return reached, tuple(one for one in found if not one.answered)


def find_ticket(code: Code | None, server: str | None, table: str | None) -> Ticket:
    """Return the ticket of a seat that the player chose and has the code of; ends the command if there is none.

    `table` has the first digits of its name, or all. Without a terminal nothing is asked: the code is given, and one
    table fits.
    """
    instead = _instead("join", server, code)
    if code is None and not surroundings.on_terminal():
        could_not(f"Which seat? {instead}")
    chosen = _choose(_fitting(_search(server, instead), code, table, instead=instead))
    if code is not None:
        return run(_tried(chosen, ticket_by_code(chosen.address, chosen.table, code)))
    return ask("Your seat's code? ", lambda typed: _opened_by(typed, chosen))


def find_vault_ticket(code: Code, server: str | None, table: str | None) -> VaultTicket:
    """Return the ticket of a player's own vault in the same way."""
    instead = _instead("vault", server, code)
    chosen = _choose(_fitting(_search(server, instead), code, table, instead=instead))
    return run(_tried(chosen, vault_ticket_by_code(chosen.address, chosen.table, code)))


async def _tried(chosen: Table, opening: Awaitable[_Opened]) -> _Opened:
    """Return what a code opens; where it opens nothing, the refusal also names the table: it may be another's code."""
    try:
        return await opening
    except ProtocolError as error:
        if error.code not in _OTHER_CODE:
            raise
        told = f"{error.sentence} The table that was tried is {chosen.table.hex()[:8]}."
        raise ProtocolError(error.code, told) from None


def _instead(command: str, server: str | None, code: Code | None) -> str:
    """Return what to try instead, without what has been given already."""
    line = f"Type the host's whole line, chambers {command} TICKET"
    named = surroundings.named_server(server)
    if named is None:
        return f"{line}, or name the server: chambers {command} CODE --server nats://HOST:4222"
    if code is None:
        asked = f" --server {shlex.quote(named)}" if server else ""
        return f"{line}, or the seat's code: chambers {command} CODE{asked}"
    return f"{line}."


def _fitting(found: Sequence[Table], code: Code | None, table: str | None, *, instead: str) -> list[Table]:
    """Return the tables to choose from, one at least; with a code also full ones, whose vaults say what has become."""
    named = [one for one in found if one.table.hex().startswith(table or "")]
    fitting = [one for one in named if code is None or code.seat < one.seats]
    free = [one for one in fitting if one.taken < one.seats]
    if not (free or (fitting and code is not None)):
        could_not(f"{_why_none(named, fitting, code, table)} {instead}")
    return free or fitting


def _why_none(named: Sequence[Table], fitting: list[Table], code: Code | None, table: str | None) -> str:
    if fitting:
        return f"Every seat is taken at the tables that were found. {_COME_BACK}"
    if named and code is not None:
        return f"No table that was found has a seat {code.seat}, which the code begins with."
    return "No open table was found there." if table is None else f"No open table {table} was found there."


def _search(server: str | None, instead: str) -> tuple[Table, ...]:
    named = surroundings.named_server(server)
    known = arguments.known_servers()
    if named is not None:
        return run(tables_of(named, known))
    typer.echo("Looking for tables in this network...", err=True)
    reached, silent = run(tables_around())
    if not reached and run(reaches(*_HERE)):
        return run(tables_of(surroundings.DEFAULT_SERVER, known))
    if not reached and silent:
        one = silent[0]
        where = ", ".join(one.addresses)
        could_not(f"A table is shown at {where}, but port {one.port} does not answer there. {instead}")
    if not reached:
        within = shut_in()
        why = f": mDNS may not enter {within}" if within else ""
        could_not(f"No table was found in this network{why}. {instead}")
    return reached


def _choose(fitting: list[Table]) -> Table:
    if not surroundings.on_terminal():
        if len(fitting) > 1:
            could_not(f"{len(fitting)} tables fit; name one with --table: {' '.join(t.table.hex() for t in fitting)}")
        return fitting[0]
    for number, one in enumerate(fitting, start=1):
        tell(f"{number} {one.line}", err=True)
    if len(fitting) == 1:
        return fitting[0]
    return ask("Which table? ", lambda typed: _numbered(typed, fitting))


def _numbered(typed: str, fitting: list[Table]) -> Table:
    if typed.isdecimal() and 1 <= int(typed) <= len(fitting):
        return fitting[int(typed) - 1]
    digits = beginning(typed)
    begun = [one for one in fitting if digits is not None and one.table.hex().startswith(digits)]
    if len(begun) > 1:
        raise Mistyped(f"{len(begun)} of these tables begin with {digits}; type more digits, or the number.")
    if not begun:
        raise Mistyped(f"'{typed}' is none of the numbers 1 to {len(fitting)}, and no table here begins with it.")
    return begun[0]


def _opened_by(typed: str, chosen: Table) -> Ticket:
    code = read_code(typed)
    if code is None:
        raise Mistyped("That is no code: a code is a seat's digit and six signs, like 2-kqx-7rt, or twelve.")
    if code.seat >= chosen.seats:
        raise Mistyped(f"The code begins with seat {code.seat}, and this table's last seat is {chosen.seats - 1}.")
    try:
        return run(ticket_by_code(chosen.address, chosen.table, code))
    except ProtocolError as error:
        if error.code not in _OTHER_CODE:
            raise
        raise Mistyped(error.sentence) from None
