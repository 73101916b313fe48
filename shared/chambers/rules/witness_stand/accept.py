"""What the receiver of a box checks at once: that it holds what this event must hold, whoever sealed it."""

from __future__ import annotations

from chambers.rules.errors import RuleError
from chambers.rules.events import TableEvent
from chambers.rules.terms import Opened
from chambers.rules.witness_stand.check import QUESTIONING, WINNING
from chambers.rules.witness_stand.edition import EXCLUDED, is_starred, question_of, suspect_of
from chambers.rules.witness_stand.events import Look, Pass
from chambers.rules.witness_stand.play import Play, Stage
from chambers.rules.witness_stand.setup import ENVELOPE


def accept(play: Play, event: TableEvent, opened: Opened, /) -> None:
    """Refuse (RuleError) a box that does not hold what the event, made at `play`, must hold (WS-13, WS-17, WS-34)."""
    match event:
        case Pass():
            if len(opened) != 1 or opened[0].seal is None or opened[0].place is not None:
                raise RuleError("rule/one-card", "Exactly one card is passed.", section=QUESTIONING, ruling="WS-17")
            _accept_answer(play, opened[0].value)
        case Look():
            values = [shown.value for shown in opened]
            suspects = {suspect_of(value) for value in values if value >= 0 and is_starred(value)}
            if tuple(shown.place for shown in opened) != ENVELOPE or len(suspects) != len(ENVELOPE):
                raise RuleError("rule/false-look", "The cards shown are not the envelope's.", section=WINNING)
            if event.verdict != all(suspect_of(shown.value) != play.accused for shown in opened):
                raise RuleError("rule/false-verdict", "The verdict is not what the envelope says.", section=WINNING)
        case _:
            raise RuleError("rule/no-box", "This event carries no box.", section=QUESTIONING)


def _accept_answer(play: Play, card: int) -> None:
    if play.stage is Stage.GIVE or play.asked is None or card == EXCLUDED:
        return
    if question_of(card) != play.asked.question:
        sentence = "A question is answered with one of its two answers, or with Evidence Excluded!."
        raise RuleError("rule/other-card", sentence, section=QUESTIONING, ruling="WS-13")
