"""A record by rules that this release does not know: one sentence that says so, and never a verdict on it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import play_game
from typer.testing import CliRunner

from chambers.clients.cli import app
from chambers.fairness.tree import Tree
from chambers.protocol.docket import dump
from chambers.protocol.statements import Entry, leaf, sign
from chambers.rules.roles import GM


@pytest.fixture
def docket(tmp_path: Path) -> Path:
    """Return the file of a record whose game master opened it, honestly signed, under the rules of a later release."""
    game = play_game(seats=2, seed=1, most=3)
    opening = msgspec.structs.replace(game.setup.opening, rules="witness-stand/99")
    sig, stmt = sign(game.log_key, table=game.id, author=GM, n=0, size=0, root=Tree().root(), event=opening)
    path = tmp_path / "later.docket"
    path.write_text(dump(game.record([leaf(Entry(0, game.ts, stmt, sig)), *game.log.leaves[1:]])))
    return path


@pytest.mark.parametrize("command", ["replay", "log"])
def test_a_record_by_unknown_rules_cannot_be_told_and_says_why(docket: Path, command: str) -> None:
    got = CliRunner().invoke(app, [command, str(docket)])

    assert (got.exit_code, len(got.stderr.splitlines())) == (2, 1)
    assert "The table is played by witness-stand/99; witness-stand/1 is understood here." in got.stderr


def test_a_record_by_unknown_rules_is_neither_clean_nor_anybodys_fault(docket: Path) -> None:
    got = CliRunner().invoke(app, ["audit", str(docket)])

    assert got.exit_code == 2
    assert "The table is played by witness-stand/99; witness-stand/1 is understood here." in got.stdout
    assert "audit failed" not in got.stdout
