"""What a vault states by itself, its player having no choice."""

from __future__ import annotations

from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.edition import case_kind, column_of, witness_kind
from chambers.rules.missing_suspect.events import (
    Chart,
    Claim,
    DontKnow,
    EndTurn,
    Have,
    NoCard,
    OpenCards,
    Show,
    Stow,
    Swap,
    Tell,
)
from chambers.rules.missing_suspect.events import Play as PlayCard
from chambers.rules.missing_suspect.hand import NONE, Hand, solved
from chambers.rules.missing_suspect.play import TOPS, Asked, Play, Stage
from chambers.rules.missing_suspect.statements import HAND_OVER
from chambers.rules.missing_suspect.vouch import asked_for
from chambers.rules.roles import seat_role
from chambers.rules.terms import Option


def automatic(play: Play, hand: Hand, /) -> Option | None:
    """Return what this seat's vault states now by itself, or None.

    That is a claim, a card kept, a Question Witness played, a card put back, a chart result, the proof at trial; and
    for a seat that is asked: a number or that it is not known, `none`, and `have` (MS-24, MS-25, MS-27, MS-28).
    """
    asked = play.asked
    if asked is not None and play.stage in (Stage.ANSWER, Stage.TELL):
        return _answer(play, hand, asked) if asked.target == hand.seat else None
    if hand.seat != play.turn:
        return None
    witness = witness_kind(play.town.edition)
    match play.stage:
        case Stage.KEEP | Stage.DISCARD if witness in hand.cards:
            return _option("play", PlayCard(ref=play.since, card=witness, seal=b""), "Play Question Witness", witness)
        case Stage.KEEP:
            return _option("endturn", EndTurn(), "Keep the card")
        case Stage.STOW:
            return stowing(play, witness, label="Put Question Witness under the pile")
        case Stage.RETURN:
            return stowing(play, case_kind(play.town.edition, hand.former), label="Put the old case under the pile")
        case Stage.SHOW:
            card = case_kind(play.town.edition, hand.case)
            return _option("show", Show(ref=play.since, card=card, seal=b""), "Show the case", card)
        case _:
            return _word(play, hand)


def _option(ident: str, event: TableEvent, label: str, card: int | None = None) -> Option:
    return Option(id=ident, label=label, event=event, card=card)


def stowing(play: Play, kind: int, *, label: str, ident: str = "stow") -> Option:
    """Return the option that puts a card under its pile."""
    event = Stow(ref=play.since, place=play.next_place(), commit=b"", box=b"")
    return _option(ident, event, label, kind)


def _word(play: Play, hand: Hand) -> Option | None:
    edition, asked = play.town.edition, play.asked
    match play.stage:
        case Stage.CLAIM:
            number = solved(edition, hand)
            true = number is not None and number == hand.numbers[play.carried[hand.seat]]
            return _option("claim", Claim(ref=play.since, solved=true), "Say whether the case is still solved")
        case Stage.CHART:
            result = column_of(edition, hand.case)[play.thrown - 1]
            return _option("chart", Chart(ref=play.since, result=result), "Read the chart")
        case Stage.SWAP if asked is not None and hand.offered != NONE:
            event = Swap(ref=asked.ref, to=seat_role(asked.target), box=b"")
            return _option(HAND_OVER, event, "Hand the offered card over", hand.offered)
        case Stage.OPENCARDS:
            return _option("opencards", _proof(play, hand), "Prove the case")
        case _:
            return None


def _proof(play: Play, hand: Hand) -> OpenCards:
    suspect = play.carried[hand.seat]
    kinds = (*hand.cards, case_kind(play.town.edition, hand.case))
    return OpenCards(
        cards=tuple((kind, b"") for kind in kinds), suspects=((TOPS + suspect, hand.numbers[suspect], b""),)
    )


def _answer(play: Play, hand: Hand, asked: Asked) -> Option | None:
    if play.stage is Stage.TELL:
        place, number = TOPS + asked.suspect, hand.numbers[asked.suspect]
        if not number:
            return _option("dontknow", DontKnow(ref=asked.ref, place=place), "Sorry, I have not checked that suspect")
        told = Tell(ref=asked.ref, place=place, to=seat_role(play.turn), box=b"")
        return _option("tell", told, "Pass the number on a slip", number)
    if asked.clue < 0:
        return None
    if not asked_for(play, hand):
        return _option("none", NoCard(ref=asked.ref), "No such clue")
    if not asked.offer and not play.town.options.free_ask:
        return _option("have", Have(ref=asked.ref), "I have that clue, but nothing was offered for it")
    return None
