"""MS: Checking Suspects on the Board. Looking under a suspect, and the check list."""

from __future__ import annotations

from tests.missing_suspect.town import BLUE, GAME, RED, Town, cards, town

from chambers.rules.missing_suspect.events import Look
from chambers.rules.missing_suspect.play import TOPS, Stage
from chambers.rules.roles import DEALER, seat_role


def _at_red(**more: object) -> Town:
    table = town(**more)  # type: ignore[arg-type]
    table.put(0, "b1")
    return table


def test_a_suspect_may_be_checked_from_the_very_beginning() -> None:
    """MS: Checking Suspects on the Board. MS-13: no case is needed; exact count neither."""
    table = _at_red()
    table.drive("b2", count=6)
    assert table.hand(0).numbers[RED] == 7
    assert table.play.known == (1 << RED, 0, 0)


def test_the_number_is_seen_by_one_seat_alone() -> None:
    """MS: Checking Suspects on the Board. He secretly records its number; everybody sees that he looked."""
    table = _at_red()
    table.drive("b2")
    assert [hand.numbers for hand in table.hands[1:]] == [(0,) * 7] * 2
    assert GAME.public_view(table.play)["seats"][0]["knows"] == ["a"]


def test_the_look_is_automatic_and_the_vault_always_asks_afterwards() -> None:
    """MS-45: the pause after a look tells nothing: the prompt comes whether or not a capture is legal."""
    table = _at_red()
    table.drive("b2")
    assert (table.play.stage, table.ids(0)) == (Stage.CAPTURE, ["no"])
    table.take(0, "no")
    assert (table.play.turn, table.car(0)) == (1, "b2")


def test_an_empty_spot_may_be_entered_and_ends_the_move() -> None:
    """MS: Checking Suspects on the Board. MS-45: nothing is seen on the uncovered spot."""
    table = town()
    table.put(0, "l9")
    table.drive("l8", count=3)
    assert (table.play.turn, table.play.known[0]) == (1, 0)


def test_the_check_list_says_when_and_from_whom() -> None:
    """MS: Checking Suspects on the Board. The check list is kept by the vault."""
    table = _at_red()
    table.drive("b2")
    sheet = GAME.private_view(table.play, table.hands[0])["sheet"]["numbers"]
    assert sheet["a"] == {"number": 7, "since": 1, "told_by": None}
    assert sheet["b"] is None


def test_the_dealer_shows_the_right_suspect_to_the_right_seat() -> None:
    """MS: Checking Suspects on the Board. Another suspect, another seat and another author are refused."""
    table = _at_red()
    table.roll(1)
    table.choose(0, table.option(0, "move.b2"))
    ref = table.play.since
    assert (
        table.refused(DEALER, Look(ref=ref, places=(TOPS + BLUE,), to=seat_role(0), box=b"")).code == "rule/other-look"
    )
    assert table.refused(DEALER, Look(ref=ref, places=(TOPS,), to=seat_role(1), box=b"")).code == "rule/other-receiver"
    assert table.refused(0, Look(ref=ref, places=(TOPS,), to=seat_role(0), box=b"")).code == "rule/not-the-dealer"


def test_a_car_does_not_stay_on_a_spot_to_look_again() -> None:
    """MS-20: another look needs a new entry."""
    table = _at_red()
    table.drive("b2")
    table.take(0, "no")
    table.begin(0)
    table.roll(1)
    assert table.ids(0) == ["move.b1"]


def test_a_carrier_may_go_on_checking_and_drawing() -> None:
    """MS-32: everything except capturing another; driving home is advice."""
    table = town(held={0: cards("Overnight Case", "Missing Gems", "Face at the Window")}, cases={0: "H"})
    table.carry(0, BLUE)
    table.put(0, "b1")
    table.drive("b2")
    assert table.hand(0).numbers[RED] == 7
    assert table.ids(0) == ["no"]
    table.take(0, "no")
    table.begin(0)
    table.put(0, "g7")
    table.drive("e7", count=2)
    assert table.ids(0) == ["yes", "no"]
