"""Who may author statements: the game master, the dice, the dealer and the seats."""

from __future__ import annotations

from typing import Final, NewType

Role = NewType("Role", str)
Seat = NewType("Seat", int)

GM: Final = Role("gm")
DICE: Final = Role("dice")
DEALER: Final = Role("dealer")
MAX_SEATS: Final = 6

_SEAT_ROLES: Final = tuple(Role(f"seat{n}") for n in range(MAX_SEATS))
_SEATS: Final = {role: Seat(n) for n, role in enumerate(_SEAT_ROLES)}


def seat_role(seat: int) -> Role:
    """Return the role that speaks for `seat` (0..5)."""
    return _SEAT_ROLES[seat]


def seat_of(role: str) -> Seat | None:
    """Return the seat a role speaks for, or None for the game master, the dice, the dealer and strangers."""
    return _SEATS.get(Role(role))


def seat_roles(seats: int) -> tuple[Role, ...]:
    """Return the roles of a table's seats, in seat order."""
    return _SEAT_ROLES[:seats]


def contributors(seats: int) -> tuple[Role, ...]:
    """Return every role that commits to a secret at setup, in role order: dice, dealer, seats."""
    return (DICE, DEALER, *_SEAT_ROLES[:seats])
