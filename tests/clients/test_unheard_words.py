"""Notes and talk while the link is down: they reach the vault when it is back, and are said once."""

from __future__ import annotations

from chambers.clients.unheard import Unheard
from chambers.protocol.client import ChoiceRefused, Line, Note, Talk, Update


def shows(*lines: str, notes: str = "") -> Update:
    told = tuple(Line(number, text) for number, text in enumerate(lines))
    return Update(sequence=9, phase="play", view={"notes": notes}, lines=told, prompt=None, waiting=())


def test_what_no_update_has_shown_is_sent_again() -> None:
    words = Unheard()
    words.noted("Bo has the glove")
    words.noted("Cy has the glove")
    words.said("Anybody there?")

    words.shown(shows("Bo says: Hello."))

    assert words.again() == (Note(text="Cy has the glove"), Talk(text="Anybody there?"))


def test_what_an_update_shows_is_not_sent_again() -> None:
    words = Unheard()
    words.noted("Cy has the glove")
    words.said("Well?")
    words.said("Well?")

    words.shown(shows("Ada says: Well?", notes="Cy has the glove"))

    assert words.again() == (Talk(text="Well?"),)


def test_a_remark_of_the_vault_takes_nothing_back() -> None:
    words = Unheard()
    words.said("Well?")

    words.refused(ChoiceRefused("", "vault/not-taken", "The game master has not taken your answer."))

    assert words.again() == (Talk(text="Well?"),)


def test_what_the_vault_refuses_is_not_sent_again() -> None:
    words = Unheard()
    words.said("Well?")
    words.noted("a note")

    words.refused(ChoiceRefused("", "say/too-often", "Wait a moment."))
    words.refused(ChoiceRefused("p1", "rule/not-now", "Not now."))

    assert words.again() == (Note(text="a note"),)
