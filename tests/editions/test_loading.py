"""Finding and reading editions: by name, by an owner's file, and what is said of a file that cannot be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from chambers.editions import EditionError, load
from chambers.rules.witness_stand.edition import Edition


def refusal(path: str) -> str:
    with pytest.raises(EditionError) as caught:
        load(path)
    return caught.value.sentence.replace(f"{Path(path).parent}{os.sep}", "")


def test_an_owners_file_is_read_with_the_board_beside_it(own: Any, case: Edition) -> None:
    assert load(str(own.path)) == case


def test_an_owners_file_may_hold_its_board_itself(own: Any, case: Edition) -> None:
    spaces = own.board.read_text().partition("board =")[2]
    own.board.unlink()

    path = own.change('board = "board.toml"', f"board = {spaces}")

    assert load(path) == case


def test_a_suspect_is_a_letter_in_the_file_and_a_number_in_the_struct(case: Edition) -> None:
    assert [space.suspect for space in case.board[:5]] == [None, 0, 2, None, 1]


def test_an_unknown_name_is_refused_and_the_known_ones_are_listed() -> None:
    assert refusal("tandem") == (
        "No edition is called 'tandem'; there is missing-suspect, missing-suspect-sparse, stuttering-bishop, "
        "tandem-target. For one of your own, give its .toml file."
    )


def test_the_board_is_not_an_edition() -> None:
    assert refusal("board").startswith("No edition is called 'board'")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(str(tmp_path / "gone.toml")) == "gone.toml: there is no such file"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "case.toml").mkdir()

    assert refusal(str(tmp_path / "case.toml")) == "case.toml: is a folder, not a .toml file"


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "case.toml")

    assert refusal(str(tmp_path / "case.toml")) == "case.toml: there is no such file"


def test_a_file_of_endless_length_is_refused(own: Any) -> None:
    own.path.write_text("#" * (256 * 1024 + 1))

    assert refusal(str(own.path)) == "my-case.toml: is longer than an edition may be (262144 bytes)"


def test_bad_toml_is_refused_with_its_line(own: Any) -> None:
    assert "my-case.toml: is not TOML: " in (said := refusal(own.change('title = "', "title = ")))
    assert "at line 6," in said


def test_a_file_in_another_encoding_is_refused_with_its_line(own: Any) -> None:
    own.path.write_bytes(b'name = "x"\ntitle = "caf\xe9"\n')

    assert refusal(str(own.path)) == "my-case.toml, line 2: is not UTF-8 text"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = " + "[" * 50_000, "is not an edition: it is nested too deeply"),
        ("x = " + "9" * 50_000, "holds a number that is too long"),
    ],
    ids=["nested", "digits"],
)
def test_toml_that_would_break_the_parser_is_refused(own: Any, text: str, why: str) -> None:
    own.path.write_text(text)

    assert refusal(str(own.path)) == f"my-case.toml: {why}"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('title = "The Case of the Tandem Target"\n', "", "my-case.toml: the field `title` is missing"),
        ("reconstruction = true", "reconstruct = true", "my-case.toml: there is no field `reconstruct` here"),
        ("reconstruction = true", 'reconstruction = "yes"', "my-case.toml, reconstruction: expected `bool`, got `str`"),
        ("count = 8", "count = 8.0", "my-case.toml, objection, count: expected `int`, got `float`"),
        ("count = 8\n", "", "my-case.toml, objection: the field `count` is missing"),
        ("fifth = ", "sixth = ", "my-case.toml, space_names: invalid enum value 'sixth'"),
        ("about = ", "abuot = ", "my-case.toml, suspects no. 1: there is no field `abuot` here"),
        (
            "plain = ",
            '"pl\\u001bain" = ',
            "my-case.toml, suspects no. 1, questions no. 1: there is no field `pl?ain` here",
        ),
        ('game = "witness-stand"', "", "my-case.toml, game: no game is called None; there is witness-stand"),
        ('game = "witness-stand"', 'game = "go"', "my-case.toml, game: no game is called 'go'; there is witness-stand"),
        ('board = "board.toml"', "", "my-case.toml: the field `board` is missing"),
        ('board = "board.toml"', "board = 4", "my-case.toml, board: expected `array`, got `int`"),
        ('board = "board.toml"', 'board = "gone.toml"', "gone.toml: there is no such file"),
        (
            'board = "board.toml"',
            'board = "../board.toml"',
            "my-case.toml, board: '../board.toml' is not the name of a .toml file in the same folder",
        ),
    ],
)
def test_a_field_of_the_wrong_shape_is_refused_with_its_place(own: Any, old: str, new: str, sentence: str) -> None:
    assert refusal(own.change(old, new)).startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('kind = "perry"', 'kind = "jury"', "board.toml, board no. 1, kind: invalid enum value 'jury'"),
        ("corner = true", "corner = 1", "board.toml, board no. 1, corner: expected `bool`, got `int`"),
        ('suspect = "A"', "suspect = 0", "board.toml, board no. 2, suspect: expected a letter of ABCD"),
        ('suspect = "A"', 'suspect = "AB"', "board.toml, board no. 2, suspect: expected a letter of ABCD"),
        ('suspect = "A"', 'suspect = "E"', "board.toml, board no. 2, suspect: expected a letter of ABCD"),
        ("col = 0, ", "", "board.toml, board no. 1: the field `col` is missing"),
        ("board = [", "spaces = [", "board.toml: a board file holds the field `board` and nothing else"),
        ("board = [", "size = 28\nboard = [", "board.toml: a board file holds the field `board` and nothing else"),
        ("board = [", "board = [3,", "board.toml, board no. 1: expected `object`, got `int`"),
    ],
)
def test_a_space_of_the_wrong_shape_is_refused_with_its_place(own: Any, old: str, new: str, sentence: str) -> None:
    assert refusal(own.change_board(old, new)) == sentence
