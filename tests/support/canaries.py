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
        elif table in _ACTIONS and row.startswith("name = "):
            row = f'name = "{canary(ANSWERS + _ACTIONS.index(table))}"'
        rows.append(row)
    assert answers == ANSWERS
    path = folder / "canaries.toml"
    path.write_text("\n".join(rows))
    return path


def spellings(kind: int) -> tuple[bytes, ...]:
    """Return every way in which a message can name a card: its text, and its code where that is no sentence's end."""
    code = card_code(kind)
    if kind >= ANSWERS:
        # The four codes of action cards are keys of the public counts: as words of their own they say nothing.
        return canary(kind).encode(), f".{code}".encode()
    if code.endswith("*"):
        return canary(kind).encode(), code.encode()
    word = bytes([0xA0 + len(code)]) + code.encode()
    return canary(kind).encode(), word, f"show.{code}".encode(), f"pass.{code}".encode(), f"{code},".encode()


ALL_KINDS: Final = range(KINDS)
