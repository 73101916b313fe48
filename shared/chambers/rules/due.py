"""Who owes what at a table, in every phase."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.rules.roles import DEALER, DICE, GM, Role, contributors, seat_roles
from chambers.rules.table import Phase, Table
from chambers.rules.terms import Due

ATTEMPTS: Final = 3
AUTOMATIC: Final = frozenset(
    {
        "commit", "mix", "deal", "roll", "look", "draw", "claim", "show", "return", "keep", "stow", "chart", "swap",
        "tell", "opencards", "bye", "reveal",
    }
)  # fmt: skip
"""Acts that a process does by itself, so that a silence means that it is gone."""
ANSWERING: Final = frozenset({"answer", "tell"})
"""Acts by which a seat answers another seat's question."""


def stall_ms(table: Table) -> int:
    """Return how long (ms) a role may be silent before the others may call it stalled."""
    return int(table.setup.option("stall_s")) * 1000


def rollers(table: Table) -> tuple[Role, ...]:
    """Return whose shares make a roll: the dice and every seat that has not been dropped, in role order."""
    return tuple(role for role in table.live if role != DEALER)


def due(table: Table, /) -> tuple[Due, ...]:
    """Return who owes what next, since which entry, and until when; nothing once the table is closed."""
    match table.phase:
        case Phase.COMMIT:
            return tuple(
                Due(role, "commit", since=table.since)
                for role in contributors(table.seats)
                if table.committed(role) is None
            )
        case Phase.MIX:
            mixed = {role for role, _ in table.mixes}
            until = table.since_ts + stall_ms(table)
            missing = (role for role in seat_roles(table.seats) if role not in mixed)
            return tuple(Due(role, "mix", since=table.since, until=until) for role in missing)
        case Phase.DEAL:
            return (Due(DEALER, "deal", since=table.since, until=table.since_ts + stall_ms(table)),)
        case Phase.PLAY:
            return _due_in_play(table)
        case Phase.BYE | Phase.REVEAL:
            done = table.byes if table.phase is Phase.BYE else table.reveals
            return tuple(Due(role, str(table.phase), since=table.since) for role in leavers(table) if role not in done)
        case Phase.CLOSED:
            return ()


def _due_in_play(table: Table) -> tuple[Due, ...]:
    if table.stopped or table.game.result(table.play) is not None:
        return (Due(GM, "close", since=table.size - 1),)
    found: tuple[Due, ...] = table.game.due(table.play)
    if table.rolls >= table.setup.opening.chain and any(item.who == DICE for item in found):
        return (Due(GM, "close", since=table.size - 1),)
    if any(item.who == DICE for item in found):
        return tuple(msgspec.structs.replace(item, k=table.rolls + 1) if item.who == DICE else item for item in found)
    return found


def leavers(table: Table) -> tuple[Role, ...]:
    """Return the roles that say goodbye and reveal: those that committed and were not dropped."""
    return tuple(role for role in table.live if table.committed(role) is not None)
