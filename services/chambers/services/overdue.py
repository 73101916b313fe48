"""What a live vault says when a table stands still: its own share of a roll, and who has stalled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chambers.rules import Table, due, rollers
from chambers.rules.due import AUTOMATIC, stall_ms
from chambers.rules.events import Share, Stall, TableEvent
from chambers.rules.roles import DICE, Role, seat_of

MARGIN_S: Final = 0.5
"""How much longer than the limit a vault waits by its own clock, so that the game master's clock agrees."""


def overdue(table: Table, me: Role, idle: float, *, share: Callable[[int], bytes | None]) -> list[TableEvent]:
    """Return what `me` should say when nothing has moved for `idle` seconds at a table in play; mostly nothing.

    `share` gives this seat's share of a roll, None while its player's client holds it.
    """
    limit = stall_ms(table) / 1000
    said: list[TableEvent] = []
    for item in due(table):
        if item.act == "roll":
            given = dict(table.shares)
            own = share(item.k) if idle >= limit / 2 and me in rollers(table) and me not in given else None
            if own is not None:
                said.append(Share(item.k, own))
            silent = [role for role in rollers(table) if role != DICE and role not in given]
        else:
            silent = [item.who] if item.act in AUTOMATIC or item.lapsed else []
        if idle >= limit + MARGIN_S:
            said += [
                Stall(role, item.since)
                for role in silent
                if seat_of(role) is not None and role != me and (role, item.since, me) not in table.stalls
            ]
    return said
