"""What a player types, and what the line mode takes it for."""

from __future__ import annotations

import pytest

from chambers.clients import typed
from chambers.clients.typed import Sight, read_line
from chambers.protocol.client import Ask, Choice


def ask_of(*options: tuple[str, str]) -> Ask:
    choices = tuple(Choice(id=name, label=label, event={}) for name, label in options)
    return Ask(id="9.0", kind="ask", text="Ask a question?", options=choices, ruling="WS-8")


ASK = ask_of(
    ("ask.1.B3", "Ask Bo B3"),
    ("ask.2.B3", "Ask Cy B3"),
    ("ask.2.B4", "Ask Cy B4"),
    ("accuse.B", "Accuse Irma Hodge"),
    ("go", "No question"),
)


def chosen(line: str) -> str | None:
    got = read_line(line, ASK)
    return got.option.id if isinstance(got, typed.Chosen) else None


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("1", "ask.1.B3"),
        ("5", "go"),
        (" 2 ", "ask.2.B3"),
        ("ask.2.B4", "ask.2.B4"),
        ("ASK.2.b4", "ask.2.B4"),
        ("ask cy b3", "ask.2.B3"),
        ("b3 ask cy", "ask.2.B3"),
        ("as cy b4", "ask.2.B4"),
        ("accuse irma", "accuse.B"),
        ("accuse", "accuse.B"),
        ("hodge accuse", "accuse.B"),
        ("accuse.b", "accuse.B"),
        ("4", "accuse.B"),
        ("no", "go"),
        ("go", "go"),
        ("no question", "go"),
    ],
)
def test_a_number_an_id_or_words_choose_an_option(line: str, option: str) -> None:
    assert chosen(line) == option


@pytest.mark.parametrize("line", ["0", "6", "99999999999999999999", "-1", "ask cy b9", "%%%", "²"])
def test_what_is_no_option_is_said_to_be_none(line: str) -> None:
    assert isinstance(read_line(line, ASK), typed.Unclear)


@pytest.mark.parametrize("line", ["irma", "irma hodge", "hodge", "acc", "acc irma", "b3 cy", "cy b4", "question"])
def test_words_that_do_not_name_the_act_choose_nothing(line: str) -> None:
    got = read_line(line, ASK)

    assert isinstance(got, typed.Unclear)
    assert got.sentence.startswith("Type its number, or begin with its first word, if you mean: ")


def test_words_that_fit_two_options_name_them_both() -> None:
    got = read_line("ask b3", ASK)

    assert isinstance(got, typed.Unclear)
    assert "Ask Bo B3" in got.sentence
    assert "Ask Cy B3" in got.sentence


def test_a_choice_without_a_prompt_is_not_taken() -> None:
    got = read_line("1", None)

    assert isinstance(got, typed.Unclear)
    assert "Nothing is asked" in got.sentence


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("", typed.Nothing()),
        ("   ", typed.Nothing()),
        ("?", typed.Again()),
        ("? rule", typed.Rule()),
        ("quit", typed.Quit()),
        ("QUIT", typed.Quit()),
        ("look", typed.LookAt(Sight.BOARD)),
        ("look hand", typed.LookAt(Sight.HAND)),
        ("look SHEET", typed.LookAt(Sight.SHEET)),
        ("look log", typed.LookAt(Sight.LOG)),
        ("look notes", typed.LookAt(Sight.NOTES)),
        ("say good evening", typed.Speak("good evening")),
        ("note B3 is with Cy", typed.Jot("B3 is with Cy")),
        ("note", typed.LookAt(Sight.NOTES)),
        ("note -", typed.Jot("")),
    ],
)
def test_commands_are_understood_with_and_without_a_prompt(line: str, meaning: typed.Typed) -> None:
    assert read_line(line, ASK) == meaning
    assert read_line(line, None) == meaning


@pytest.mark.parametrize("line", ["look envelope", "say", "? what", "note " + "x" * 2001, "say " + "x" * 201])
def test_a_command_that_cannot_be_done_is_explained(line: str) -> None:
    assert isinstance(read_line(line, ASK), typed.Unclear)


def test_neither_a_choice_nor_a_note_shows_itself_in_a_repr() -> None:
    assert "B3" not in repr(read_line("1", ASK))
    assert "Cy" not in repr(read_line("note Cy holds it", ASK))
