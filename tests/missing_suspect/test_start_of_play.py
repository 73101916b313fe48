"""MS: Start of Play. The throw for Dealer, the hiding of the suspects, the piles."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.missing_suspect.town import GAME, NAMES, RED, WITNESS, Town, setup, town
from tests.support.chance import Chance

from chambers.rules.events import Lapse, Roll
from chambers.rules.missing_suspect.events import Place, Take
from chambers.rules.missing_suspect.play import Stage
from chambers.rules.roles import DEALER, DICE, GM


def _new(seats: int = 3, **values: str) -> Town:
    return Town(GAME, setup(seats, None, **values), NAMES[:seats], draw=Chance(4))


def _placed(table: Town) -> Town:
    for _ in range(7):
        table.take(table.play.turn, table.ids(table.play.turn)[0])
    return table


def test_each_player_throws_once_and_the_highest_is_the_dealer() -> None:
    """MS: Start of Play. The one who throws the highest number is the Dealer."""
    table = _new()
    for value in (2, 5, 4):
        table.throw(value)
    assert (table.play.stage, table.play.turn) == (Stage.PLACE, 1)


def test_a_tie_for_dealer_is_thrown_again_by_those_who_tied() -> None:
    """MS-1: tied players throw again, and nobody else."""
    table = _new()
    for value in (5, 2, 5):
        table.throw(value)
    assert table.play.throwing == (0, 2)
    table.throw(1)
    table.throw(3)
    assert (table.play.stage, table.play.turn) == (Stage.PLACE, 2)


def test_the_dealer_places_seven_suspects_in_printed_order_and_leaves_one_spot_uncovered() -> None:
    """MS: Start of Play. MS-45: seven prompts, the tops in printed order, each lists the free S spots."""
    table = _new()
    for value in (1, 6, 2):
        table.throw(value)
    offered = []
    for _ in range(7):
        offered.append(len(table.ids(1)))
        table.take(1, table.ids(1)[-1])
    assert offered == [8, 7, 6, 5, 4, 3, 2]
    assert len(set(table.play.homes)) == 7
    assert set(table.play.homes) <= set(table.city.spots)


def test_nobody_learns_a_number_by_placing_the_suspects() -> None:
    """MS: Start of Play. The bases are fitted without allowing anyone, the Dealer included, to discover the numbers."""
    table = _new()
    for value in (1, 6, 2):
        table.throw(value)
    _placed(table)
    assert all(hand.numbers == (0,) * 7 for hand in table.hands)
    assert table.play.known == (0, 0, 0)


def test_the_dealer_plays_first_and_play_goes_clockwise() -> None:
    """MS: Start of Play. MS-45: Dealer plays first, then the order of play goes clockwise."""
    table = _new()
    for value in (1, 6, 2):
        table.throw(value)
    _placed(table)
    turns = []
    for _ in range(4):
        turns.append(table.play.turn)
        table.roll(1)
        table.take(table.play.turn, table.ids(table.play.turn)[0])
        if table.play.stage is Stage.RED:
            table.take(table.play.turn, "no")
    assert turns == [1, 2, 0, 1]
    assert table.play.round == 2


def test_every_car_starts_at_the_courthouse_and_nobody_holds_a_card() -> None:
    """MS: Start of Play. Each player places a car at the Courthouse."""
    table = _new()
    assert {table.car(seat) for seat in range(3)} == {"g5"}
    assert table.play.counts == (0, 0, 0)
    assert all(not GAME.held(table.play, hand) for hand in table.hands)


def test_suspects_are_placed_in_order_by_the_dealer_on_free_spots_only() -> None:
    """MS: Start of Play. A wrong hand, a wrong suspect and a covered spot are refused."""
    table = _new()
    for value in (6, 1, 2):
        table.throw(value)
    spot = table.node("b2")
    assert table.refused(1, Place(suspect=RED, node=spot)).code == "rule/not-your-turn"
    assert table.refused(0, Place(suspect=1, node=spot)).code == "rule/other-suspect"
    assert table.refused(0, Place(suspect=RED, node=table.node("e1"))).code == "rule/not-a-free-spot"
    assert table.refused(0, Take(yes=True)).code == "rule/not-now"
    table.take(0, "place.b2")
    assert table.refused(0, Place(suspect=1, node=spot)).code == "rule/not-a-free-spot"


def test_the_vault_places_on_the_lowest_free_spot_when_the_limit_passes() -> None:
    """MS-44, MS-45: placing, when the limit passes, takes the lowest free spot."""
    table = _new(turn_limit="5")
    for value in (6, 1, 2):
        table.throw(value)
    table.take(0, "place.b2")
    table.lapse(GAME.due(table.play)[0])
    assert GAME.due(table.play)[0].lapsed
    assert GAME.fallback(table.play, table.hands[0]).id == "place.c4"


def test_a_limit_lapses_only_by_the_game_master_and_only_when_it_has_passed() -> None:
    """MS-44: nobody is hurried before the limit."""
    table = _new(turn_limit="5")
    for value in (6, 1, 2):
        table.throw(value)
    event = Lapse(ref=table.play.since)
    assert table.refused(DEALER, event).code == "rule/not-the-game-master"
    assert table.refused(GM, event).code == "rule/no-limit-passed"


def test_the_dealer_of_the_table_may_be_dropped_while_placing() -> None:
    """MS-44: the next player goes on placing, and plays first."""
    table = _new(4)
    for value in (1, 6, 2, 3):
        table.throw(value)
    table.take(1, "place.b2")
    table.drop(1)
    assert (table.play.stage, table.play.turn, table.play.order) == (Stage.PLACE, 2, (2, 3, 0, 1))
    for _ in range(6):
        table.take(2, table.ids(2)[0])
    assert (table.play.stage, table.play.turn) == (Stage.ROLL, 2)


def test_only_the_dice_throw() -> None:
    """MS: Start of Play. Nobody says his own throw."""
    table = _new()
    assert table.refused(0, Roll(k=1, shares=(), value=6)).code == "rule/not-the-dice"
    assert table.refused(DICE, Roll(k=1, shares=(), value=7)).code == "rule/no-such-roll"


@pytest.mark.parametrize("seats", [2, 6])
def test_the_deal_puts_every_card_and_number_in_its_place(seats: int) -> None:
    """MS: Start of Play. Clue cards, numbers and cases are shuffled; the places are those the deal commits to."""
    pile = GAME.deal(setup(seats), Chance(9))
    values = dict(pile.values)
    assert tuple(values) == GAME.places(setup(seats))
    assert Counter(values[place] for place in range(28)) == Counter({**dict.fromkeys(range(24), 1), WITNESS: 4})
    assert sorted(values[1000 + suspect] for suspect in range(7)) == [3, 4, 5, 6, 7, 8, 9]
    assert sorted(values[2000 + place] for place in range(8)) == list(range(25, 33))
    assert pile.hands == ((),) * seats
    assert GAME.kinds(setup(seats)) == 33


@pytest.mark.parametrize(
    ("place", "called"),
    [
        (0, "card 1 of the clue pile"),
        (1001, "the number of the blue suspect B"),
        (2007, "card 8 of the case pile"),
        (3004, "the card that was stowed"),
    ],
)
def test_a_place_of_the_deal_has_a_name_that_players_know(place: int, called: str) -> None:
    """MS: Start of Play. What the audit says of a place, it says in the words of the table."""
    assert GAME.place_name(setup(), place) == called


def test_a_roll_is_due_at_the_start_of_a_turn() -> None:
    """MS: Start of Play, MS: How to Play. A turn begins with a throw, not with a choice."""
    table = town()
    due = GAME.due(table.play)
    assert [(item.who, item.act) for item in due] == [(DICE, "roll")]
    assert GAME.prompt(table.play, table.hands[0]) is None
