"""An edition whose every card has a name that occurs nowhere else, so that a search finds each place that tells it."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from pathlib import Path
from typing import Final

from chambers.rules.witness_stand.edition import ANSWERS, KINDS, card_code

_ACTIONS: Final = ("objection", "overruled", "excluded", "dismissed")


def canary(kind: int) -> str:
    """Return the name of a card kind in the edition."""
    return "Q" + hashlib.sha256(f"card {kind}".encode()).hexdigest()[:15]


def write_edition(folder: Path) -> Path:
    """Return the file of a case in which the text of each answer and the name of each action card is its canary."""
    shelf = resources.files("chambers.editions").joinpath("witness-stand")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "board.toml").write_bytes(shelf.joinpath("board.toml").read_bytes())
    rows: list[str] = []
    table, answers = "", 0
    for row in shelf.joinpath("tandem-target.toml").read_text().split("\n"):
        if row.startswith("["):
            table = row.strip("[]")
        found = re.match(r"\s*(plain|starred) = ", row)
        if found:
            row = f'{found[1]} = "{canary(answers)}"'
            answers += 1
        elif not table and row.startswith("name = "):
            row = 'name = "canaries"'
        elif table in _ACTIONS and row.startswith("name = "):
            row = f'name = "{canary(ANSWERS + _ACTIONS.index(table))}"'
        rows.append(row)
    assert answers == ANSWERS
    path = folder / "canaries.toml"
    path.write_text("\n".join(rows))
    return path


_TEXT: Final = re.compile(rb"(Q[0-9a-f]{15})")
_NAMED: Final = re.compile(
    rb"(Q[0-9a-f]{15})|([A-D][1-5]\*)|(?:\xa3|show\.|pass\.)([A-D][1-5]\.)|([A-D][1-5]\.),"
    rb"|(?:show|pass)\.(OBJECT|OVERRULED|EXCLUDED|DISMISSED)"
)
_KINDS: Final = {canary(kind).encode(): kind for kind in range(KINDS)} | {
    card_code(kind).encode(): kind for kind in range(KINDS)
}


def named(data: bytes, *, codes: bool) -> set[int]:
    """Return the cards that bytes name by text, and by code where that is no sentence's end and no public count.

    Codes are so short that keys and ciphertexts hold them by chance: ask for them only in what is all words.
    """
    found = _NAMED.finditer(data) if codes else _TEXT.finditer(data)
    words = (next(word for word in each.groups() if word) for each in found)
    return {_KINDS[word] for word in words if word in _KINDS}


ALL_KINDS: Final = range(KINDS)
