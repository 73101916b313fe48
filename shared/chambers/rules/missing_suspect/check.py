"""What may be said now, and by whom; everything else is refused with its reason."""

from __future__ import annotations

from chambers.rules.events import Drop, Lapse, Roll, TableEvent
from chambers.rules.missing_suspect.check_turn import check_turn
from chambers.rules.missing_suspect.edition import LEAST, MOST, SUSPECTS, case_of, is_clue_card, solution
from chambers.rules.missing_suspect.events import Draw, Look, OpenCards
from chambers.rules.missing_suspect.play import DEALS, NOBODY, ROLLS, TOPS, Play, Stage
from chambers.rules.missing_suspect.refusals import (
    CHECKING,
    DRAWING,
    FIRST_CASE,
    HOW,
    WINNER,
    awaited,
    refuse,
    refuse_now,
)
from chambers.rules.roles import DEALER, DICE, GM, Role, seat_of, seat_role


def check(play: Play, author: Role, event: TableEvent, /, *, ts: int) -> None:
    """Refuse (RuleError) an event that its author may not say now; who holds which card is not looked at."""
    if play.result is not None:
        refuse("game-over", "The game is over.", section=WINNER, ruling="MS-39")
    match event:
        case Roll():
            _check_roll(play, author, event)
        case Draw() | Look():
            _check_dealer(play, author, event)
        case Lapse() | Drop():
            _check_gm(play, author, event, ts=ts)
        case OpenCards():
            _check_proof(play, _author_seat(play, author), event)
        case _:
            check_turn(play, _author_seat(play, author), event)


def _author_seat(play: Play, author: Role) -> int:
    seat = seat_of(author)
    if seat is None or seat >= play.seats:
        refuse("not-a-seat", "Only a player at this table may do that.", section=HOW)
    if seat in play.dropped:
        refuse("dropped", f"{play.name(seat)} has left the table for good.", section=HOW, ruling="MS-44")
    return int(seat)


def _check_roll(play: Play, author: Role, event: Roll) -> None:
    if author != DICE:
        refuse("not-the-dice", "Only the dice say what is thrown.", section=HOW)
    if play.stage not in ROLLS:
        refuse_now(play, section=HOW)
    if not 1 <= event.value <= 6:
        refuse("no-such-roll", "A die shows one to six.", section=HOW)


def _check_dealer(play: Play, author: Role, event: Draw | Look) -> None:
    section = CHECKING if isinstance(event, Look) else FIRST_CASE if play.stage is Stage.CASE else DRAWING
    if author != DEALER:
        refuse("not-the-dealer", "Only the dealer hands out cards and shows numbers.", section=section)
    if play.stage not in DEALS or isinstance(event, Look) is not (play.stage is Stage.LOOK):
        refuse_now(play, section=section)
    if event.ref != play.since or event.to != seat_role(play.turn):
        refuse("other-receiver", f"This is for {play.name(play.turn)}.", section=section)
    if isinstance(event, Look):
        if event.places != (TOPS + play.looked,):
            sentence = f"{play.name(play.turn)} looks under the {play.suspect(play.looked)}."
            refuse("other-look", sentence, section=section)
        return
    pile = play.cases if play.stage is Stage.CASE else play.clues
    if event.place != pile[0]:
        refuse("not-the-top", "Cards are drawn from the top of the pile.", section=section, ruling="MS-43")


def _check_gm(play: Play, author: Role, event: Lapse | Drop, *, ts: int) -> None:
    if author != GM:
        refuse("not-the-game-master", "Only the game master says that.", section=HOW)
    if isinstance(event, Drop):
        if not 0 <= event.seat < play.seats or event.seat in play.dropped:
            refuse("no-such-seat", "There is no such player to drop.", section=HOW, ruling="MS-44")
        return
    if event.ref != play.since or play.until is None or ts < play.until:
        refuse("no-limit-passed", f"No limit has passed. {awaited(play)}", section=HOW, ruling="MS-44")


def _check_proof(play: Play, seat: int, event: OpenCards) -> None:
    if seat != play.turn or play.stage is not Stage.OPENCARDS:
        refuse_now(play, section=WINNER)
    if len(event.cards) != 4 or len(event.suspects) != 1 or any(len(seal) != 32 for _, seal in event.cards):
        refuse("malformed", "A proof is three clue cards, a case and a suspect.", section=WINNER, ruling="MS-38")
    edition = play.town.edition
    kinds = tuple(kind for kind, _ in event.cards)
    cards, case = kinds[:3], case_of(edition, kinds[3])
    place, number, nonce = event.suspects[0]
    carried = play.carried[seat]
    ours = carried != NOBODY and place == TOPS + carried and 0 <= carried < SUSPECTS and len(nonce) == 32
    proved = None
    if case is not None and all(is_clue_card(edition, kind) for kind in cards):
        proved = solution(edition, case, cards)
    if not ours or not LEAST <= number <= MOST or proved != number:
        sentence = "Three different clues of the case must add up to the number of the suspect brought in."
        refuse("no-proof", sentence, section=WINNER, ruling="MS-38")
