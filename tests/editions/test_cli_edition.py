"""`chambers edition list|show|check|new`: what is printed where, and the exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from chambers.clients.cli_edition import app
from chambers.editions import edition_hash, load, names

RUNNER = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"})


def run(*arguments: str) -> Any:
    return RUNNER.invoke(app, list(arguments))


def test_list_prints_a_table_that_says_reconstruction() -> None:
    result = run("list")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "GAME             NAME                    TITLE                                     TEXTS AND BOARD",
        "missing-suspect  missing-suspect         The Case of the Missing Suspect           reconstruction",
        "missing-suspect  missing-suspect-sparse  The Missing Suspect, a City of Witnesses  reconstruction",
        "witness-stand    stuttering-bishop       The Case of the Stuttering Bishop         reconstruction",
        "witness-stand    tandem-target           The Case of the Tandem Target             reconstruction",
    ]


def test_list_as_json_is_one_object_an_edition() -> None:
    lines = [json.loads(line) for line in run("list", "--json").stdout.splitlines()]

    assert [line["name"] for line in lines] == [name for _, name in names()]
    assert lines[3] == {
        "game": "witness-stand",
        "name": "tandem-target",
        "title": "The Case of the Tandem Target",
        "reconstruction": True,
        "hash": edition_hash(load("tandem-target")).hex(),
    }


def test_show_prints_the_case_and_says_that_it_is_a_reconstruction() -> None:
    result = run("show", "tandem-target")

    assert result.exit_code == 0
    assert result.stdout.startswith(
        "The Case of the Tandem Target\nwitness-stand edition tandem-target: a reconstruction"
    )
    assert "B  Irma Hodge. " in result.stdout
    assert "   B2  Whose feathers are those on the fatal arrow?" in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_show_keeps_the_answers_back_until_they_are_asked_for() -> None:
    assert "grey goose" not in run("show", "tandem-target").stdout
    assert (
        "plain    Anybody's. The club shop sells grey goose by the gross."
        in run("show", "tandem-target", "--answers").stdout
    )


def test_show_as_json_has_answers_only_when_asked_for() -> None:
    short = json.loads(run("show", "tandem-target", "--json").stdout)
    full = json.loads(run("show", "tandem-target", "--json", "--answers").stdout)

    assert short["reconstruction"] is True
    assert short["suspects"][1]["letter"] == "B"
    assert set(short["suspects"][1]["questions"][0]) == {"code", "text"}
    assert full["suspects"][3]["questions"][4]["code"] == "D5"
    assert set(full["suspects"][3]["questions"][4]) == {"code", "text", "plain", "starred"}


def test_show_says_when_the_texts_are_an_owners_transcription(own: Any) -> None:
    path = own.change("reconstruction = true", "reconstruction = false")

    assert "a transcription by its owner" in run("show", path).stdout


def test_show_prints_no_text_of_an_edition_with_a_fault(own: Any) -> None:
    path = own.change('title = "', 'title = "\\u001b[2J')

    result = run("show", path)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"{path} has 1 fault; try: chambers edition check {path}\n"


@pytest.mark.parametrize("name", ["tandem-target", "stuttering-bishop"])
def test_check_prints_a_sentence_and_the_hash_of_a_sound_edition(name: str) -> None:
    result = run("check", name)

    assert result.exit_code == 0
    sentence, manifest = result.stdout.splitlines()
    assert sentence.startswith(load(name).title + " can be played: a reconstruction")
    assert manifest == f"hash {edition_hash(load(name)).hex()}"


def test_check_prints_every_fault_of_an_owners_file(own: Any) -> None:
    own.change("count_small = 3", "count_small = 4")
    path = own.change_board(", corner = true", "")

    result = run("check", path)

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "excluded, count_small: is 4; with two to four players 1 of the 4 is removed (rulebook: Setting Up the Game)",
        "board: has 3 corners; it must have 4 (rulebook: Setting Up the Game)",
    ]
    assert result.stderr == f"{path} has 2 faults and cannot be played.\n"


def test_check_of_a_file_that_cannot_be_read_is_one_sentence_on_stderr(own: Any) -> None:
    path = own.change("count = 8", 'count = "eight"')

    result = run("check", path)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"{path}, objection, count: expected `int`, got `str`\n"


@pytest.mark.parametrize("command", ["show", "check"])
def test_an_unknown_name_is_one_sentence_on_stderr(command: str) -> None:
    result = run(command, "nobody")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("No edition is called 'nobody'; there is missing-suspect, missing-suspect-sparse,")


@pytest.mark.parametrize("command", [(), ("list",), ("show",), ("check",), ("new",)])
def test_every_help_has_an_example(command: tuple[str, ...]) -> None:
    result = run(*command, "--help")

    assert result.exit_code == 0
    assert f"Example: chambers edition {' '.join(command)}" in result.stdout
    assert "\x1b" not in result.stdout
