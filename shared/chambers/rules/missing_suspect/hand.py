"""What one seat holds and knows: its clue cards, its case, and its check list."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from chambers.rules.events import Drop, TableEvent
from chambers.rules.missing_suspect.edition import SUSPECTS, Edition, case_kind, case_of, is_clue_card, solution
from chambers.rules.missing_suspect.events import (
    DontKnow,
    Draw,
    Have,
    Look,
    NoCard,
    Offer,
    Pass,
    Stow,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.play import NOBODY, TOPS, Play, put
from chambers.rules.roles import Role, seat_of, seat_role
from chambers.rules.terms import Opened

NONE: Final = -1


class Hand(msgspec.Struct, frozen=True):
    """One seat's clue cards (kinds, the one drawn longest ago first), case and check list. It never leaves its vault.

    `case` and `former` (the case that goes back) are 0..7 or -1. `numbers` has each suspect's number or 0, `since` the
    round it was learnt in, `source` the seat that told it, or one's own. `met` has a bit for each clue ever held.
    In a trade `offered` is the card that this seat is bound to; `incoming` and `outgoing` change hands at its end.
    """

    seat: int
    cards: tuple[int, ...] = ()
    case: int = NONE
    former: int = NONE
    numbers: tuple[int, ...] = (0,) * SUSPECTS
    since: tuple[int, ...] = (0,) * SUSPECTS
    source: tuple[int, ...] = (NONE,) * SUSPECTS
    met: int = 0
    offered: int = NONE
    incoming: int = NONE
    outgoing: int = NONE

    def __repr__(self) -> str:
        return f"Hand(seat={self.seat}, ...)"


def new_hand(seat: int, /) -> Hand:
    """Return the hand of a seat that knows nothing yet."""
    return Hand(seat=seat)


def held(play: Play, hand: Hand, /) -> tuple[int, ...]:
    """Return the kinds of all cards in the hand: clue cards, the case, and a case that is about to go back."""
    cases = tuple(case_kind(play.town.edition, case) for case in (hand.case, hand.former) if case != NONE)
    return (*hand.cards, *cases)


def solved(edition: Edition, hand: Hand) -> int | None:
    """Return the suspect's number that the hand proves for its case, or None (MS: Solving a Detective Case)."""
    return solution(edition, hand.case, hand.cards)


def learn(
    hand: Hand, before: Play | None, after: Play, author: Role, event: TableEvent, opened: Opened | None, /
) -> Hand:
    """Return the hand after an event; ValueError if a box to or from this seat comes without its opening."""
    if before is None:
        return hand
    seat, mine = hand.seat, author == seat_role(hand.seat)
    match event:
        case Draw() if event.to == seat_role(seat):
            return _drawn(hand, after.town.edition, _value(opened))
        case Stow() if mine:
            return _stowed(hand, after.town.edition, _value(opened))
        case Look() if event.to == seat_role(seat):
            return _number(hand, before.looked, _value(opened), source=seat, round=after.round)
        case Tell() if event.to == seat_role(seat):
            return _number(hand, event.place - TOPS, _value(opened), source=seat_of(author) or 0, round=after.round)
        case Offer() if mine:
            # Nobody opens an offer but the vault that made it.
            return replace(hand, offered=opened[0].value if opened else NONE)
        case Swap():
            return _swapped(hand, before, after, author=author, to=event.to, opened=opened)
        case Pass() if mine:
            return replace(hand, cards=_without(hand.cards, _value(opened)))
        case Pass() if event.to == seat_role(seat):
            return _given(hand, after.town.edition, _value(opened))
        case Take() | NoCard() | Have() | DontKnow() | Drop():
            return _free(hand) if after.asked is None else hand
        case _:
            return hand


def _value(opened: Opened | None) -> int:
    if not opened:
        raise ValueError("a box to or from this seat must be opened before the seat can learn from it")
    return opened[0].value


def _without(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    where = cards.index(card)
    return cards[:where] + cards[where + 1 :]


def _free(hand: Hand) -> Hand:
    if hand.offered == hand.incoming == hand.outgoing == NONE:
        return hand
    return replace(hand, offered=NONE, incoming=NONE, outgoing=NONE)


def _given(hand: Hand, edition: Edition, card: int) -> Hand:
    met = hand.met
    if is_clue_card(edition, card):
        for clue in edition.cards[card]:
            met |= 1 << clue
    return replace(hand, cards=(*hand.cards, card), met=met)


def _drawn(hand: Hand, edition: Edition, card: int) -> Hand:
    case = case_of(edition, card)
    return _given(hand, edition, card) if case is None else replace(hand, case=case, former=hand.case)


def _stowed(hand: Hand, edition: Edition, card: int) -> Hand:
    if case_of(edition, card) is not None:
        return replace(hand, former=NONE)
    return replace(hand, cards=_without(hand.cards, card))


def _number(hand: Hand, suspect: int, number: int, *, source: int, round: int) -> Hand:
    if suspect == NOBODY or hand.numbers[suspect]:
        return hand
    return replace(
        hand,
        numbers=put(hand.numbers, suspect, number),
        since=put(hand.since, suspect, round),
        source=put(hand.source, suspect, source),
    )


def _swapped(hand: Hand, before: Play, after: Play, *, author: Role, to: Role, opened: Opened | None) -> Hand:
    """Both cards change hands with the second half, so that nobody gives away what he is only about to get."""
    me = seat_role(hand.seat)
    if me not in (author, to):
        return hand
    card = _value(opened)
    if after.asked is not None:
        return replace(hand, outgoing=card) if me == author else replace(hand, incoming=card)
    given, taken = (card, hand.incoming) if me == author else (hand.outgoing, card)
    left = replace(_free(hand), cards=_without(hand.cards, given))
    return _given(left, before.town.edition, taken)
