"""What a vault signs for its seat: nothing that its own hand contradicts."""

from __future__ import annotations

from typing import NoReturn

from chambers.rules.errors import RuleError
from chambers.rules.events import TableEvent
from chambers.rules.terms import Opened
from chambers.rules.witness_stand.check import QUESTIONING, WINNING
from chambers.rules.witness_stand.edition import EXCLUDED, is_answer, question_of
from chambers.rules.witness_stand.events import NoCard, Pass, Show
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.hand import Hand
from chambers.rules.witness_stand.play import Play, Stage


def vouch(play: Play, hand: Hand, event: TableEvent, opened: Opened | None, /) -> None:
    """Refuse (RuleError) a card that the hand lacks or that may not answer, and a false `none` (WS-13, WS-29).

    No refusal names a card.
    """
    match event:
        case Show() | PlayCard():
            if event.card not in hand.cards:
                _refuse_lacking()
        case NoCard():
            question = None if play.asked is None else play.asked.question
            if any(is_answer(card) and question_of(card) == question for card in hand.cards):
                raise RuleError(
                    "rule/false-none",
                    f"{play.name(hand.seat)} holds an answer and must give one.",
                    section=QUESTIONING,
                    ruling="WS-13",
                )
        case Pass():
            _vouch_pass(play, hand, opened)
        case _:
            return


def _refuse_lacking() -> NoReturn:
    raise RuleError("rule/card-not-held", "That card is not in the hand.", section=QUESTIONING, ruling="WS-13")


def _vouch_pass(play: Play, hand: Hand, opened: Opened | None) -> None:
    if opened is None or len(opened) != 1:
        raise RuleError("rule/one-card", "Exactly one card is passed.", section=QUESTIONING, ruling="WS-17")
    card = opened[0].value
    if card not in hand.cards:
        _refuse_lacking()
    if play.stage is Stage.GIVE or play.asked is None:
        return
    if card == EXCLUDED:
        if hand.seat in play.out:
            sentence = f"{play.name(hand.seat)} has accused wrongly and plays no cards."
            raise RuleError("rule/out", sentence, section=WINNING, ruling="WS-29")
        return
    if not is_answer(card) or question_of(card) != play.asked.question:
        sentence = "A question is answered with one of its two answers, or with Evidence Excluded!."
        raise RuleError("rule/other-card", sentence, section=QUESTIONING, ruling="WS-13")
