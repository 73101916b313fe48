"""WS: Special Spaces. What a pawn's landing does."""

from __future__ import annotations

import pytest
from tests.witness_stand.court import (
    ANY_CORNER,
    BURGER,
    CALL_A,
    CALL_B,
    CHAMBERS_C,
    CHAMBERS_D,
    CORNER_DELLA,
    CORNER_DRAKE,
    CORNER_FIFTH,
    CORNER_PERRY,
    DELLA,
    DRAKE,
    EXCLUDED,
    FIFTH,
    PERRY,
    A,
    B,
    C,
    Court,
    D,
    ask,
    court,
    plain,
    starred,
)

from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.edition import card_code
from chambers.rules.witness_stand.events import Accuse, EndTurn, Move, Pass, Place
from chambers.rules.witness_stand.hand import SOMEWHERE, UNSEEN
from chambers.rules.witness_stand.play import Stage, protected


def _land(space: int, *, seats: int = 3, hands: dict[int, list[int]] | None = None, **values: object) -> Court:
    table = court(seats, hands=hands, **values)  # type: ignore[arg-type]
    if table.play.stage is not Stage.ROLL:
        table.take(table.play.turn, "go")
    table.move_to(space)
    return table


@pytest.mark.parametrize(
    ("space", "suspect", "chambers"),
    [(CALL_A, A, False), (CALL_B, B, False), (CHAMBERS_C, C, True), (CHAMBERS_D, D, True)],
)
def test_call_witness_puts_the_suspect_out(space: int, suspect: int, chambers: bool) -> None:
    """WS: Special Spaces, Call Witness. WS-5: on the Stand or at the door of Chambers, and any other goes away."""
    table = _land(space, witness=B)
    assert (table.play.witness, table.play.chambers) == (suspect, chambers)


@pytest.mark.parametrize(("space", "chambers"), [(CHAMBERS_C, True), (8, False)])
def test_calling_the_suspect_who_is_out_moves_that_suspect(space: int, chambers: bool) -> None:
    """WS: Special Spaces, Call Witness. WS-6: between Stand and Chambers, as the space says."""
    table = _land(space, witness=C, chambers=not chambers)
    assert (table.play.witness, table.play.chambers) == (C, chambers)


def test_a_suspect_in_chambers_is_asked_in_confidence_after_the_call() -> None:
    """WS: Special Spaces, Call Witness. WS-4: the third step's question is confidential then."""
    table = _land(CHAMBERS_C)
    table.take(0, "ask.1.C1")
    assert table.play.asked is not None
    assert not table.play.asked.public


def test_della_street_may_put_a_suspect_on_the_stand() -> None:
    """WS: Special Spaces, Della Street. WS-7: any suspect, or nobody; then a question."""
    table = _land(DELLA, witness=B, chambers=True)
    assert table.ids(0) == ["place.A", "place.B", "place.C", "place.D", "place.none"]
    table.take(0, "place.C")
    assert (table.play.witness, table.play.chambers, table.play.stage) == (C, False, Stage.ASK3)


def test_della_unused_still_grants_her_question() -> None:
    """WS: Special Spaces, Della Street. WS-49: to whoever is out; with nobody out there is none."""
    table = _land(DELLA, witness=B, chambers=True)
    table.take(0, "place.none")
    assert (table.play.witness, table.play.chambers, table.play.stage) == (B, True, Stage.ASK3)
    nobody = _land(DELLA, witness=-1)
    nobody.take(0, "place.none")
    assert nobody.at(Stage.END)


def test_perry_mason_must_put_a_suspect_on_the_stand() -> None:
    """WS: Special Spaces, Perry Mason. WS-7: mandatory, but it may be the same one again; WS-5: Chambers is cleared."""
    table = _land(PERRY, witness=B, chambers=True)
    assert table.ids(0) == ["place.A", "place.B", "place.C", "place.D"]
    assert table.refused(0, Place(suspect=-1)).ruling == "WS-7"
    assert table.refused(0, Place(suspect=4)).code == "rule/no-such-suspect"
    table.take(0, "place.B")
    assert (table.play.witness, table.play.chambers, table.play.stage) == (B, False, Stage.ASK3)


def test_the_granted_question_is_optional() -> None:
    """WS: Special Spaces, Perry Mason. WS-7: one can ask, one need not."""
    table = _land(PERRY)
    table.take(0, "place.D", "go")
    assert table.at(Stage.END)


def test_nothing_else_before_a_forced_choice() -> None:
    """WS: Special Spaces. WS-49: accusing waits until the space is done."""
    for space in (PERRY, BURGER, ANY_CORNER):
        table = _land(space)
        assert table.refused(0, Accuse(suspect=A)).ruling == "WS-31"
        assert table.refused(0, EndTurn()).code == "rule/not-now"
        assert not any(ident.startswith("accuse") for ident in table.ids(0))


@pytest.mark.parametrize("chambers", [False, True])
def test_paul_drake_grants_another_question(chambers: bool) -> None:
    """WS: Special Spaces, Paul Drake. WS-4: also of a suspect in Chambers; the suspect stays."""
    table = _land(DRAKE, chambers=chambers)
    assert table.at(Stage.ASK3)
    assert (table.play.witness, table.play.chambers) == (A, chambers)


def test_paul_drake_without_a_witness_grants_nothing() -> None:
    """WS: Special Spaces, Paul Drake. WS-3: there is nobody to ask about."""
    assert _land(DRAKE, witness=-1).play.stage is Stage.END


def test_hamilton_burger_takes_a_card_for_the_player_on_the_right() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-27: any card, by the giver's choice, unseen by the third player."""
    held = [plain(A, 1), starred(B, 2), EXCLUDED, EXCLUDED]
    table = _land(BURGER, hands={0: held})
    assert table.ids(0) == ["pass.A1.", "pass.B2*", "pass.EXCLUDED"]
    table.take(0, "pass.B2*")
    assert starred(B, 2) in table.hands[2].cards
    assert starred(B, 2) not in table.hands[0].cards
    assert [hand.holders[starred(B, 2)] for hand in table.hands] == [2, UNSEEN, 2]
    assert table.play.counts == (3, 1, 2)
    assert table.at(Stage.END)


def test_hamilton_burger_takes_nothing_from_an_empty_hand() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-27: nothing, and nobody is asked."""
    table = _land(BURGER, hands={0: []})
    assert table.at(Stage.END)


def test_the_right_is_the_previous_seat() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-28: the one before in turn order, and nobody else."""
    table = _land(BURGER, seats=4, turn=2)
    wrong = Pass(ref=table.play.since, to=seat_role(3), box=b"")
    assert table.refused(2, wrong).ruling == "WS-28"
    assert table.refused(2, Pass(ref=table.play.since + 1, to=seat_role(1), box=b"")).code == "rule/stale"
    table.take(2, table.ids(2)[0])
    assert table.play.counts == (1, 2, 0, 1)


def test_of_two_players_the_right_one_is_the_other() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-28: two players give to each other."""
    table = _land(BURGER, seats=2)
    table.take(0, table.ids(0)[0])
    assert table.play.counts == (0, 2)


def test_an_eliminated_player_on_the_right_is_given_the_card() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-28: literally; with the option the gift passes by."""
    for skips, counts in (("no", (2, 0, 1)), ("yes", (1, 0, 2))):
        table = court(3, turn=0, burger_skips_out=skips)
        table.accuse("A")
        table.take(1, "go")
        table.move_to(BURGER)
        table.take(1, table.ids(1)[0])
        assert table.play.counts == counts


def test_a_gift_to_nobody_is_not_due() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-28: with the option and nobody else playing, nothing is given."""
    table = court(2, burger_skips_out="yes")
    table.accuse("A")
    table.take(1, "go")
    table.move_to(BURGER)
    assert table.at(Stage.END)


def test_a_gift_makes_the_others_sheets_uncertain() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-47: what the giver was known to hold may have gone, and no more."""
    table = court(3, hands={0: [plain(A, 1)], 1: [plain(A, 2)]}, turn=0)
    table.question(1, "A2")
    table.take(1, "show.A2.")
    assert table.hands[1].holders[plain(A, 2)] == 0
    table.take(0, "go")
    table.move_to(BURGER)
    table.take(0, "pass.A2.")
    assert table.hands[1].holders[plain(A, 2)] == SOMEWHERE
    assert table.hands[2].holders[plain(A, 2)] == 2


def test_a_denial_holds_only_until_a_card_comes_in_unseen() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-47: the receiver's no is crossed out, unless the giver said no too."""
    table = court(3, hands={0: [plain(B, 5)]}, turn=0)
    table.change(witness=A)
    table.question(2, "A1")
    table.take(2, "none")
    assert table.hands[1].denied[0] == 1 << 2
    table.take(0, "go")
    table.move_to(BURGER)
    table.take(0, table.ids(0)[0])
    assert table.hands[1].denied[0] == 0
    assert table.hands[0].denied[0] == 1 << 2
    assert table.hands[2].denied[0] == 1 << 2


def test_go_to_any_corner_is_optional() -> None:
    """WS: Special Spaces, Go to Any Corner. WS-39: the four corners, or staying, which does nothing."""
    table = _land(ANY_CORNER)
    assert table.ids(0) == ["move.0", "move.7", "move.14", "move.21", f"move.{ANY_CORNER}"]
    assert table.refused(0, Move(space=3)).ruling == "WS-39"
    table.take(0, f"move.{ANY_CORNER}")
    assert (table.play.spaces[0], table.play.stage) == (ANY_CORNER, Stage.END)


@pytest.mark.parametrize(
    ("corner", "stage"),
    [
        (CORNER_PERRY, Stage.PLACE),
        (CORNER_DELLA, Stage.PLACE),
        (CORNER_DRAKE, Stage.ASK3),
        (CORNER_FIFTH, Stage.END),
    ],
)
def test_the_chosen_corner_acts(corner: int, stage: Stage) -> None:
    """WS: Special Spaces, Go to Any Corner. WS-39: its instructions are followed, once."""
    table = _land(ANY_CORNER)
    table.take(0, f"move.{corner}")
    assert (table.play.spaces[0], table.play.stage) == (corner, stage)


def test_take_the_fifth_protects_from_both_kinds_of_question() -> None:
    """WS: Special Spaces, Take the Fifth. WS-11: in public and in confidence."""
    for chambers in (False, True):
        table = court(chambers=chambers)
        table.put(2, FIFTH)
        assert table.refused(0, ask(2, "A1", public=not chambers)).code == "rule/take-the-fifth"


def test_take_the_fifth_does_not_silence() -> None:
    """WS: Special Spaces, Take the Fifth. WS-11: its player asks, accuses, and is waited for in windows."""
    table = court()
    table.put(0, FIFTH)
    table.put(2, CORNER_FIFTH)
    assert {"ask.1.A1", "accuse.A"} <= set(table.ids(0))
    table.take(0, "ask.1.A1")
    assert table.ids(2) == ["ok"]


def test_the_protection_ends_with_the_next_move() -> None:
    """WS: Special Spaces, Take the Fifth. WS-11: the pawn leaves, and may be asked again."""
    table = _land(FIFTH)
    assert protected(table.play, 0)
    table.take(0, "end")
    assert not any(ident.startswith("ask.0") for ident in table.ids(1))
    table.change(turn=0, stage=Stage.ROLL)
    table.roll(1)
    assert not protected(table.play, 0)


def test_elimination_ends_the_shelter() -> None:
    """WS: Special Spaces, Take the Fifth. WS-10: the pawn is removed, and the cards can be asked for."""
    table = court(hands={0: [plain(A, 1)]})
    table.put(0, FIFTH)
    table.accuse("A")
    assert table.play.spaces[0] == -1
    assert "ask.0.A1" in table.ids(1)


def test_codes_name_what_a_hand_may_give() -> None:
    """WS: Special Spaces, Hamilton Burger. Equal cards are one option: nothing tells two copies apart."""
    table = _land(BURGER, hands={0: [EXCLUDED, EXCLUDED]})
    assert table.ids(0) == [f"pass.{card_code(EXCLUDED)}"]
