"""The sentences about what passes between two players: questions, answers, trades and slips of paper."""

from __future__ import annotations

from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.events import Ask, DontKnow, Have, NoCard, Offer, Pass, Point, Swap, Tell
from chambers.rules.missing_suspect.play import Play, wants_trade
from chambers.rules.missing_suspect.words import Words
from chambers.rules.roles import seat_of
from chambers.rules.terms import Opened


def said_between(words: Words, before: Play, event: TableEvent, opened: Opened | None, *, seat: int) -> str:
    """Return the sentence about a seat's question, answer or trade; cards and numbers only from `opened`."""
    asked, edition = before.asked, before.town.edition
    match event:
        case Offer():
            return _offered(words, before, event, opened, seat=seat)
        case Ask():
            return f"{words.does(seat, 'ask')} {words.name(event.target)} for {edition.clues[event.clue].name}."
        case Point():
            whose = words.suspect(event.suspect)
            return f"{words.does(seat, 'ask')} {words.name(event.target)} for the number of the {whose}."
        case NoCard():
            clue = "" if asked is None else f" {edition.clues[asked.clue].name}"
            return f"{words.does(seat, 'do', 'does')} not have{clue}."
        case Have():
            return f"{words.does(seat, 'have', 'has')} that clue, but nothing was offered for it (MS-25)."
        case Pass() | Swap():
            card = words.card(opened[0].value) if opened else "a clue card"
            return f"{words.does(seat, 'hand')} {card} face down to {words.name(seat_of(event.to) or 0)}."
        case Tell():
            number = f" It is #{opened[0].value}." if opened else ""
            receiver = words.name(seat_of(event.to) or 0)
            return f"{words.does(seat, 'pass', 'passes')} the number on a slip to {receiver}.{number}"
        case DontKnow():
            return f"{words.does(seat, 'have', 'has')} not checked that suspect."
        case _:
            return ""


def _offered(words: Words, before: Play, event: Offer, opened: Opened | None, *, seat: int) -> str:
    target = words.name(seat_of(event.to) or 0)
    card = words.card(opened[0].value) if opened else "a clue card"
    if wants_trade(before):
        lays = words.verb(seat, "lay")
        return f"{words.does(seat, 'offer')} {target} a trade sight unseen and {lays} {card} face down."
    if not event.offer:
        return f"{words.does(seat, 'turn')} to {target}, with no clue card to offer."
    return f"{words.does(seat, 'turn')} to {target} and {words.verb(seat, 'lay')} {card} face down for a clue."
