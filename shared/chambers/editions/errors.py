"""What can be wrong with an edition: an error for one that cannot be read, a fault for one that cannot be played."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]|\[(\.\.\.)\]")


class EditionError(ValueError):
    """An edition that cannot be read: one `sentence` with the file, the place in it and what was expected there."""

    def __init__(self, sentence: str) -> None:
        # A field name of a stranger's file may hold terminal escapes.
        self.sentence = "".join(char if char.isprintable() else "?" for char in sentence)
        super().__init__(self.sentence)


class Fault(msgspec.Struct, frozen=True):
    """One thing that keeps an edition from being played: the place, a sentence, the rulebook section if it has one."""

    place: str
    sentence: str
    section: str = ""


def place_of(path: str) -> str:
    """Return a msgspec path (`$.suspects[1].name`) as a place for people (`suspects no. 2, name`)."""
    words = ""
    for field, index, key in _STEP.findall(path):
        if index:
            words += f" no. {int(index) + 1}"
        elif key:
            words += " (one of its keys or values)"
        else:
            words += f", {field}" if words else field
    return words


def explain(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return the place (empty for the top of the file) and the sentence of a value that has the wrong shape."""
    text, _, path = str(error).partition(" - at `")
    if missing := re.fullmatch(r"Object missing required field `(.*)`", text):
        text = f"the field `{missing[1]}` is missing"
    elif unknown := re.fullmatch(r"Object contains unknown field `(.*)`", text, re.DOTALL):
        text = f"there is no field `{unknown[1]}` here"
    else:
        text = text[:1].lower() + text[1:]
    return place_of(path.removeprefix("key in ").removeprefix("`").removesuffix("`")), text
