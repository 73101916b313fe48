"""What a record shows that is allowed and yet worth knowing: late objections, broken-off setups, another edition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chambers import editions
from chambers.audit.findings import Remark
from chambers.protocol.log import Admitted
from chambers.protocol.statements import read_leaf, read_statement
from chambers.rules.events import Again, Open
from chambers.rules.narrate import called
from chambers.rules.roles import DEALER, GM
from chambers.rules.table import Phase

LATE_MS: Final = 1000
"""An entry reaches every vault in a few ms: whoever has not seen one for so long was cut off, or says so only."""


def remarks(admitted: Sequence[Admitted], leaves: Sequence[bytes]) -> tuple[Remark, ...]:
    """Return what is worth knowing of the entries that hold; `leaves` are the log's, from its first entry on."""
    found = (remark(item, admitted, leaves) for item in admitted)
    return tuple(one for one in found if one is not None)


def remark(item: Admitted, admitted: Sequence[Admitted], leaves: Sequence[bytes]) -> Remark | None:
    """Return what is worth knowing of one entry, or None; `admitted` and `leaves` are the log up to it at least."""
    if isinstance(item.event, Open):
        return _other_edition(item, item.event)
    if isinstance(item.event, Again):
        return _broken_off(item, item.event)
    return _late(item, admitted, leaves) if _is_objection(item) else None


def _other_edition(item: Admitted, event: Open) -> Remark | None:
    try:
        same = editions.edition_hash(editions.named(event.edition)) == event.edition_hash
    except editions.EditionError:
        return None  # an owner's own, or one of another release: there is nothing here to compare it with
    name = event.edition
    sentence = f"The edition is called {name}, and is not the one of that name here: other cards, or other words."
    return None if same else Remark(item.seq, GM, sentence)


def _broken_off(item: Admitted, event: Again) -> Remark:
    assert item.before is not None
    # A setup that ends before the deal tells nobody anything, but the dealer knows the shuffle that it keeps back.
    knew = item.before.phase is Phase.DEAL and event.stalled == DEALER
    kept = " and kept back a shuffle that it knew, unless the game master did" if knew else ""
    sentence = (
        f"The setup was started anew (attempt {event.attempt}), since {called(item.before, event.stalled)} "
        f"had not done its part in time{kept}."
    )
    return Remark(item.seq, event.stalled, sentence)


def _late(item: Admitted, admitted: Sequence[Admitted], leaves: Sequence[bytes]) -> Remark | None:
    # Which of the entries before it the author had seen is its own word, so a late one proves nothing against anybody.
    size = read_statement(read_leaf(leaves[item.seq]).stmt).size
    if size == item.seq or item.ts - admitted[size].ts <= LATE_MS:
        return None
    seconds, unseen = (item.ts - admitted[size].ts) / 1000, item.seq - size
    entries = f"entry {size}" if unseen == 1 else f"entries {size} to {item.seq - 1}"
    sentence = (
        f"A late objection: {called(item.after, item.author)} signed entry {item.seq} as if {entries} had not been "
        f"there, the first of them {seconds:.1f} s before. It was held up on its way, or waited for what others did."
    )
    return Remark(item.seq, item.author, sentence)


def _is_objection(item: Admitted) -> bool:
    before = item.before
    if before is None or before.phase is not Phase.PLAY or not before.game.seals(item.event):
        return False
    return any(due.who == item.author and due.act == "window" for due in before.game.due(before.play))
