"""The one sentence that each viewer may read about each event."""

from __future__ import annotations

from typing import Final

from chambers.rules.events import Deal, Drop, Lapse, Ok, Roll, TableEvent
from chambers.rules.roles import Role, seat_of, seat_role
from chambers.rules.terms import Opened, Viewer
from chambers.rules.voice import Voice
from chambers.rules.witness_stand.edition import (
    QUESTIONS,
    SpaceKind,
    card_code,
    card_text,
    is_answer,
    is_starred,
    question_name,
)
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
from chambers.rules.witness_stand.play import WINDOWS, Play, Stage

_VAULT_DOES: Final = {
    Stage.CORNER: "takes the next free corner",
    Stage.ASK: "asks nothing",
    Stage.ACCUSE: "accuses nobody",
    Stage.PLACE: "puts nobody on the Stand, or leaves who is there",
    Stage.GIVE: "gives away an unstarred answer if there is one",
    Stage.MOVE: "stays",
    Stage.ASK3: "asks nothing",
    Stage.END: "ends the turn",
    Stage.ANSWER: "answers, with the unstarred card first",
}


class _Words(Voice):
    """What the viewer reads of seats, cards and suspects of this game."""

    def __init__(self, play: Play, viewer: Viewer) -> None:
        super().__init__(play.name, viewer)
        self.play = play

    def card(self, kind: int) -> str:
        edition = self.play.court.edition
        text = card_text(edition, kind)
        return f'{card_code(kind)} "{text}"' if is_answer(kind) else text

    def suspect(self, suspect: int) -> str:
        return self.play.suspect(suspect)


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

    Cards that moved unseen are named only from `opened`.
    """
    words = _Words(after, viewer)
    if before is None or isinstance(event, Deal):
        text = _dealt(words, after, opened)
    elif isinstance(event, (Roll, Lapse, Drop, Look, OpenCards)):
        text = _by_no_seat(words, before, after, event, opened)
    else:
        text = _by_seat(words, before, after, seat=seat_of(author) or 0, event=event, opened=opened)
    return words.sentence(text)


def _dealt(words: _Words, after: Play, opened: Opened | None) -> str:
    counts = ", ".join(f"{after.counts[seat]} to {words.name(seat)}" for seat in range(after.seats))
    text = f"The dealer lays three starred answers in the envelope and deals the rest: {counts}."
    if opened:
        held = ", ".join(card_code(kind) for kind in sorted(card.value for card in opened))
        text += f" Your cards: {held}." if words.seat is not None else f" Cards: {held}."
    return text


def _turn(words: _Words, before: Play, after: Play) -> str:
    """Say whose turn begins, if one does."""
    if after.result is not None:
        return f" {after.result.text}"
    if (before.turn, before.round) != (after.turn, after.round) and after.round:
        return f" Round {after.round}: {words.whose(after.turn)} turn."
    return ""


def _by_no_seat(words: _Words, before: Play, after: Play, event: TableEvent, opened: Opened | None) -> str:
    match event:
        case Roll():
            if before.stage is Stage.FIRST:
                return _thrown(words, before, after, event)
            return _rolled(words, before, after, event)
        case Lapse():
            return _lapsed(words, before)
        case Drop():
            text = f"{words.name(event.seat)} {'are' if event.seat == words.seat else 'is'} dropped from the table"
            return f"{text}; the cards there are out of play.{_turn(words, before, after)}"
        case Look():
            return _looked(words, before, after, event, opened)
        case OpenCards():
            cards = ", ".join(words.card(value) for _, value, _ in event.cards)
            end = "" if after.result is None else f" {after.result.text}"
            return f"{_ended(f'The dealer opens the envelope: {cards}')}{end}"
        case _:
            return ""


def _ended(text: str) -> str:
    """Return a sentence with its full stop, which one that is quoted at its end has brought along."""
    return text if text.endswith(('."', '!"', '?"')) else f"{text}."


def _thrown(words: _Words, before: Play, after: Play, event: Roll) -> str:
    text = f"{words.does(before.turn, 'throw')} {event.value} for the first turn."
    if after.stage is Stage.FIRST and not after.throws:
        tied = ", ".join(words.name(seat) for seat in after.throwing)
        return f"{text} A tie: {tied} throw again."
    return text + _turn(words, before, after)


def _rolled(words: _Words, before: Play, after: Play, event: Roll) -> str:
    space = after.spaces[before.turn]
    text = f"{words.does(before.turn, 'roll')} {event.value} and {_moves(words, before.turn)}"
    return f"{text} to {after.court.space_names[space]} (space {space}).{_space_acts(words, after, space)}"


def _moves(words: _Words, seat: int) -> str:
    return "move" if seat == words.seat else "moves"


def _space_acts(words: _Words, after: Play, space: int) -> str:
    landed = after.court.edition.board[space]
    if landed.kind is SpaceKind.CALL and landed.suspect is not None:
        where = "to the door of Chambers" if landed.confidential else "to the Stand"
        return f" {words.suspect(landed.suspect)} is called {where}."
    if landed.kind is SpaceKind.BURGER and after.stage is not Stage.GIVE:
        return " No card can be given."
    return ""


def _lapsed(words: _Words, before: Play) -> str:
    if before.stage is Stage.WINDOW:
        return "The time to object has run out."
    if before.stage is Stage.OVERRULE:
        return "The time to overrule has run out: the objection is sustained."
    seat = before.asked.target if before.stage is Stage.ANSWER and before.asked is not None else before.turn
    does = _VAULT_DOES.get(before.stage, "makes the safe choice")
    return f"Time has run out for {words.name(seat)}: {words.whose(seat)} vault {does}."


def _looked(words: _Words, before: Play, after: Play, event: Look, opened: Opened | None) -> str:
    suspect, seat = words.suspect(before.accused), before.turn
    who = words.whose(seat)
    if event.verdict:
        return f"The dealer looks into the envelope: {who} accusation of {suspect} is right."
    text = f"The dealer looks into the envelope: {who} accusation of {suspect} is wrong."
    if opened:
        text = _ended(f"{text} The envelope holds {', '.join(words.card(card.value) for card in opened)}")
    text += f" From now on {words.does(seat, 'only answer', 'only answers')} questions."
    if after.court.options.half:
        text += " The score loses half a win."
    return text + _turn(words, before, after)


def _by_seat(words: _Words, before: Play, after: Play, *, seat: int, event: TableEvent, opened: Opened | None) -> str:
    match event:
        case Ok():
            return _passed_by(words, before, after, seat=seat)
        case Ask():
            return _asked(words, seat=seat, event=event)
        case Show():
            return _shown(words, before, after, seat=seat, event=event)
        case NoCard():
            code = "" if before.asked is None else question_name(before.asked.question)
            return f"{words.does(seat, 'have', 'has')} no answer to {code}."
        case Pass():
            return _passed(words, before, seat=seat, event=event, opened=opened)
        case PlayCard():
            return _played(words, before, after, seat=seat, event=event)
        case Accuse():
            return f"{words.does(seat, 'accuse')} {words.suspect(event.suspect)}."
        case Go():
            return f"{words.does(seat, 'go', 'goes')} on."
        case EndTurn():
            return f"{words.does(seat, 'end')} the turn.{_turn(words, before, after)}"
        case Corner() | Move() | Place():
            return _chosen(words, before, after, seat=seat, event=event)
        case _:
            return ""


def _passed_by(words: _Words, before: Play, after: Play, *, seat: int) -> str:
    text = f"{words.does(seat, 'let')} it pass."
    if before.stage is Stage.OVERRULE and after.stage not in WINDOWS:
        text += " The objection is sustained."
    return text


def _asked(words: _Words, *, seat: int, event: Ask) -> str:
    suspect = words.play.court.edition.suspects[event.question // QUESTIONS]
    how = "in public" if event.public else "in confidence"
    text = suspect.questions[event.question % QUESTIONS].text
    code = question_name(event.question)
    return f'{words.does(seat, "ask")} {words.name(event.target)} {how} question {code} of {suspect.name}: "{text}"'


def _shown(words: _Words, before: Play, after: Play, *, seat: int, event: Show) -> str:
    if not is_answer(event.card):
        return f"{words.does(seat, 'show')} {words.card(event.card)}; {words.does(before.turn, 'take')} the card."
    star = "starred" if is_starred(event.card) else "not starred"
    return (
        f"{words.does(seat, 'answer')} {words.card(event.card)} ({star}); {words.does(before.turn, 'take')} the card."
    )


def _passed(words: _Words, before: Play, *, seat: int, event: Pass, opened: Opened | None) -> str:
    to = next((other for other in range(before.seats) if seat_role(other) == event.to), seat)
    does = words.does(seat, "give") if before.stage is Stage.GIVE else words.does(seat, "pass", "passes")
    card = words.card(opened[0].value) if opened else "a card"
    return f"{does} {card} face down to {words.name(to)}."


def _played(words: _Words, before: Play, after: Play, *, seat: int, event: PlayCard) -> str:
    card = words.card(event.card)
    text = f"{words.does(seat, 'play')} {card}" + ("" if card.endswith("!") else ".")
    if before.stage is Stage.END:
        return f"{text} {words.suspect(before.witness)} goes to the Gallery.{_turn(words, before, after)}"
    if before.stage is Stage.OVERRULE:
        return f"{text} The question stands."
    return text if after.stage is Stage.OVERRULE else f"{text} The objection is sustained."


def _chosen(words: _Words, before: Play, after: Play, *, seat: int, event: Corner | Move | Place) -> str:
    match event:
        case Corner():
            return f"{words.does(seat, 'start')} on {after.court.space_names[event.space]} (space {event.space})."
        case Move():
            if event.space == before.spaces[seat]:
                return f"{words.does(seat, 'stay')} on the space."
            name = after.court.space_names[event.space]
            text = f"{words.does(seat, 'go', 'goes')} to the corner {name} (space {event.space})."
            return text + _space_acts(words, after, event.space)
        case Place():
            if event.suspect < 0:
                return f"{words.does(seat, 'put')} nobody on the Stand."
            return f"{words.does(seat, 'put')} {words.suspect(event.suspect)} on the Stand."
