"""What one seat was sent: its vault's messages to its client, made again from the log and the revealed secrets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chambers.audit.faults import CORE_FAULTS
from chambers.audit.replay import Eyes
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.client import ChoiceAccepted, Line, Update
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Admitted
from chambers.protocol.views import ask_of, seat_view, waited_for
from chambers.rules import Phase, Table, narrate
from chambers.rules.asking import takes
from chambers.rules.events import Deal
from chambers.rules.game import Hand
from chambers.rules.roles import seat_of
from chambers.rules.terms import Opened, Prompt, Viewer


class Sent(NamedTuple):
    """One message to a seat's client, with the entry that caused it and the time (ms) of that entry."""

    seq: int
    ts: int
    message: ChoiceAccepted | Update


def sent(docket: Docket, viewer: Viewer, *, auditor: AuditorKey | None = None) -> Iterator[Sent]:
    """Yield what a seat's client was sent for each entry, as to a client that was there from the opening on.

    Private notes are in no log, so the views have none; what a client asked for again is not repeated, nor the last
    message, which hands over the receipt. `auditor` opens, and ProtocolError refuses, as for `replay`; eyes of no seat
    are refused too (`replay/viewer`).
    """
    seat = seat_of(viewer)
    if seat is None:
        raise ProtocolError("replay/viewer", "Only a seat (seat0 to seat5) was sent anything.")
    eyes = Eyes(docket, viewer, auditor=auditor)
    return _sent(eyes, viewer, seat)


def _sent(eyes: Eyes, viewer: Viewer, seat: int) -> Iterator[Sent]:
    hand: Hand = None
    prompt: Prompt | None = None
    for item in eyes.admitted:
        opened = eyes.opened(item)
        if seat_of(item.author) == seat and prompt is not None:
            taken = next((option for option in prompt.options if takes(option, item.event, opened)), None)
            if taken is not None:
                yield Sent(item.seq, item.ts, ChoiceAccepted(prompt.id, taken.id, item.seq))
        try:
            hand = _learned(hand, item, opened, seat=seat)
            prompt = _asked(item.after, hand)
        except CORE_FAULTS:
            sentence = f"From entry {item.seq} on, the record does not say what this seat was sent."
            raise ProtocolError("replay/broken", sentence) from None
        line = Line(item.seq, narrate(item.before, item.after, item.author, item.event, opened, viewer))
        yield Sent(item.seq, item.ts, _update(item, line, hand, prompt=prompt))


def _learned(hand: Hand, item: Admitted, opened: Opened | None, *, seat: int) -> Hand:
    table = item.after
    if table.play is None or item.before is None:
        return hand
    if isinstance(item.event, Deal):
        return table.game.learn(table.game.new_hand(seat), None, table.play, item.author, item.event, opened)
    return table.game.learn(hand, item.before.play, table.play, item.author, item.event, opened)


def _asked(table: Table, hand: Hand) -> Prompt | None:
    asked = table.phase is Phase.PLAY and not table.stopped
    return table.game.prompt(table.play, hand) if asked else None


def _update(item: Admitted, line: Line, hand: Hand, *, prompt: Prompt | None) -> Update:
    table = item.after
    ask = ask_of(prompt) if prompt is not None else None
    view = seat_view(table, hand, notes="")
    phase = str(table.phase)
    return Update(item.seq, phase, view, (line,), ask, waited_for(table), earlier=item.seq > 0)
