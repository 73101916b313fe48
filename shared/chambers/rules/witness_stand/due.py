"""Who owes what, how a game ended, and who may talk."""

from __future__ import annotations

from chambers.rules.errors import RuleError
from chambers.rules.roles import DEALER, DICE, GM, seat_role
from chambers.rules.terms import Due, Result
from chambers.rules.witness_stand.play import WINDOWS, Play, Stage


def due(play: Play, /) -> tuple[Due, ...]:
    """Return who owes what now: a roll, a dealer's act, a choice, an answer, or each open seat of a window.

    When a window that lasts its whole time has nobody left to wait for, the game master owes its end.
    """
    stage = play.stage
    if stage is Stage.OVER:
        return ()
    if stage is Stage.ROLL or stage is Stage.FIRST:
        return (Due(who=DICE, act="roll", since=play.since),)
    if stage is Stage.LOOK or stage is Stage.OPENCARDS:
        return (Due(who=DEALER, act=stage.value, since=play.since),)
    if stage in WINDOWS:
        if not play.waiting:
            return (Due(who=GM, act="lapse", since=play.since, until=play.until),)
        return tuple(
            Due(who=seat_role(seat), act="window", since=play.since, until=play.until) for seat in play.waiting
        )
    seat = play.asked.target if stage is Stage.ANSWER and play.asked is not None else play.turn
    return (Due(who=seat_role(seat), act=stage.value, since=play.since, until=play.until, lapsed=play.lapsed),)


def result(play: Play, /) -> Result | None:
    """Return how the game ended, or None while it goes on (WS: Winning the Game)."""
    return play.result


def may_say(play: Play, seat: int, /) -> None:
    """Refuse (RuleError) table talk to a dropped seat, and to a wrong accuser unless `out_chat` (WS-35)."""
    if play.result is not None:
        return
    if seat in play.dropped:
        raise RuleError("rule/dropped", f"{play.name(seat)} has left the table.", ruling="WS-48")
    if seat in play.out and not play.court.options.out_chat:
        raise RuleError(
            "rule/out-silent",
            f"{play.name(seat)} has seen the envelope and may not talk until the game is over.",
            section="Winning the Game",
            ruling="WS-35",
        )
