"""Notes and talk while the link is down: they reach the vault when it is back, and are said once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chambers.clients.unheard import PACE_S, Unheard
from chambers.protocol.client import ChoiceRefused, Line, Note, Talk, Update


def shows(*lines: str, notes: str = "") -> Update:
    told = tuple(Line(number, text) for number, text in enumerate(lines))
    return Update(sequence=9, phase="play", view={"notes": notes}, lines=told, prompt=None, waiting=())


def again(words: Unheard) -> list[Note | Talk]:
    """Return all that is sent again after a break."""
    return [*words.after_break(), *(talk for turn in range(9) for talk in words.next_word(turn * PACE_S))]


def test_what_no_update_has_shown_is_sent_again() -> None:
    words = Unheard()
    words.noted("Bo has the glove")
    words.noted("Cy has the glove")
    words.said("Anybody there?")

    words.shown(shows("Bo says: Hello."))

    assert again(words) == [Note(text="Cy has the glove"), Talk(text="Anybody there?")]


def test_what_an_update_shows_is_not_sent_again() -> None:
    words = Unheard()
    words.noted("Cy has the glove")
    words.said("Well?")
    words.said("Well?")

    words.shown(shows("Ada says: Well?", notes="Cy has the glove"))

    assert again(words) == [Talk(text="Well?")]


def test_a_remark_of_the_vault_takes_nothing_back() -> None:
    words = Unheard()
    words.said("Well?")

    words.refused(ChoiceRefused("", "vault/not-taken", "The game master has not taken your answer."))

    assert again(words) == [Talk(text="Well?")]


def test_what_the_vault_refuses_is_not_sent_again() -> None:
    words = Unheard()
    words.said("Well?")
    words.noted("a note")

    words.refused(ChoiceRefused("", "rule/said-enough", "A seat talks 500 times at most."))
    words.refused(ChoiceRefused("p1", "rule/not-now", "Not now."))

    assert again(words) == [Note(text="a note")]


def test_a_word_that_came_too_fast_is_not_sent_again_and_the_one_before_it_is() -> None:
    words = Unheard()
    words.said("Good evening.")
    words.said("Anybody there?")

    words.refused(ChoiceRefused("", "say/too-fast", "You have just said something; wait a second."))

    assert again(words) == [Talk(text="Good evening.")]


def test_a_refusal_of_the_notes_takes_no_word_with_it() -> None:
    words = Unheard()
    words.said("Good evening.")
    words.noted("a note")

    words.refused(ChoiceRefused("", "note/too-long", "Notes are at most 2000 characters."))

    assert again(words) == [Talk(text="Good evening.")]


@pytest.mark.parametrize("code", ["seat/too-fast", "vault/stopped", "luck/wrong", "frame/unknown-message"])
def test_a_refusal_of_something_else_takes_no_word_with_it(code: str) -> None:
    words = Unheard()
    words.said("Good evening.")

    words.refused(ChoiceRefused("", code, "No."))

    assert again(words) == [Talk(text="Good evening.")]


def test_words_with_many_blanks_are_known_again_in_the_log() -> None:
    words = Unheard()
    words.said("Good   evening. ")

    words.shown(shows("Ada says: Good evening."))

    assert again(words) == []


def test_the_same_words_of_somebody_else_are_not_taken_for_ones_own() -> None:
    words = Unheard(1)
    words.said("Well?")
    ours = replace(shows("Ada says: Well?"), view={"names": ["Ada", "Bo"]})

    words.shown(ours)

    assert again(words) == [Talk(text="Well?")]


def test_the_same_words_of_long_ago_are_not_taken_for_new_ones() -> None:
    words = Unheard(1)
    long_ago = replace(shows("Bo says: Well?"), view={"names": ["Ada", "Bo"]})
    words.shown(long_ago)
    words.said("Well?")

    words.shown(long_ago)

    assert again(words) == [Talk(text="Well?")]


def test_several_words_are_sent_again_no_faster_than_a_vault_takes_them() -> None:
    words = Unheard()
    words.said("Good evening.")
    words.said("Anybody there?")
    words.after_break()

    sent = [words.next_word(now) for now in (0.0, 0.25, 1.0, 2 * PACE_S, 4 * PACE_S)]

    assert sent == [(Talk("Good evening."),), (), (), (Talk("Anybody there?"),), ()]
