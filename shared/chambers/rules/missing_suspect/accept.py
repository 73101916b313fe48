"""What the receiver of a box checks at once: that it holds what this event must hold, whoever sealed it."""

from __future__ import annotations

from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.edition import LEAST, MOST, case_of, is_clue_card, kind_count, on_card
from chambers.rules.missing_suspect.events import Draw, Look, Pass, Stow, Swap, Tell
from chambers.rules.missing_suspect.play import Play, Stage
from chambers.rules.missing_suspect.refusals import CHART, CHECKING, DRAWING, refuse
from chambers.rules.terms import Disclosed, Opened


def accept(play: Play, event: TableEvent, opened: Opened, /) -> None:
    """Refuse (RuleError) a box that does not hold what the event, made at `play`, must hold (MS-16, MS-24, MS-28)."""
    if len(opened) != 1:
        refuse("one-card", "A box holds one card or one number.", section=DRAWING)
    shown = opened[0]
    match event:
        case Draw() | Stow():
            _accept_card(play, shown, place=event.place)
            if (case_of(play.town.edition, shown.value) is not None) is not (play.stage in (Stage.CASE, Stage.RETURN)):
                refuse("other-pile", "That card belongs to the other pile.", section=DRAWING)
        case Swap() | Pass():
            _accept_card(play, shown, place=None)
            _accept_trade(play, event, shown.value)
        case Look():
            if shown.place != event.places[0] or not LEAST <= shown.value <= MOST:
                refuse("false-look", "That is not the number of the suspect.", section=CHECKING)
        case Tell():
            if shown.place != event.place or not LEAST <= shown.value <= MOST:
                refuse("false-number", "That is not the number that was asked for.", section=CHART, ruling="MS-28")
        case _:
            refuse("no-box", "This event carries no box.", section=DRAWING)


def _accept_card(play: Play, shown: Disclosed, *, place: int | None) -> None:
    if shown.seal is None or shown.place != place or not 0 <= shown.value < kind_count(play.town.edition):
        refuse("one-card", "The box does not hold the card of its place.", section=DRAWING)


def _accept_trade(play: Play, event: Swap | Pass, card: int) -> None:
    edition, asked = play.town.edition, play.asked
    if not is_clue_card(edition, card):
        refuse("other-card", "Only cards with two clues are traded.", section=CHART)
    named = asked is not None and asked.clue >= 0 and play.stage is Stage.ANSWER
    if named and asked is not None and not on_card(edition, card, asked.clue):
        refuse("other-card", "That card does not carry the clue asked for.", section=CHART, ruling="MS-24")
