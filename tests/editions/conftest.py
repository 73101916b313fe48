"""What the edition tests start from: one of our cases and our box, and copies of them in a folder to be spoiled."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from chambers.editions import load
from chambers.rules.missing_suspect.edition import Edition as Box
from chambers.rules.witness_stand.edition import Edition


class OwnFile:
    """An owner's edition in a folder: `path` is the case or box, `board` the board and `cases` the cases beside it."""

    def __init__(self, folder: Path, game: str = "witness-stand", name: str = "tandem-target") -> None:
        shelf = resources.files("chambers.editions") / game
        self.path = folder / "my-case.toml"
        self.board = folder / "board.toml"
        self.cases = folder / "cases.toml"
        self.path.write_text((shelf / f"{name}.toml").read_text())
        self.board.write_text((shelf / "board.toml").read_text())
        if (shelf / "cases.toml").is_file():
            self.cases.write_text((shelf / "cases.toml").read_text())

    def change(self, old: str, new: str) -> str:
        """Replace the first `old` of the case, which must be there, and return the path."""
        return self._change(self.path, old, new)

    def change_board(self, old: str, new: str) -> str:
        """Replace the first `old` of the board, which must be there, and return the path of the case."""
        return self._change(self.board, old, new)

    def change_cases(self, old: str, new: str) -> str:
        """Replace the first `old` of the cases, which must be there, and return the path of the box."""
        return self._change(self.cases, old, new)

    def _change(self, file: Path, old: str, new: str) -> str:
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))
        return str(self.path)


@pytest.fixture
def own(tmp_path: Path) -> OwnFile:
    return OwnFile(tmp_path)


@pytest.fixture
def case() -> Edition:
    edition = load("tandem-target")
    assert isinstance(edition, Edition)
    return edition


@pytest.fixture
def own_box(tmp_path: Path) -> OwnFile:
    return OwnFile(tmp_path, "missing-suspect", "missing-suspect")


@pytest.fixture
def box() -> Box:
    edition = load("missing-suspect")
    assert isinstance(edition, Box)
    return edition
