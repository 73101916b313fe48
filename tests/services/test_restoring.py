"""What is put back is what the game master had signed; of what goes beyond that, the host is told how much it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.audit.honest_game import PlayedGame, play_game
from typer.testing import CliRunner

from chambers.clients.cli import app
from chambers.fairness.hashing import digest
from chambers.protocol.docket import dump


@pytest.fixture(scope="module")
def played() -> PlayedGame:
    """Return a short whole game."""
    return play_game(seats=2, seed=3, most=60)


@pytest.mark.parametrize(("covered", "beyond"), [(40, 0), (37, 3)])
def test_how_many_entries_no_checkpoint_covers_is_said_when_they_are_put_back(
    played: PlayedGame, tmp_path: Path, covered: int, beyond: int
) -> None:
    (tmp_path / "log.key").write_bytes(digest("gm", "3"))
    docket = played.record(played.log.leaves[:40], note=played.note_over(played.log.leaves[:covered]))

    told = CliRunner().invoke(
        app, ["restore", "-", "--home", str(tmp_path)], input=dump(docket), catch_exceptions=False
    )

    assert told.exit_code == 0
    assert told.stdout.startswith("40 entries")
    assert (f"covers the last {beyond}" in told.stderr) is (beyond > 0)
