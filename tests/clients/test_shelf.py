"""What is played where nobody names it, and how a wrong name is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from chambers import editions
from chambers.clients.cli import app
from chambers.clients.long_record import long_record
from chambers.clients.playing import BOTS_ONLY, agreed
from chambers.clients.shelf import EDITIONS, table_of
from chambers.protocol.docket import dump
from chambers.rules import GAMES


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    ("game", "edition", "table"),
    [
        (None, None, ("witness-stand", "tandem-target")),
        ("missing-suspect", None, ("missing-suspect", "missing-suspect")),
        (None, "missing-suspect-sparse", ("missing-suspect", "missing-suspect-sparse")),
        ("witness-stand", "stuttering-bishop", ("witness-stand", "stuttering-bishop")),
    ],
)
def test_a_game_has_its_edition_and_an_edition_its_game(
    game: str | None, edition: str | None, table: tuple[str, str]
) -> None:
    assert table_of(game, edition) == table


def test_every_game_has_an_edition_of_its_own() -> None:
    assert set(EDITIONS) == set(GAMES)
    assert all(editions.load(edition).game == game for game, edition in EDITIONS.items())


def test_the_edition_of_another_game_is_refused() -> None:
    with pytest.raises(editions.EditionError, match="is one of witness-stand, not of missing-suspect"):
        table_of("missing-suspect", "tandem-target")


@pytest.mark.parametrize("command", [("play",), ("host",), ("bench", "rules")])
def test_a_game_that_there_is_not_is_a_usage_error(command: tuple[str, ...]) -> None:
    got = call(*command, "--game", "chess")

    assert got.exit_code == 2
    assert "none of: missing-suspect, witness-stand" in got.output
    assert "Traceback" not in got.output


@pytest.mark.parametrize("command", [("play",), ("host",), ("bench", "rules"), ("bench", "bus"), ("bench", "games")])
def test_a_command_names_both_games_in_its_help(command: tuple[str, ...]) -> None:
    assert "missing-suspect or witness-stand" in " ".join(call(*command, "--help").stdout.split())


def test_a_table_takes_of_the_usual_options_those_that_its_game_has() -> None:
    first = dict(agreed("witness-stand", BOTS_ONLY, (("step3", "witness"),)))
    second = dict(agreed("missing-suspect", BOTS_ONLY, (("answer_floor_ms", "7"),)))

    assert first == {"answer_floor_ms": "0", "object_window": "none", "step3": "witness"}
    assert second == {"answer_floor_ms": "7"}


def test_an_option_that_the_game_has_not_is_left_for_the_rules_to_refuse() -> None:
    assert ("object_window", "20") in agreed("missing-suspect", (), (("object_window", "20"),))


def test_the_bench_plays_the_second_game() -> None:
    rules = call("bench", "rules", "--game", "missing-suspect", "--games", "1", "--bots", "rules", "--seats", "2")
    cut = call("bench", "rules", "--game", "missing-suspect", "--games", "2", "--most", "200")

    assert rules.exit_code == cut.exit_code == 0
    assert "cut off" not in rules.stdout
    assert "2 of them were cut off after 200 entries" in cut.stdout


def test_a_replay_draws_the_positions_on_the_map(tmp_path: Path) -> None:
    path = tmp_path / "city.docket"
    path.write_text(dump(long_record(260, edition="missing-suspect", seats=3)))

    got = call("replay", str(path), "--at", "200", "--plain")

    board = [line.removeprefix("BOARD ") for line in got.stdout.splitlines() if line.startswith("BOARD ")]
    assert got.exit_code == 0
    assert board[0] == "     a   b   c   d   e   f   g   h   i   j   k   l   m"
    drawn = "".join(board[1:18])
    assert all(letter in drawn for letter in "abcdefg")
    cars = [re.search(r"seat (\d): car at ([a-m][1-9]) ", line) for line in board[19:]]
    places = {car[1]: car[2] for car in cars if car}
    assert sorted(places) == ["0", "1", "2"]
    for seat, address in places.items():
        row, column = board[2 * int(address[1]) - 1], 5 + 4 * (ord(address[0]) - ord("a"))
        assert seat in row[column + 1 : column + 4]
