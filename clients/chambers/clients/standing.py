"""How things stand with a ticket, asked as a guest before anybody sits down: the table, the issue, the release."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.bus.errors import BusError
from chambers.bus.login import GUEST, holder_login, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.addresses import Address, read_address
from chambers.clients.heard import VOIDED
from chambers.clients.hosting import Refused, list_tables
from chambers.protocol import subjects
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import TableInfo
from chambers.protocol.tickets import Ticket, VaultTicket
from chambers.rules import Phase

NO_TABLE: Final = "This ticket's table is not on that server: it was deleted, or the server is another one."
_EITHER: Final = "This ticket admits no more: it was voided, or its table is gone. Ask the host."
_ASK_S: Final = 2.0


class Standing(msgspec.Struct, frozen=True):
    """What the server says of a ticket's table, None if it does not list it; and the server's release."""

    table: TableInfo | None
    version: str

    @property
    def finished(self) -> bool:
        """Return whether the table has closed."""
        return self.table is not None and self.table.phase == Phase.CLOSED

    def name_of(self, ticket: Ticket | VaultTicket) -> str:
        """Return the name at the ticket's seat, empty if nobody has taken it or the table is not there."""
        seat = slice(ticket.seat, ticket.seat + 1)
        return "".join(self.table.names[seat]) if self.table is not None and self.table.taken[seat] == (True,) else ""

    def own_vault(self, ticket: Ticket) -> bool:
        """Return whether the vault of the ticket's seat is its player's own."""
        return self.table is not None and ticket.seat in self.table.own

    def voids(self, ticket: Ticket | VaultTicket) -> bool:
        """Return whether the table is there and counts another issue of the ticket."""
        return self.table is not None and self.table.issues[ticket.seat : ticket.seat + 1] != (ticket.issue,)


async def standing(ticket: Ticket | VaultTicket, server: str | None) -> Standing | None:
    """Return how things stand, or None if nobody says so in time: then the seat itself is asked.

    BusError if the server is silent; ProtocolError (`protocol/version`) if it speaks another protocol version.
    """
    address = _address(ticket, server)
    try:
        bus = await NatsBus.connect(address.url, visitor_login(GUEST), tls=address.tls)
    except BusError as error:
        if error.code == "bus/login-refused":
            return None
        raise
    try:
        answer = await list_tables(bus, subjects.lobby(subjects.GUESTS_VERB, bus.user), timeout=_ASK_S)
    except BusError:
        return None
    finally:
        await bus.close()
    return Standing(next((one for one in answer.tables if one.table == ticket.table), None), answer.version)


async def check_admitted(ticket: Ticket | VaultTicket, there: Standing, server: str | None) -> None:
    """Refuse a ticket of no table (`ticket/no-table`) or of an issue that does not count any more (`ticket/void`).

    The list is some moments old and not endless, so whoever is not in it, or not as it says, is tried at the gate.
    """
    if there.table is not None and not there.voids(ticket):
        return
    address = _address(ticket, server)
    try:
        bus = await NatsBus.connect(address.url, holder_login(ticket), tls=address.tls)
    except BusError as error:
        if error.code != "bus/login-refused":
            raise
    else:
        await bus.close()
        return
    if there.table is None:
        raise ProtocolError("ticket/no-table", NO_TABLE)
    raise ProtocolError("ticket/void", VOIDED)


async def turned_away(ticket: Ticket | VaultTicket, server: str | None) -> ProtocolError:
    """Return why a ticket that admitted before does so no more: its table is gone (`ticket/no-table`) or it is void.

    If nobody says which of the two, the sentence leaves that open.
    """
    try:
        there = await standing(ticket, server)
    except (BusError, ProtocolError, Refused):
        there = None
    if there is None:
        return ProtocolError("ticket/void", _EITHER)
    return ProtocolError("ticket/no-table", NO_TABLE) if there.table is None else ProtocolError("ticket/void", VOIDED)


def _address(ticket: Ticket | VaultTicket, server: str | None) -> Address:
    return Address(read_address(server).url if server else ticket.server, ticket.fingerprint)
