"""What a connection logs in with: a role by its own key, a player by a ticket, a visitor by a key made on the spot."""

from __future__ import annotations

import hashlib
import re
from typing import Final

import msgspec

from chambers.bus import natsjwt
from chambers.fairness.keys import nkey_seed
from chambers.protocol import subjects
from chambers.protocol.tickets import Ticket, VaultTicket
from chambers.rules.roles import seat_role

WATCH: Final = "watch"
GUEST: Final = "guest"
CODE: Final = "code"
_SEAT_TOKEN: Final = re.compile(r"(seat|vault)\.([0-9a-f]{32})\.([0-5])\.([0-9]{1,6})")


class Login(msgspec.Struct, frozen=True):
    """A user, the seed of its nkey, and for those the gate admits a token; log-in is all the nkey is used for."""

    user: str
    seed: str
    token: str | None = None

    def __repr__(self) -> str:
        return f"Login({self.user})"


class SeatToken(msgspec.Struct, frozen=True):
    """What a ticket's token says in the clear: table (32 hex digits), seat and issue; and whom it is for.

    `vault`: it admits the seat's vault, on its player's own machine; else the seat's client.
    """

    table: str
    seat: int
    issue: int
    vault: bool = False

    def text(self) -> str:
        """Return the token as it travels."""
        return f"{'vault' if self.vault else 'seat'}.{self.table}.{self.seat}.{self.issue}"


def read_seat_token(token: str) -> SeatToken | None:
    """Return what the token of a ticket says, or None for any other token."""
    match = _SEAT_TOKEN.fullmatch(token)
    return None if match is None else SeatToken(match[2], int(match[3]), int(match[4]), match[1] == "vault")


def ticket_login(admit: bytes, token: str) -> Login:
    """Return the log-in of the holder of a ticket: its `admit` secret and its token."""
    return Login("client", natsjwt.seed_text(nkey_seed(admit)), token)


def own_vault_login(ticket: VaultTicket) -> Login:
    """Return the log-in of a seat's vault on its player's own machine."""
    user = subjects.own_vault(ticket.table.hex(), seat_role(ticket.seat))
    return Login(user, natsjwt.seed_text(nkey_seed(ticket.admit)), ticket.token)


def holder_login(ticket: Ticket | VaultTicket) -> Login:
    """Return the log-in of whoever holds a ticket: of the seat's client, or of its own vault."""
    return own_vault_login(ticket) if isinstance(ticket, VaultTicket) else ticket_login(ticket.admit, ticket.token)


def visitor_id(nkey: str) -> str:
    """Return the id, 16 hex digits, under which the gate admits a visitor with this public nkey."""
    return hashlib.sha256(nkey.encode()).hexdigest()[:16]


def visitor_login(token: str) -> Login:
    """Return the log-in of a new visitor, whose user is its id: to `watch`, as a `guest`, or to try a `code`."""
    seed = natsjwt.new_seed(natsjwt.USER)
    return Login(visitor_id(natsjwt.public_nkey(seed)), seed, token)
