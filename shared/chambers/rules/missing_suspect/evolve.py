"""What each event changes in the public state."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from chambers.rules.events import Drop, Lapse, Roll, TableEvent
from chambers.rules.missing_suspect.edition import ChartResult, column_of
from chambers.rules.missing_suspect.events import (
    Ask,
    Chart,
    Check,
    Claim,
    DontKnow,
    Draw,
    EndTurn,
    Have,
    Look,
    Move,
    NoCard,
    Offer,
    OpenCards,
    Pass,
    Place,
    Point,
    Show,
    Stow,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.events import Play as PlayCard
from chambers.rules.missing_suspect.play import NOBODY, Asked, Play, Stage, put, wants_trade
from chambers.rules.missing_suspect.turn import (
    At,
    arrive,
    drop,
    enter,
    follow,
    next_thrower,
    next_top,
    next_turn,
    over,
    send_back,
    throw,
    witness,
)
from chambers.rules.roles import Role, seat_of
from chambers.rules.terms import Result

ANY_CASE: Final = (1 << 8) - 1
"""The bits of every case: nothing is known of the half that a new case belongs to."""


def evolve(play: Play, author: Role, event: TableEvent, /, *, seq: int, ts: int) -> Play:
    """Return the state after a checked event; an event of another kind changes nothing."""
    at = At(seq, ts)
    match event:
        case Roll():
            return _roll(play, event.value, at=at)
        case Move():
            return arrive(play, event.path[-1], at=at)
        case Take():
            return _take(play, yes=event.yes, at=at)
        case Draw():
            return _draw(play, at=at)
        case Stow():
            return _stow(play, event, at=at)
        case EndTurn():
            return next_turn(replace(play, stale=put(play.stale, play.turn, True)), at=at)
        case PlayCard():
            return enter(play, Stage.STOW, at=at)
        case Chart():
            mask = sum(1 << case for case in fitting(play, event.result))
            return follow(replace(play, columns=put(play.columns, play.turn, mask)), event.result, at=at)
        case Look():
            known = play.known[play.turn] | 1 << play.looked
            return enter(play, Stage.CAPTURE, at=at, known=put(play.known, play.turn, known))
        case Claim():
            if not event.solved:
                return send_back(play, at=at)
            return enter(play, Stage.ROLL, at=at, stale=put(play.stale, play.turn, False))
        case Offer() | Ask() | Point() | NoCard() | Have() | Pass() | Swap() | Tell() | DontKnow():
            return _between(play, author, event, at=at)
        case _:
            return _evolve_rarer(play, event, at=at)


def _evolve_rarer(play: Play, event: TableEvent, *, at: At) -> Play:
    match event:
        case Place():
            return next_top(replace(play, homes=put(play.homes, event.suspect, event.node)), at=at)
        case Check():
            # An Inquest questioned this turn stays barred for the next one, wherever the chart sends the car.
            return replace(arrive(play, play.homes[event.suspect], at=at), barred=play.barred)
        case Show():
            shown = put(play.shown, play.turn, event.card)
            return _cased(replace(play, shown=shown), at=at)
        case OpenCards():
            text = f"{play.name(play.turn)} wins: the {play.suspect(play.carried[play.turn])} is brought to trial."
            return over(play, Result(winner=play.turn, text=text), at=at)
        case Lapse():
            return replace(play, until=None, lapsed=True)
        case Drop():
            return drop(play, event.seat, at=at)
        case _:
            return play


def fitting(play: Play, result: ChartResult) -> tuple[int, ...]:
    """Return the cases that the turn seat may hold for all that its chart results say, this one among them."""
    edition, mask = play.town.edition, play.columns[play.turn]
    return tuple(
        case
        for case in range(len(edition.cases))
        if mask >> case & 1 and column_of(edition, case)[play.thrown - 1] is result
    )


def _roll(play: Play, value: int, *, at: At) -> Play:
    if play.stage is Stage.FIRST:
        throws = (*play.throws, (play.turn, value))
        return next_thrower(replace(play, throws=throws, throwing=play.throwing[1:]), at=at)
    if play.stage is Stage.WITNESS:
        return enter(play, Stage.CHART, at=at, thrown=value)
    return throw(play, value, at=at)


def _take(play: Play, *, yes: bool, at: At) -> Play:
    if not yes:
        return next_turn(play, at=at)
    if play.stage is Stage.OFFICE:
        return enter(play, Stage.CASE, at=at)
    if play.stage is Stage.RED:
        return enter(play, Stage.DRAW, at=at)
    seat = play.turn
    play = replace(play, carried=put(play.carried, seat, play.looked), stale=put(play.stale, seat, False))
    return next_turn(play, at=at)


def _draw(play: Play, *, at: At) -> Play:
    seat = play.turn
    if play.stage is Stage.CASE:
        top, rest = play.cases[0], play.cases[1:]
        play = replace(
            play,
            cases=rest,
            stowed=tuple(one for one in play.stowed if one[0] != top),
            renewed=play.cased[seat],
            cased=put(play.cased, seat, True),
            columns=put(play.columns, seat, ANY_CASE),
            stale=put(play.stale, seat, True),
        )
        return enter(play, Stage.SHOW, at=at) if play.town.options.open_cases else _cased(play, at=at)
    top, rest = play.clues[0], play.clues[1:]
    play = replace(
        play,
        clues=rest,
        stowed=tuple(one for one in play.stowed if one[0] != top),
        counts=put(play.counts, seat, play.counts[seat] + 1),
    )
    return enter(play, Stage.DISCARD if play.counts[seat] > 3 else Stage.KEEP, at=at)


def _cased(play: Play, *, at: At) -> Play:
    return enter(play, Stage.RETURN, at=at) if play.renewed else next_turn(play, at=at)


def _stow(play: Play, event: Stow, *, at: At) -> Play:
    seat, stage = play.turn, play.stage
    play = replace(play, stows=play.stows + 1, stowed=(*play.stowed, (event.place, event.commit)))
    if stage is Stage.RETURN:
        return next_turn(replace(play, cases=(*play.cases, event.place)), at=at)
    play = replace(play, clues=(*play.clues, event.place), counts=put(play.counts, seat, play.counts[seat] - 1))
    if stage is Stage.STOW:
        return witness(play, at=at)
    return next_turn(replace(play, stale=put(play.stale, seat, True)), at=at)


def _between(play: Play, author: Role, event: TableEvent, *, at: At) -> Play:
    match event:
        case Offer():
            asked = Asked(ref=at.seq, target=seat_of(event.to) or 0, offered=at.seq, offer=event.offer)
            return enter(play, Stage.ANSWER if wants_trade(play) else Stage.ASK, at=at, asked=asked)
        case Ask():
            asked = play.asked or Asked(ref=at.seq, target=event.target)
            return enter(play, Stage.ANSWER, at=at, asked=replace(asked, ref=at.seq, clue=event.clue))
        case Point():
            asked = Asked(ref=at.seq, target=event.target, suspect=event.suspect)
            return enter(play, Stage.TELL, at=at, asked=asked)
        case Swap() if seat_of(author) != play.turn:
            return enter(play, Stage.SWAP, at=at)
        case Swap() | Pass():
            return next_turn(_carry(play, free=isinstance(event, Pass)), at=at)
        case Tell():
            suspect = NOBODY if play.asked is None else play.asked.suspect
            known = play.known[play.turn] | 1 << suspect
            return next_turn(replace(play, known=put(play.known, play.turn, known)), at=at)
        case _:
            return next_turn(play, at=at)


def _carry(play: Play, *, free: bool) -> Play:
    if play.asked is None:
        return play
    giver, taker, counts = play.asked.target, play.turn, list(play.counts)
    counts[giver] -= free
    counts[taker] += free
    stale = put(put(play.stale, giver, True), taker, True)
    return replace(play, counts=tuple(counts), stale=stale)
