"""What the edition tests start from: one of our cases, and a copy of it in a folder of its own to be spoiled."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from chambers.editions import load
from chambers.rules.witness_stand.edition import Edition


class OwnFile:
    """An owner's edition in a folder: `path` is the case, `board` the board beside it."""

    def __init__(self, folder: Path) -> None:
        shelf = resources.files("chambers.editions") / "witness-stand"
        self.path = folder / "my-case.toml"
        self.board = folder / "board.toml"
        self.path.write_text((shelf / "tandem-target.toml").read_text())
        self.board.write_text((shelf / "board.toml").read_text())

    def change(self, old: str, new: str) -> str:
        """Replace the first `old` of the case, which must be there, and return the path."""
        return self._change(self.path, old, new)

    def change_board(self, old: str, new: str) -> str:
        """Replace the first `old` of the board, which must be there, and return the path of the case."""
        return self._change(self.board, old, new)

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
