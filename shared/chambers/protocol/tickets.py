"""Tickets: one line of text that admits one client to one seat, or the vault of one seat to its table."""

from __future__ import annotations

import base64
import re
from typing import Any, Final

import msgspec

from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.protocol.versions import PROTOCOL, release

MAX_ISSUE: Final = 999_999
"""The last issue of a seat's ticket: six digits in a token."""

_PREFIX: Final = f"chambers{PROTOCOL}."
_VAULT_PREFIX: Final = f"chambers{PROTOCOL}vault."
_OF_ANY_VERSION: Final = re.compile(r"chambers[0-9]{1,4}(vault)?\.")


class Ticket(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Where to connect, which seat, and the two secrets: `admit` for the gate, `pair` for the vault."""

    server: str
    table: bytes
    seat: int
    issue: int
    admit: bytes
    pair: bytes
    frame_key: bytes
    fingerprint: bytes | None = None

    def __repr__(self) -> str:
        return f"Ticket({self.table.hex()[:8]}, seat {self.seat})"

    def text(self) -> str:
        """Return the ticket as one line to hand to the player."""
        return _line(_PREFIX, self)

    @property
    def token(self) -> str:
        """Return what travels in the clear as the NATS token: table, seat and issue."""
        return f"seat.{self.table.hex()}.{self.seat}.{self.issue}"


class VaultTicket(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the host gives to a player who keeps the seat's vault: `admit` for the vault, `client` for its client.

    It holds no `pair`: that is the vault's own to make, and the host never knows it.
    """

    server: str
    table: bytes
    seat: int
    issue: int
    admit: bytes
    client: bytes
    fingerprint: bytes | None = None

    def __repr__(self) -> str:
        return f"VaultTicket({self.table.hex()[:8]}, seat {self.seat})"

    def text(self) -> str:
        """Return the ticket as one line to hand to the player."""
        return _line(_VAULT_PREFIX, self)

    @property
    def token(self) -> str:
        """Return what travels in the clear as the NATS token: table, seat and issue."""
        return f"vault.{self.table.hex()}.{self.seat}.{self.issue}"

    def for_client(self, *, pair: bytes, frame_key: bytes) -> Ticket:
        """Return the ticket of the seat's client, with the two halves that only the vault can give."""
        return Ticket(
            self.server, self.table, self.seat, self.issue, self.client, pair, frame_key, self.fingerprint
        )  # fmt: skip


_ticket = msgspec.msgpack.Decoder(Ticket)
_vault_ticket = msgspec.msgpack.Decoder(VaultTicket)


def read_ticket(text: str) -> Ticket:
    """Return the ticket that a line holds; ProtocolError for a vault's (`ticket/for-a-vault`).

    `ticket/unreadable` if it is cut, mistyped or none.
    """
    if _one_line(text).startswith(_VAULT_PREFIX):
        told = "This ticket is for a vault. Give it to: chambers vault, which prints the ticket to sit down with."
        raise ProtocolError("ticket/for-a-vault", told)
    ticket: Ticket = _read(text, _PREFIX, _ticket)
    _check(ticket, ticket.admit, ticket.pair, ticket.frame_key)
    return ticket


def read_vault_ticket(text: str) -> VaultTicket:
    """Return the vault's ticket that a line holds; ProtocolError for a client's (`ticket/for-a-client`).

    `ticket/unreadable` if it is cut, mistyped or none.
    """
    if _one_line(text).startswith(_PREFIX):
        told = "This ticket is for a player at a seat whose vault is kept elsewhere. Give it to: chambers join"
        raise ProtocolError("ticket/for-a-client", told)
    ticket: VaultTicket = _read(text, _VAULT_PREFIX, _vault_ticket)
    _check(ticket, ticket.admit, ticket.client)
    return ticket


def read_any_ticket(text: str) -> Ticket | VaultTicket:
    """Return the client's or the vault's ticket that a line holds; ProtocolError as of the two that read one kind."""
    return read_vault_ticket(text) if _one_line(text).startswith(_VAULT_PREFIX) else read_ticket(text)


def _line(prefix: str, ticket: Ticket | VaultTicket) -> str:
    return prefix + base64.urlsafe_b64encode(msgspec.msgpack.encode(ticket)).rstrip(b"=").decode()


def _one_line(text: str) -> str:
    return "".join(text.split())


def _read(text: str, prefix: str, decoder: msgspec.msgpack.Decoder[Any]) -> Any:
    body = _one_line(text)
    if _OF_ANY_VERSION.match(body) and not body.startswith((_PREFIX, _VAULT_PREFIX)):
        raise ProtocolError("ticket/version", f"This ticket is of another version than Chambers {release()} reads.")
    if not body.startswith(prefix):
        raise ProtocolError("ticket/unreadable", f"This is no ticket: a ticket is one line that begins with {prefix}")
    raw = body.removeprefix(prefix)
    try:
        return decoder.decode(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)))
    except UNREADABLE:
        raise _damaged() from None


def _check(ticket: Ticket | VaultTicket, *secrets: bytes) -> None:
    pinned = ticket.fingerprint is None or len(ticket.fingerprint) == 32
    sized = len(ticket.table) == 16 and all(len(secret) == 32 for secret in secrets)
    if not sized or not 0 <= ticket.seat < 6 or not pinned:
        raise _damaged()


def _damaged() -> ProtocolError:
    return ProtocolError("ticket/unreadable", "This ticket is cut or mistyped; ask the host for the whole line.")
