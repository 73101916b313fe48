"""The protocol page suffices: a verifier written from it alone accepts honest records and refuses changed ones."""

from __future__ import annotations

import base64

import msgspec
import pytest
from tests.audit.honest_game import play_game
from tests.docs.second_reader import Record, Wrong

from chambers.audit import Verdict, audit
from chambers.clients.long_record import Evening, long_record
from chambers.protocol.docket import Docket, dump
from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.events import Draw
from chambers.rules.roles import Role
from chambers.rules.terms import Disclosed, Pile


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_second_verifier_accepts_an_honest_record(seats: int) -> None:
    docket = play_game(seats=seats, seed=seats).docket()

    proved = Record(dump(docket)).verify()

    counts = audit(docket).counts
    assert (proved["entries"], proved["rolls"]) == (counts.entries, counts.rolls)
    assert proved["boxes"] == seats + counts.passes + counts.looks


@pytest.mark.parametrize(("seats", "seed", "said"), [(2, 5, "swap"), (3, 6, "tell"), (5, 3, "stow")])
def test_a_second_verifier_accepts_an_honest_record_of_the_other_game(seats: int, seed: int, said: str) -> None:
    docket = long_record(450, edition="missing-suspect", seats=seats, seed=seed)

    record = Record(dump(docket))
    proved = record.verify()

    counts = audit(docket).counts
    assert said in {event[0] for _, _, event in record.said}
    assert (proved["entries"], proved["rolls"]) == (counts.entries, counts.rolls)
    assert proved["boxes"] == seats + counts.passes + counts.looks


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_both_verifiers_agree_on_many_games(seed: int) -> None:
    seats = 2 + seed % 5
    for docket in (
        play_game(seats=seats, seed=100 + seed).docket(),
        long_record(450, edition="missing-suspect", seats=seats, seed=100 + seed),
    ):
        proved = Record(dump(docket)).verify()

        report = audit(docket, workers=0)
        assert report.verdict is Verdict.CLEAN
        assert proved["boxes"] == seats + report.counts.passes + report.counts.looks


class OtherCards(Evening):
    """An evening at which the dealer, once, hands out the second card of the pile instead of the first."""

    lied = False

    def say(self, author: Role, event: TableEvent) -> None:
        """Say what the author says, or once the lie."""
        if isinstance(event, Draw) and not self.lied and event.place < 20 and self.pile is not None:
            self.lied = True
            other = self.pile.value(event.place + 1)
            shown = Disclosed(other, self.seal(other), event.place, self.nonce(event.place))
            event = msgspec.structs.replace(event, box=self.box(author, event.to, (shown,)))
        super().say(author, event)


def test_a_second_verifier_sees_another_card_than_the_one_on_top() -> None:
    evening = OtherCards("missing-suspect", 2, 4, chain=8192)
    evening.play(200)

    with pytest.raises(Wrong, match="false opening of place"):
        Record(dump(evening.docket())).verify()


@pytest.fixture(scope="module", params=["witness-stand", "missing-suspect"])
def docket(request: pytest.FixtureRequest) -> Docket:
    if request.param == "witness-stand":
        return play_game(seats=2, seed=5).docket()
    return long_record(300, edition="missing-suspect", seats=2, seed=5)


def test_a_second_verifier_sees_every_changed_byte_of_an_entry(docket: Docket) -> None:
    lines = dump(docket).split("\n")

    for number in range(2, 12):
        leaf = bytearray(base64.b64decode(lines[number]))
        leaf[len(leaf) // 2] ^= 1
        changed = [*lines[:number], base64.b64encode(leaf).decode(), *lines[number + 1 :]]
        with pytest.raises((Wrong, ValueError, KeyError)):
            Record("\n".join(changed)).verify()


@pytest.mark.parametrize("change", ["missing", "twice", "swapped", "cut"])
def test_both_verifiers_see_a_record_whose_entries_are_not_as_they_were(docket: Docket, change: str) -> None:
    before, one, two, after = docket.leaves[:20], docket.leaves[20], docket.leaves[21], docket.leaves[22:]
    leaves = {
        "missing": (*before, two, *after),
        "twice": (*before, one, one, two, *after),
        "swapped": (*before, two, one, *after),
        "cut": docket.leaves[:-3],
    }[change]
    changed = msgspec.structs.replace(docket, leaves=leaves)

    assert audit(changed, workers=0).verdict is Verdict.CHEATED
    with pytest.raises((Wrong, ValueError, KeyError)):
        Record(dump(changed)).verify()


def _two_cards_swapped(pile: Pile) -> Pile:
    cards = dict(pile.values)
    other = next(place for place in cards if place > 3 and cards[place] != cards[3])
    cards[3], cards[other] = cards[other], cards[3]
    return Pile(tuple(cards.items()), pile.hands)


def test_a_second_verifier_sees_that_the_dealer_swapped_two_cards() -> None:
    docket = play_game(seats=3, seed=7, pile=_two_cards_swapped).docket()

    with pytest.raises(Wrong, match="not the committed shuffle"):
        Record(dump(docket)).verify()
