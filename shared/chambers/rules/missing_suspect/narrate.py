"""The one sentence that each viewer may read about each event."""

from __future__ import annotations

from chambers.rules.events import Deal, Drop, Lapse, Roll, TableEvent
from chambers.rules.missing_suspect.edition import NodeKind
from chambers.rules.missing_suspect.events import (
    Chart,
    Check,
    Claim,
    Draw,
    EndTurn,
    Look,
    Move,
    OpenCards,
    Place,
    Show,
    Stow,
    Take,
)
from chambers.rules.missing_suspect.events import Play as PlayCard
from chambers.rules.missing_suspect.play import NOBODY, Play, Stage
from chambers.rules.missing_suspect.prompts import where
from chambers.rules.missing_suspect.telling import said_between
from chambers.rules.missing_suspect.words import CHART_WORDS, VAULT_DOES, Words
from chambers.rules.roles import Role, seat_of
from chambers.rules.terms import Opened, Viewer


def narrate(
    before: Play | None,
    after: Play,
    author: Role,
    event: TableEvent,
    opened: Opened | None,
    viewer: Viewer,
    /,
) -> str:
    """Return one sentence or two about the event, in the second person for the viewer's own seat.

    Hidden cards and numbers are named only from `opened`.
    """
    words = Words(after, viewer)
    if before is None or isinstance(event, Deal):
        text = (
            "The dealer shuffles the numbers under the suspects, the clue cards and the cases; nobody holds a card yet."
        )
    elif isinstance(event, Roll | Lapse | Drop | Draw | Look):
        text = _by_no_seat(words, before, after, event, opened)
    else:
        seat = seat_of(author) or 0
        text = _by_turn(words, before, after, event, opened) or said_between(words, before, event, opened, seat=seat)
        text += _turn(words, before, after)
    return words.sentence(text)


def _turn(words: Words, before: Play, after: Play) -> str:
    """Say whose turn begins, if one does."""
    if after.result is not None:
        return f" {after.result.text}"
    if after.round and (before.turn, before.round) != (after.turn, after.round):
        return f" Round {after.round}: {words.whose(after.turn)} turn."
    return ""


def _by_no_seat(words: Words, before: Play, after: Play, event: TableEvent, opened: Opened | None) -> str:
    seat = before.turn
    match event:
        case Roll():
            return _rolled(words, before, after, event) + _turn(words, before, after)
        case Lapse():
            owing = before.asked.target if before.stage is Stage.ANSWER and before.asked is not None else seat
            does = VAULT_DOES.get(before.stage, "makes the safe choice")
            return f"Time has run out for {words.name(owing)}: {words.whose(owing)} vault {does}."
        case Drop():
            gone = event.seat
            text = f"{words.name(gone)} {'are' if gone == words.seat else 'is'} dropped from the table; the car leaves"
            text += " the board and the cards there are out of play"
            carried = before.carried[gone]
            if carried != NOBODY:
                text += f"; the {words.suspect(carried)} is back on {after.address(after.homes[carried])} (MS-44)"
            return f"{text}.{_turn(words, before, after)}"
        case Look():
            number = f" It is #{opened[0].value}." if opened else ""
            return f"{words.does(seat, 'look')} under the {words.suspect(before.looked)}.{number}"
        case _:
            return _drawn(words, before, opened) + _turn(words, before, after)


def _drawn(words: Words, before: Play, opened: Opened | None) -> str:
    seat = before.turn
    if before.stage is Stage.CASE:
        case = f": {words.card(opened[0].value)}" if opened else ""
        return f"{words.does(seat, 'draw')} a Detective Case{case}."
    card = f": {words.card(opened[0].value)}" if opened else ""
    return f"{words.does(seat, 'draw')} a clue card{card}."


def _rolled(words: Words, before: Play, after: Play, event: Roll) -> str:
    seat = before.turn
    text = f"{words.does(seat, 'throw')} {event.value}"
    if before.stage is Stage.WITNESS:
        return f"{text} for the Question Witness chart."
    if before.stage is Stage.FIRST:
        text += " for Dealer."
        if after.stage is Stage.PLACE:
            who, places = words.does(after.turn, "are", "is"), words.verb(after.turn, "place")
            return f"{text} {words.sentence(f'{who} the Dealer and {places} the suspects.')}"
        if not after.throws:
            return f"{text} A tie: {', '.join(words.name(tied) for tied in after.throwing)} throw again (MS-1)."
        return text
    if after.stage is Stage.MOVE:
        return f"{text}."
    return f"{text}, but no place may be driven to; the car stays and the turn is over (MS-5)."


def _by_turn(words: Words, before: Play, after: Play, event: TableEvent, opened: Opened | None) -> str:
    seat = before.turn
    match event:
        case Place():
            spot = after.address(event.node)
            return f"{words.does(seat, 'place')} the {words.suspect(event.suspect)} on {spot}, the number unseen."
        case Move():
            return _moved(words, before, after, event)
        case Check():
            text = f"{words.does(seat, 'drive')} to the {words.suspect(event.suspect)}"
            return f"{text} at {after.address(after.homes[event.suspect])} to check it."
        case Take():
            return _took(words, before, event)
        case Stow():
            return _stowed(words, before, after, opened)
        case Show():
            return f"{words.does(seat, 'show')} the new case: {words.card(event.card)}."
        case PlayCard():
            return f"{words.does(seat, 'have', 'has')} drawn Question Witness."
        case EndTurn():
            return f"{words.does(seat, 'keep')} the card."
        case Chart():
            return f"The chart says for {words.name(seat)}: {CHART_WORDS[event.result]}."
        case Claim():
            return _claimed(words, before, after, event)
        case OpenCards():
            cards = ", ".join(words.card(kind) for kind, _ in event.cards)
            number = event.suspects[0][1]
            return f"{words.does(seat, 'open')} {cards}: the sum is {number}, and so is the suspect's number."
        case _:
            return ""


def _moved(words: Words, before: Play, after: Play, event: Move) -> str:
    city, seat = after.town.city, before.turn
    end, last = event.path[-1], event.path[-2] if len(event.path) > 1 else before.cars[before.turn]
    text = f"{words.does(seat, 'drive')} to {where(before, end)}"
    if city.line(last, end) is None:
        text += f", through the tunnel at {after.address(last)}"
    text += "."
    if city.kinds[end] is NodeKind.INQUEST and not before.cased[seat]:
        text += " Without a case there is no result there (MS-14)."
    return text


def _took(words: Words, before: Play, event: Take) -> str:
    seat = before.turn
    suspect = words.suspect(before.looked) if before.looked != NOBODY else ""
    takes = {
        Stage.OFFICE: ("ask", "for a new case"),
        Stage.RED: ("turn", "to the clue pile"),
        Stage.CAPTURE: ("capture", f"the {suspect}"),
    }
    leaves = {
        Stage.OFFICE: ("keep", "the old case"),
        Stage.RED: ("draw", "no clue card"),
        Stage.CAPTURE: ("leave", f"the {suspect} where he is"),
    }
    verb, what = (takes if event.yes else leaves).get(before.stage, ("ask", "nothing"))
    return f"{words.does(seat, verb)} {what}."


def _stowed(words: Words, before: Play, after: Play, opened: Opened | None) -> str:
    seat = before.turn
    if before.stage is Stage.STOW:
        text = "Question Witness goes under the pile."
        return text if before.cased[seat] else f"{text} Without a case it has no result (MS-14)."
    card = words.card(opened[0].value) if opened else "the old case" if before.stage is Stage.RETURN else "a clue card"
    return f"{words.does(seat, 'put', 'puts')} {card} under the pile."


def _claimed(words: Words, before: Play, after: Play, event: Claim) -> str:
    seat = before.turn
    if event.solved:
        return f"{words.whose(seat)} cards still prove the case."
    suspect = before.carried[seat]
    home = after.address(after.homes[suspect])
    text = f"{words.whose(seat)} cards prove the case no longer: car and {words.suspect(suspect)} go back to {home}"
    return f"{text}, and the turn is over (MS-33)."
