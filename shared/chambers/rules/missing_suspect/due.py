"""Who owes what, how a game ended, and who may talk."""

from __future__ import annotations

from chambers.rules.errors import RuleError
from chambers.rules.missing_suspect.play import ANSWERS, DEALS, ROLLS, Play, Stage
from chambers.rules.roles import DEALER, DICE, seat_role
from chambers.rules.terms import Due, Result


def due(play: Play, /) -> tuple[Due, ...]:
    """Return who owes what now: a roll, a dealer's act (`draw`, `look`), or what one seat says; one at a time."""
    stage = play.stage
    if stage is Stage.OVER:
        return ()
    if stage in ROLLS:
        return (Due(who=DICE, act="roll", since=play.since),)
    if stage in DEALS:
        return (Due(who=DEALER, act="look" if stage is Stage.LOOK else "draw", since=play.since),)
    seat = play.asked.target if stage in ANSWERS and play.asked is not None else play.turn
    return (Due(who=seat_role(seat), act=stage.value, since=play.since, until=play.until, lapsed=play.lapsed),)


def result(play: Play, /) -> Result | None:
    """Return how the game ended, or None while it goes on (MS: Winner)."""
    return play.result


def may_say(play: Play, seat: int, /) -> None:
    """Refuse (RuleError) table talk to a dropped seat."""
    if play.result is None and seat in play.dropped:
        raise RuleError("rule/dropped", f"{play.name(seat)} has left the table.", ruling="MS-44")
