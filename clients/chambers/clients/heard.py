"""What a window at a seat hears: what its vault says, and what happens to the link, the seat and its luck."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from chambers.clients.luck import LuckTold
from chambers.protocol.client import FromVault, Welcome

REPLACED: Final = "This window is no longer admitted: another window has taken the seat."
VOIDED: Final = "This ticket was voided; ask the host for the new one."
FLOODED: Final = "This seat's vault sends more than this window reads. Come back with the ticket, or ask the host."


class LinkState(StrEnum):
    """Whether the vault can be heard."""

    LOST = "lost"
    RESUMED = "resumed"


class Link(msgspec.Struct, frozen=True):
    """The link to the vault was lost, or is there again after `seconds`."""

    state: LinkState
    seconds: float = 0.0


class Occupied(msgspec.Struct, frozen=True):
    """Another window plays this seat; `take_over` or leave."""

    welcome: Welcome


class Unsent(msgspec.Struct, frozen=True):
    """A choice made before the link broke was not counted, and the prompt has changed since: choose again."""

    prompt: str
    option: str

    def __repr__(self) -> str:
        return f"Unsent({self.prompt})"


Heard = FromVault | Link | Occupied | Unsent | LuckTold
