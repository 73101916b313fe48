"""MS: Questioning Witness at Inquest Spots. Entering, leaving and coming back."""

from __future__ import annotations

from msgspec.structs import replace
from tests.missing_suspect.town import EDITION, GAME, NAMES, Town, setup, town
from tests.support.chance import Chance

from chambers.rules.missing_suspect.edition import Board, ChartResult, Node, NodeKind
from chambers.rules.missing_suspect.play import Stage
from chambers.rules.roles import DICE


def _at_inquest(**more: object) -> Town:
    table = town(cases={0: "A"}, **more)  # type: ignore[arg-type]
    table.put(0, "i9")
    table.drive("i8")
    return table


def test_a_detective_at_an_inquest_throws_for_the_chart() -> None:
    """MS: Questioning Witness at Inquest Spots. Exact count is not needed; the die is thrown once."""
    table = town(cases={0: "A"})
    table.put(0, "i9")
    table.drive("i8", count=6)
    assert [(due.who, due.act) for due in GAME.due(table.play)] == [(DICE, "roll")]
    table.throw(1)
    assert (table.play.columns[0], table.play.turn, table.car(0)) == (0b1111, 1, "i8")


def test_an_inquest_gives_nothing_without_a_case() -> None:
    """MS-14: it may be entered, but there is no letter to look under."""
    table = town()
    table.put(0, "i9")
    table.drive("i8")
    assert (table.play.turn, table.play.stage) == (1, Stage.ROLL)


def test_another_inquest_may_be_entered_on_the_next_turn() -> None:
    """MS-19: he cannot return to *it*; another one is allowed at once."""
    table = _at_inquest()
    table.throw(1)
    table.begin(0)
    table.put(0, "e1")
    table.roll(1)
    assert "move.e2" in table.ids(0)


def test_the_same_inquest_is_barred_for_one_turn() -> None:
    """MS-19: he must leave it, and may come back on the turn after."""
    table = _at_inquest()
    table.throw(1)
    table.begin(0)
    table.put(0, "h9")
    table.roll(3)
    assert "move.i8" not in table.ids(0)
    assert table.refused(0, table.path("i9", "i8")).ruling == "MS-19"
    table.take(0, "move.g8" if "move.g8" in table.ids(0) else table.ids(0)[0])
    table.begin(0)
    table.put(0, "h9")
    table.roll(3)
    assert "move.i8" in table.ids(0)


def test_an_inquest_stays_barred_when_the_chart_sends_the_car_away() -> None:
    """MS-19, MS-23: driven to a suspect from the Inquest, he has still not had the turn in between."""
    table = town(cases={0: "A"})
    table.result(ChartResult.CHECK)
    table.take(0, "check.a", "no")
    table.begin(0)
    table.put(0, "h9")
    table.roll(3)
    assert "move.i8" not in table.ids(0)


def test_a_car_that_cannot_leave_an_inquest_does_not_question_again() -> None:
    """MS-40, MS-5: the only exit is blocked: the car stays, and there is no second throw."""
    table = _at_inquest()
    table.throw(1)
    table.begin(0)
    table.put(1, "i9")
    table.roll(1)
    assert (table.play.turn, table.car(0), table.play.stage) == (1, "i8", Stage.ROLL)


def test_an_inquest_with_two_doors_is_not_left_by_one_and_entered_by_the_other() -> None:
    """MS-19: leaving means leaving; MS-20: a benefit needs a new entry on a later turn."""
    kinds = {"i1": NodeKind.INQUEST, "b2": NodeKind.DOT}
    ring = ("i1", "b1", "b2", "a2")
    nodes = tuple(Node(address=a, kind=kinds.get(a, NodeKind.DOT), col=n % 2, row=n // 2) for n, a in enumerate(ring))
    spots = tuple(Node(address=f"{c}9", kind=NodeKind.SUSPECT, col=n, row=8) for n, c in enumerate("abcdefgh"))
    court = (Node(address="z1", kind=NodeKind.COURTHOUSE, col=25, row=0),)
    board = Board(art=(), nodes=nodes + spots + court, lines=((0, 1), (1, 2), (2, 3), (0, 3)))
    table = Town(GAME, setup(2, replace(EDITION, board=board)), NAMES[:2], draw=Chance(1))
    table.change(stage=Stage.ROLL, order=(0, 1), round=1, cars=(0, 12), barred=(0, -1), cased=(True, True))
    table.roll(4)
    assert (table.play.turn, table.play.cars[0]) == (1, 0)
