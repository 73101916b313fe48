"""MS: Solving a Detective Case, MS: Capturing a Suspect and Bringing Him to Trial, MS: Winner."""

from __future__ import annotations

from msgspec.structs import replace
from tests.missing_suspect.town import BLUE, CANARY, EDITION, GAME, GREEN, RED, Town, card, cards, clue, town

from chambers.rules.missing_suspect.edition import case_kind, numbers_of, solution, triples
from chambers.rules.missing_suspect.events import Claim, OpenCards, Take
from chambers.rules.missing_suspect.play import TOPS, Stage

H = 7


def _solved(**more: object) -> Town:
    return town(held={0: cards(*CANARY)}, cases={0: "H"}, **more)  # type: ignore[arg-type]


def _at_red(**more: object) -> Town:
    table = _solved(**more)
    table.put(0, "b1")
    table.drive("b2")
    return table


def _carrying(**more: object) -> Town:
    table = _solved(**more)
    table.carry(0, RED)
    return table


def test_any_three_of_the_four_clues_solve_a_case() -> None:
    """MS: Solving a Detective Case. The numbers of the three add up to the suspect's."""
    assert dict.fromkeys(number for _, number in triples(EDITION, H)).keys() == {6, 7, 8}
    assert solution(EDITION, H, cards(*CANARY)) == 7
    assert solution(EDITION, H, cards("Overnight Case", "Hidden Gun", "Missing Gems")) == 6
    assert solution(EDITION, H, cards("Hidden Gun", "Missing Gems", "Face at the Window")) == 8
    assert solution(EDITION, 0, cards(*CANARY)) is None


def test_the_same_clue_twice_counts_once() -> None:
    """MS: Solving a Detective Case. Three *different* clues are needed."""
    gems = tuple(kind for kind, pair in enumerate(EDITION.cards) if clue("Missing Gems") in pair)
    assert len(gems) == 2
    assert solution(EDITION, H, (*gems, card("Overnight Case"))) is None
    table = town(held={0: (*gems, card("Overnight Case"))}, cases={0: "H"})
    table.put(0, "b1")
    table.drive("b2")
    assert table.ids(0) == ["no"]
    assert table.refused_by_vault(0, Take(yes=True)).ruling == "MS-30"


def test_four_values_from_one_to_three_repeat_one() -> None:
    """MS-46: only one different clue *may* give another suspect: every case leads to two or three of them."""
    assert all(len(triples(EDITION, case)) == 4 for case in range(8))
    assert {len(numbers_of(EDITION, case)) for case in range(8)} == {2, 3}


def test_a_hand_of_three_proves_one_number_at_most() -> None:
    """MS-36: with limit three there is at most one triple."""
    assert solution(EDITION, H, (*cards(*CANARY), card("Hidden Gun"))) is None


def test_a_detective_checks_and_captures_in_one_entry() -> None:
    """MS-29: on entering he looks, and may capture if the number is his."""
    table = _at_red()
    assert table.hand(0).numbers[RED] == 7
    table.take(0, "yes")
    assert (table.play.carried, table.car(0), table.play.turn) == ((RED, -1, -1), "b2", 1)


def test_a_capture_needs_no_exact_count() -> None:
    """MS: Capturing a Suspect and Bringing Him to Trial. Exact count is not necessary."""
    table = _solved()
    table.put(0, "b1")
    table.drive("b2", count=6)
    assert table.ids(0) == ["yes", "no"]


def test_a_wrong_suspect_cannot_be_captured() -> None:
    """MS-30: capture needs a solved case and the right number."""
    table = _solved()
    table.put(0, "c5")
    table.drive("c4")
    assert table.ids(0) == ["no"]
    assert table.refused_by_vault(0, Take(yes=True)).ruling == "MS-30"


def test_an_unsolved_case_captures_nobody() -> None:
    """MS-30: without a case, or without three cards, everybody refuses it."""
    for table in (town(held={0: cards(*CANARY)}), town(held={0: cards(*CANARY[:2])}, cases={0: "H"})):
        table.put(0, "b1")
        table.drive("b2")
        assert table.refused(0, Take(yes=True)).ruling == "MS-30"


def test_a_captured_suspect_is_gone_from_his_spot() -> None:
    """MS-31: the first to enter takes him; the spot is empty for the other, and nothing is stolen from a car."""
    table = _at_red()
    table.take(0, "yes")
    table.put(1, "b1")
    table.drive("b2")
    assert (table.play.turn, table.play.known[1], table.car(1)) == (2, 0, "b2")


def test_a_carrier_captures_no_second_suspect() -> None:
    """MS-32: everything except capturing another."""
    table = _carrying()
    table.put(0, "c5")
    table.drive("c4")
    assert table.ids(0) == ["no"]
    assert table.refused(0, Take(yes=True)).ruling == "MS-30"


def test_a_trial_by_exact_count_wins_with_the_proof_opened() -> None:
    """MS: Winner. The three clue cards and the case are turned over, and the number of the suspect."""
    table = _carrying()
    table.put(0, "g6")
    table.roll(1)
    table.choose(0, table.option(0, "move.g5"))
    assert [(due.who, due.act) for due in GAME.due(table.play)] == [("seat0", "opencards")]
    said: list[OpenCards] = []
    table.watch = lambda told: said.append(told.event)  # type: ignore[arg-type]
    table.run()
    assert [kind for kind, _ in said[0].cards] == [*cards(*CANARY), case_kind(EDITION, H)]
    assert GAME.openings(said[0])[0][:2] == (TOPS + RED, 7)
    assert table.play.result is not None
    assert table.play.result.winner == 0


def test_the_game_ends_at_once() -> None:
    """MS-39: the first detective wins; there are no equal turns."""
    table = _carrying()
    table.put(0, "g6")
    table.drive("g5")
    assert GAME.due(table.play) == ()
    assert table.refused(1, Take(yes=False)).ruling == "MS-39"


def test_a_false_proof_is_refused() -> None:
    """MS-38: everybody checks the sum, the case and the suspect; the vault opens no cards but its own."""
    table = _carrying()
    table.put(0, "g6")
    table.roll(1)
    table.choose(0, table.option(0, "move.g5"))
    good = [(kind, bytes(32)) for kind in (*cards(*CANARY), case_kind(EDITION, H))]
    twice = [good[0], good[0], *good[2:]]
    number = (TOPS + RED, 7, bytes(32))
    bad = [
        OpenCards(cards=tuple(twice), suspects=(number,)),
        OpenCards(cards=(*good[:3], (case_kind(EDITION, 0), bytes(32))), suspects=(number,)),
        OpenCards(cards=tuple(good), suspects=((TOPS + RED, 8, bytes(32)),)),
        OpenCards(cards=tuple(good), suspects=((TOPS + BLUE, 7, bytes(32)),)),
        OpenCards(cards=tuple(good[:3]), suspects=(number,)),
        OpenCards(cards=tuple(good), suspects=()),
    ]
    assert {table.refused(0, event).ruling for event in bad} == {"MS-38"}
    other = [(kind, bytes(32)) for kind in cards("Hidden Gun", "Missing Gems", "Face at the Window")]
    assert table.refused_by_vault(0, OpenCards(cards=(*other, good[3]), suspects=(number,))).ruling == "MS-38"


def test_a_carrier_whose_cards_changed_is_tested_at_the_start_of_his_turn() -> None:
    """MS-33: the proof is lost: car and suspect go straight to the capture spot, no throw, turn over."""
    table = _carrying()
    table.hands[0] = replace(table.hand(0), cards=cards("Overnight Case", "Missing Gems", "Torn Curtain"))
    table.change(stale=(True, False, False))
    table.put(0, "e9")
    table.begin(0)
    assert (table.car(0), table.play.carried[0], table.play.turn) == ("b2", -1, 1)


def test_the_turn_after_the_return_is_a_normal_one() -> None:
    """MS-33: his car must remain there until another turn."""
    table = _carrying()
    table.hands[0] = replace(table.hand(0), cards=cards("Overnight Case", "Missing Gems", "Torn Curtain"))
    table.change(stale=(True, False, False))
    table.begin(0)
    assert table.play.turn == 1
    table.begin(0)
    table.roll(1)
    assert table.ids(0) == ["move.b1"]


def test_a_carrier_whose_cards_did_not_change_is_not_tested() -> None:
    """MS-33, MS-45: the claim is due only after a change of hand or case."""
    table = _carrying()
    table.begin(0)
    assert table.play.stage is Stage.ROLL


def test_a_second_copy_or_the_same_number_keeps_the_suspect() -> None:
    """MS-34: what counts is the proof: the same sum by another copy of the lost clue, and he carries on."""
    table = _carrying()
    copy = max(kind for kind, pair in enumerate(EDITION.cards) if clue("Missing Gems") in pair)
    table.hands[0] = replace(table.hand(0), cards=(card("Overnight Case"), copy, card("Face at the Window")))
    table.change(stale=(True, False, False))
    table.begin(0)
    assert (table.play.stage, table.play.carried[0], table.play.stale[0]) == (Stage.ROLL, RED, False)


def test_the_fourth_clue_with_another_sum_sends_the_suspect_back() -> None:
    """MS-34: still solved, but for another number: returned as in MS-33."""
    table = _carrying()
    table.hands[0] = replace(table.hand(0), cards=cards("Hidden Gun", "Missing Gems", "Face at the Window"))
    table.change(stale=(True, False, False))
    table.begin(0)
    assert (table.play.carried[0], table.play.turn) == (-1, 1)


def test_a_set_lost_and_regained_before_the_turn_costs_nothing() -> None:
    """MS-35: the condition is tested at the start of his own turn only."""
    table = _carrying()
    whole = table.hand(0).cards
    table.hands[0] = replace(table.hand(0), cards=cards("Overnight Case", "Missing Gems", "Torn Curtain"))
    table.change(stale=(True, False, False))
    table.hands[0] = replace(table.hand(0), cards=whole)
    table.begin(0)
    assert (table.play.stage, table.play.carried[0]) == (Stage.ROLL, RED)


def test_a_traded_card_breaks_a_carriers_proof() -> None:
    """MS-33: a trade just as he is on his way home makes the claim due, and the claim false."""
    table = town(held={0: cards(*CANARY), 1: cards("Torn Curtain")}, cases={0: "H", 1: "A"}, turn=1)
    table.carry(0, RED)
    table.put(1, "i9")
    table.drive("i8")
    table.throw(4)
    table.take(1, next(ident for ident in table.ids(1) if ident.startswith("offer.0")))
    table.take(0, table.ids(0)[0])
    assert table.play.stale == (True, True, False)
    table.begin(0)
    assert (table.play.carried[0], table.car(0)) == (-1, "b2")


def test_an_own_discard_and_a_new_case_are_tested_too() -> None:
    """MS-33: his own discard or a new case may have broken the set."""
    table = _carrying(top=cards("Torn Curtain"))
    table.put(0, "g7")
    table.drive("e7", count=2)
    table.take(0, "yes")
    table.take(0, table.ids(0)[0])
    assert table.play.stale[0]
    table = _carrying()
    table.put(0, "e3")
    table.drive("e4")
    table.take(0, "yes")
    assert table.play.stale[0]
    table.begin(0)
    assert table.play.carried[0] == -1


def test_a_question_witness_breaks_nothing() -> None:
    """MS-33: a Question Witness comes and goes; the cards are the same, and no claim is due."""
    table = _carrying(top=(card(),))
    table.put(0, "g7")
    table.drive("e7", count=2)
    table.take(0, "yes")
    assert not table.play.stale[0]


def test_a_false_claim_is_refused_by_the_vault() -> None:
    """MS-33: the vault says what its cards prove, both ways."""
    table = _carrying()
    table.change(stage=Stage.CLAIM)
    assert table.refused_by_vault(0, Claim(ref=table.play.since, solved=False)).ruling == "MS-33"
    table.hands[0] = replace(table.hand(0), cards=cards("Overnight Case", "Missing Gems", "Torn Curtain"))
    assert table.refused_by_vault(0, Claim(ref=table.play.since, solved=True)).ruling == "MS-33"


def test_the_returned_suspect_may_be_captured_by_another() -> None:
    """MS: Capturing a Suspect and Bringing Him to Trial. MS-31: back on his spot he is anybody's."""
    table = _carrying()
    table.know(1, GREEN)
    table.hands[0] = replace(table.hand(0), cards=cards("Torn Curtain"))
    table.change(stale=(True, False, False))
    table.begin(0)
    table.put(1, "b1")
    table.drive("b2")
    assert table.hand(1).numbers[RED] == 7
