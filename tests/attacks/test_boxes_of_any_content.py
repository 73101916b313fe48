"""Boxes that hold anything but what they must: its author is named, and never the seat that had to take them."""

from __future__ import annotations

import msgspec
import pytest
from tests.attacks.crooked_evening import LIAR, Attack, CrookedEvening

from chambers.rules.events import Deal, TableEvent
from chambers.rules.roles import DEALER, Role
from chambers.rules.terms import Disclosed, Opened

_OFTEN = 0.4


def bent(cards: Opened, one: CrookedEvening) -> Opened:
    """Return what a box is to hold with one thing wrong: a card missing, doubled or other, a proof missing or other."""
    at = one.chance.randrange(len(cards))
    card, rest = cards[at], (*cards[:at], *cards[at + 1 :])
    other = one.chance.choice([card.value + 1, 10**6, 2**33, 2**63 - 1])
    changed = (
        msgspec.structs.replace(card, value=other),
        msgspec.structs.replace(card, seal=bytes(32)),
        msgspec.structs.replace(card, place=None, nonce=None, seal=None),
        msgspec.structs.replace(card, place=3, nonce=bytes(32)),
    )
    return one.chance.choice([rest, (*cards, card), *((*cards[:at], each, *cards[at + 1 :]) for each in changed)])


def boxes_anything(one: CrookedEvening, author: Role, event: TableEvent) -> TableEvent | None:
    """Return the statement with a bent box, now and then."""
    if one.chance.random() > _OFTEN:
        return None
    if isinstance(event, Deal):
        assert one.pile is not None
        values, hands = dict(one.pile.values), one.pile.hands
        at = one.chance.randrange(len(event.boxes))
        to = event.boxes[at][0]
        cards = tuple(Disclosed(values[place], one.seal(values[place]), place, one.nonce(place)) for place in hands[at])
        if not cards:
            return None
        box = one.box(author, to, bent(cards, one))
        return msgspec.structs.replace(event, boxes=(*event.boxes[:at], (to, box), *event.boxes[at + 1 :]))
    if one.log.table.play is None or not one.rules.boxes(event) or not one.boxed:
        return None
    ((to, _),) = one.rules.boxes(event)
    return msgspec.structs.replace(event, box=one.box(author, to, bent(one.boxed, one)))


@pytest.mark.parametrize("game", ["witness-stand", "missing-suspect"])
@pytest.mark.parametrize("culprit", [LIAR, DEALER])
def test_whoever_boxes_anything_is_named_alone_whoever_keeps_a_secret(game: str, culprit: Role) -> None:
    named = []
    for seed in range(4):
        one = CrookedEvening(Attack(f"any box {seed}", game, culprit, boxes_anything), seed, seats=3).evening()
        if one.at is not None:
            reports = [one.audited(silent=silent) for silent in (None, culprit)]
            named += [{item.culprit for item in report.findings} for report in reports if report is not None]

    assert len(named) >= 4
    assert named == [{culprit}] * len(named)
