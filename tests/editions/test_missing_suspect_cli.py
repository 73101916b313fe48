"""`chambers edition` for the game with a map: show, draw, check, and a new edition for the owner of a box."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chambers.clients.cli_edition import app
from chambers.editions import blank, edition_hash, load, picture

RUNNER = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"})


def run(*arguments: str) -> Any:
    return RUNNER.invoke(app, list(arguments))


def test_show_prints_the_cases_the_cards_the_chart_and_the_city_in_80_columns() -> None:
    result = run("show", "missing-suspect")

    said = result.stdout.splitlines()
    assert result.exit_code == 0
    assert "H  The Case of the Canary Diamonds. The cage hung in the window of the Fairmont" in said
    assert "   Torn Map / Overnight Case" in said
    assert "   4 times Question Witness" in said
    assert "   E  new, number, trade, clue, check, lying" in said
    assert "  5  o---r---o---T---o---r---C---r---o---T---o---r---o" in said
    assert said[-1] == "Seats: 2 to 6."
    assert max(len(line) for line in said) <= 80


def test_show_keeps_the_numbers_of_the_clues_back_until_they_are_asked_for() -> None:
    assert "   Hidden Gun: " in run("show", "missing-suspect").stdout
    assert "   2  Hidden Gun: " in run("show", "missing-suspect", "--answers").stdout


def test_show_as_json_has_the_whole_box_and_numbers_only_when_asked_for() -> None:
    short = json.loads(run("show", "missing-suspect-sparse", "--json").stdout)
    full = json.loads(run("show", "missing-suspect-sparse", "--json", "--answers").stdout)

    assert (len(short["cards"]), short["question_witness"], short["most_seats"]) == (16, 12, 5)
    assert short["board"]["art"][8] == "o---r---o---T---o---r---C---r---o---T---o---r---o"
    assert short["board"]["names"]["g5"] == "Courthouse"
    assert set(short["cases"][7]["clues"][1]) == {"name", "about"}
    assert full["cases"][7]["clues"][1]["value"] == 2


def test_show_draws_the_city_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "city.svg"

    result = run("show", "missing-suspect", "--svg", str(file))

    assert (result.exit_code, result.stdout) == (0, f"Wrote {file}.\n")
    assert file.read_text() == picture(load("missing-suspect"))


def test_show_draws_no_edition_with_a_fault(own_box: Any, tmp_path: Path) -> None:
    path = own_box.change('shape = "heart"', 'shape = ""')

    result = run("show", path, "--svg", str(tmp_path / "city.svg"))

    assert result.exit_code == 1
    assert not (tmp_path / "city.svg").exists()


@pytest.mark.parametrize(
    ("name", "file", "sentence"),
    [
        ("tandem-target", "city.svg", "The game witness-stand has no map to draw\n"),
        ("missing-suspect", "gone/city.svg", "cannot be written: No such file or directory\n"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_one_sentence_on_stderr(
    tmp_path: Path, name: str, file: str, sentence: str
) -> None:
    result = run("show", name, "--svg", str(tmp_path / file))

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(sentence)


@pytest.mark.parametrize(("name", "seats"), [("missing-suspect", 6), ("missing-suspect-sparse", 5)])
def test_check_says_how_many_players_the_cards_are_enough_for(name: str, seats: int) -> None:
    result = run("check", name)

    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == [
        f"cards: are enough for 2 to {seats} players.",
        f"hash {edition_hash(load(name)).hex()}",
    ]


def test_check_warns_of_a_chart_with_a_column_for_every_case(own_box: Any) -> None:
    path = own_box.change('C = ["lying", "check"', 'C = ["check", "lying"')

    result = run("check", path)

    assert result.exit_code == 0
    assert "chart: has 3 different columns, and a throw and its result are public" in result.stdout


def test_check_prints_every_fault_with_its_place(own_box: Any) -> None:
    own_box.change("question_witness = 4", "question_witness = 5")
    path = own_box.change_board("o   S       o   I ", "o   S       o   O ")

    result = run("check", path)

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "question_witness: is 5; with the 24 cards of two clues there must be 28 Clue cards "
        "(rulebook: Game Implements)",
        "board, art: has 3 Inquest spots; there must be 4 (rulebook: Questioning Witness at Inquest Spots)",
    ]


@pytest.mark.parametrize("game", ["missing-suspect", "witness-stand"])
def test_new_writes_a_blank_edition_that_check_then_guides(tmp_path: Path, game: str) -> None:
    file = str(tmp_path / "mine.toml")

    result = run("new", file, "--game", game)

    assert (result.exit_code, Path(file).read_text()) == (0, blank(game))
    assert result.stdout == f"Wrote {file}. Fill it in, then: chambers edition check {file}\n"
    assert run("check", file).exit_code == 1


def test_new_leaves_a_file_that_is_there_as_it_is(own_box: Any) -> None:
    before = own_box.path.read_text()

    result = run("new", str(own_box.path))

    assert (result.exit_code, result.stderr) == (2, f"{own_box.path}: is there already, and is left as it is\n")
    assert own_box.path.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("mine.txt",), "mine.txt: an edition's file is called something.toml"),
        (("gone/mine.toml",), "gone/mine.toml: cannot be written: No such file or directory"),
        (("mine.toml", "--game", "chess"), "no game is called 'chess'; there is witness-stand, missing-suspect"),
    ],
)
def test_new_refuses_what_it_cannot_write_with_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)

    result = run("new", *arguments)

    assert (result.exit_code, result.stderr) == (2, f"{sentence}\n")
    assert list(tmp_path.iterdir()) == []
