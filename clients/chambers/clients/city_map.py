"""The drawn city with the cars and the suspects on it, in plain characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chambers.editions.missing_suspect_art import ACROSS, DOWN
from chambers.rules.missing_suspect.edition import Board

LEGEND: Final = (
    "On the map: o dot, r red dot, T Tunnel Dot, S empty S spot, a to g the suspects, O Office, I Inquest, "
    "C Courthouse; a digit right of a place is the car of that seat."
)
_SIDE_BY_SIDE: Final = ACROSS - 1


def city_map(board: Board, *, cars: Mapping[int, str], suspects: Mapping[str, str]) -> list[str]:
    """Return the map line by line, with the columns' letters above and the rows' numbers before it.

    `cars` has the address of each seat's car, `suspects` that of each letter. Three cars fit beside a place; a `+`
    stands for the others.
    """
    spots = {node.address: (node.col * ACROSS, node.row * DOWN) for node in board.nodes}
    columns = max(node.col for node in board.nodes) + 1
    lines = [list(line.ljust(columns * ACROSS)) for line in board.art]
    for letter, address in suspects.items():
        across, down = spots[address]
        lines[down][across] = letter
    for address in dict.fromkeys(cars.values()):
        across, down = spots[address]
        beside = _beside("".join(str(seat) for seat, where in sorted(cars.items()) if where == address))
        lines[down][across + 1 : across + 1 + len(beside)] = beside
    head = "     " + "".join(f"{chr(ord('a') + column):<{ACROSS}}" for column in range(columns))
    numbered = (
        f"{'' if number % DOWN else number // DOWN + 1:>3}  {''.join(line)}" for number, line in enumerate(lines)
    )
    return [line.rstrip() for line in (head, *numbered)]


def _beside(seats: str) -> str:
    return seats if len(seats) <= _SIDE_BY_SIDE else seats[: _SIDE_BY_SIDE - 1] + "+"
