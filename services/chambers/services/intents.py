"""What a vault means to say, and how its player's choice is known again in what it said."""

from __future__ import annotations

import msgspec

from chambers.rules.events import TableEvent
from chambers.rules.terms import Opened, Option
from chambers.services.pen import MakeEvent


class Intent(msgspec.Struct, frozen=True):
    """A statement that the vault means to make: for a prompt's option, for the player's talk, or as a duty."""

    make: MakeEvent
    prompt: str = ""
    option: str = ""
    duty: str = ""
    not_before: float = 0.0

    def __repr__(self) -> str:
        return "Intent(...)"


def stated(event: TableEvent | None, *, duty: str) -> Intent | None:
    """Return the intent to state an event as a duty; None without one: the player's client holds what it needs."""
    return None if event is None else Intent(lambda _: event, duty=duty)


def takes(option: Option, event: TableEvent, opened: Opened | None) -> bool:
    """Return whether an event is the one that an option stands for, apart from what only the vault adds."""
    if type(option.event) is not type(event):
        return False
    for name in event.__struct_fields__:
        offered, said = getattr(option.event, name), getattr(event, name)
        if not isinstance(said, bytes) and offered != said:
            return False
    return option.card is None or not opened or opened[0].value == option.card
