"""The replay: a record told again, entry by entry, as one viewer may see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chambers.audit.faults import CORE_FAULTS
from chambers.audit.hands import handed_over
from chambers.audit.offers import offered
from chambers.audit.reveals import revealed, sealed_off
from chambers.audit.secrets import Secrets
from chambers.audit.structure import edition_in, table_id
from chambers.fairness.errors import FairnessError
from chambers.protocol.auditor import AuditorKey
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


def replay(docket: Docket, viewer: Viewer = PUBLIC, *, auditor: AuditorKey | None = None) -> Iterator[Told]:
    """Yield a record's entries as `viewer` may see them: `public`, `seat0`..`seat5`, or `all`.

    `auditor` opens what was revealed to the auditor alone.

    ProtocolError for a viewer that there is not, for eyes other than the public's while the secrets that they need are
    not revealed (`replay/not-revealed`), and at the first entry that breaks the log (`replay/broken`).
    """
    if viewer != PUBLIC and viewer != ALL and seat_of(viewer) is None:
        raise ProtocolError("replay/viewer", "A replay is told to public, to a seat (seat0 to seat5), or to all.")
    if viewer == PUBLIC:
        return (_told(item, None, viewer) for item in admitted_of(docket))
    eyes = Eyes(docket, viewer, auditor=auditor)
    return (_told(item, eyes.opened(item), viewer) for item in eyes.admitted)


def admitted_of(docket: Docket) -> Iterator[Admitted]:
    """Yield a record's entries, each verified; ProtocolError (`replay/broken`) at the first that breaks the log."""
    log = Log(table_id(docket), edition_of=edition_in(docket))
    for seq, raw in enumerate(docket.leaves):
        try:
            yield log.admit(raw)
        except (ProtocolError, RuleError, FairnessError) as error:
            raise ProtocolError("replay/broken", f"The record breaks at entry {seq}: {error.sentence}") from None
        except CORE_FAULTS:
            raise ProtocolError("replay/broken", f"Nothing can be made of entry {seq} of the record.") from None


class Eyes:
    """What one seat, or all, may open of a record whose secrets are revealed; refuses as `replay` does."""

    def __init__(self, docket: Docket, viewer: Viewer, *, auditor: AuditorKey | None = None) -> None:
        self.admitted = tuple(admitted_of(docket))
        self._viewer = viewer
        self._secrets: Secrets | None = None
        self._seals: dict[int, bytes] = {}
        self._id = table_id(docket)
        if not self.admitted:
            return
        table, seat = self.admitted[-1].after, seat_of(viewer)
        if seat is not None and seat >= table.seats:
            raise ProtocolError("replay/viewer", f"This table has seats 0 to {table.seats - 1}.")
        known = revealed(self._id, self.admitted, key=auditor)
        self._known = {role: one.secret for role, one in known.items()}
        self._secrets = Secrets(self._id, table, secrets=self._known)
        if seat is not None and not self._secrets.has(Role(viewer)):
            sentence = f"{table.names[seat]} has not opened the secrets of {viewer} here."
            raise ProtocolError("replay/not-revealed", sealed_off(table, auditor) or sentence)
        if seat is None and not self._known and sealed_off(table, auditor):
            raise ProtocolError("replay/not-revealed", sealed_off(table, auditor))
        self._handed_over = handed_over(self.admitted)

    def __repr__(self) -> str:
        return f"Eyes({self._viewer})"

    def opened(self, item: Admitted) -> Opened | None:
        """Return what the viewer saw in an entry's box, or None; to be called for every entry in order.

        An offer is open to its author: by the box that was handed over later, or made again if nobody took it up.
        """
        role, viewer, game = Role(self._viewer), self._viewer, item.after.game
        self._seals.update(game.seals(item.event))
        boxes = game.boxes(item.event)
        if not boxes and viewer in (ALL, item.author):
            return self._offered(item)
        mine = [(to, box) for to, box in boxes if role in (item.author, to) or (viewer == ALL and len(boxes) == 1)]
        found = self._open(item, *mine[0]) if mine else None
        self._seals.update((card.value, card.seal) for card in found or () if card.seal is not None)
        return found

    def _offered(self, item: Admitted) -> Opened | None:
        later = self._handed_over.get(item.seq)
        if later is not None:
            return self._open(later, *later.after.game.boxes(later.event)[0])
        secret = self._known.get(item.author)
        return None if secret is None else offered(item, self._id, secret=secret, seals=self._seals)

    def _open(self, item: Admitted, to: Role, box: bytes) -> Opened | None:
        assert self._secrets is not None
        opening = self._secrets.open_entry(item, self.admitted, to=to, box=box)
        if not opening.decided:
            raise ProtocolError("replay/not-revealed", f"No secret revealed here opens the box of entry {item.seq}.")
        # What a bad box held is not told as if it were a card; the audit says what is wrong with it.
        return None if opening.fault else opening.opened


def _told(item: Admitted, opened: Opened | None, viewer: Viewer) -> Told:
    sentence = narrate(item.before, item.after, item.author, item.event, opened, viewer)
    return Told(item.seq, item.ts, item.after, sentence)
