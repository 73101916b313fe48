"""What the game master says of its own accord: closes, drops, lapses, and new attempts at a setup."""

from __future__ import annotations

from chambers.rules import Phase, due
from chambers.rules.due import ATTEMPTS
from chambers.rules.events import Again, Close, Drop, Lapse, TableEvent
from chambers.rules.roles import GM, seat_of
from chambers.rules.table import Table


def own_event(table: Table, now: int) -> TableEvent | None:
    """Return what must be said at `now` (ms): a close, drop, lapse or new attempt at the setup; None for nothing."""
    for seat in _outvoted(table):
        return Drop(seat)
    for item in due(table):
        if item.who == GM and item.act == "close":
            return Close(_reason(table))
        if item.until is None or now < item.until or item.lapsed:
            continue
        if table.phase is Phase.PLAY:
            return Lapse(item.since)
        if table.attempt < ATTEMPTS:
            return Again(table.attempt + 1, item.who)
        return Close(f"aborted: {item.who} did not do its part of the setup")
    return None


def _reason(table: Table) -> str:
    if table.game.result(table.play) is not None:
        return "over"
    return f"aborted: {table.stopped or 'dice exhausted'}"


def _outvoted(table: Table) -> list[int]:
    if table.phase not in (Phase.PLAY, Phase.BYE):
        return []
    by: dict[int, set[str]] = {}
    for role, _, who in table.stalls:
        seat = seat_of(role)
        if seat is not None and seat not in table.dropped:
            by.setdefault(seat, set()).add(who)
    others = table.seats - len(table.dropped) - 1
    return [seat for seat, votes in by.items() if len(votes) >= 2 and 2 * len(votes) > others]
