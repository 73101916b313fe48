"""MS: How to Draw Clue Cards, MS: Collecting Clues, MS: "Question Witness" Cards. Red dots, the limit, the pile."""

from __future__ import annotations

from collections import Counter

from tests.missing_suspect.town import EDITION, GAME, WITNESS, Town, card, cards, shown, town

from chambers.rules.missing_suspect.events import EndTurn, Play, Stow
from chambers.rules.missing_suspect.play import Stage


def _on_red(**more: object) -> Town:
    table = town(**more)  # type: ignore[arg-type]
    table.put(0, "g7")
    table.drive("e7", count=2)
    return table


def test_the_draw_on_a_red_dot_is_optional() -> None:
    """MS: How to Draw Clue Cards. MS-15: the player *may* pick up a card."""
    table = _on_red()
    assert table.ids(0) == ["yes", "no"]
    table.take(0, "no")
    assert (table.play.counts[0], table.play.turn) == (0, 1)


def test_a_card_drawn_is_seen_by_its_seat_alone() -> None:
    """MS: How to Draw Clue Cards. Everybody sees that a card was drawn; one seat sees which."""
    table = _on_red(top=cards("Torn Map"))
    table.take(0, "yes")
    assert table.hand(0).cards == cards("Torn Map")
    assert (table.play.counts, len(table.play.clues), table.play.turn) == ((1, 0, 0), 27, 1)
    assert [hand.cards for hand in table.hands[1:]] == [(), ()]


def test_a_red_dot_gives_a_card_before_there_is_a_case() -> None:
    """MS-13: drawing on red has no condition."""
    table = _on_red(top=cards("Old Key"))
    assert not table.play.cased[0]
    table.take(0, "yes")
    assert table.play.counts[0] == 1


def test_a_fourth_card_is_drawn_first_and_one_of_four_is_discarded() -> None:
    """MS-16: any one of the four, the new one too, goes face down to the bottom."""
    held = cards("Torn Map", "Old Key", "Forged Will")
    table = _on_red(held={0: held}, top=cards("Sealed Bid"))
    table.take(0, "yes")
    assert (table.play.stage, table.play.counts[0]) == (Stage.DISCARD, 4)
    assert len(table.ids(0)) == 4
    table.take(0, table.ids(0)[1])
    assert table.hand(0).cards == (held[0], held[2], card("Sealed Bid"))
    assert table.play.clues[-1] == 3000
    assert table.pile.value(3000) == card("Old Key")
    assert (table.play.counts[0], table.play.turn) == (3, 1)


def test_there_is_no_other_way_to_discard() -> None:
    """MS-17: no voluntary discards."""
    table = _on_red(held={0: cards("Torn Map")}, top=cards("Old Key"))
    event = Stow(ref=table.play.since, place=3000, commit=bytes(32), box=b"")
    assert table.refused(0, event).code == "rule/not-now"


def test_the_discard_when_the_limit_passes_is_the_new_card() -> None:
    """MS-44, MS-45: discard = the new card."""
    table = _on_red(held={0: cards("Torn Map", "Old Key", "Forged Will")}, top=cards("Sealed Bid"))
    table.take(0, "yes")
    assert GAME.fallback(table.play, table.hands[0]).card == card("Sealed Bid")


def test_the_pile_is_a_queue_and_nothing_is_reshuffled() -> None:
    """MS-43: what was discarded comes up again after everything that lay above it."""
    held = cards("Torn Map", "Old Key", "Forged Will")
    table = town(held={0: held}, cases={})
    table.begin(0)
    first = table.pile.value(table.play.clues[0])
    table.put(0, "g7")
    table.drive("e7", count=2)
    table.take(0, "yes", f"discard.{_code(table, held[0])}")
    below = [place for place in table.play.clues if place < 3000]
    assert table.play.clues == (*below, 3000)
    assert first in table.hand(0).cards


def _code(table: Town, kind: int) -> str:
    shown_cards = GAME.private_view(table.play, table.hands[0])["hand"]["cards"]
    return str(next(item["code"] for item in shown_cards if item["kind"] == kind))


def test_each_card_has_two_clues_of_different_cases() -> None:
    """MS: Collecting Clues. MS-18: no card can be useful on both sides."""
    for first, second in EDITION.cards:
        assert EDITION.clues[first].case != EDITION.clues[second].case


def test_a_new_case_makes_the_other_side_of_a_card_count() -> None:
    """MS-18: after a new case the other side counts."""
    held = (card("Cracked Dictaphone", "Pawn Ticket"), card("Carbon Copy", "Black Veil"), card("Shorthand Pad"))
    paper = card("Cut Telephone Wire", "Forged Will")
    table = town(held={0: held}, cases={0: "A"}, next_case="E")
    view = GAME.private_view(table.play, table.hands[0])
    assert view["hand"]["solved"] == 3
    table = town(held={0: (held[0], held[1], paper)}, cases={0: "A"}, next_case="E")
    assert GAME.private_view(table.play, table.hands[0])["hand"]["solved"] is None
    table.put(0, "e3")
    table.drive("e4")
    table.take(0, "yes")
    assert GAME.private_view(table.play, table.hands[0])["hand"]["solved"] == 3


def test_question_witness_is_played_at_once_and_goes_to_the_bottom_before_its_throw() -> None:
    """MS: "Question Witness" Cards. MS-45: played to everybody, under the pile, then the throw, then the chart."""
    table = _on_red(cases={0: "A"}, top=(WITNESS,))
    table.choose(0, table.option(0, "yes"))
    assert [table.step_own() for _ in range(3)] == ["draw", "play", "stow"]
    assert table.play.stage is Stage.WITNESS
    assert table.pile.value(table.play.clues[-1]) == WITNESS
    assert (table.play.counts[0], table.hand(0).cards) == (0, ())
    table.throw(1)
    assert (table.play.columns[0], table.play.turn) == (0b1111, 1)


def test_question_witness_as_a_third_card_proves_nothing() -> None:
    """MS: "Question Witness" Cards. Between its draw and its play it is in the hand, and is no clue."""
    table = _on_red(held={0: cards("Torn Map", "Old Key")}, cases={0: "A"}, top=(WITNESS,))
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    assert len(table.hand(0).cards) == 3
    assert GAME.private_view(table.play, table.hands[0])["hand"]["solved"] is None


def test_question_witness_without_a_case_has_no_result() -> None:
    """MS-14: no letter, so no throw; the card goes to the bottom and the turn is over."""
    table = _on_red(top=(WITNESS,))
    table.take(0, "yes")
    assert (table.play.turn, table.play.stage, table.play.found) == (1, Stage.ROLL, None)
    assert table.pile.value(table.play.clues[-1]) == WITNESS


def test_question_witness_as_a_fourth_card_costs_no_discard() -> None:
    """MS-41: the same draw rules each time; Question Witness goes back, so three cards are left."""
    held = cards("Torn Map", "Old Key", "Forged Will")
    table = _on_red(held={0: held}, cases={0: "A"}, top=(WITNESS,))
    table.take(0, "yes")
    assert (table.play.stage, table.hand(0).cards) == (Stage.WITNESS, held)


def test_pick_up_new_clue_draws_on_and_on() -> None:
    """MS-41: a Question Witness drawn by Pick Up New Clue is thrown for again, as often as it comes."""
    table = _on_red(cases={0: "A"}, top=(WITNESS, WITNESS, WITNESS, card("Old Key")))
    table.take(0, "yes")
    for _ in range(3):
        assert table.play.stage is Stage.WITNESS
        table.throw(6)
    assert (table.hand(0).cards, table.play.turn) == (cards("Old Key"), 1)


def test_a_vault_keeps_no_question_witness() -> None:
    """MS: "Question Witness" Cards. To keep it, to discard it, or to play what is not held is refused."""
    held = cards("Torn Map", "Old Key", "Forged Will")
    table = _on_red(cases={0: "A"}, held={0: held}, top=(WITNESS,))
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    stow = Stow(ref=table.play.since, place=3000, commit=bytes(32), box=b"")
    assert table.refused_by_vault(0, stow, shown(held[0], 3000)).code == "rule/must-play"
    assert table.prompt(0) is None
    table = _on_red(cases={0: "A"}, top=(WITNESS,))
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    assert table.refused_by_vault(0, EndTurn()).code == "rule/must-play"
    table = _on_red(cases={0: "A"}, top=cards("Old Key"))
    table.choose(0, table.option(0, "yes"))
    table.step_own()
    played = Play(ref=table.play.since, card=WITNESS, seal=bytes(32))
    assert table.refused_by_vault(0, played).code == "rule/card-not-held"
    assert table.refused(0, Play(ref=table.play.since, card=3, seal=bytes(32))).code == "rule/not-played"


def test_the_cards_of_hands_and_pile_are_always_the_whole_deck() -> None:
    """MS: How to Draw Clue Cards. MS-43: a draw, a discard and a Question Witness lose no card and make none."""
    held = cards("Torn Map", "Old Key", "Forged Will")
    table = _on_red(held={0: held}, cases={0: "A"}, top=(card("Sealed Bid"),))
    whole = Counter(GAME.lying(table.play, table.pile))
    for hand in table.hands:
        whole.update(GAME.held(table.play, hand))
    table.take(0, "yes")
    table.take(0, table.ids(0)[0])
    after = Counter(GAME.lying(table.play, table.pile))
    for hand in table.hands:
        after.update(GAME.held(table.play, hand))
    assert after == whole
