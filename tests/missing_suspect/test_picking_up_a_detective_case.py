"""MS: Picking Up a Detective Case, MS: Picking Up a New Detective Case. Offices."""

from __future__ import annotations

from tests.missing_suspect.town import GAME, Town, cards, shown, town

from chambers.rules.missing_suspect.edition import NodeKind, case_kind
from chambers.rules.missing_suspect.events import Draw, Show, Stow, Take
from chambers.rules.missing_suspect.play import Stage
from chambers.rules.roles import DEALER, seat_role


def _at_office(**more: object) -> Town:
    table = town(next_case="BF", **more)  # type: ignore[arg-type]
    table.put(0, "e3")
    return table


def test_a_detective_without_a_case_draws_one_at_once() -> None:
    """MS: Picking Up a Detective Case. MS-22: the detective immediately draws a case; there is nothing to choose."""
    table = _at_office()
    table.roll(5)
    table.choose(0, table.option(0, "move.e4"))
    assert [(due.who, due.act) for due in GAME.due(table.play)] == [(DEALER, "draw")]
    table.run()
    assert table.hand(0).case == 1
    assert (table.play.cased, table.play.turn, table.car(0)) == ((True, False, False), 1, "e4")


def test_any_office_will_do() -> None:
    """MS-12: the `nearest` Office is any Office."""
    for office in town().city.of(NodeKind.OFFICE):
        table = town()
        door = table.city.near[office][0][0]
        table.put(0, table.city.addresses[door])
        table.drive(table.city.addresses[office])
        assert table.play.cased[0]


def test_only_its_seat_learns_the_case() -> None:
    """MS-37: the case is secret until the end; nothing public tells it."""
    one, other = _at_office(), town(next_case="FB")
    other.put(0, "e3")
    for table in (one, other):
        table.drive("e4")
    assert one.play == other.play
    assert one.hand(0).case != other.hand(0).case
    assert [hand.case for hand in one.hands[1:]] == [-1, -1]


def test_a_new_case_is_optional_for_a_detective_who_has_one() -> None:
    """MS: Picking Up a New Detective Case. MS-21: on any Office entry, optional."""
    table = _at_office(cases={0: "H"})
    table.drive("e4")
    assert table.ids(0) == ["yes", "no"]
    table.take(0, "no")
    assert (table.hand(0).case, table.play.turn) == (7, 1)


def test_the_new_case_is_drawn_before_the_old_one_goes_under_the_pile() -> None:
    """MS-21: draw first, then the old card to the bottom, so never the same card back; held clue cards stay."""
    held = cards("Torn Map", "Old Key")
    table = _at_office(cases={0: "H"}, held={0: held})
    table.drive("e4")
    table.choose(0, table.option(0, "yes"))
    assert table.step_own() == "draw"
    assert (table.play.stage, table.hand(0).case, table.hand(0).former) == (Stage.RETURN, 1, 7)
    assert GAME.held(table.play, table.hands[0]) == (*held, *(case_kind(table.play.town.edition, c) for c in (1, 7)))
    assert table.step_own() == "stow"
    assert (table.hand(0).former, table.hand(0).cards, table.play.turn) == (-1, held, 1)
    assert table.play.cases[-1] == 3000
    assert table.pile.value(3000) == case_kind(table.play.town.edition, 7)


def test_a_returned_case_is_drawn_again_when_its_turn_comes() -> None:
    """MS-43: the case pile is a queue; what was put under it comes up in order."""
    table = town(2, cases={0: "H", 1: "A"})
    for _ in range(7):
        table.begin(0)
        table.put(0, "e3")
        table.drive("e4")
        table.take(0, "yes")
    assert table.hand(0).case == 7


def test_the_case_pile_never_runs_out() -> None:
    """MS-21: six detectives hold six of the eight cases, and a new one is drawn before the old one goes back."""
    table = town(6, cases=dict(enumerate("ABCDEF")))
    assert len(table.play.cases) == 2
    for seat in range(6):
        table.begin(seat)
        table.put(seat, "e3")
        table.drive("e4")
        table.take(seat, "yes")
        assert len(table.play.cases) == 2


def test_a_car_does_not_stay_in_an_office_to_draw_again() -> None:
    """MS-20: the benefit needs a new entry, and moving is compulsory."""
    table = _at_office()
    table.drive("e4")
    table.begin(0)
    table.roll(1)
    assert table.ids(0) == ["move.e3"]


def test_the_old_case_and_no_other_goes_back() -> None:
    """MS-21: a vault that would put another card under the case pile is refused."""
    table = _at_office(cases={0: "H"}, held={0: cards("Torn Map")})
    table.drive("e4")
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    event = Stow(ref=table.play.since, place=3000, commit=bytes(32), box=b"")
    assert table.refused_by_vault(0, event, shown(26, 3000)).code == "rule/other-case"
    assert table.refused_by_vault(0, event, shown(32, 3001)).code == "rule/other-place"
    wrong = Stow(ref=table.play.since, place=2000, commit=bytes(32), box=b"")
    assert table.refused(0, wrong).ruling == "MS-43"


def test_cases_are_handed_out_by_the_dealer_from_the_top() -> None:
    """MS: Picking Up a Detective Case. MS-43: another place, another receiver and another author are refused."""
    table = _at_office()
    table.roll(1)
    table.choose(0, table.option(0, "move.e4"))
    ref = table.play.since
    assert table.refused(DEALER, Draw(ref=ref, place=2001, to=seat_role(0), box=b"")).code == "rule/not-the-top"
    assert table.refused(DEALER, Draw(ref=ref, place=2000, to=seat_role(1), box=b"")).code == "rule/other-receiver"
    assert table.refused(0, Draw(ref=ref, place=2000, to=seat_role(0), box=b"")).code == "rule/not-the-dealer"


def test_an_open_case_is_shown_to_everybody() -> None:
    """MS-37: with `open_cases` the vault shows each new case, and may show no other."""
    table = _at_office(open_cases="yes", cases={0: "H"})
    table.drive("e4")
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    kind = case_kind(table.play.town.edition, 1)
    assert table.refused(0, Show(ref=table.play.since, card=3, seal=b"")).ruling == "MS-37"
    assert table.refused_by_vault(0, Show(ref=table.play.since, card=kind + 1, seal=b"")).ruling == "MS-37"
    assert table.step_own() == "show"
    assert table.play.shown == (kind, -1, -1)
    assert GAME.public_view(table.play)["seats"][0]["open_case"] == "B"
    assert table.step_own() == "stow"


def test_a_case_is_not_taken_out_of_turn() -> None:
    """MS: Picking Up a New Detective Case. MS-45: only where an Office has been entered, by who entered it."""
    table = _at_office(cases={0: "H"})
    assert table.refused(0, Take(yes=True)).code == "rule/not-now"
    table.drive("e4")
    assert table.refused(1, Take(yes=True)).code == "rule/not-your-turn"
