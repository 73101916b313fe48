"""A table by the first digits of its name: one of a list, or a sentence that names those that fit."""

from __future__ import annotations

import pytest
import typer

from chambers.clients.table_names import beginning, on_server, one_of

NAMES = ("5d0a" + "0" * 28, "5d0b" + "1" * 28, "5d0b" + "2" * 28)


@pytest.mark.parametrize("given", ["5d0a", "5D0A", " 5d0a0 ", NAMES[0]])
def test_four_digits_or_more_are_a_beginning(given: str) -> None:
    assert beginning(given) == given.strip().lower()


@pytest.mark.parametrize("given", ["", "5d0", "5d0g", "-", "5d0a.docket", NAMES[0] + "0"])
def test_anything_else_is_none(given: str) -> None:
    assert beginning(given) is None


def test_one_that_fits_is_the_table() -> None:
    assert one_of("5d0a", NAMES, "here").hex() == NAMES[0]


def test_a_whole_name_needs_no_list() -> None:
    assert one_of("ab" * 16, (), "here") == on_server("ab" * 16, "nats://127.0.0.1:1") == b"\xab" * 16


@pytest.mark.parametrize(
    ("digits", "sentence"),
    [
        ("5d0b", f"2 tables here begin with 5d0b; name one by more digits: {NAMES[1]} {NAMES[2]}\n"),
        ("beef", "No table here begins with beef.\n"),
    ],
)
def test_none_or_several_are_one_sentence_and_exit_code_2(
    digits: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as caught:
        one_of(digits, NAMES, "here")

    assert (caught.value.exit_code, capsys.readouterr().err) == (2, sentence)
