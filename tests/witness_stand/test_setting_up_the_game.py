"""WS: Setting Up the Game. Corners, the envelope, the deal, and who moves first."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.support.chance import Chance
from tests.witness_stand.court import CORNER_FIFTH, CORNER_PERRY, GAME, NAMES, Court, ask, court, edition, setup

from chambers.rules.roles import DEALER, DICE
from chambers.rules.terms import Due
from chambers.rules.witness_stand.edition import copies, is_answer, is_starred, suspect_of
from chambers.rules.witness_stand.events import Corner, Look
from chambers.rules.witness_stand.play import Stage, protected


def _new(seats: int) -> Court:
    return Court(GAME, setup(seats), NAMES[:seats], draw=Chance(3))


def _throwing(seats: int) -> Court:
    table = _new(seats)
    for seat in range(seats):
        table.take(seat, f"corner.{CORNER_PERRY}")
    return table


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_envelope_holds_a_starred_answer_of_three_suspects(seats: int) -> None:
    """WS: Setting Up the Game. One starred card of each of three envelopes is set aside, in places 0, 1 and 2."""
    pile = GAME.deal(setup(seats), Chance(seats))
    envelope = [pile.value(place) for place in range(3)]
    assert all(is_starred(card) for card in envelope)
    assert len({suspect_of(card) for card in envelope}) == 3
    assert envelope == sorted(envelope)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_guilty_suspect_has_five_starred_answers_in_the_deck(seats: int) -> None:
    """WS: Setting Up the Game. All other suspects have four."""
    pile = GAME.deal(setup(seats), Chance(seats))
    dealt = [pile.value(place) for places in pile.hands for place in places]
    stars = Counter(suspect_of(card) for card in dealt if is_starred(card))
    assert sorted(stars.values()) == [4, 4, 4, 5]
    assert sum(is_answer(card) for card in dealt) == 37


def test_a_place_of_the_deck_has_a_name_that_players_know() -> None:
    """WS: Setting Up the Game. What the audit says of a place, it says in the words of the table."""
    assert [GAME.place_name(setup(), place) for place in (2, 3)] == ["card 3 in the envelope", "card 1 of the deal"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_entire_deck_is_dealt(seats: int) -> None:
    """WS: Setting Up the Game. WS-24, WS-44: nothing is left to draw from; the first seats hold the extra cards."""
    pile = GAME.deal(setup(seats), Chance(seats))
    everything = Counter(value for _, value in pile.values)
    assert everything == Counter({kind: n for kind, n in enumerate(copies(edition(), seats)) if n})
    assert [place for place, _ in pile.values] == list(GAME.places(setup(seats)))
    sizes = [len(places) for places in pile.hands]
    assert sum(sizes) == len(pile.values) - 3
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1
    assert pile.hands[1][0] == 4
    assert _new(seats).play.counts == tuple(sizes)


def test_one_evidence_excluded_card_is_left_out_with_two_to_four_players() -> None:
    """WS: Setting Up the Game. With five or six players all of them are used."""
    assert [sum(copies(edition(), seats)) for seats in (2, 3, 4, 5, 6)] == [60, 60, 60, 61, 61]


def test_the_deal_is_a_pure_function_of_the_draw() -> None:
    """WS: Setting Up the Game. The same draw gives the same deal, another draw another."""
    assert GAME.deal(setup(), Chance(7)) == GAME.deal(setup(), Chance(7))
    assert GAME.deal(setup(), Chance(7)) != GAME.deal(setup(), Chance(8))


def test_any_suspect_may_be_the_guilty_one() -> None:
    """WS: Setting Up the Game. Over many deals each suspect is missing from the envelope about equally often."""
    guilty = Counter[int]()
    for seed in range(400):
        pile = GAME.deal(setup(), Chance(seed))
        guilty[({0, 1, 2, 3} - {suspect_of(pile.value(place)) for place in range(3)}).pop()] += 1
    assert set(guilty) == {0, 1, 2, 3}
    assert min(guilty.values()) > 60


def test_players_choose_corners_in_seat_order() -> None:
    """WS: Setting Up the Game. WS-49: each pawn starts on a corner of its player's choice."""
    table = _new(3)
    assert table.prompt(1) is None
    assert table.ids(0) == ["corner.0", "corner.7", "corner.14", "corner.21"]
    assert table.refused(1, Corner(space=0)).code == "rule/not-your-turn"
    assert table.refused(0, Corner(space=3)).code == "rule/not-a-corner"
    table.take(0, "corner.7")
    assert [due.who for due in GAME.due(table.play)] == ["seat1"]


def test_several_pawns_may_start_on_one_corner() -> None:
    """WS: Setting Up the Game. WS-42: pawns share a space."""
    assert _throwing(3).play.spaces == (CORNER_PERRY,) * 3


def test_a_starting_corner_does_nothing() -> None:
    """WS: Setting Up the Game. WS-40: a pawn that starts on Perry Mason puts nobody on the Stand."""
    table = _throwing(2)
    assert table.play.stage is Stage.FIRST
    assert table.play.witness == -1


def test_a_pawn_that_starts_on_take_the_fifth_is_protected() -> None:
    """WS: Setting Up the Game. WS-40: until it moves."""
    table = _new(2)
    table.take(0, f"corner.{CORNER_FIFTH}")
    assert protected(table.play, 0)
    table.take(1, f"corner.{CORNER_PERRY}")
    table.roll(6)
    table.roll(1)
    table.roll(2)
    assert not protected(table.play, 0)


def test_the_highest_throw_moves_first() -> None:
    """WS: Setting Up the Game. WS-41: everybody throws in seat order, the highest begins, clockwise from there."""
    table = _throwing(3)
    for value in (2, 6, 3):
        assert GAME.due(table.play) == (Due(who=DICE, act="roll", since=table.seq),)
        table.roll(value)
    assert (table.play.turn, table.play.order, table.play.round) == (1, (1, 2, 0), 1)


def test_tied_players_throw_again() -> None:
    """WS: Setting Up the Game. WS-41: only those who tied for the highest, as often as it takes."""
    table = _throwing(3)
    for value in (5, 1, 5):
        table.roll(value)
    assert table.play.throwing == (0, 2)
    table.roll(4)
    table.roll(4)
    assert table.play.throwing == (0, 2)
    table.roll(1)
    table.roll(2)
    assert table.play.turn == 2


def test_nobody_sees_the_envelope_before_an_accusation() -> None:
    """WS: Setting Up the Game. WS-45: the dealer opens it only when an accusation makes that due."""
    table = court()
    look = Look(ref=0, places=(0, 1, 2), to=GAME.due(table.play)[0].who, verdict=False, box=b"")
    assert table.refused(DEALER, look).ruling == "WS-45"
    assert all(not hand.envelope for hand in table.hands)
    assert "envelope" not in str(GAME.public_view(table.play))


def test_nothing_but_corners_and_throws_happens_before_the_first_turn() -> None:
    """WS: Setting Up the Game. A question before the first turn is refused."""
    table = _new(2)
    assert table.refused(0, ask(1, "A1")).code == "rule/nobody-called"
    table = _throwing(2)
    assert table.refused(0, ask(1, "A1")).code == "rule/not-your-turn"
