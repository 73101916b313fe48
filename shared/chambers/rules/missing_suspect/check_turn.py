"""What a seat may say: in its own turn, and when another turns to it."""

from __future__ import annotations

from typing import Final

from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.driving import check_path
from chambers.rules.missing_suspect.edition import case_of, witness_kind
from chambers.rules.missing_suspect.events import (
    Ask,
    Chart,
    Check,
    Claim,
    DontKnow,
    EndTurn,
    Have,
    Move,
    NoCard,
    Offer,
    Pass,
    Place,
    Point,
    Show,
    Stow,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.events import Play as PlayCard
from chambers.rules.missing_suspect.evolve import fitting
from chambers.rules.missing_suspect.play import (
    MAY_DECLINE,
    MAY_TAKE,
    TOPS,
    Asked,
    Play,
    Stage,
    free_spots,
    may_capture,
    on_board,
    others,
    partners,
    wants_trade,
)
from chambers.rules.missing_suspect.refusals import (
    CAPTURING,
    CHART,
    DRAWING,
    HOW,
    MOVES,
    NEW_CASE,
    START,
    WITNESS_CARDS,
    awaited,
    refuse,
    refuse_now,
)
from chambers.rules.roles import Role, seat_of, seat_role

_HASH: Final = 32
_STOWS: Final = frozenset({Stage.DISCARD, Stage.STOW, Stage.RETURN})


def check_turn(play: Play, seat: int, event: TableEvent) -> None:
    """Refuse (RuleError) what this seat may not say now."""
    match event:
        case NoCard() | Have() | Pass() | Tell() | DontKnow():
            _check_answer(play, seat, event)
        case Swap():
            _check_swap(play, seat, event)
        case Offer() | Ask() | Point():
            _whose_turn(play, seat)
            _check_question(play, event)
        case Place() | Move() | Take() | Check():
            _whose_turn(play, seat)
            _check_choice(play, event)
        case Stow() | Show() | PlayCard() | EndTurn() | Chart() | Claim():
            _whose_turn(play, seat)
            _check_vaults(play, event)
        case _:
            refuse("unknown-event", "That is no move of this game.", section=HOW)


def _whose_turn(play: Play, seat: int) -> None:
    if seat != play.turn or play.stage is Stage.FIRST:
        refuse("not-your-turn", f"It is not {play.name(seat)}'s turn. {awaited(play)}", section=HOW, ruling="MS-45")


def _stage(play: Play, *stages: Stage, section: str) -> None:
    if play.stage not in stages:
        refuse_now(play, section=section)


def _check_choice(play: Play, event: Place | Move | Take | Check) -> None:
    match event:
        case Place():
            _stage(play, Stage.PLACE, section=START)
            if event.suspect != play.homes.index(-1):
                sentence = "The suspects are placed in their printed order."
                refuse("other-suspect", sentence, section=START, ruling="MS-45")
            if event.node not in free_spots(play):
                refuse("not-a-free-spot", "A suspect is placed on a free S spot.", section=START)
        case Move():
            _stage(play, Stage.MOVE, section=MOVES)
            check_path(play, event.path)
        case Check():
            _stage(play, Stage.CHECK, section=CHART)
            if event.suspect not in on_board(play):
                sentence = "Only a suspect that stands on an S spot can be checked."
                refuse("not-on-the-board", sentence, section=CHART, ruling="MS-23")
        case Take():
            if play.stage not in (MAY_TAKE if event.yes else MAY_DECLINE):
                refuse_now(play, section=HOW)
            if event.yes and play.stage is Stage.CAPTURE and not may_capture(play):
                sentence = "To capture, a detective holds a case and three clue cards, and carries nobody."
                refuse("not-solved", sentence, section=CAPTURING, ruling="MS-30")


def _check_vaults(play: Play, event: Stow | Show | PlayCard | EndTurn | Chart | Claim) -> None:
    edition = play.town.edition
    match event:
        case Stow():
            _stage(play, *_STOWS, section=DRAWING)
            if event.place != play.next_place() or len(event.commit) != _HASH:
                refuse("other-place", "Stowed cards get new places in order.", section=DRAWING, ruling="MS-43")
        case Show():
            _stage(play, Stage.SHOW, section=NEW_CASE)
            if case_of(edition, event.card) is None:
                refuse("not-a-case", "A case is shown.", section=NEW_CASE, ruling="MS-37")
        case PlayCard():
            _stage(play, Stage.KEEP, Stage.DISCARD, section=WITNESS_CARDS)
            if event.card != witness_kind(edition):
                refuse("not-played", "Only Question Witness is played.", section=WITNESS_CARDS)
        case EndTurn():
            _stage(play, Stage.KEEP, section=DRAWING)
            return
        case Chart():
            _stage(play, Stage.CHART, section=CHART)
            if not fitting(play, event.result):
                sentence = "No case that this player can hold has that result for this throw."
                refuse("other-result", sentence, section=CHART)
        case Claim():
            _stage(play, Stage.CLAIM, section=CAPTURING)
    if event.ref != play.since:
        refuse("stale", "That belongs to an earlier moment.", section=HOW)


def _check_question(play: Play, event: Offer | Ask | Point) -> None:
    match event:
        case Offer():
            _stage(play, Stage.OFFER, section=CHART)
            _check_partner(play, seat_of(event.to), ruling="MS-26" if wants_trade(play) else "MS-24")
            bound = len(event.offer) == _HASH
            if event.offer and not bound:
                refuse("malformed", "An offer is a hash.", section=CHART)
            if bound is not bool(play.counts[play.turn]):
                sentence = "Who holds a clue card is bound to one before he asks; who holds none offers none."
                refuse("offer", sentence, section=CHART, ruling="MS-25" if bound else "MS-24")
        case Ask():
            _stage(play, Stage.ASK, section=CHART)
            asked = play.asked
            if asked is None or event.target != asked.target or event.offer != asked.offer:
                refuse("other-player", "The clue is asked of the player turned to.", section=CHART, ruling="MS-24")
            if not 0 <= event.clue < len(play.town.edition.clues):
                refuse("no-such-clue", "There is no such clue.", section=CHART, ruling="MS-24")
        case Point():
            _stage(play, Stage.POINT, section=CHART)
            if event.target not in others(play):
                refuse("other-player", "Another player is asked.", section=CHART, ruling="MS-27")
            if event.suspect not in on_board(play):
                sentence = "Only a suspect that stands on the board can be asked about."
                refuse("not-on-the-board", sentence, section=CHART, ruling="MS-27")


def _check_partner(play: Play, target: int | None, *, ruling: str) -> None:
    if target is None or target not in partners(play):
        sentence = "A trade needs another player, and in a trade sight unseen one who holds a clue card."
        refuse("other-player", sentence, section=CHART, ruling=ruling)


def _open(play: Play, seat: int, *, ref: int, stage: Stage) -> Asked:
    asked = play.asked
    if play.stage is not stage or asked is None:
        refuse("no-answer-due", f"No such answer is due. {awaited(play)}", section=CHART)
    if seat != asked.target:
        refuse("not-asked", f"{play.name(asked.target)} was asked, and nobody else answers.", section=CHART)
    if ref != asked.ref:
        refuse("stale", "That answers an earlier question.", section=CHART)
    return asked


def _receiver(play: Play, to: Role, seat: int) -> None:
    if to != seat_role(seat):
        refuse("other-receiver", f"This goes to {play.name(seat)}.", section=CHART)


def _check_answer(play: Play, seat: int, event: NoCard | Have | Pass | Tell | DontKnow) -> None:
    if isinstance(event, Tell | DontKnow):
        _check_told(play, seat, event)
        return
    asked = _open(play, seat, ref=event.ref, stage=Stage.ANSWER)
    if asked.clue < 0:
        refuse("must-trade", "A player asked for a trade must exchange a card.", section=CHART, ruling="MS-26")
    if isinstance(event, NoCard):
        return
    if play.counts[seat] == 0:
        refuse("no-cards", f"{play.name(seat)} holds no clue card.", section=CHART)
    if asked.offer:
        refuse("must-trade", "Who holds the clue must trade it.", section=CHART, ruling="MS-24")
    if isinstance(event, Pass) is not play.town.options.free_ask:
        refuse("empty-ask", "What is given for no card was agreed before the deal.", section=CHART, ruling="MS-25")
    if isinstance(event, Pass):
        _receiver(play, event.to, play.turn)


def _check_told(play: Play, seat: int, event: Tell | DontKnow) -> None:
    asked = _open(play, seat, ref=event.ref, stage=Stage.TELL)
    if event.place != TOPS + asked.suspect:
        refuse("other-suspect", f"The {play.suspect(asked.suspect)} was asked about.", section=CHART)
    knows = bool(play.known[seat] >> asked.suspect & 1)
    if isinstance(event, DontKnow) and knows:
        sentence = f"{play.name(seat)} has looked under that suspect, or was told its number."
        refuse("false-dontknow", sentence, section=CHART, ruling="MS-28")
    if isinstance(event, Tell):
        if not knows:
            sentence = f"{play.name(seat)} has not checked that suspect."
            refuse("not-known", sentence, section=CHART, ruling="MS-27")
        _receiver(play, event.to, play.turn)


def _check_swap(play: Play, seat: int, event: Swap) -> None:
    if play.stage is Stage.SWAP and play.asked is not None:
        _whose_turn(play, seat)
        if event.ref != play.asked.ref:
            refuse("stale", "That answers an earlier question.", section=CHART)
        _receiver(play, event.to, play.asked.target)
        return
    asked = _open(play, seat, ref=event.ref, stage=Stage.ANSWER)
    if play.counts[seat] == 0:
        refuse("no-cards", f"{play.name(seat)} holds no clue card.", section=CHART)
    if not asked.offer:
        refuse("nothing-offered", "Nothing was offered for the clue.", section=CHART, ruling="MS-25")
    _receiver(play, event.to, play.turn)
