"""The terms every game's rules speak in: what is due, what is asked, what a box opened, who looks on."""

from __future__ import annotations

from typing import Final, NewType, Protocol

import msgspec

from chambers.rules.events import Open, TableEvent
from chambers.rules.roles import Role

Viewer = NewType("Viewer", str)
"""Whose eyes a log line is for: a seat's role, `public`, or `all` (after the reveal)."""

PUBLIC: Final = Viewer("public")
ALL: Final = Viewer("all")


class Due(msgspec.Struct, frozen=True):
    """What `who` owes: the act, the entry `since` which it is owed, and the time (ms) from which it may lapse."""

    who: Role
    act: str
    since: int
    until: int | None = None
    k: int = 0
    lapsed: bool = False


class Disclosed(msgspec.Struct, frozen=True, array_like=True):
    """One hidden value that a box tells, and the openings that prove it (32 bytes each, where they apply)."""

    value: int
    seal: bytes | None = None
    place: int | None = None
    nonce: bytes | None = None

    def __repr__(self) -> str:
        return "Disclosed(...)"


Opened = tuple[Disclosed, ...]


class Option(msgspec.Struct, frozen=True):
    """One legal answer to a prompt: its `event`, whole but for what only the vault can add.

    `card` is the card that it spends, or the number that it tells.

    `id` is stable and speaks for itself (`ask.2.B3`); `label` is what a player reads.
    """

    id: str
    label: str
    event: TableEvent
    card: int | None = None

    def __repr__(self) -> str:
        return "Option(...)"


class Prompt(msgspec.Struct, frozen=True):
    """What a seat is asked: one id, one sentence, every legal option, the rulings behind it, and when it lapses."""

    id: str
    kind: str
    text: str
    options: tuple[Option, ...]
    ruling: str = ""
    until: int | None = None
    since: int = 0

    def __repr__(self) -> str:
        return f"Prompt({self.id}, {self.kind})"


class Pile(msgspec.Struct, frozen=True):
    """The dealer's half of a table: the value at every place, and the places dealt to each seat."""

    values: tuple[tuple[int, int], ...]
    hands: tuple[tuple[int, ...], ...]

    def value(self, place: int) -> int:
        """Return the hidden value at `place`; KeyError where there is none."""
        return dict(self.values)[place]

    def __repr__(self) -> str:
        return "Pile(...)"


class Binding(Protocol):
    """What a vault adds to a statement that binds it to something it opens later, or opens what it was shown."""

    def nonce(self, place: int, /) -> bytes:
        """Return the opening (32 bytes) of a place whose value this seat was shown."""

    def stow(self, place: int, kind: int, /) -> tuple[bytes, bytes]:
        """Return a nonce (32 bytes) for a card stowed at a new place, and the commitment to both."""

    def offer(self, box: bytes, /) -> bytes:
        """Return the hash (32 bytes) that binds this seat to a box which it hands over later."""

    def offered(self, to: Role, opened: Opened, /) -> bytes:
        """Return the very box that this seat's last offer bound it to."""


class Result(msgspec.Struct, frozen=True):
    """How a game ended: the winning seat (None: nobody), and a sentence."""

    winner: int | None
    text: str


class Setup(msgspec.Struct, frozen=True):
    """What a table is opened with: the open event and the edition it names."""

    opening: Open
    edition: object

    @property
    def seats(self) -> int:
        """Return the number of seats, 2..6."""
        return len(self.opening.seats)

    def option(self, name: str) -> str:
        """Return the value of a table option; KeyError for one that the game does not have."""
        return dict(self.opening.options)[name]


class OptionSpec(msgspec.Struct, frozen=True):
    """A table option: its default, the values it takes (`"seconds"` admits any whole number), and what it means."""

    name: str
    default: str
    allowed: tuple[str, ...]
    meaning: str


class Draw(Protocol):
    """Where a deal takes its chance from: unbiased draws from a committed key."""

    def uniform(self, n: int, /) -> int:
        """Return a number of 0..n-1, each equally likely, for n of 1..256."""

    def shuffle(self, items: list[int], /) -> list[int]:
        """Return the items in a uniformly random order."""
