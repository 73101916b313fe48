"""The course of a turn: which stage follows which (WS: Play, Special Spaces; WS-49)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from chambers.rules.terms import Result
from chambers.rules.witness_stand.edition import OBJECT, OVERRULED, SpaceKind
from chambers.rules.witness_stand.options import Options
from chambers.rules.witness_stand.play import (
    QUESTIONED,
    Play,
    Stage,
    all_played,
    can_ask,
    objectors,
    overrulers,
    right_of_turn,
)

_GRANTS: Final = frozenset({SpaceKind.DELLA, SpaceKind.PERRY, SpaceKind.DRAKE})
_CHOICES: Final = frozenset(
    {Stage.CORNER, Stage.ASK, Stage.ACCUSE, Stage.PLACE, Stage.GIVE, Stage.MOVE, Stage.ASK3, Stage.END}
)


class At(NamedTuple):
    """The entry that is being folded: its number and its time in ms."""

    seq: int
    ts: int


def limit(options: Options, stage: Stage, *, at: At) -> int | None:
    """Return the time (ms) from which what a stage waits for may lapse, or None."""
    if stage in _CHOICES:
        span = options.turn_limit
    elif stage is Stage.WINDOW or stage is Stage.OVERRULE:
        span = options.window
    elif stage is Stage.ANSWER:
        span = options.answer_limit
    else:
        span = None
    return None if span is None else at.ts + span


def enter(play: Play, stage: Stage, *, at: At, **changes: Any) -> Play:
    """Return the state in which entry `at` has made `stage` due."""
    return replace(
        play,
        stage=stage,
        since=at.seq,
        until=limit(play.court.options, stage, at=at),
        lapsed=False,
        **changes,
    )


def next_thrower(play: Play, *, at: At) -> Play:
    """Return the state for the next throw for the first turn, or the first turn; ties throw again (WS-41)."""
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
    first = tied[0]
    order = tuple((first + step) % play.seats for step in range(play.seats))
    return begin_turn(replace(play, order=order, throws=(), round=1), first, at=at)


def next_corner(play: Play, *, at: At) -> Play:
    """Return the state in which the next seat chooses its corner, or the throws for the first turn begin."""
    for seat in range(play.turn + 1, play.seats):
        if play.active(seat):
            return enter(play, Stage.CORNER, at=at, turn=seat)
    throwing = tuple(seat for seat in range(play.seats) if play.active(seat))
    return next_thrower(replace(play, throwing=throwing), at=at)


def begin_turn(play: Play, seat: int, *, at: At) -> Play:
    """Return the state at the start of a seat's turn."""
    return step_one(replace(play, turn=seat, step=1, asks=1, roll=0, accused=-1, asked=None, waiting=()), at=at)


def step_one(play: Play, *, at: At) -> Play:
    """Return the state of step 1: a question, only an accusation, or nothing to choose (WS-3, WS-9, WS-31)."""
    if play.asks and can_ask(play):
        return enter(play, Stage.ASK, at=at)
    if play.on_stand:
        return enter(play, Stage.ACCUSE, at=at)
    return enter(play, Stage.ROLL, at=at, step=2)


def step_three(play: Play, *, at: At) -> Play:
    """Return the state of step 3: a question if one is granted and possible, else the end of the turn (WS-1)."""
    stage = Stage.ASK3 if play.asks and can_ask(play) else Stage.END
    return enter(play, stage, at=at, step=3)


def granted(options: Options, kind: SpaceKind) -> int:
    """Return how many questions step 3 has after a landing on a space of this kind (WS-1, WS-2)."""
    if options.step3 == "always":
        return 2 if kind is SpaceKind.DRAKE else 1
    if kind in _GRANTS:
        return 1
    return int(options.step3 == "witness" and kind is SpaceKind.CALL)


def land(play: Play, space: int, *, at: At, by_choice: bool = False) -> Play:
    """Return the state after the turn seat's pawn lands on a space; `by_choice`: from Go to Any Corner (WS-39)."""
    landed = play.court.edition.board[space]
    kind = landed.kind
    seat = play.turn
    play = replace(
        play,
        spaces=play.spaces[:seat] + (space,) + play.spaces[seat + 1 :],
        asks=granted(play.court.options, kind),
    )
    if kind is SpaceKind.CALL and landed.suspect is not None:
        return step_three(replace(play, witness=landed.suspect, chambers=landed.confidential), at=at)
    if kind is SpaceKind.PERRY or kind is SpaceKind.DELLA:
        return enter(play, Stage.PLACE, at=at)
    if kind is SpaceKind.BURGER:
        return give(play, at=at)
    if kind is SpaceKind.ANY_CORNER and not by_choice:
        return enter(play, Stage.MOVE, at=at)
    return step_three(play, at=at)


def give(play: Play, *, at: At) -> Play:
    """Return the state in which a Hamilton Burger gift is due, or step 3 where none can be given (WS-27)."""
    if play.counts[play.turn] and right_of_turn(play) is not None:
        return enter(play, Stage.GIVE, at=at)
    return step_three(play, at=at)


def open_window(play: Play, *, at: At) -> Play:
    """Return the state in which objections are waited for, or the answer at once on public facts only (WS-20)."""
    seats = objectors(play)
    if play.court.options.window_skip or not seats or all_played(play, OBJECT):
        return enter(play, Stage.ANSWER, at=at)
    return enter(play, Stage.WINDOW, at=at, waiting=seats)


def open_overrule(play: Play, *, at: At) -> Play:
    """Return the state in which overruling is waited for; with no such card left the objection stands (WS-25)."""
    if all_played(play, OVERRULED):
        return question_over(play, at=at)
    return enter(play, Stage.OVERRULE, at=at, waiting=overrulers(play))


def close_window(play: Play, *, at: At) -> Play:
    """Return the state after a window passed unused: the answer is due, or the objection is sustained (WS-23)."""
    if play.stage is Stage.WINDOW:
        return enter(play, Stage.ANSWER, at=at, waiting=())
    return question_over(play, at=at)


def question_over(play: Play, *, at: At) -> Play:
    """Return the state after a question was answered, objected to or fell: it is spent either way."""
    play = replace(play, asked=None, waiting=(), asks=play.asks - 1)
    return step_one(play, at=at) if play.step == 1 else step_three(play, at=at)


def over(play: Play, result: Result, *, at: At) -> Play:
    """Return the state of a game that has ended."""
    return enter(play, Stage.OVER, at=at, result=result, asked=None, waiting=())


def next_turn(play: Play, *, at: At) -> Play:
    """Return the state in which the next seat in turn order that still plays has its turn (WS-36, WS-37, WS-41)."""
    left = [seat for seat in range(play.seats) if play.active(seat)]
    if not left:
        return over(play, Result(winner=None, text="Nobody wins: no player is left who may accuse."), at=at)
    if len(left) == 1 and play.court.options.last_player_wins:
        text = f"{play.name(left[0])} wins: everybody else is out of the game."
        return over(play, Result(winner=left[0], text=text), at=at)
    here = play.order.index(play.turn)
    ahead = play.order[here + 1 :]
    seat = next((seat for seat in ahead if play.active(seat)), None)
    if seat is not None:
        return begin_turn(play, seat, at=at)
    again = next(seat for seat in play.order if play.active(seat))
    return begin_turn(replace(play, round=play.round + 1), again, at=at)


def _last_standing(play: Play, *, at: At) -> Play | None:
    left = sum(play.active(seat) for seat in range(play.seats))
    if left == 0 or (left == 1 and play.court.options.last_player_wins):
        return next_turn(play, at=at)
    return None


def drop(play: Play, seat: int, *, at: At) -> Play:
    """Return the state after a seat was dropped, whatever it or the others were doing (WS-48)."""
    play = replace(
        play,
        dropped=tuple(sorted({*play.dropped, seat})),
        spaces=play.spaces[:seat] + (-1,) + play.spaces[seat + 1 :],
        waiting=tuple(other for other in play.waiting if other != seat),
        throwing=tuple(other for other in play.throwing if other != seat),
        throws=tuple(throw for throw in play.throws if throw[0] != seat),
    )
    # A logged accusation is answered whoever leaves: the dealer alone decides it.
    if play.stage in (Stage.LOOK, Stage.OPENCARDS, Stage.OVER):
        return play
    ended = _last_standing(play, at=at)
    if ended is not None:
        return ended
    if play.turn == seat:
        return _drop_turn(play, at=at)
    if play.stage in QUESTIONED:
        return _drop_questioned(play, seat, at=at)
    if play.stage is Stage.GIVE:
        return give(play, at=at)
    if play.stage is Stage.ASK:
        return step_one(play, at=at)
    if play.stage is Stage.ASK3:
        return step_three(play, at=at)
    return play


def _drop_turn(play: Play, *, at: At) -> Play:
    if play.stage is Stage.CORNER:
        return next_corner(play, at=at)
    if play.stage is Stage.FIRST:
        return next_thrower(play, at=at)
    return next_turn(play, at=at)


def _drop_questioned(play: Play, seat: int, *, at: At) -> Play:
    if play.asked is not None and play.asked.target == seat:
        return question_over(play, at=at)
    if play.stage is not Stage.ANSWER and not play.waiting and not play.court.options.window_full:
        return close_window(play, at=at)
    return play
