"""Limits that pass, and players who leave: the vault's safe choices (WS-49) and the dropped seat (WS-48)."""

from __future__ import annotations

import pytest
from tests.support.chance import Chance
from tests.witness_stand.court import (
    ANY_CORNER,
    BURGER,
    CALL_A,
    CORNER_DELLA,
    CORNER_PERRY,
    DELLA,
    GAME,
    NAMES,
    OBJECT,
    OVERRULED,
    PERRY,
    A,
    B,
    C,
    Court,
    ask,
    court,
    plain,
    setup,
    starred,
)

from chambers.rules.events import Drop, Lapse
from chambers.rules.roles import GM
from chambers.rules.witness_stand.play import Stage


def _fallback(table: Court, seat: int) -> str:
    return GAME.fallback(table.play, table.hands[seat]).id


def _at(space: int, **values: object) -> Court:
    table = court(**values)  # type: ignore[arg-type]
    if table.play.stage is not Stage.ROLL:
        table.take(0, "go")
    table.move_to(space)
    return table


def test_a_passed_limit_is_said_aloud_and_the_choice_stays_due() -> None:
    """WS-49: after the lapse the vault owes the safe choice, without another limit, under the same prompt."""
    table = court(turn_limit="20")
    due = GAME.due(table.play)[0]
    assert (due.until, due.lapsed) == (20_000, False)
    prompt = table.asked(0).id
    table.lapse(due)
    late = GAME.due(table.play)[0]
    assert (late.act, late.since, late.until, late.lapsed) == ("ask", due.since, None, True)
    assert table.asked(0).id == prompt
    assert table.refused(GM, Lapse(ref=due.since)).code == "rule/no-limit-passed"


def test_a_limit_has_not_passed_before_its_time() -> None:
    """WS-49: a lapse too early, of something else, or by somebody else is refused."""
    table = court(turn_limit="20")
    for author, ref in ((GM, 0), (GM, 5), ("seat1", 0)):
        assert table.refused(author, Lapse(ref=ref)).code in ("rule/no-limit-passed", "rule/not-the-game-master")  # type: ignore[arg-type]


def test_the_safe_choice_asks_nothing_accuses_nobody_and_ends_the_turn() -> None:
    """WS-49: in step 1, after its question, in step 3, and at the end."""
    table = court(hands={0: [plain(B, 1)]})
    assert _fallback(table, 0) == "go"
    table.question(1, "A1")
    assert _fallback(table, 1) == "none"
    table.take(1, "none")
    assert _fallback(table, 0) == "go"
    table.take(0, "go")
    table.move_to(CALL_A)
    assert _fallback(table, 0) == "go"
    table.take(0, "go")
    assert _fallback(table, 0) == "end"


def test_the_safe_answer_is_the_unstarred_one() -> None:
    """WS-49: a forced answer gives the plain card first; the starred one only when it is the only one."""
    both = court(hands={1: [starred(A, 1), plain(A, 1)]}, answer_limit="5")
    both.question(1, "A1")
    assert _fallback(both, 1) == "show.A1."
    due = GAME.due(both.play)[0]
    assert (due.act, due.until) == ("answer", both.ts + 5_000)
    one = court(hands={1: [starred(A, 1), 42]})
    one.question(1, "A1")
    assert _fallback(one, 1) == "show.A1*"
    none = court(hands={1: [42]})
    none.question(1, "A1")
    assert _fallback(none, 1) == "none"


def test_the_safe_choice_in_a_window_is_to_let_it_pass() -> None:
    """WS-49: no objection, no overruling."""
    table = court(hands={1: [OBJECT, OVERRULED]})
    table.take(0, "ask.2.A1")
    assert _fallback(table, 1) == "ok"
    table.take(1, "object")
    assert _fallback(table, 1) == "ok"


def test_the_safe_corner_is_the_next_free_one() -> None:
    """WS-49: Perry, Della, Drake, Fifth; when all are taken, the same order again."""
    table = Court(GAME, setup(6, turn_limit="9"), NAMES, draw=Chance(1))
    chosen = []
    for seat in range(6):
        chosen.append(_fallback(table, seat))
        table.take(seat, chosen[-1])
    assert chosen == ["corner.0", "corner.7", "corner.14", "corner.21", "corner.0", "corner.7"]


def test_the_safe_placing() -> None:
    """WS-49: Della nobody; Perry the one who is out, else A."""
    assert _fallback(_at(DELLA, witness=B), 0) == "place.none"
    assert _fallback(_at(PERRY, witness=C), 0) == "place.C"
    assert _fallback(_at(PERRY, witness=-1), 0) == "place.A"


def test_the_safe_gift_is_the_lowest_unstarred_answer() -> None:
    """WS-49: else an action card, else a starred answer."""
    assert _fallback(_at(BURGER, hands={0: [starred(A, 1), plain(C, 2), plain(B, 2), OBJECT]}), 0) == "pass.B2."
    assert _fallback(_at(BURGER, hands={0: [starred(A, 1), OVERRULED, OBJECT]}), 0) == "pass.OBJECT"
    assert _fallback(_at(BURGER, hands={0: [starred(B, 1), starred(A, 2)]}), 0) == "pass.A2*"


def test_the_safe_move_is_to_stay() -> None:
    """WS-49: Go to Any Corner is optional."""
    assert _fallback(_at(ANY_CORNER), 0) == f"move.{ANY_CORNER}"


def test_who_owes_nothing_has_no_safe_choice() -> None:
    """WS-49: asking for one is a mistake of the caller."""
    table = court()
    with pytest.raises(ValueError, match="owes nothing"):
        _fallback(table, 1)


def test_a_dropped_seat_is_neither_asked_nor_given_anything() -> None:
    """WS-48: as one on Take the Fifth for ever; a gift goes to the next live seat to the right."""
    table = court(4)
    table.drop(3)
    assert not any(ident.startswith("ask.3") for ident in table.ids(0))
    assert table.refused(0, ask(3, "A1")).ruling == "WS-48"
    table.take(0, "go")
    table.move_to(BURGER)
    table.take(0, table.ids(0)[0])
    assert table.play.counts == (0, 1, 2, 1)


def test_a_dropped_seat_does_and_says_nothing_more() -> None:
    """WS-48: its statements are refused, its pawn is off the board, and it is dropped once."""
    table = court()
    table.drop(1)
    refusal = table.refused(1, ask(0, "A1"))
    assert (refusal.code, refusal.ruling) == ("rule/dropped", "WS-48")
    assert table.play.spaces[1] == -1
    assert table.refused(GM, Drop(seat=1)).ruling == "WS-48"
    assert table.refused(GM, Drop(seat=9)).code == "rule/no-such-seat"
    assert table.refused(0, Drop(seat=2)).code == "rule/not-the-game-master"


def test_a_dropped_seat_loses_its_turn() -> None:
    """WS-48: at any choice, roll or gift of its turn, the next seat goes on."""
    for space in (None, PERRY, BURGER, ANY_CORNER, CALL_A):
        table = court() if space is None else _at(space)
        table.drop(0)
        assert (table.play.turn, table.play.step) == (1, 1)
        assert table.prompt(1) is not None


def test_a_dropped_asker_takes_the_question_along() -> None:
    """WS-48: in the window, at the answer, and when an objection is open."""
    for ids in ((), ("object",)):
        table = court(hands={1: [OBJECT]})
        table.take(0, "ask.2.A1")
        table.take(1, *ids)
        table.drop(0)
        assert (table.play.turn, table.play.asked, table.play.waiting) == (1, None, ())
    table = court()
    table.question(1, "A1")
    table.drop(0)
    assert (table.play.turn, table.play.asked) == (1, None)


def test_a_question_to_a_dropped_seat_falls() -> None:
    """WS-48: it is spent, at whatever point it stood."""
    waiting = court(4)
    waiting.take(0, "ask.1.A1")
    answering = court(4)
    answering.question(1, "A1")
    for table in (waiting, answering):
        table.drop(1)
        assert (table.play.stage, table.play.asked, table.play.turn) == (Stage.ACCUSE, None, 0)


def test_a_window_does_not_wait_for_a_dropped_seat() -> None:
    """WS-48: if it was the last one waited for, the window closes; a fixed one still takes its time."""
    table = court(4)
    table.take(0, "ask.1.A1")
    table.ok(1)
    table.drop(2)
    assert table.play.waiting == (3,)
    table.drop(3)
    assert table.at(Stage.ANSWER)
    fixed = court(3, object_window="full-5")
    fixed.take(0, "ask.1.A1")
    fixed.ok(1)
    fixed.drop(2)
    assert fixed.at(Stage.WINDOW)
    fixed.lapse(GAME.due(fixed.play)[0])
    assert fixed.at(Stage.ANSWER)


def test_an_objection_outlives_its_objector() -> None:
    """WS-48: the card was played; the others may still overrule it."""
    table = court(4, hands={2: [OBJECT], 0: [OVERRULED]})
    table.take(0, "ask.1.A1")
    table.take(2, "object")
    table.drop(2)
    assert table.play.waiting == (0, 1, 3)
    table.take(0, "overrule")
    assert table.at(Stage.ANSWER)


def test_a_receiver_who_is_dropped_gets_no_gift() -> None:
    """WS-48: the giver is asked anew, under a new prompt, for the next live seat."""
    table = _at(BURGER, seats=4)
    before = table.asked(0)
    table.drop(3)
    after = table.asked(0)
    assert before.id != after.id
    table.take(0, after.options[0].id)
    assert table.play.counts[2] == 2


def test_the_last_seat_that_may_be_asked_is_dropped() -> None:
    """WS-48, WS-9: the question that is no longer possible is no longer offered."""
    table = court(3)
    table.put(2, 17)
    table.drop(1)
    assert table.ids(0) == ["accuse.A", "go"]
    third = _at(CALL_A, seats=3)
    third.put(2, 17)
    third.drop(1)
    assert third.at(Stage.END)


def test_a_seat_dropped_before_the_first_turn() -> None:
    """WS-48: neither chooses a corner nor throws."""
    table = Court(GAME, setup(4), NAMES[:4], draw=Chance(1))
    table.take(0, f"corner.{CORNER_PERRY}")
    table.drop(1)
    table.drop(3)
    table.take(2, f"corner.{CORNER_DELLA}")
    assert table.play.throwing == (0, 2)
    table.roll(3)
    table.drop(2)
    assert (table.play.turn, table.play.step) == (0, 2)


def test_the_tied_are_dropped_and_the_others_throw_anew() -> None:
    """WS-48, WS-41: a first player is always found."""
    table = Court(GAME, setup(4), NAMES[:4], draw=Chance(1))
    for seat in range(4):
        table.take(seat, "corner.0")
    for value in (6, 6, 1, 2):
        table.roll(value)
    table.drop(0)
    table.drop(1)
    assert (table.play.stage, table.play.throwing) == (Stage.FIRST, (2, 3))


def test_a_logged_accusation_is_answered_though_the_accuser_is_dropped() -> None:
    """WS-48: accusations stay possible; the dealer alone decides this one."""
    for suspect, winner in ((A, None), (3, 0)):
        table = court(witness=suspect)
        table.take(0, f"accuse.{'ABCD'[suspect]}")
        table.drop(0)
        while table.play.stage in (Stage.LOOK, Stage.OPENCARDS):
            table.dealer(GAME.due(table.play)[0])
        result = GAME.result(table.play)
        assert (None if result is None else result.winner) == winner


def test_dropping_everybody_who_may_accuse_ends_the_game() -> None:
    """WS-48, WS-37: when only wrong accusers are left nobody wins."""
    table = court(3)
    table.accuse("A")
    table.accuse("A")
    table.drop(2)
    result = GAME.result(table.play)
    assert result is not None
    assert result.winner is None


def test_the_last_player_left_by_dropping_wins_where_agreed() -> None:
    """WS-48, WS-36: option `last_player_wins`."""
    table = court(3, last_player_wins="yes")
    table.accuse("A")
    table.drop(1)
    result = GAME.result(table.play)
    assert result is not None
    assert result.winner == 2
