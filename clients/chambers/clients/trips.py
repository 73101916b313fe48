"""How many turns a drive through the city takes, played as well as can be: exact expectations, worked out once."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chambers.rules.missing_suspect.city import NOWHERE, City, reach

_CLOSE: Final = 1e-9


@lru_cache(maxsize=8)
def _ends(city: City) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return for every node and throw 1..6 where the car may come to rest, other cars left out of account."""
    nodes = range(len(city.kinds))
    return tuple(
        tuple(tuple(found.end for found in reach(city, node, throw, False)) for throw in range(1, 7)) for node in nodes
    )


@lru_cache(maxsize=512)
def turns_to_any(city: City, targets: tuple[int, ...]) -> tuple[float, ...]:
    """Return for every node the least expected number of turns to whichever of `targets` is reached first.

    By value iteration, with no other car about; the Courthouse is entered only where it is a target (MS-10, MS-11).
    """
    goals = frozenset(targets)
    away = NOWHERE if city.courthouse in goals else city.courthouse
    driven = [
        (node, [[end for end in ends if end != away] for ends in throws])
        for node, throws in enumerate(_ends(city))
        if node not in goals
    ]
    turns = [0.0] * len(city.kinds)
    change = 1.0
    while change > _CLOSE:
        change = 0.0
        for node, throws in driven:
            value = 1 + sum(min((turns[end] for end in ends), default=turns[node]) for ends in throws) / 6
            change = max(change, abs(value - turns[node]))
            turns[node] = value
    return tuple(turns)
