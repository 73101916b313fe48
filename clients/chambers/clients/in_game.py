"""What may be typed at a table beside the choices, for the prompt and for `--help`."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = "look board|hand|sheet|log|notes, note, note TEXT, say TEXT, ?, ? rule, quit"
HELP: Final = (
    f"At the table, type a choice's number, its id or its words, or: {COMMANDS}. An accusation cannot be undone: "
    "it takes its number, its id, or the word accuse."
)
