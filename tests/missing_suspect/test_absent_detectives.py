"""MS-44: what goes on when a player, or his vault, is gone."""

from __future__ import annotations

import pytest
from tests.missing_suspect.town import CANARY, GAME, RED, WITNESS, Town, card, cards, town

from chambers.rules.errors import RuleError
from chambers.rules.missing_suspect.edition import ChartResult
from chambers.rules.missing_suspect.events import Move, Offer, Take
from chambers.rules.missing_suspect.play import Stage
from chambers.rules.roles import seat_role


def _trading(result: ChartResult = ChartResult.TRADE) -> Town:
    table = town(held={0: cards("Old Key"), 1: cards("Torn Map")}, cases={0: "A"})
    table.result(result)
    table.take(0, next(ident for ident in table.ids(0) if ident.startswith("offer.1")))
    return table


def test_a_dropped_players_car_is_off_and_his_suspect_back_on_the_spot() -> None:
    """MS-44: car off, a carried suspect returns to the capture spot, cards and case are out of play."""
    table = town(held={1: cards(*CANARY)}, cases={1: "H"})
    table.carry(1, RED)
    table.drop(1)
    assert (table.play.cars[1], table.play.carried[1]) == (-1, -1)
    assert GAME.public_view(table.play)["suspects"][0] == {
        "letter": "a",
        "colour": "red",
        "shape": "circle",
        "spot": "b2",
        "carried_by": None,
    }


def test_a_dropped_player_is_never_asked() -> None:
    """MS-44: nobody may turn to him."""
    table = town(held={0: cards("Old Key"), 1: cards("Torn Map"), 2: cards("Forged Will")}, cases={0: "A"})
    table.drop(1)
    table.result(ChartResult.TRADE)
    assert {ident.split(".")[1] for ident in table.ids(0) if ident != "no"} == {"2"}
    assert table.refused(0, Offer(to=seat_role(1), offer=bytes(32))).ruling == "MS-26"


def test_a_dropped_player_says_nothing_more() -> None:
    """MS-44: his statements and his talk are refused."""
    table = town()
    table.drop(1)
    assert table.refused(1, Take(yes=True)).ruling == "MS-44"
    with pytest.raises(RuleError, match="left the table"):
        GAME.may_say(table.play, 1)
    GAME.may_say(table.play, 0)


def test_the_turn_passes_on_when_its_player_is_dropped() -> None:
    """MS-44: a game never ends because somebody left."""
    table = town()
    table.roll(3)
    table.drop(0)
    assert (table.play.turn, table.play.stage) == (1, Stage.ROLL)
    table.drop(1)
    assert table.play.turn == 2
    table.drive("f4", count=2)
    assert (table.play.turn, table.play.round) == (2, 2)


def test_a_trade_with_a_dropped_player_is_void() -> None:
    """MS-44: each keeps his own cards, before the first card was handed over and after it."""
    for answered in (False, True):
        table = _trading()
        if answered:
            table.choose(1, table.asked(1).options[0])
        table.drop(1)
        assert (table.hand(0).cards, table.hand(1).cards) == (cards("Old Key"), cards("Torn Map"))
        assert (table.hand(0).offered, table.hand(0).incoming, table.play.turn) == (-1, -1, 2)


def test_a_trade_whose_asker_is_dropped_is_void() -> None:
    """MS-44: the card that was handed over stays with its owner."""
    table = _trading()
    table.choose(1, table.asked(1).options[0])
    table.drop(0)
    assert (table.hand(1).cards, table.hand(1).outgoing, table.play.turn) == (cards("Torn Map"), -1, 1)


def test_what_may_be_asked_is_asked_anew_when_a_third_player_leaves() -> None:
    """MS-44, MS-26: with nobody left to trade with the turn is over."""
    table = town(held={0: cards("Old Key"), 1: cards("Torn Map")}, cases={0: "A"})
    table.result(ChartResult.TRADE)
    table.drop(1)
    assert table.play.turn == 2


def test_the_vault_chooses_the_longest_move_and_then_the_lowest_address() -> None:
    """MS-44, MS-45: move = longest legal path, then lowest address."""
    table = town(turn_limit="5")
    table.put(0, "g9")
    table.roll(2)
    table.lapse(GAME.due(table.play)[0])
    option = GAME.fallback(table.play, table.hands[0])
    assert isinstance(option.event, Move)
    assert len(option.event.path) == 2
    assert option.id == min(o.id for o in table.asked(0).options if len(o.event.path) == 2 and o.id != "move.f8")  # type: ignore[attr-defined]


@pytest.mark.parametrize("stage", [Stage.OFFICE, Stage.RED, Stage.CAPTURE, Stage.OFFER, Stage.POINT])
def test_optional_acts_are_declined_when_the_limit_passes(stage: Stage) -> None:
    """MS-44, MS-45: optional acts = no."""
    table = town(held={0: cards(*CANARY), 1: cards("Sealed Bid")}, cases={0: "H"}, turn_limit="5")
    found = ChartResult.CLUE if stage is Stage.OFFER else ChartResult.NUMBER
    table.change(stage=stage, looked=RED, found=found, until=0)
    assert GAME.fallback(table.play, table.hands[0]).id == "no"


def test_a_lapsed_answer_is_the_one_the_vault_would_give_anyway() -> None:
    """MS-44: what a vault states by itself it states whether or not a limit has passed."""
    table = town(cases={0: "A"}, top=(WITNESS,))
    table.put(0, "g7")
    table.drive("e7", count=2)
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    assert GAME.fallback(table.play, table.hands[0]).id == "play"
    assert GAME.fallback(table.play, table.hands[0]) == GAME.automatic(table.play, table.hands[0])


def test_a_seat_that_owes_nothing_has_no_fallback() -> None:
    """MS-44: nothing is chosen for who is not waited for."""
    table = town()
    with pytest.raises(ValueError, match="owes nothing"):
        GAME.fallback(table.play, table.hands[1])


def test_one_seat_left_plays_on_alone() -> None:
    """MS-44: one seat left plays on, and can win."""
    table = town(2, held={0: cards(*CANARY)}, cases={0: "H"})
    table.drop(1)
    table.put(0, "b1")
    table.drive("b2")
    table.take(0, "yes")
    assert table.play.turn == 0
    table.put(0, "g6")
    table.drive("g5")
    assert table.play.result is not None
    assert table.play.result.winner == 0


def test_nobody_left_is_an_end_without_a_winner() -> None:
    """MS-44: when the last seat is dropped nobody wins."""
    table = town(2)
    table.drop(1)
    table.drop(0)
    assert table.play.result is not None
    assert table.play.result.winner is None


def test_limits_run_for_choices_only() -> None:
    """MS-44, MS-45: a throw, a dealer's act and what a vault says by itself have no limit."""
    table = town(turn_limit="5", answer_limit="9", held={0: cards("Old Key"), 1: cards("Torn Map")}, cases={0: "A"})
    assert table.play.until is None
    table.result(ChartResult.TRADE)
    assert table.play.until == table.ts + 5000
    table.take(0, next(ident for ident in table.ids(0) if ident.startswith("offer.1")))
    assert table.play.until == table.ts + 9000
    table.choose(1, table.option(1, table.ids(1)[0]))
    assert (table.play.stage, table.play.until) == (Stage.SWAP, None)
    assert card("Old Key") in table.hand(0).cards
