"""WS: Play. The three steps of a turn."""

from __future__ import annotations

import pytest
from tests.witness_stand.court import (
    ANY_CORNER,
    BURGER,
    CALL_A,
    CALL_B,
    CHAMBERS_C,
    CORNER_DRAKE,
    CORNER_FIFTH,
    DELLA,
    DRAKE,
    FIFTH,
    PERRY,
    A,
    Court,
    ask,
    court,
    plain,
)

from chambers.rules.events import Roll
from chambers.rules.roles import DICE, GM
from chambers.rules.witness_stand.events import Accuse, EndTurn, Go, NoCard
from chambers.rules.witness_stand.play import Stage


def test_a_turn_has_its_steps_in_order() -> None:
    """WS: Play. WS-49: question, roll and move with what the space says, question, end."""
    table = court(hands={1: [plain(A, 1), plain(A, 2)]})
    stages = [table.play.stage]
    table.question(1, "A1")
    stages.append(table.play.stage)
    table.take(1, "show.A1.")
    stages.append(table.play.stage)
    table.take(0, "go")
    stages.append(table.play.stage)
    table.move_to(CALL_A)
    stages.append(table.play.stage)
    table.question(1, "A2")
    table.take(1, "show.A2.")
    stages.append(table.play.stage)
    table.take(0, "end")
    assert stages == [Stage.ASK, Stage.ANSWER, Stage.ACCUSE, Stage.ROLL, Stage.ASK3, Stage.END]
    assert (table.play.turn, table.play.round) == (1, 1)


def test_a_question_in_step_one_is_optional() -> None:
    """WS: Play. Step 1, `if you want`: the player may go straight to the roll."""
    table = court()
    table.take(0, "go")
    assert table.at(Stage.ROLL)


def test_rolling_is_mandatory() -> None:
    """WS: Play. WS-43: once the roll is due nothing else is accepted, and no player can say what it is."""
    table = court()
    table.take(0, "go")
    assert table.prompt(0) is None
    for event in (EndTurn(), Go(), ask(1, "A1"), Accuse(suspect=A)):
        assert table.refused(0, event).code == "rule/not-now"
    assert table.refused(0, Roll(k=1, shares=(), value=6)).ruling == "WS-43"
    assert table.refused(DICE, Roll(k=1, shares=(), value=7)).code == "rule/no-such-roll"


def test_no_roll_is_accepted_before_it_is_due() -> None:
    """WS: Play. WS-43: the dice wait for step 1."""
    assert court().refused(DICE, Roll(k=1, shares=(), value=3)).code == "rule/not-now"


def test_a_pawn_moves_the_full_count_clockwise() -> None:
    """WS: Play. WS-43: all of the roll, and around the board's end."""
    table = court(witness=-1)
    table.put(0, 26)
    table.roll(5)
    assert table.play.spaces[0] == 3
    assert table.play.roll == 5


def test_passing_a_space_does_nothing() -> None:
    """WS: Play. WS-49: only the space where the pawn stops acts."""
    table = court(witness=-1)
    table.put(0, 0)
    table.roll(3)
    assert (table.play.spaces[0], table.play.witness) == (DRAKE, -1)


def test_nothing_is_asked_of_a_player_who_can_only_roll() -> None:
    """WS: Play. WS-3: with every suspect in the Gallery, step 1 has no choice and the roll is due at once."""
    table = court(witness=-1)
    assert table.at(Stage.ROLL)
    assert table.refused(0, ask(1, "A1")).ruling == "WS-3"


def _landed(step3: str, space: int, *, witness: int = A) -> Court:
    table = court(witness=witness, step3=step3)
    if table.play.stage is not Stage.ROLL:
        table.take(0, "go")
    table.move_to(space)
    if table.play.stage is Stage.PLACE:
        table.take(0, "place.A")
    elif table.play.stage is Stage.GIVE:
        table.take(0, table.ids(0)[0])
    elif table.play.stage is Stage.MOVE:
        table.take(0, f"move.{ANY_CORNER}")
    return table


@pytest.mark.parametrize(
    ("step3", "spaces"),
    [
        ("witness", {CALL_B, CHAMBERS_C, DELLA, PERRY, DRAKE}),
        ("literal", {DELLA, PERRY, DRAKE}),
        ("always", {CALL_B, CHAMBERS_C, DELLA, PERRY, DRAKE, BURGER, FIFTH, ANY_CORNER}),
    ],
)
def test_step_three_has_a_question_only_where_allowed(step3: str, spaces: set[int]) -> None:
    """WS: Play. WS-1: after calling or granting spaces; literally; or always, by the table's option."""
    landings = (CALL_B, CHAMBERS_C, DELLA, PERRY, DRAKE, BURGER, FIFTH, ANY_CORNER)
    allowed = {space for space in landings if _landed(step3, space).play.stage is Stage.ASK3}
    assert allowed == spaces
    assert _landed(step3, BURGER, witness=-1).play.stage is Stage.END


def test_a_question_that_step_three_does_not_allow_is_refused() -> None:
    """WS: Play. WS-1: the refusal names the ruling."""
    table = _landed("witness", FIFTH)
    assert table.refused(0, ask(1, "A1")).ruling == "WS-1"


def test_a_turn_has_two_questions_at_most() -> None:
    """WS: Play. WS-2: what a space grants is the third step's question, not one more."""
    table = _landed("witness", DRAKE)
    table.question(1, "A1")
    table.take(1, "none")
    assert table.at(Stage.END)


def test_paul_drake_grants_one_more_where_step_three_always_has_one() -> None:
    """WS: Play. WS-2: under `always` a turn may have three questions, no more."""
    table = _landed("always", DRAKE)
    table.question(1, "A1")
    table.take(1, "none")
    assert table.at(Stage.ASK3)
    table.question(2, "A1")
    table.take(2, "none")
    assert table.at(Stage.END)


def test_a_player_may_leave_step_three_without_asking() -> None:
    """WS: Play. Step 3, `and you want to`: going on ends both questions of a Paul Drake under `always`."""
    table = _landed("always", DRAKE)
    table.take(0, "go")
    assert table.at(Stage.END)


def test_the_end_of_a_turn_is_always_asked() -> None:
    """WS: Play. WS-49: also when ending it is all that can be done."""
    table = _landed("witness", BURGER, witness=-1)
    assert table.ids(0) == ["end"]


def test_turns_go_clockwise_and_rounds_are_counted() -> None:
    """WS: Play. WS-41: seat after seat from the first; back at the first a new round begins."""
    table = court(witness=-1, turn=1)
    seen = []
    for _ in range(4):
        seen.append((table.play.turn, table.play.round))
        table.put(table.play.turn, CORNER_FIFTH - 1)
        table.roll(1)
        table.take(table.play.turn, "end")
    assert seen == [(1, 1), (2, 1), (0, 1), (1, 2)]


def test_only_the_player_whose_turn_it_is_moves() -> None:
    """WS: Play. Everything of a turn is refused to the others, with the name of whose move it is."""
    table = court()
    for event in (ask(2, "A1"), Go(), Accuse(suspect=A), EndTurn()):
        refusal = table.refused(1, event)
        assert refusal.code == "rule/not-your-turn"
        assert "Ada" in refusal.sentence
    assert table.refused(GM, Go()).code == "rule/not-a-seat"
    assert table.refused(5, Go()).code == "rule/not-a-seat"


def test_an_answer_that_nobody_asked_for_is_refused() -> None:
    """WS: Play. Between questions no answer is due."""
    assert court().refused(1, NoCard(ref=0)).code == "rule/no-answer-due"


def test_a_pawn_shares_a_space() -> None:
    """WS: Play. WS-42: landing where another pawn stands is an ordinary landing."""
    table = court(witness=-1)
    table.put(0, CORNER_DRAKE - 2)
    table.roll(2)
    assert table.play.spaces == (CORNER_DRAKE,) * 3
