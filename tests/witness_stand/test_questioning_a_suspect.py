"""WS: Questioning a Suspect. Public and confidential questions, and what may answer them."""

from __future__ import annotations

import pytest
from tests.witness_stand.court import (
    CORNER_FIFTH,
    DRAKE,
    EXCLUDED,
    FIFTH,
    A,
    B,
    Court,
    ask,
    court,
    plain,
    starred,
)

from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.events import NoCard, Pass, Show
from chambers.rules.witness_stand.hand import SOMEWHERE, UNSEEN
from chambers.rules.witness_stand.play import Stage

HELD = [plain(A, 3), starred(A, 3), plain(B, 1)]


def _asked(*, chambers: bool = False, hand: list[int] | None = None, code: str = "A3") -> Court:
    table = court(hands={1: HELD if hand is None else hand}, chambers=chambers)
    table.question(1, code)
    return table


def test_a_suspect_in_the_gallery_is_not_questioned() -> None:
    """WS: Questioning a Suspect. WS-3: only the suspect on the Stand or in Chambers."""
    refusal = court(witness=A).refused(0, ask(1, "B1"))
    assert (refusal.code, refusal.ruling, refusal.section) == (
        "rule/other-suspect",
        "WS-3",
        "Questioning a Suspect",
    )


@pytest.mark.parametrize("chambers", [False, True])
def test_the_place_of_the_suspect_makes_a_question_public_or_confidential(chambers: bool) -> None:
    """WS: Questioning a Suspect. WS-4: on the Stand public, in Chambers confidential, never otherwise."""
    table = court(chambers=chambers)
    assert table.refused(0, ask(1, "A1", public=chambers)).ruling == "WS-4"
    table.question(1, "A1")
    assert table.play.asked is not None
    assert table.play.asked.public is not chambers


def test_any_other_player_may_be_asked_any_question_of_the_suspect() -> None:
    """WS: Questioning a Suspect. WS-8: five questions to each of the others."""
    table = court(4)
    asks = [ident for ident in table.ids(0) if ident.startswith("ask")]
    assert asks == [f"ask.{seat}.A{n}" for seat in (1, 2, 3) for n in range(1, 6)]
    assert table.refused(0, ask(0, "A1")).ruling == "WS-8"
    assert table.refused(0, ask(4, "A1")).ruling == "WS-8"


def test_a_player_on_take_the_fifth_is_not_asked() -> None:
    """WS: Questioning a Suspect. WS-8: not a target, and the refusal says who is protected."""
    table = court()
    table.put(1, FIFTH)
    assert not any(ident.startswith("ask.1") for ident in table.ids(0))
    refusal = table.refused(0, ask(1, "A1"))
    assert (refusal.code, refusal.ruling) == ("rule/take-the-fifth", "WS-8")
    assert refusal.sentence == "Bo takes the Fifth and cannot be asked."


def test_no_question_when_all_others_take_the_fifth() -> None:
    """WS: Questioning a Suspect. WS-9: the step has no question, only what else may be done in it."""
    table = court(turn=1, witness=A)
    for seat in (0, 2):
        table.put(seat, CORNER_FIFTH)
    table.take(1, "go")
    table.move_to(FIFTH)
    table.take(1, "end")
    table.put(0, FIFTH)
    assert table.play.turn == 2
    table.take(2, "go")
    table.move_to(CORNER_FIFTH)
    table.take(2, "end")
    assert table.at(Stage.ACCUSE)
    assert table.ids(0) == ["accuse.A", "go"]
    assert table.refused(0, ask(1, "A1")).code == "rule/take-the-fifth"


def test_an_eliminated_player_may_be_asked() -> None:
    """WS: Questioning a Suspect. WS-8: he may hold the answer that is needed."""
    table = court()
    table.accuse("A")
    assert "ask.0.A1" in table.ids(1)


def test_a_question_may_be_repeated() -> None:
    """WS: Questioning a Suspect. WS-12: to the same player or another, since it has two answers."""
    table = _asked(hand=HELD)
    table.take(1, "show.A3.")
    table.take(0, "go")
    table.move_to(DRAKE)
    assert {"ask.1.A3", "ask.2.A3"} <= set(table.ids(0))
    table.question(1, "A3")
    assert table.ids(1) == ["show.A3*"]


def test_a_held_answer_must_be_given() -> None:
    """WS: Questioning a Suspect. WS-13: saying none is no option and the vault refuses it."""
    table = _asked()
    assert "none" not in table.ids(1)
    assert table.play.asked is not None
    refusal = table.refused_by_vault(1, NoCard(ref=table.play.asked.ref))
    assert (refusal.code, refusal.ruling) == ("rule/false-none", "WS-13")


def test_one_held_answer_is_the_only_option() -> None:
    """WS: Questioning a Suspect. WS-13: it is asked for all the same, with the same prompt."""
    table = _asked(hand=[starred(A, 3)])
    assert table.ids(1) == ["show.A3*"]
    assert table.asked(1).kind == "answer"


def test_there_are_two_answers_to_every_question() -> None:
    """WS: Questioning a Suspect. WS-14: to every question, not to every card."""
    table = _asked()
    assert table.ids(1) == ["show.A3.", "show.A3*"]


def test_the_choice_exists_whenever_both_are_held() -> None:
    """WS: Questioning a Suspect. WS-15: not only the first time one is asked."""
    table = court(hands={1: [plain(A, 3), starred(A, 3), plain(A, 4)]})
    table.question(1, "A4")
    table.take(1, "show.A4.")
    table.take(0, "go")
    table.move_to(DRAKE)
    table.question(1, "A3")
    assert table.ids(1) == ["show.A3.", "show.A3*"]


def test_a_player_without_an_answer_says_so() -> None:
    """WS: Questioning a Suspect. Everybody learns that there is no such card there."""
    table = _asked(hand=[plain(B, 1)])
    assert table.ids(1) == ["none"]
    table.take(1, "none")
    assert all(hand.denied[2] == 1 << 1 for hand in table.hands)


def test_a_public_answer_goes_to_the_asker_before_everybody() -> None:
    """WS: Questioning a Suspect. WS-16: the asker takes the card, and all know it."""
    table = _asked()
    table.take(1, "show.A3*")
    assert starred(A, 3) in table.hands[0].cards
    assert starred(A, 3) not in table.hands[1].cards
    assert table.play.counts == (2, 2, 1)
    assert [hand.holders[starred(A, 3)] for hand in table.hands] == [0, 0, 0]


def test_a_confidential_answer_is_known_to_its_two_ends_only() -> None:
    """WS: Questioning a Suspect. WS-17: passed face down; the third player learns that a card moved, not which."""
    table = _asked(chambers=True)
    assert table.ids(1) == ["pass.A3.", "pass.A3*"]
    table.take(1, "pass.A3*")
    assert starred(A, 3) in table.hands[0].cards
    assert [hand.holders[starred(A, 3)] for hand in table.hands] == [0, 0, UNSEEN]
    assert table.play.counts == (2, 2, 1)


def test_a_confidential_question_without_an_answer_is_denied_aloud() -> None:
    """WS: Questioning a Suspect. WS-17: that no card passed is public."""
    table = _asked(chambers=True, hand=[plain(B, 1)])
    table.take(1, "none")
    assert table.hands[2].denied[2] == 1 << 1


def test_the_form_of_an_answer_follows_the_question() -> None:
    """WS: Questioning a Suspect. WS-16, WS-17: nothing is passed in public, and nothing shown in confidence."""
    public, confidential = _asked(), _asked(chambers=True)
    assert public.play.asked is not None
    ref = public.play.asked.ref
    assert public.refused(1, Pass(ref=ref, to=seat_role(0), box=b"")).code == "rule/public-question"
    assert confidential.refused(1, Show(ref=ref, card=plain(A, 3), seal=b"")).code == "rule/confidential-question"
    assert confidential.refused(1, Pass(ref=ref, to=seat_role(2), box=b"")).code == "rule/other-receiver"


def test_another_card_does_not_answer() -> None:
    """WS: Questioning a Suspect. WS-13: only the two answers to the question, and Evidence Excluded!."""
    public, confidential = _asked(), _asked(chambers=True)
    assert public.play.asked is not None
    ref = public.play.asked.ref
    assert public.refused(1, Show(ref=ref, card=plain(B, 1), seal=b"")).ruling == "WS-13"
    to = seat_role(0)
    assert confidential.refused_by_vault(1, Pass(ref=ref, to=to, box=b""), plain(B, 1)).code == "rule/other-card"
    assert confidential.refused_by_vault(1, Pass(ref=ref, to=to, box=b"")).code == "rule/one-card"


def test_a_card_that_is_not_held_is_refused_without_naming_it() -> None:
    """WS: Questioning a Suspect. WS-13: the vault signs only for cards in the hand."""
    table = _asked(hand=[plain(B, 1)])
    assert table.play.asked is not None
    refusal = table.refused_by_vault(1, Show(ref=table.play.asked.ref, card=starred(A, 3), seal=b""))
    assert refusal.code == "rule/card-not-held"
    assert "A3" not in str(refusal)
    confidential = _asked(hand=[plain(B, 1)], chambers=True)
    passed = Pass(ref=table.play.asked.ref, to=seat_role(0), box=b"")
    assert confidential.refused_by_vault(1, passed, EXCLUDED).code == "rule/card-not-held"


def test_only_the_player_asked_answers_and_only_that_question() -> None:
    """WS: Questioning a Suspect. Others are refused, and so is an answer to an earlier question."""
    table = _asked()
    assert table.play.asked is not None
    assert table.refused(2, NoCard(ref=table.play.asked.ref)).code == "rule/not-asked"
    assert table.refused(1, NoCard(ref=table.play.asked.ref + 1)).code == "rule/stale"
    assert [table.prompt(seat) is None for seat in range(3)] == [True, False, True]


def test_a_player_with_an_empty_hand_plays_on() -> None:
    """WS: Questioning a Suspect. WS-30: he answers no, and asks as everybody does."""
    table = court(hands={1: []})
    table.question(1, "A1")
    assert table.ids(1) == ["none"]
    assert table.play.asked is not None
    assert table.refused(1, Show(ref=table.play.asked.ref, card=plain(A, 1), seal=b"")).ruling == "WS-30"
    assert "ask.0.A1" in court(hands={1: []}, turn=1).ids(1)


def test_no_second_question_in_the_same_step() -> None:
    """WS: Questioning a Suspect. An answered question is spent; only accusing or going on is left in step 1."""
    table = _asked()
    table.take(1, "show.A3.")
    assert table.ids(0) == ["accuse.A", "go"]
    assert table.refused(0, ask(2, "A3")).code == "rule/not-now"


def test_a_card_that_may_have_moved_unseen_is_still_known_to_be_in_play() -> None:
    """WS: Questioning a Suspect. WS-47: after a confidential answer only its question becomes uncertain."""
    table = court(4, hands={1: [plain(A, 3), plain(A, 4)]})
    table.question(1, "A3")
    table.take(1, "show.A3.")
    table.take(0, "go")
    table.move_to(DRAKE)
    table.question(1, "A4")
    table.take(1, "show.A4.")
    table.take(0, "end")
    table.change(chambers=True, stage=Stage.ASK)
    table.question(0, "A3")
    table.take(0, "pass.A3.")
    assert [hand.holders[plain(A, 3)] for hand in table.hands] == [1, 1, SOMEWHERE, SOMEWHERE]
    assert [hand.holders[plain(A, 4)] for hand in table.hands] == [0, 0, 0, 0]


def test_a_confidential_answer_makes_the_askers_own_denial_void_for_the_others() -> None:
    """WS: Questioning a Suspect. WS-47: who said no may have been passed the card since."""
    table = court(3, hands={0: [plain(B, 5)], 2: [plain(A, 3)]}, turn=1)
    table.question(0, "A3")
    table.take(0, "none")
    assert [hand.denied[2] for hand in table.hands] == [1, 1, 1]
    table.change(turn=0, stage=Stage.ASK, chambers=True)
    table.question(2, "A3")
    table.take(2, "pass.A3.")
    assert [hand.denied[2] for hand in table.hands] == [0, 0, 0]
