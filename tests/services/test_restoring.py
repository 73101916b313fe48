"""What is put back is what the game master had signed; what goes beyond that only if the host says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.audit.honest_game import PlayedGame, play_game
from typer.testing import CliRunner, Result

from chambers.clients.cli import app
from chambers.fairness.hashing import digest
from chambers.protocol.docket import Docket, dump
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import read_leaf
from chambers.services.restoring import restore


@pytest.fixture(scope="module")
def played() -> PlayedGame:
    """Return a short whole game."""
    return play_game(seats=2, seed=3, most=60)


def put_back(docket: Docket, volume: Path, *more: str) -> Result:
    """Return what `chambers restore` says in a game master's volume of which the key is the played game's."""
    (volume / "log.key").write_bytes(digest("gm", "3"))
    return CliRunner().invoke(
        app, ["restore", "-", "--home", str(volume), *more], input=dump(docket), catch_exceptions=False
    )


def of_forty(played: PlayedGame, *, covered: int) -> Docket:
    """Return the first forty entries of the game under a checkpoint that covers `covered` of them."""
    return played.record(played.log.leaves[:40], note=played.note_over(played.log.leaves[:covered]))


def put_back_in(volume: Path) -> list[Path]:
    return list(volume.rglob("*.wanted"))


def test_a_docket_that_its_checkpoint_covers_is_put_back(played: PlayedGame, tmp_path: Path) -> None:
    told = put_back(of_forty(played, covered=40), tmp_path)

    assert (told.exit_code, told.stderr) == (0, "")
    assert told.stdout.startswith("40 entries")
    assert put_back_in(tmp_path)


def test_entries_that_no_checkpoint_covers_are_not_put_back_on_their_authors_word(
    played: PlayedGame, tmp_path: Path
) -> None:
    told = put_back(of_forty(played, covered=37), tmp_path)

    assert (told.exit_code, told.stdout) == (2, "")
    assert "No checkpoint covers the last 3 of the 40 entries" in told.stderr
    assert not put_back_in(tmp_path)


def test_whoever_says_so_has_them_put_back_and_is_told_on_what_they_rest(played: PlayedGame, tmp_path: Path) -> None:
    told = put_back(of_forty(played, covered=37), tmp_path, "--uncovered")

    assert told.exit_code == 0
    assert told.stdout.startswith("40 entries")
    assert "No checkpoint covers the last 3" in told.stderr


def test_what_the_volume_s_own_copy_has_needs_no_checkpoint(played: PlayedGame, tmp_path: Path) -> None:
    put_back(of_forty(played, covered=40), tmp_path)

    told = put_back(of_forty(played, covered=37), tmp_path)

    assert (told.exit_code, told.stderr) == (0, "")


def test_no_tail_of_a_time_that_has_not_come_is_put_back_whatever_is_said(played: PlayedGame, tmp_path: Path) -> None:
    (tmp_path / "log.key").write_bytes(digest("gm", "3"))
    tail, before_it = of_forty(played, covered=37), read_leaf(played.log.leaves[38]).ts - 1

    with pytest.raises(ProtocolError, match="a time that has not come yet"):
        restore(tail, tmp_path, uncovered=True, now=before_it)

    assert not put_back_in(tmp_path)
