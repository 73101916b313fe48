"""The events that every game shares: setup, dice, windows, stalls and the close.

Signed bytes are kept for ever, so the fields of a tag never change: a change is a new tag.
"""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.rules.roles import Role


class TableEvent(msgspec.Struct, frozen=True, array_like=True):
    """What every event is: an array that begins with its tag."""


class SeatPlan(msgspec.Struct, frozen=True, array_like=True):
    """How one seat is kept: where its vault runs (`host` or `own`), and whether a bot plays it."""

    vault: str
    bot: bool


class Open(TableEvent, frozen=True, tag="open"):
    """The game master opens a table: everything that a check and a later audit need."""

    v: int
    game: str
    rules: str
    edition: str
    edition_hash: bytes
    options: tuple[tuple[str, str], ...]
    seats: tuple[SeatPlan, ...]
    chain: int
    log_key: bytes
    reveal: str
    auditor_key: bytes | None
    spectators: bool


class Commit(TableEvent, frozen=True, tag="commit"):
    """A role binds itself: statement key, name, and commitments to its secret, box key, luck, dice chain and mix."""

    sign: bytes
    name: str
    secret: bytes
    box: bytes
    luck: bytes
    anchor: bytes
    mix: bytes


class Mix(TableEvent, frozen=True, tag="mix"):
    """A seat opens its mixing entropy, after every role has committed."""

    e: bytes

    def __repr__(self) -> str:
        return "Mix(...)"  # it is secret until the log has it


class Again(TableEvent, frozen=True, tag="again"):
    """The game master starts the setup anew after `stalled` failed to do its part."""

    attempt: int
    stalled: Role


class Deal(TableEvent, frozen=True, tag="deal"):
    """The dealer commits to every card and place, and boxes each seat's cards to its vault."""

    seals: tuple[bytes, ...]
    places: tuple[bytes, ...]
    boxes: tuple[tuple[Role, bytes], ...]


class Roll(TableEvent, frozen=True, tag="roll"):
    """Roll number `k` with everybody's share of it, and its value 1..6."""

    k: int
    shares: tuple[tuple[Role, bytes], ...]
    value: int


class Share(TableEvent, frozen=True, tag="share"):
    """A contributor publishes its share of roll `k` that the dice say is missing."""

    k: int
    x: bytes

    def __repr__(self) -> str:
        return f"Share({self.k})"


class Ok(TableEvent, frozen=True, tag="ok"):
    """A seat lets the window that entry `ref` opened pass."""

    ref: int


class Lapse(TableEvent, frozen=True, tag="lapse"):
    """The game master says that the limit of what entry `ref` made due has passed."""

    ref: int


class Ticket(TableEvent, frozen=True, tag="ticket"):
    """The host voided a seat's ticket: `issue` is the one that counts from here on."""

    seat: int
    issue: int


class Stall(TableEvent, frozen=True, tag="stall"):
    """A live seat says that `role` has not done what entry `ref` made due."""

    role: Role
    ref: int


class Drop(TableEvent, frozen=True, tag="drop"):
    """The game master drops a stalled seat, by the word of the others; final."""

    seat: int


class Bad(TableEvent, frozen=True, tag="bad"):
    """A role says that its box in entry `ref` does not open or does not match: the table stops."""

    ref: int
    why: str


class Say(TableEvent, frozen=True, tag="say"):
    """Table talk, at most 200 characters."""

    text: str


class Close(TableEvent, frozen=True, tag="close"):
    """The game master closes the table: `over`, or `aborted: ...`."""

    reason: str


class Bye(TableEvent, frozen=True, tag="bye"):
    """A role has seen the close and plays no more; its signed head says which log it saw."""


class Reveal(TableEvent, frozen=True, tag="reveal"):
    """A role opens its secret and luck, and cosigns the head after the last bye (8 bytes of time, 64 of signature)."""

    secret: bytes
    luck: bytes
    cosignature: bytes

    def __repr__(self) -> str:
        return "Reveal(...)"  # it is secret until the log has it


class Entrust(TableEvent, frozen=True, tag="entrust"):
    """A role opens its secret and luck to the table's auditor alone, in a box to the auditor's key, and cosigns."""

    box: bytes
    cosignature: bytes


class Cosign(TableEvent, frozen=True, tag="cosign"):
    """A role opens nothing, and cosigns the head after the last bye."""

    cosignature: bytes


LastWord = Reveal | Entrust | Cosign
"""A role's last statement at a table; all three cosign the same head."""

LAST_WORDS: Final[dict[str, type[LastWord]]] = {"public": Reveal, "auditor": Entrust, "none": Cosign}
"""How a role says it by the table's reveal policy: to everybody, to the auditor that the table names, or to nobody."""

TABLE_EVENTS: tuple[type[TableEvent], ...] = (
    Open, Commit, Mix, Again, Deal, Roll, Share, Ok, Lapse, Ticket, Stall, Drop, Bad, Say, Close, Bye, Reveal, Entrust,
    Cosign,
)  # fmt: skip
