"""What a vault and its client say to each other inside sealed frames."""

from __future__ import annotations

from typing import Any

import msgspec


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The vault knows the client: table, seat and the table's options. `occupied`: another window plays this seat.

    `version` is the vault's release; `reveal` says to whom the hands are opened after the game, and `auditor_key`
    (32 bytes) to which auditor.
    """

    table: str
    game: str
    edition: str
    edition_hash: bytes
    seat: int
    seats: int
    options: tuple[tuple[str, str], ...]
    occupied: bool
    session: bytes
    version: str = ""
    reveal: str = "public"
    auditor_key: bytes | None = None


class Line(msgspec.Struct, frozen=True):
    """One line of the log as this seat may read it."""

    sequence: int
    text: str

    def __repr__(self) -> str:
        return f"Line({self.sequence})"


class Choice(msgspec.Struct, frozen=True):
    """One option of a prompt: what to send, what to read, and the fields of its event for a screen or a bot."""

    id: str
    label: str
    event: dict[str, Any]

    def __repr__(self) -> str:
        return "Choice(...)"


class Ask(msgspec.Struct, frozen=True):
    """A prompt as the client gets it; `deadline` is ms of wall-clock time, None for no limit."""

    id: str
    kind: str
    text: str
    options: tuple[Choice, ...]
    ruling: str = ""
    deadline: int | None = None

    def __repr__(self) -> str:
        return f"Ask({self.id}, {self.kind})"


class Update(msgspec.Struct, frozen=True, tag="update"):
    """Sent to every seat at every entry, one size for all: the whole view, new log lines, and what is asked now.

    `earlier`: there are log lines before the first one here that a resync did not carry.
    """

    sequence: int
    phase: str
    view: dict[str, Any]
    lines: tuple[Line, ...]
    prompt: Ask | None
    waiting: tuple[str, ...] = ()
    earlier: bool = False

    def __repr__(self) -> str:
        return f"Update({self.sequence})"


class ChoiceAccepted(msgspec.Struct, frozen=True, tag="accepted"):
    """The chosen option is entry `sequence`; choosing it again gets the same answer again."""

    prompt: str
    option: str
    sequence: int

    def __repr__(self) -> str:
        return f"ChoiceAccepted({self.prompt}, {self.sequence})"


class ChoiceRefused(msgspec.Struct, frozen=True, tag="refused"):
    """What the client sent was not accepted, and why; `prompt` is empty where no choice was refused."""

    prompt: str
    code: str
    text: str
    section: str = ""
    ruling: str = ""


class Over(msgspec.Struct, frozen=True, tag="over"):
    """The table is closed: how it ended, and the head after the last goodbye, which every player's receipt must show.

    `receipt` is the signed note over that head, with the cosignatures of all who have opened their secrets.
    """

    winner: int | None
    text: str
    size: int
    root: str
    receipt: str = ""


class Replaced(msgspec.Struct, frozen=True, tag="replaced"):
    """Another window has taken this seat, or its ticket was `voided`; this one must not come back by itself."""

    voided: bool = False


class WantsBindings(msgspec.Struct, frozen=True, tag="wants-bindings"):
    """The vault commits at this attempt of the setup as soon as it has what binds the client to its own luck."""

    attempt: int
    chain: int


class WantsLuck(msgspec.Struct, frozen=True, tag="wants-luck"):
    """Something of the client's luck is due in a log of `size` entries; the client reads them and sees what."""

    size: int


class Record(msgspec.Struct, frozen=True, tag="record"):
    """Entries from `start` on, as they are stored; `note` is the signed checkpoint over all `size`, with the last."""

    start: int
    entries: tuple[bytes, ...]
    size: int
    note: str = ""


class Begin(msgspec.Struct, frozen=True, tag="begin"):
    """The first boxed frame of a session: the newest sequence the client has, and whether it takes over the seat.

    `luck`: the client brings its own, so the vault waits for its bindings before it commits.
    """

    have: int = -1
    take_over: bool = False
    luck: bool = False


class Bindings(msgspec.Struct, frozen=True, tag="bindings"):
    """What binds the client to its luck at this attempt: commitment, anchor, mix commitment (32 bytes each)."""

    attempt: int
    luck: bytes
    anchor: bytes
    mix: bytes


class ReadOn(msgspec.Struct, frozen=True, tag="read-on"):
    """Asks for the log's entries from `start` on."""

    start: int


class GiveLuck(msgspec.Struct, frozen=True, tag="give-luck"):
    """The whole luck L of this attempt (32 bytes): the vault draws on it from now on."""

    attempt: int
    luck: bytes

    def __repr__(self) -> str:
        return f"GiveLuck({self.attempt})"


class GiveMix(msgspec.Struct, frozen=True, tag="give-mix"):
    """The mixing entropy e of this attempt (32 bytes) and nothing more."""

    attempt: int
    e: bytes

    def __repr__(self) -> str:
        return f"GiveMix({self.attempt})"


class GiveShare(msgspec.Struct, frozen=True, tag="give-share"):
    """The dice share of roll `k` (32 bytes) and nothing more."""

    k: int
    x: bytes

    def __repr__(self) -> str:
        return f"GiveShare({self.k})"


class Choose(msgspec.Struct, frozen=True, tag="choose"):
    """The player's answer to a prompt."""

    prompt: str
    option: str

    def __repr__(self) -> str:
        return f"Choose({self.prompt})"


class Note(msgspec.Struct, frozen=True, tag="note"):
    """The player's private notes, whole, at most 2,000 characters and 4,000 bytes; only the vault keeps them."""

    text: str

    def __repr__(self) -> str:
        return "Note(...)"


class Talk(msgspec.Struct, frozen=True, tag="talk"):
    """Table talk that everybody may read, at most 200 characters."""

    text: str


class Resync(msgspec.Struct, frozen=True, tag="resync"):
    """Asks for the view, the prompt and the last log lines again, or for the lines before `before`."""

    before: int | None = None


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """The client goes; the seat stays, and whoever comes next with the ticket need not ask for it."""


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """The client is there; answered by `Pong` so that both ends know."""


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """The vault is there, and knows the log up to `sequence`."""

    sequence: int


FromVault = (
    Welcome | Update | ChoiceAccepted | ChoiceRefused | Over | Replaced | Pong | WantsBindings | WantsLuck | Record
)
OfLuck = Bindings | ReadOn | GiveLuck | GiveMix | GiveShare
FromClient = Begin | Choose | Note | Talk | Resync | Leave | Ping | OfLuck
