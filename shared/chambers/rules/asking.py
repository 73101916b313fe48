"""How a prompt is put to a seat, and how the option that its player took is known again in what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from chambers.rules.events import TableEvent
from chambers.rules.terms import Opened, Option, Prompt


class Awaiting(Protocol):
    """A game's state: since which entry it has waited for what it waits for, and until when (ms, None: for ever)."""

    @property
    def since(self) -> int: ...

    @property
    def until(self) -> int | None: ...


def put(play: Awaiting, seat: int, options: Sequence[Option], *, kind: str, text: str, ruling: str) -> Prompt:
    """Return the prompt that a state puts to a seat; its id is its own, for a state puts one prompt to a seat."""
    return Prompt(
        id=f"{play.since}.{seat}",
        kind=kind,
        text=text,
        options=tuple(options),
        ruling=ruling,
        until=play.until,
        since=play.since,
    )


def takes(option: Option, event: TableEvent, opened: Opened | None) -> bool:
    """Return whether an event is the one that an option stands for, apart from what only the vault adds."""
    if type(option.event) is not type(event):
        return False
    for name in event.__struct_fields__:
        offered, said = getattr(option.event, name), getattr(event, name)
        if not isinstance(said, bytes) and offered != said:
            return False
    return option.card is None or not opened or opened[0].value == option.card
