"""Tickets: one line of text that admits one client to one seat."""

from __future__ import annotations

import base64
import binascii

import msgspec

from chambers.protocol.errors import ProtocolError

_PREFIX = "chambers1."


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
        return _PREFIX + base64.urlsafe_b64encode(msgspec.msgpack.encode(self)).rstrip(b"=").decode()

    @property
    def token(self) -> str:
        """Return what travels in the clear as the NATS token: table, seat and issue."""
        return f"seat.{self.table.hex()}.{self.seat}.{self.issue}"


_decoder = msgspec.msgpack.Decoder(Ticket)


def read_ticket(text: str) -> Ticket:
    """Return the ticket that a line holds; ProtocolError (`ticket/unreadable`) if it is cut, mistyped or none."""
    body = "".join(text.split())
    if not body.startswith(_PREFIX):
        raise ProtocolError("ticket/unreadable", f"This is no ticket: a ticket is one line that begins with {_PREFIX}")
    raw = body.removeprefix(_PREFIX)
    try:
        ticket = _decoder.decode(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)))
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        raise ProtocolError(
            "ticket/unreadable", "This ticket is cut or mistyped; ask the host for the whole line."
        ) from None
    sizes = (len(ticket.table), len(ticket.admit), len(ticket.pair), len(ticket.frame_key))
    pinned = ticket.fingerprint is None or len(ticket.fingerprint) == 32
    if sizes != (16, 32, 32, 32) or not 0 <= ticket.seat < 6 or not pinned:
        raise ProtocolError("ticket/unreadable", "This ticket is cut or mistyped; ask the host for the whole line.")
    return ticket
