"""What every edition's texts must be: printable, short enough for a screen, and different where they are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from chambers.editions.errors import Fault

NAME_LIMIT: Final = 32
TITLE_LIMIT: Final = 60
STORY_LIMIT: Final = 800
TEXT_LIMIT: Final = 160

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def head_faults(*, name: str, game: str, title: str, story: str, expected: str) -> Iterator[Fault]:
    """Yield the faults of what the edition of every game begins with; `expected` is the game that is checked."""
    if len(name) > NAME_LIMIT or not _NAME.fullmatch(name):
        yield Fault("name", f"must be small letters, digits and single dashes, {NAME_LIMIT} at most")
    if game != expected:
        yield Fault("game", f"must be {expected}")
    yield from text_faults("title", title, TITLE_LIMIT)
    yield from text_faults("story", story, STORY_LIMIT)


def text_faults(place: str, text: str, limit: int) -> Iterator[Fault]:
    """Yield a fault unless the text is printable, not empty, without spaces at its ends and `limit` long at most."""
    if not text.strip():
        yield Fault(place, "is empty")
    elif text != text.strip():
        yield Fault(place, "begins or ends with a space")
    elif not text.isprintable():
        yield Fault(place, "holds a line break or another character that cannot be printed")
    elif len(text) > limit:
        yield Fault(place, f"has {len(text)} characters; {limit} is the most that a screen has room for")


def twin_faults(texts: Iterable[tuple[str, str]], section: str) -> Iterator[Fault]:
    """Yield a fault for each (place, text) that reads like an earlier one, whatever its capitals and spaces."""
    first: dict[str, str] = {}
    for place, text in texts:
        said = " ".join(text.casefold().split())
        # An empty text is a fault of its own already.
        if said and first.setdefault(said, place) != place:
            yield Fault(place, f"is the same as {first[said]}", section)
