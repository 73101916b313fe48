"""How a witness-stand edition is written in TOML: a suspect on the board is a letter there, and 0..3 in the struct."""

from __future__ import annotations

from typing import Any

import msgspec

from chambers.rules.witness_stand.edition import LETTERS


def fields(data: dict[str, Any], /) -> dict[str, Any]:
    """Return the struct's fields for what the TOML says; msgspec.ValidationError for a suspect that is no letter."""
    board = data.get("board")
    if not isinstance(board, list):
        return data
    return {**data, "board": [_space(number, space) for number, space in enumerate(board)]}


def _space(number: int, space: Any) -> Any:
    if not isinstance(space, dict) or "suspect" not in space:
        return space
    letter = space["suspect"]
    if not isinstance(letter, str) or len(letter) != 1 or letter not in LETTERS:
        raise msgspec.ValidationError(f"Expected a letter of {LETTERS} - at `$.board[{number}].suspect`")
    return {**space, "suspect": LETTERS.index(letter)}
