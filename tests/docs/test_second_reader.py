"""The protocol page suffices: a verifier written from it alone accepts honest records and refuses changed ones."""

from __future__ import annotations

import base64

import pytest
from tests.audit.honest_game import play_game
from tests.docs.second_reader import Record, Wrong

from chambers.audit import audit
from chambers.protocol.docket import dump
from chambers.rules.terms import Pile


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_second_verifier_accepts_an_honest_record(seats: int) -> None:
    docket = play_game(seats=seats, seed=seats).docket()

    proved = Record(dump(docket)).verify()

    counts = audit(docket).counts
    assert (proved["entries"], proved["rolls"]) == (counts.entries, counts.rolls)
    assert proved["boxes"] == seats + counts.passes


def test_a_second_verifier_sees_every_changed_byte_of_an_entry() -> None:
    docket = play_game(seats=2, seed=5).docket()
    lines = dump(docket).split("\n")

    for number in range(2, 12):
        leaf = bytearray(base64.b64decode(lines[number]))
        leaf[len(leaf) // 2] ^= 1
        changed = [*lines[:number], base64.b64encode(leaf).decode(), *lines[number + 1 :]]
        with pytest.raises((Wrong, ValueError, KeyError)):
            Record("\n".join(changed)).verify()


def test_a_second_verifier_sees_that_an_entry_is_missing() -> None:
    lines = dump(play_game(seats=2, seed=5).docket()).split("\n")

    with pytest.raises(Wrong):
        Record("\n".join([*lines[:20], *lines[21:]])).verify()


def _two_cards_swapped(pile: Pile) -> Pile:
    cards = dict(pile.values)
    other = next(place for place in cards if place > 3 and cards[place] != cards[3])
    cards[3], cards[other] = cards[other], cards[3]
    return Pile(tuple(cards.items()), pile.hands)


def test_a_second_verifier_sees_that_the_dealer_swapped_two_cards() -> None:
    docket = play_game(seats=3, seed=7, pile=_two_cards_swapped).docket()

    with pytest.raises(Wrong, match="not the committed shuffle"):
        Record(dump(docket)).verify()
