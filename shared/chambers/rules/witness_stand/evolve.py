"""What each event changes in the public state."""

from __future__ import annotations

from msgspec.structs import replace

from chambers.rules.events import Drop, Lapse, Ok, Roll, TableEvent
from chambers.rules.roles import Role, seat_of
from chambers.rules.terms import Result
from chambers.rules.witness_stand.edition import ANSWERS, DISMISSED, OBJECT, OVERRULED
from chambers.rules.witness_stand.events import (
    Accuse,
    Ask,
    Corner,
    EndTurn,
    Go,
    Look,
    Move,
    NoCard,
    OpenCards,
    Pass,
    Place,
    Show,
)
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.play import NOBODY, NOWHERE, WINDOWS, Asked, Play, Stage
from chambers.rules.witness_stand.turn import (
    At,
    close_window,
    drop,
    enter,
    land,
    next_corner,
    next_thrower,
    next_turn,
    open_overrule,
    open_window,
    over,
    question_over,
    step_three,
)


def evolve(play: Play, author: Role, event: TableEvent, /, *, seq: int, ts: int) -> Play:
    """Return the state after a checked event; an event of another kind changes nothing."""
    at = At(seq, ts)
    match event:
        case Ok():
            return _ok(play, author, at=at)
        case Roll():
            return _roll(play, event, at=at)
        case Ask():
            asked = Asked(ref=seq, target=event.target, question=event.question, public=event.public)
            return open_window(replace(play, asked=asked), at=at)
        case Go():
            return enter(play, Stage.ROLL, at=at, step=2) if play.step == 1 else enter(play, Stage.END, at=at, step=3)
        case NoCard():
            return question_over(play, at=at)
        case Show():
            return question_over(_carry(play, giver=_target(play), taker=play.turn), at=at)
        case Pass():
            return _pass(play, author, event, at=at)
        case EndTurn():
            return next_turn(play, at=at)
        case PlayCard():
            return _play_card(play, author, event, at=at)
        case Place():
            if event.suspect >= 0:
                play = replace(play, witness=event.suspect, chambers=False)
            return step_three(play, at=at)
        case _:
            return _evolve_rarer(play, event, at=at)


def _evolve_rarer(play: Play, event: TableEvent, *, at: At) -> Play:
    match event:
        case Corner():
            spaces = play.spaces[: play.turn] + (event.space,) + play.spaces[play.turn + 1 :]
            return next_corner(replace(play, spaces=spaces), at=at)
        case Move():
            if event.space == play.spaces[play.turn]:
                return step_three(play, at=at)
            return land(play, event.space, at=at, by_choice=True)
        case Accuse():
            return enter(play, Stage.LOOK, at=at, accused=event.suspect)
        case Look():
            return enter(play, Stage.OPENCARDS, at=at) if event.verdict else _wrong(play, at=at)
        case OpenCards():
            text = f"{play.name(play.turn)} wins: {play.suspect(play.accused)} did it."
            return over(play, Result(winner=play.turn, text=text), at=at)
        case Lapse():
            return close_window(play, at=at) if play.stage in WINDOWS else replace(play, until=None, lapsed=True)
        case Drop():
            return drop(play, event.seat, at=at)
        case _:
            return play


def _target(play: Play) -> int:
    return NOBODY if play.asked is None else play.asked.target


def _ok(play: Play, author: Role, *, at: At) -> Play:
    seat = seat_of(author)
    waiting = tuple(other for other in play.waiting if other != seat)
    if waiting or play.court.options.window_full:
        return replace(play, waiting=waiting)
    return close_window(play, at=at)


def _roll(play: Play, event: Roll, *, at: At) -> Play:
    if play.stage is Stage.FIRST:
        throws = play.throws + ((play.turn, event.value),)
        return next_thrower(replace(play, throws=throws, throwing=play.throwing[1:]), at=at)
    space = (play.spaces[play.turn] + event.value) % len(play.court.edition.board)
    return land(replace(play, roll=event.value), space, at=at)


def _carry(play: Play, *, giver: int, taker: int) -> Play:
    counts = list(play.counts)
    counts[giver] -= 1
    counts[taker] += 1
    return replace(play, counts=tuple(counts))


def _pass(play: Play, author: Role, event: Pass, *, at: At) -> Play:
    giver, taker = seat_of(author), seat_of(event.to)
    if giver is None or taker is None:
        return play
    play = _carry(play, giver=giver, taker=taker)
    return step_three(play, at=at) if play.stage is Stage.GIVE else question_over(play, at=at)


def _play_card(play: Play, author: Role, event: PlayCard, *, at: At) -> Play:
    seat = seat_of(author)
    if seat is None:
        return play
    counts, played = list(play.counts), list(play.played)
    counts[seat] -= 1
    played[event.card - ANSWERS] += 1
    play = replace(play, counts=tuple(counts), played=tuple(played))
    if event.card == OBJECT and play.asked is not None:
        return open_overrule(replace(play, asked=replace(play.asked, objector=int(seat))), at=at)
    if event.card == OVERRULED:
        return enter(play, Stage.ANSWER, at=at, waiting=())
    if event.card == DISMISSED:
        # With nobody on the Stand nothing is left to choose, so the turn ends with the card.
        return next_turn(replace(play, witness=NOBODY, chambers=False), at=at)
    return play


def _wrong(play: Play, *, at: At) -> Play:
    seat = play.turn
    play = replace(
        play,
        out=tuple(sorted({*play.out, seat})),
        spaces=play.spaces[:seat] + (NOWHERE,) + play.spaces[seat + 1 :],
        cleared=tuple(sorted({*play.cleared, play.accused})),
    )
    return next_turn(play, at=at)
