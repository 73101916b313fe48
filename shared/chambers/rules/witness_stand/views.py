"""What is shown of a game: to everybody, and to one seat beyond that. Plain JSON values of bounded size."""

from __future__ import annotations

from typing import Any

from chambers.rules.witness_stand.edition import (
    ANSWERS,
    DISMISSED,
    card_code,
    question_name,
)
from chambers.rules.witness_stand.hand import ENVELOPE, SOMEWHERE, UNSEEN, Hand
from chambers.rules.witness_stand.play import NOBODY, Play, letter, protected


def public_view(play: Play, /) -> dict[str, Any]:
    """Return what everybody may see; seats are numbers, suspects letters, questions `A1`..`D5`."""
    return {
        "turn": {
            "seat": play.turn,
            "step": play.step,
            "stage": play.stage.value,
            "round": play.round,
            "roll": play.roll,
            "questions_left": play.asks if play.step else 0,
            "since": play.since,
            "until": play.until,
            "lapsed": play.lapsed,
        },
        "order": list(play.order),
        "seats": [_seat(play, seat) for seat in range(play.seats)],
        "witness": {"suspect": letter(play.witness), "where": "chambers" if play.chambers else "stand"}
        if play.witness >= 0
        else None,
        "question": _question(play),
        "waiting": list(play.waiting),
        "throws": [{"seat": seat, "value": value} for seat, value in play.throws],
        "actions": {
            card_code(kind): {"of": play.court.actions[kind - ANSWERS], "played": play.played[kind - ANSWERS]}
            for kind in range(ANSWERS, DISMISSED + 1)
        },
        "accused": letter(play.accused) if play.accused != NOBODY else None,
        "innocent": [letter(suspect) for suspect in play.cleared],
        "result": None if play.result is None else {"winner": play.result.winner, "text": play.result.text},
    }


def _seat(play: Play, seat: int) -> dict[str, Any]:
    space = play.spaces[seat]
    return {
        "name": play.name(seat),
        "cards": play.counts[seat],
        "space": space if space >= 0 else None,
        "space_name": play.court.space_names[space] if space >= 0 else None,
        "out": seat in play.out,
        "dropped": seat in play.dropped,
        "protected": protected(play, seat),
    }


def _question(play: Play) -> dict[str, Any] | None:
    asked = play.asked
    if asked is None:
        return None
    return {
        "ref": asked.ref,
        "asker": play.turn,
        "target": asked.target,
        "question": question_name(asked.question),
        "public": asked.public,
        "objector": asked.objector if asked.objector != NOBODY else None,
    }


def private_view(play: Play, hand: Hand, /) -> dict[str, Any]:
    """Return the seat's hand, sheet and envelope: for each question where each answer is, and who holds neither.

    An answer is null while unseen; its holder is a seat, `envelope`, or null when it is in play but may have moved.
    """
    return {
        "seat": hand.seat,
        "hand": [{"kind": card, "code": card_code(card)} for card in hand.cards],
        "sheet": {question_name(question): _row(hand, question, seats=play.seats) for question in range(ANSWERS // 2)},
        "envelope": [card_code(card) for card in hand.envelope] or None,
    }


def _row(hand: Hand, question: int, *, seats: int) -> dict[str, Any]:
    mask = hand.denied[question]
    return {
        "starred": _known(hand, 2 * question + 1),
        "plain": _known(hand, 2 * question),
        "denied": [seat for seat in range(seats) if mask >> seat & 1],
    }


def _known(hand: Hand, card: int) -> dict[str, Any] | None:
    holder = hand.holders[card]
    if holder == UNSEEN:
        return None
    where = "envelope" if holder == ENVELOPE else None if holder == SOMEWHERE else holder
    return {"holder": where, "since": hand.since[card]}
