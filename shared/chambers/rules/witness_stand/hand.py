"""What one seat holds and knows: its cards, its question sheet, and the envelope once it has looked."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from chambers.rules.events import Deal, TableEvent
from chambers.rules.roles import Role, seat_of, seat_role
from chambers.rules.terms import Opened
from chambers.rules.witness_stand.edition import ANSWERS, is_answer, question_of
from chambers.rules.witness_stand.events import Look, NoCard, OpenCards, Pass, Show
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.play import Play, Stage

UNSEEN: Final = -1
SOMEWHERE: Final = -2
ENVELOPE: Final = -3


class Hand(msgspec.Struct, frozen=True):
    """One seat's cards (kinds, ascending) and sheet. It never leaves its vault.

    `holders` says for each of the 40 answers which seat is known to hold it now, or UNSEEN, or SOMEWHERE (known
    to be in play, but it may have moved unseen), or ENVELOPE; `since` the round in which that was learnt.
    `denied` has for each of the 20 questions a bit for each seat that is known to hold neither answer now.
    """

    seat: int
    cards: tuple[int, ...] = ()
    holders: tuple[int, ...] = (UNSEEN,) * ANSWERS
    since: tuple[int, ...] = (0,) * ANSWERS
    denied: tuple[int, ...] = (0,) * (ANSWERS // 2)
    envelope: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"Hand(seat={self.seat}, ...)"


def new_hand(seat: int, /) -> Hand:
    """Return the hand of a seat that knows nothing yet."""
    return Hand(seat=seat)


def held(play: Play, hand: Hand, /) -> tuple[int, ...]:
    """Return the kinds of all cards in the hand."""
    return hand.cards


def learn(
    hand: Hand, before: Play | None, after: Play, author: Role, event: TableEvent, opened: Opened | None, /
) -> Hand:
    """Return the hand after an event; ValueError if a box to or from this seat comes without its opening."""
    match event:
        case Show():
            return _seen(hand, event.card, giver=seat_of(author), taker=_asker(before), round=after.round)
        case NoCard():
            return _denial(hand, before, seat_of(author))
        case Pass():
            return _passed(hand, before, after, giver=seat_of(author), taker=seat_of(event.to), opened=opened)
        case PlayCard():
            return replace(hand, cards=_without(hand.cards, event.card)) if seat_of(author) == hand.seat else hand
        case Look():
            if event.to != seat_role(hand.seat):
                return hand
            return _envelope(hand, tuple(shown.value for shown in _needed(opened)), round=after.round)
        case OpenCards():
            return _envelope(hand, tuple(value for _, value, _ in event.cards), round=after.round)
        case Deal():
            return _dealt(hand, tuple(card.value for card in _needed(opened)))
        case _:
            return hand


def _needed(opened: Opened | None) -> Opened:
    if opened is None:
        raise ValueError("a box to or from this seat must be opened before the seat can learn from it")
    return opened


def _asker(before: Play | None) -> int | None:
    return None if before is None else before.turn


def _without(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    where = cards.index(card)
    return cards[:where] + cards[where + 1 :]


def _put(row: tuple[int, ...], where: int, value: int) -> tuple[int, ...]:
    return row[:where] + (value,) + row[where + 1 :]


def _dealt(hand: Hand, cards: tuple[int, ...]) -> Hand:
    holders = list(hand.holders)
    for card in cards:
        if is_answer(card):
            holders[card] = hand.seat
    return replace(hand, cards=tuple(sorted(cards)), holders=tuple(holders))


def _seen(hand: Hand, card: int, *, giver: int | None, taker: int | None, round: int) -> Hand:
    if giver is None or taker is None:
        return hand
    cards = hand.cards
    if giver == hand.seat:
        cards = _without(cards, card)
    elif taker == hand.seat:
        cards = tuple(sorted(cards + (card,)))
    if not is_answer(card):
        return hand if cards is hand.cards else replace(hand, cards=cards)
    question = question_of(card)
    return replace(
        hand,
        cards=cards,
        holders=_put(hand.holders, card, taker),
        since=_put(hand.since, card, round),
        denied=_put(hand.denied, question, hand.denied[question] & ~(1 << taker)),
    )


def _denial(hand: Hand, before: Play | None, seat: int | None) -> Hand:
    if before is None or before.asked is None or seat is None:
        return hand
    question = before.asked.question
    return replace(hand, denied=_put(hand.denied, question, hand.denied[question] | 1 << seat))


def _passed(
    hand: Hand, before: Play | None, after: Play, *, giver: int | None, taker: int | None, opened: Opened | None
) -> Hand:
    if before is None or giver is None or taker is None:
        return hand
    if hand.seat in (giver, taker):
        card = _needed(opened)[0].value
        return _seen(hand, card, giver=giver, taker=taker, round=after.round)
    if before.stage is Stage.GIVE:
        questions: tuple[int, ...] = tuple(range(len(hand.denied)))
    else:
        questions = () if before.asked is None else (before.asked.question,)
    return _moved_unseen(hand, questions, giver=giver, taker=taker)


def _moved_unseen(hand: Hand, questions: tuple[int, ...], *, giver: int, taker: int) -> Hand:
    """Forget what a card passed face down may have made untrue, and nothing else."""
    holders, denied = list(hand.holders), list(hand.denied)
    for question in questions:
        pair = (2 * question, 2 * question + 1)
        elsewhere = all(holders[card] not in (giver, UNSEEN, SOMEWHERE) for card in pair)
        if denied[question] >> giver & 1 or elsewhere:
            continue
        denied[question] &= ~(1 << taker)
        for card in pair:
            if holders[card] == giver:
                holders[card] = SOMEWHERE
    return replace(hand, holders=tuple(holders), denied=tuple(denied))


def _envelope(hand: Hand, cards: tuple[int, ...], *, round: int) -> Hand:
    holders, since = list(hand.holders), list(hand.since)
    for card in cards:
        holders[card], since[card] = ENVELOPE, round
    return replace(hand, envelope=cards, holders=tuple(holders), since=tuple(since))
