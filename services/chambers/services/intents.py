"""What a vault means to say: for its player, or because it owes it."""

from __future__ import annotations

import msgspec

from chambers.rules.events import TableEvent
from chambers.services.pen import MakeEvent


class Intent(msgspec.Struct, frozen=True):
    """A statement that the vault means to make: for a prompt's option, for the player's talk, or as a duty."""

    make: MakeEvent
    prompt: str = ""
    option: str = ""
    duty: str = ""
    words: str = ""
    not_before: float = 0.0
    refusals: int = 0

    def __repr__(self) -> str:
        return "Intent(...)"


def stated(event: TableEvent | None, *, duty: str) -> Intent | None:
    """Return the intent to state an event as a duty; None without one: the player's client holds what it needs."""
    return None if event is None else Intent(lambda _: event, duty=duty)
