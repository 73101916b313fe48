"""What the host is told of a table that was opened, and of a ticket that counts now: lines to hand out, or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from chambers.protocol.tickets import Ticket, VaultTicket


class Plan(NamedTuple):
    """A table as its host wants it: which seats are for bots, whose vaults players keep, and who may see what of it."""

    options: tuple[tuple[str, str], ...]
    bots: tuple[bool, ...]
    own: tuple[int, ...]
    spectators: bool
    reveal: str
    auditor_key: bytes | None


def table_lines(table: bytes, tickets: Sequence[Ticket | VaultTicket], plan: Plan, *, laid: bool) -> Iterator[str]:
    """Yield the lines of a table that was opened; `laid` says that the bots' tickets have been laid out for a house."""
    from chambers.clients.addresses import Address

    yield f"table {table.hex()}"
    if plan.reveal != "public":
        key = plan.auditor_key
        whom = "nobody" if key is None else f"the auditor with the key {key.hex()}"
        yield f"hands are opened afterwards to {whom}"
    for one in tickets:
        bot = plan.bots[one.seat]
        yield f"seat {one.seat}: {_how_to_sit(one, bot=bot, laid=laid)}"
        if not bot:
            yield _by_code(one)
    if not all(plan.bots):
        yield _elsewhere(tickets[0])
    if plan.spectators:
        address = Address(tickets[0].server, tickets[0].fingerprint)
        yield f"look on: chambers watch {table.hex()} --server {address.text()}"


def table_json(table: bytes, tickets: Sequence[Ticket | VaultTicket], plan: Plan) -> str:
    """Return the same as one JSON object."""
    from chambers.clients.json_mode import json_line

    return json_line({"table": table.hex(), "tickets": [_fields(one, plan) for one in tickets]})


def ticket_lines(ticket: Ticket | VaultTicket, *, bot: bool, coded: bool) -> Iterator[str]:
    """Yield the lines of a ticket that counts now; `coded` says whether codes open its seat."""
    yield f"seat {ticket.seat}: {_how_to_sit(ticket, bot=bot, laid=False)}"
    if coded:
        yield _by_code(ticket)
        yield _elsewhere(ticket)


def _fields(ticket: Ticket | VaultTicket, plan: Plan) -> dict[str, object]:
    bot, own = plan.bots[ticket.seat], ticket.seat in plan.own
    code, long_code = ("", "") if bot else _codes(ticket)
    seat = {"seat": ticket.seat, "bot": bot, "own": own, "ticket": ticket.text()}
    return {**seat, "code": code, "long_code": long_code}


def _how_to_sit(ticket: Ticket | VaultTicket, *, bot: bool, laid: bool) -> str:
    if bot and laid:
        return "a bot of this house"
    return f"chambers {'bot' if bot else _command(ticket)} {ticket.text()}"


def _by_code(ticket: Ticket | VaultTicket) -> str:
    short, long = _codes(ticket)
    return f"        or, in the same network: chambers {_command(ticket)} {short} (long code {long})"


def _elsewhere(ticket: Ticket | VaultTicket) -> str:
    return f"where no table is found, add: --server {ticket.server}"


def _command(ticket: Ticket | VaultTicket) -> str:
    from chambers.protocol.tickets import VaultTicket

    return "vault" if isinstance(ticket, VaultTicket) else "join"


def _codes(ticket: Ticket | VaultTicket) -> tuple[str, str]:
    """Return the short and the long code of a ticket."""
    from chambers.protocol.codes import code_of
    from chambers.protocol.tickets import VaultTicket

    secret = ticket.admit if isinstance(ticket, VaultTicket) else ticket.pair
    short, long = (code_of(ticket.seat, secret, long=long).text() for long in (False, True))
    return short, long
