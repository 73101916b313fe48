"""WS: Action Cards. I Object!, Objection Overruled!, Evidence Excluded! and Witness Dismissed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.witness_stand.court import (
    CALL_D,
    CHAMBERS_D,
    DISMISSED,
    EXCLUDED,
    FIFTH,
    GAME,
    OBJECT,
    OVERRULED,
    A,
    Court,
    ask,
    court,
    plain,
    starred,
)

from chambers.rules.events import Lapse, Ok
from chambers.rules.roles import GM, seat_role
from chambers.rules.witness_stand.events import Pass, Show
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.play import Stage


def _waiting(table: Court) -> list[str]:
    return [due.who for due in GAME.due(table.play) if due.act == "window"]


def _objected() -> Court:
    table = court(4, hands={1: [plain(A, 1), OBJECT], 2: [OBJECT, OVERRULED], 0: [OVERRULED]})
    table.take(0, "ask.1.A1")
    table.take(1, "object")
    return table


@pytest.mark.parametrize("chambers", [False, True])
def test_a_question_is_followed_by_a_window_for_objections(chambers: bool) -> None:
    """WS: Action Cards. WS-20, WS-21: all but the asker; before the answer; also in Chambers."""
    table = court(4, chambers=chambers)
    table.take(0, "ask.1.A1")
    assert table.at(Stage.WINDOW)
    assert _waiting(table) == ["seat1", "seat2", "seat3"]
    assert table.prompt(0) is None


def test_an_objection_prevents_the_answer() -> None:
    """WS: Action Cards. WS-23: sustained, the question is spent, nothing is learned, the card is gone."""
    table = _objected()
    table.pass_all()
    assert table.at(Stage.ACCUSE)
    assert table.play.played[0] == 1
    assert table.hands[1].cards == (plain(A, 1),)
    assert table.play.counts == (1, 1, 2, 1)
    refusal = table.refused(0, ask(1, "A1"))
    assert (refusal.code, refusal.ruling) == ("rule/not-now", "WS-23")


def test_one_objection_only() -> None:
    """WS: Action Cards. WS-22: the first in the log wins, the second is refused and its card stays."""
    table = _objected()
    assert table.play.asked is not None
    second = PlayCard(ref=table.play.asked.ref, card=OBJECT, seal=b"")
    assert table.refused(2, second).ruling == "WS-22"


def test_the_asker_does_not_object() -> None:
    """WS: Action Cards. WS-20: not to the own question."""
    table = court(hands={0: [OBJECT]})
    table.take(0, "ask.1.A1")
    refusal = table.refused(0, PlayCard(ref=table.seq, card=OBJECT, seal=b""))
    assert (refusal.code, refusal.ruling) == ("rule/own-question", "WS-20")


def test_objections_only_when_a_question_is_asked() -> None:
    """WS: Action Cards. WS-21: neither before a question nor after its window."""
    table = court(hands={1: [OBJECT], 2: [OBJECT]})
    assert table.refused(1, PlayCard(ref=table.seq, card=OBJECT, seal=b"")).ruling == "WS-21"
    table.question(1, "A1")
    assert table.refused(2, PlayCard(ref=table.seq, card=OBJECT, seal=b"")).code == "rule/no-window"


def test_the_window_looks_the_same_with_and_without_a_card() -> None:
    """WS: Action Cards. WS-24: nobody holding one changes nothing that the others could see."""
    tables = [court(hands={1: cards, 2: [OBJECT]}) for cards in ([plain(A, 1)], [OBJECT])]
    for table in tables:
        table.take(0, "ask.1.A1")
    without, holding = (table.asked(1) for table in tables)
    assert replace(without, options=()) == replace(holding, options=())
    assert [option.id for option in without.options] == ["ok"]
    assert [option.id for option in holding.options] == ["ok", "object"]
    assert tables[0].play == tables[1].play


def test_a_window_ends_when_everybody_has_let_it_pass() -> None:
    """WS: Action Cards. WS-22: one pass each; after it that seat owes nothing and can play nothing."""
    table = court(hands={1: [OBJECT]})
    table.take(0, "ask.2.A1")
    table.ok(1)
    assert _waiting(table) == ["seat2"]
    ref = table.play.since
    assert table.refused(1, Ok(ref=ref)).code == "rule/already-passed"
    assert table.refused(1, PlayCard(ref=ref, card=OBJECT, seal=b"")).code == "rule/already-passed"
    table.ok(2)
    assert table.at(Stage.ANSWER)
    assert table.refused(2, Ok(ref=ref)).code == "rule/no-window"


def test_a_pass_meant_for_an_earlier_window_is_refused() -> None:
    """WS: Action Cards. WS-22: a late pass never lands in the next window."""
    table = _objected()
    assert table.play.asked is not None
    assert table.refused(2, Ok(ref=table.play.asked.ref)).code == "rule/stale"


def test_windows_are_skipped_on_public_facts_only() -> None:
    """WS: Action Cards. WS-20, WS-25: nobody left to object, all such cards played, or a table without windows."""
    skipped = court(object_window="skip")
    skipped.take(0, "ask.1.A1")
    played = court()
    played.change(played=(8, 0, 0, 0))
    played.take(0, "ask.1.A1")
    alone = court(2, turn=1)
    alone.change(out=(0,))
    alone.take(1, "ask.0.A1")
    assert [table.play.stage for table in (skipped, played, alone)] == [Stage.ANSWER] * 3
    overruled = court(hands={1: [OBJECT]})
    overruled.change(played=(0, 5, 0, 0))
    overruled.take(0, "ask.1.A1")
    overruled.take(1, "object")
    assert overruled.at(Stage.ACCUSE)


def test_an_objection_may_be_overruled_by_anybody_who_still_plays() -> None:
    """WS: Action Cards. WS-25: the same seats, the asker, and the objector too."""
    table = _objected()
    assert table.at(Stage.OVERRULE)
    assert _waiting(table) == ["seat0", "seat1", "seat2", "seat3"]


def test_the_objector_is_told_that_the_overruling_is_rather_for_the_others() -> None:
    """WS: Action Cards. WS-25: the objector is asked as well, which must not read as if it were asked of him alone."""
    table = _objected()
    told = {seat: table.asked(seat).text for seat in range(4)}
    assert told[1] == "You object to A1; the others may overrule that. Overrule it yourself?"
    assert told[0] == told[2] == told[3] == "Bo objects to A1. Overrule?"


def test_an_overruled_objection_is_as_if_never_played() -> None:
    """WS: Action Cards. WS-25: the question stands and is answered normally, both cards are gone."""
    table = _objected()
    table.take(2, "overrule")
    assert table.at(Stage.ANSWER)
    assert table.play.played[:2] == (1, 1)
    assert table.ids(1) == ["show.A1."]


def test_no_second_objection_after_an_overruling() -> None:
    """WS: Action Cards. WS-25: the question must be answered."""
    table = _objected()
    table.take(0, "overrule")
    assert table.refused(2, PlayCard(ref=table.seq, card=OBJECT, seal=b"")).ruling == "WS-25"


def test_overruling_only_right_after_an_objection() -> None:
    """WS: Action Cards. WS-25: at no other time."""
    table = court(hands={1: [OVERRULED]})
    assert table.refused(1, PlayCard(ref=table.seq, card=OVERRULED, seal=b"")).ruling == "WS-25"
    table.take(0, "ask.1.A1")
    assert table.refused(1, PlayCard(ref=table.seq, card=OVERRULED, seal=b"")).code == "rule/no-window"
    assert table.ids(1) == ["ok"]


def test_only_one_card_overrules() -> None:
    """WS: Action Cards. WS-22: the second overruling is refused."""
    table = _objected()
    ref = table.play.since
    table.take(2, "overrule")
    assert table.refused(0, PlayCard(ref=ref, card=OVERRULED, seal=b"")).code == "rule/no-window"


def test_evidence_excluded_answers_in_place_of_an_answer() -> None:
    """WS: Action Cards. WS-19: the asker keeps it; asked in public it is shown to all."""
    table = court(hands={1: [starred(A, 1), EXCLUDED]})
    table.question(1, "A1")
    assert table.ids(1) == ["show.A1*", "show.EXCLUDED"]
    table.take(1, "show.EXCLUDED")
    assert EXCLUDED in table.hands[0].cards
    assert table.hands[1].cards == (starred(A, 1),)
    assert table.play.played == (0, 0, 0, 0)


def test_evidence_excluded_without_an_answer_is_a_bluff() -> None:
    """WS: Action Cards. WS-18: allowed, beside the truthful no; passed face down in Chambers."""
    table = court(hands={1: [EXCLUDED]}, chambers=True)
    table.question(1, "A1")
    assert table.ids(1) == ["none", "pass.EXCLUDED"]
    table.take(1, "pass.EXCLUDED")
    assert EXCLUDED in table.hands[0].cards


def test_evidence_excluded_still_answers_an_overruled_question() -> None:
    """WS: Action Cards. WS-25: the question is played normally."""
    table = court(hands={1: [plain(A, 1), EXCLUDED], 2: [OBJECT, OVERRULED]})
    table.take(0, "ask.1.A1")
    table.take(2, "object", "overrule")
    assert "show.EXCLUDED" in table.ids(1)


def test_evidence_excluded_is_never_played_otherwise() -> None:
    """WS: Action Cards. WS-19: it is given, not discarded."""
    table = court(hands={1: [EXCLUDED]})
    table.take(0, "ask.1.A1")
    assert table.refused(1, PlayCard(ref=table.seq, card=EXCLUDED, seal=b"")).code == "rule/not-played"


def _at_end(space: int, cards: list[int], *, dismiss_chambers: str = "no") -> Court:
    table = court(hands={0: cards}, dismiss_chambers=dismiss_chambers)
    table.take(0, "go")
    table.move_to(space)
    if table.play.stage is Stage.ASK3:
        table.take(0, "go")
    return table


def test_witness_dismissed_sends_the_suspect_to_the_gallery() -> None:
    """WS: Action Cards. WS-26: at the end of the own turn; the card is discarded and the turn is over."""
    table = _at_end(CALL_D, [DISMISSED, plain(A, 1)])
    assert table.ids(0) == ["accuse.D", "dismiss", "end"]
    table.take(0, "dismiss")
    assert (table.play.witness, table.play.turn, table.play.played[3]) == (-1, 1, 1)
    assert table.hands[0].cards == (plain(A, 1),)


def test_witness_dismissed_leaves_chambers_alone() -> None:
    """WS: Action Cards. WS-26: the Stand only, unless the table agreed otherwise."""
    table = _at_end(CHAMBERS_D, [DISMISSED])
    assert table.ids(0) == ["end"]
    assert table.refused(0, PlayCard(ref=table.play.since, card=DISMISSED, seal=b"")).ruling == "WS-26"
    agreed = _at_end(CHAMBERS_D, [DISMISSED], dismiss_chambers="yes")
    agreed.take(0, "dismiss")
    assert (agreed.play.witness, agreed.play.chambers) == (-1, False)


def test_witness_dismissed_only_at_the_end_of_the_own_turn() -> None:
    """WS: Action Cards. WS-26: not before the roll, and not in another's turn."""
    table = court(hands={0: [DISMISSED], 1: [DISMISSED]})
    event = PlayCard(ref=table.play.since, card=DISMISSED, seal=b"")
    assert table.refused(0, event).ruling == "WS-26"
    ended = _at_end(FIFTH, [DISMISSED])
    assert ended.refused(1, PlayCard(ref=ended.play.since, card=DISMISSED, seal=b"")).code == "rule/not-your-turn"
    stale = PlayCard(ref=ended.play.since - 1, card=DISMISSED, seal=b"")
    assert ended.refused(0, stale).code == "rule/stale"


def test_an_action_card_that_is_not_held_is_not_played() -> None:
    """WS: Action Cards. The vault refuses what the hand lacks; a bare hand is refused in public."""
    table = court(hands={1: [plain(A, 1)], 2: []})
    table.take(0, "ask.1.A1")
    event = PlayCard(ref=table.play.since, card=OBJECT, seal=b"")
    assert table.refused_by_vault(1, event).code == "rule/card-not-held"
    assert table.refused(2, event).code == "rule/no-cards"


def test_an_eliminated_player_plays_no_cards() -> None:
    """WS: Action Cards. WS-29: no objection, no overruling, no Evidence Excluded! as an answer."""
    table = court(4, hands={0: [OBJECT, OVERRULED, EXCLUDED, plain(A, 1)]})
    table.accuse("A")
    table.take(1, "ask.0.A1")
    assert _waiting(table) == ["seat2", "seat3"]
    ref = table.play.since
    assert table.refused(0, PlayCard(ref=ref, card=OBJECT, seal=b"")).ruling == "WS-29"
    assert table.refused(0, Ok(ref=ref)).ruling == "WS-29"
    table.pass_all()
    assert table.ids(0) == ["show.A1."]
    assert table.refused(0, Show(ref=ref, card=EXCLUDED, seal=b"")).ruling == "WS-29"


def test_an_eliminated_player_passes_no_excluded_evidence() -> None:
    """WS: Action Cards. WS-29: what nobody else sees, his own vault refuses."""
    table = court(hands={0: [EXCLUDED]}, witness=A)
    table.accuse("A")
    table.change(chambers=True)
    table.question(0, "A1")
    assert table.ids(0) == ["none"]
    assert table.play.asked is not None
    passed = Pass(ref=table.play.asked.ref, to=seat_role(1), box=b"")
    assert table.refused_by_vault(0, passed, EXCLUDED).ruling == "WS-29"


def test_a_window_of_fixed_length_ends_by_time_only() -> None:
    """WS: Action Cards. WS-24: `full` tells nobody how fast the others passed."""
    table = court(object_window="full-10")
    table.take(0, "ask.1.A1")
    since, until = table.play.since, table.play.until
    table.pass_all()
    assert table.at(Stage.WINDOW)
    due = GAME.due(table.play)[0]
    assert (due.who, due.act, due.since, due.until) == (GM, "lapse", since, until)
    table.lapse(due)
    assert table.at(Stage.ANSWER)


def test_a_window_lapses_after_its_seconds() -> None:
    """WS: Action Cards. WS-22: whoever has not spoken by then has let it pass."""
    table = court(object_window="10")
    table.take(0, "ask.1.A1")
    asked_at = table.ts
    due = GAME.due(table.play)[0]
    assert due.until == asked_at + 10_000
    assert table.refused(GM, Lapse(ref=due.since)).code == "rule/no-limit-passed"
    table.lapse(due)
    assert table.at(Stage.ANSWER)


def test_an_objection_stands_when_the_time_to_overrule_lapses() -> None:
    """WS: Action Cards. WS-23: sustained by time."""
    table = _objected()
    table.lapse(GAME.due(table.play)[0])
    assert table.at(Stage.ACCUSE)


def test_an_open_ended_window_waits() -> None:
    """WS: Action Cards. WS-20: with `none` there is no time at which it could lapse."""
    table = court(object_window="none")
    table.take(0, "ask.1.A1")
    assert {due.until for due in GAME.due(table.play)} == {None}
    assert table.refused(GM, Lapse(ref=table.play.since)).code == "rule/no-limit-passed"
