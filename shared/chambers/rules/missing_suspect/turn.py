"""The course of a turn: which stage follows which (MS-45)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from chambers.rules.missing_suspect.city import NOWHERE
from chambers.rules.missing_suspect.edition import ChartResult, NodeKind
from chambers.rules.missing_suspect.options import Options
from chambers.rules.missing_suspect.play import (
    ANSWERS,
    DEALS,
    NOBODY,
    ROLLS,
    Play,
    Stage,
    free_spots,
    moves,
    on_board,
    others,
    partners,
    put,
    standing_at,
)
from chambers.rules.terms import Result

ALONE: Final = frozenset(
    {
        Stage.CLAIM, Stage.SHOW, Stage.RETURN, Stage.KEEP, Stage.STOW, Stage.CHART, Stage.SWAP, Stage.TELL,
        Stage.OPENCARDS, Stage.OVER,
    }
)  # fmt: skip
"""What a vault says by itself; no player is waited for, so there is no limit."""


class At(NamedTuple):
    """The entry that is being folded: its number and its time in ms."""

    seq: int
    ts: int


def limit(options: Options, stage: Stage, *, at: At) -> int | None:
    """Return the time (ms) from which what a stage waits for may lapse, or None."""
    if stage in ROLLS or stage in DEALS or stage in ALONE:
        return None
    span = options.answer_limit if stage in ANSWERS else options.turn_limit
    return None if span is None else at.ts + span


def enter(play: Play, stage: Stage, *, at: At, **changes: Any) -> Play:
    """Return the state in which entry `at` has made `stage` due."""
    until = limit(play.town.options, stage, at=at)
    return replace(play, stage=stage, since=at.seq, until=until, lapsed=False, **changes)


def next_thrower(play: Play, *, at: At) -> Play:
    """Return the state for the next throw for Dealer, or the placing of the suspects; ties throw again (MS-1)."""
    if play.throwing:
        return enter(play, Stage.FIRST, at=at, turn=play.throwing[0])
    if not play.throws:
        # Everybody who was tied has been dropped: the others throw anew.
        throwing = tuple(seat for seat in range(play.seats) if play.active(seat))
        return enter(play, Stage.FIRST, at=at, turn=throwing[0], throwing=throwing)
    best = max(value for _, value in play.throws)
    tied = tuple(seat for seat, value in play.throws if value == best)
    if len(tied) > 1:
        return enter(play, Stage.FIRST, at=at, turn=tied[0], throwing=tied, throws=())
    order = tuple((tied[0] + step) % play.seats for step in range(play.seats))
    return enter(play, Stage.PLACE, at=at, turn=tied[0], order=order, throws=())


def next_top(play: Play, *, at: At) -> Play:
    """Return the state in which the next suspect is placed, or the Dealer's first turn (MS: Start of Play, MS-45)."""
    if NOWHERE in play.homes and free_spots(play):
        return enter(play, Stage.PLACE, at=at)
    return begin_turn(replace(play, round=1), play.turn, at=at)


def begin_turn(play: Play, seat: int, *, at: At) -> Play:
    """Return the state at the start of a seat's turn: a claim if a carrier's cards changed, else the throw (MS-33)."""
    play = replace(play, turn=seat, roll=0, thrown=0, found=None, renewed=False, looked=NOBODY, asked=None)
    changed = play.carried[seat] != NOBODY and play.stale[seat]
    return enter(play, Stage.CLAIM if changed else Stage.ROLL, at=at)


def next_turn(play: Play, *, at: At) -> Play:
    """Return the state in which the next seat clockwise that still plays has its turn (MS: Start of Play)."""
    play = replace(play, asked=None)
    if not any(play.active(seat) for seat in range(play.seats)):
        return over(play, Result(winner=None, text="Nobody wins: no player is left."), at=at)
    here = play.order.index(play.turn)
    ahead = next((seat for seat in play.order[here + 1 :] if play.active(seat)), None)
    if ahead is not None:
        return begin_turn(play, ahead, at=at)
    again = next(seat for seat in play.order if play.active(seat))
    return begin_turn(replace(play, round=play.round + 1), again, at=at)


def over(play: Play, result: Result, *, at: At) -> Play:
    """Return the state of a game that has ended."""
    return enter(play, Stage.OVER, at=at, result=result, asked=None)


def send_back(play: Play, *, at: At) -> Play:
    """Return the state after a carrier lost its proof: car and suspect stand on the capture spot, turn over (MS-33)."""
    seat = play.turn
    home = play.homes[play.carried[seat]]
    return next_turn(
        replace(
            play,
            cars=put(play.cars, seat, home),
            carried=put(play.carried, seat, NOBODY),
            stale=put(play.stale, seat, False),
            barred=put(play.barred, seat, NOWHERE),
        ),
        at=at,
    )


def throw(play: Play, value: int, *, at: At) -> Play:
    """Return the state after the throw of a turn: a move to choose, or the car stays and the turn ends (MS-5)."""
    play = replace(play, roll=value)
    if moves(play):
        return enter(play, Stage.MOVE, at=at)
    barred = play.barred[play.turn]
    stays = barred if barred == play.cars[play.turn] else NOWHERE
    return next_turn(replace(play, barred=put(play.barred, play.turn, stays)), at=at)


def arrive(play: Play, node: int, *, at: At) -> Play:
    """Return the state after the turn seat's car comes to rest on a node (MS-45, step 4)."""
    seat, kind = play.turn, play.kind_at(node)
    asks = kind is NodeKind.INQUEST
    play = replace(play, cars=put(play.cars, seat, node), barred=put(play.barred, seat, node if asks else NOWHERE))
    if kind is NodeKind.OFFICE:
        return enter(play, Stage.OFFICE if play.cased[seat] else Stage.CASE, at=at)
    if kind is NodeKind.RED:
        return enter(play, Stage.RED, at=at)
    if asks:
        return witness(play, at=at)
    if kind is NodeKind.COURTHOUSE:
        return enter(play, Stage.OPENCARDS, at=at)
    suspect = standing_at(play, node)
    if suspect is None:
        return next_turn(play, at=at)
    return enter(play, Stage.LOOK, at=at, looked=suspect)


def witness(play: Play, *, at: At) -> Play:
    """Return the state in which witnesses are questioned: a throw, or nothing without a case (MS-14)."""
    return enter(play, Stage.WITNESS, at=at) if play.cased[play.turn] else next_turn(play, at=at)


def follow(play: Play, found: ChartResult, *, at: At) -> Play:
    """Return the state after a chart result; one that nobody could act on ends the turn (MS-24, MS-26, MS-27)."""
    play = replace(play, found=found)
    match found:
        case ChartResult.LYING:
            return next_turn(play, at=at)
        case ChartResult.CHECK:
            return enter(play, Stage.CHECK, at=at)
        case ChartResult.CLUE | ChartResult.TRADE:
            return enter(play, Stage.OFFER, at=at) if partners(play) else next_turn(play, at=at)
        case ChartResult.NUMBER:
            return enter(play, Stage.POINT, at=at) if others(play) and on_board(play) else next_turn(play, at=at)
        case ChartResult.NEW:
            return enter(play, Stage.DRAW, at=at)


def drop(play: Play, seat: int, *, at: At) -> Play:
    """Return the state after a seat was dropped: its car is off, what it carried is back on its spot (MS-44)."""
    play = replace(
        play,
        dropped=tuple(sorted({*play.dropped, seat})),
        cars=put(play.cars, seat, NOWHERE),
        carried=put(play.carried, seat, NOBODY),
        throwing=tuple(other for other in play.throwing if other != seat),
        throws=tuple(one for one in play.throws if one[0] != seat),
    )
    if play.stage is Stage.OVER:
        return play
    if not any(play.active(other) for other in range(play.seats)):
        return over(play, Result(winner=None, text="Nobody wins: no player is left."), at=at)
    if play.turn == seat:
        return _drop_turn(play, at=at)
    if play.asked is not None and play.asked.target == seat:
        # Whatever was open between the two is void; each keeps its own cards.
        return next_turn(play, at=at)
    if play.found is not None and play.stage in (Stage.OFFER, Stage.POINT):
        return follow(play, play.found, at=at)
    return play


def _drop_turn(play: Play, *, at: At) -> Play:
    if play.stage is Stage.FIRST:
        return next_thrower(play, at=at)
    if play.stage is not Stage.PLACE:
        return next_turn(play, at=at)
    here = play.order.index(play.turn)
    ring = play.order[here + 1 :] + play.order[:here]
    heir = next(seat for seat in ring if play.active(seat))
    order = tuple((heir + step) % play.seats for step in range(play.seats))
    return enter(play, Stage.PLACE, at=at, turn=heir, order=order)
