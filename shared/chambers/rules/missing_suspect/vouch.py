"""What a vault signs for its seat: nothing that its own hand contradicts."""

from __future__ import annotations

from typing import NoReturn

from chambers.rules.errors import RuleError
from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.edition import case_kind, column_of, is_clue_card, on_card, witness_kind
from chambers.rules.missing_suspect.events import (
    Chart,
    Claim,
    EndTurn,
    Have,
    NoCard,
    Offer,
    OpenCards,
    Pass,
    Show,
    Stow,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.events import Play as PlayCard
from chambers.rules.missing_suspect.hand import NONE, Hand, solved
from chambers.rules.missing_suspect.play import NOBODY, Play, Stage
from chambers.rules.missing_suspect.refusals import CAPTURING, CHART, DRAWING, NEW_CASE, WINNER, WITNESS_CARDS, refuse
from chambers.rules.terms import Opened


def vouch(play: Play, hand: Hand, event: TableEvent, opened: Opened | None, /) -> None:
    """Refuse (RuleError) a card that the hand lacks, and an answer, result or claim that it contradicts.

    No refusal names a card, a case or a number.
    """
    match event:
        case NoCard() | Have():
            held = asked_for(play, hand)
            if bool(held) is isinstance(event, NoCard):
                sentence = f"That is not what the cards of {play.name(hand.seat)} say."
                refuse("false-answer", sentence, section=CHART, ruling="MS-24")
        case Swap() | Pass() | Stow():
            _vouch_card(play, hand, event, opened)
        case Offer():
            if event.offer and opened is not None and _one(opened) not in hand.cards:
                _lacking()
        case Tell():
            suspect = NOBODY if play.asked is None else play.asked.suspect
            if _one(opened) != hand.numbers[suspect] or opened is None or opened[0].place != event.place:
                refuse("false-number", "That is not the number that was seen.", section=CHART, ruling="MS-28")
        case _:
            _vouch_word(play, hand, event)


def asked_for(play: Play, hand: Hand) -> tuple[int, ...]:
    """Return the cards of the hand that carry the clue asked for, on either side (MS-24)."""
    clue = NOBODY if play.asked is None else play.asked.clue
    return tuple(card for card in hand.cards if on_card(play.town.edition, card, clue))


def _one(opened: Opened | None) -> int:
    if opened is None or len(opened) != 1:
        raise RuleError("rule/one-card", "Exactly one card or number is handed over.", section=CHART)
    return opened[0].value


def _lacking() -> NoReturn:
    raise RuleError("rule/card-not-held", "That card is not in the hand.", section=DRAWING)


def _vouch_card(play: Play, hand: Hand, event: Swap | Pass | Stow, opened: Opened | None) -> None:
    card = _one(opened)
    if isinstance(event, Stow):
        if opened is None or opened[0].place != event.place:
            refuse("other-place", "The card is stowed at another place than was said.", section=DRAWING)
        _vouch_stow(play, hand, card)
        return
    if card not in hand.cards or not is_clue_card(play.town.edition, card):
        _lacking()
    if play.stage is Stage.SWAP and hand.offered not in (NONE, card):
        refuse("other-offer", "Another card was offered.", section=CHART, ruling="MS-24")
    named = play.stage is Stage.ANSWER and play.asked is not None and play.asked.clue >= 0
    if named and card not in asked_for(play, hand):
        refuse("other-card", "That card does not carry the clue asked for.", section=CHART, ruling="MS-24")


def _vouch_stow(play: Play, hand: Hand, card: int) -> None:
    edition = play.town.edition
    if play.stage is Stage.RETURN:
        if hand.former == NONE or card != case_kind(edition, hand.former):
            refuse("other-case", "The old case is the one that goes back.", section=NEW_CASE, ruling="MS-21")
        return
    if card not in hand.cards:
        _lacking()
    if (play.stage is Stage.STOW) is not (card == witness_kind(edition)):
        refuse("other-card", "Question Witness is played before it goes back.", section=WITNESS_CARDS)
    if play.stage is Stage.DISCARD and witness_kind(edition) in hand.cards:
        refuse("must-play", "Question Witness is played at once.", section=WITNESS_CARDS)


def _vouch_word(play: Play, hand: Hand, event: TableEvent) -> None:
    edition = play.town.edition
    match event:
        case PlayCard():
            if event.card not in hand.cards:
                _lacking()
        case EndTurn():
            if witness_kind(edition) in hand.cards:
                refuse("must-play", "Question Witness is played at once.", section=WITNESS_CARDS)
        case Chart():
            if hand.case == NONE or column_of(edition, hand.case)[play.thrown - 1] is not event.result:
                refuse("false-result", "That is not what the chart says.", section=CHART)
        case Claim():
            number = hand.numbers[play.carried[hand.seat]]
            if event.solved is not (number > 0 and solved(edition, hand) == number):
                refuse("false-claim", "That is not what the cards prove.", section=CAPTURING, ruling="MS-33")
        case Take(yes=True) if play.stage is Stage.CAPTURE:
            if solved(edition, hand) != hand.numbers[play.looked]:
                sentence = "The three clues held do not lead to this suspect."
                refuse("wrong-suspect", sentence, section=CAPTURING, ruling="MS-30")
        case Show():
            if hand.case == NONE or event.card != case_kind(edition, hand.case):
                refuse("other-case", "That is not the case that was drawn.", section=NEW_CASE, ruling="MS-37")
        case OpenCards():
            kinds = sorted(kind for kind, _ in event.cards)
            if hand.case == NONE or kinds != sorted((*hand.cards, case_kind(edition, hand.case))):
                refuse("false-proof", "Those are not the cards of the hand.", section=WINNER, ruling="MS-38")
        case _:
            return
