"""The replay: a record told again, entry by entry, as one viewer may see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chambers.audit.faults import CORE_FAULTS
from chambers.audit.secrets import Secrets, counter_of, revealed
from chambers.audit.structure import edition_in, table_id
from chambers.fairness.errors import FairnessError
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Admitted, Log
from chambers.rules import narrate
from chambers.rules.errors import RuleError
from chambers.rules.roles import Role, seat_of
from chambers.rules.table import Table
from chambers.rules.terms import ALL, PUBLIC, Opened, Viewer


class Told(NamedTuple):
    """One entry of a replay: its place and time (ms), the table after it, and the sentence that the viewer may read."""

    seq: int
    ts: int
    table: Table
    sentence: str


def replay(docket: Docket, viewer: Viewer = PUBLIC) -> Iterator[Told]:
    """Yield a record's entries as `viewer` may see them: `public`, `seat0`..`seat5`, or `all`.

    ProtocolError for a viewer that there is not, for eyes other than the public's while the secrets that they need are
    not revealed (`replay/not-revealed`), and at the first entry that breaks the log (`replay/broken`).
    """
    if viewer != PUBLIC and viewer != ALL and seat_of(viewer) is None:
        raise ProtocolError("replay/viewer", "A replay is told to public, to a seat (seat0 to seat5), or to all.")
    if viewer == PUBLIC:
        return (_told(item, None, viewer) for item in _admitted(docket))
    return _with_eyes(docket, viewer)


def _admitted(docket: Docket) -> Iterator[Admitted]:
    log = Log(table_id(docket), edition_of=edition_in(docket))
    for seq, raw in enumerate(docket.leaves):
        try:
            yield log.admit(raw)
        except (ProtocolError, RuleError, FairnessError) as error:
            raise ProtocolError("replay/broken", f"The record breaks at entry {seq}: {error.sentence}") from None
        except CORE_FAULTS:
            raise ProtocolError("replay/broken", f"Nothing can be made of entry {seq} of the record.") from None


def _with_eyes(docket: Docket, viewer: Viewer) -> Iterator[Told]:
    admitted = tuple(_admitted(docket))
    if not admitted:
        return iter(())
    table = admitted[-1].after
    seat = seat_of(viewer)
    if seat is not None and seat >= table.seats:
        raise ProtocolError("replay/viewer", f"This table has seats 0 to {table.seats - 1}.")
    known = {role: reveal.secret for role, reveal in revealed(admitted).items()}
    secrets = Secrets(table_id(docket), table, secrets=known)
    if seat is not None and not secrets.has(Role(viewer)):
        raise ProtocolError("replay/not-revealed", f"{table.names[seat]} has not opened the secrets of {viewer} here.")
    return (_told(item, _seen(item, docket, secrets, viewer=viewer), viewer) for item in admitted)


def _seen(item: Admitted, docket: Docket, secrets: Secrets, *, viewer: Viewer) -> Opened | None:
    boxes = item.after.game.boxes(item.event)
    mine = [(to, box) for to, box in boxes if Role(viewer) in (item.author, to) or (viewer == ALL and len(boxes) == 1)]
    if not mine:
        return None
    to, box = mine[0]
    opening = secrets.open(item.author, counter_of(docket.leaves[item.seq]), to=to, box=box)
    if not opening.decided:
        raise ProtocolError("replay/not-revealed", f"No secret revealed here opens the box of entry {item.seq}.")
    # What a bad box held is not told as if it were a card; the audit says what is wrong with it.
    return None if opening.fault else opening.opened


def _told(item: Admitted, opened: Opened | None, viewer: Viewer) -> Told:
    sentence = narrate(item.before, item.after, item.author, item.event, opened, viewer)
    return Told(item.seq, item.ts, item.after, sentence)
