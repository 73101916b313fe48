"""Requests and replies between services, and what the lobby says. None has a field for a secret in clear."""

from __future__ import annotations

import msgspec

from chambers.protocol.errors import Refusal


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """The statement is entry `sequence`; `note` is the game master's signed checkpoint over it."""

    sequence: int
    note: str


class TailRequest(msgspec.Struct, frozen=True):
    """Asks for the entries from `start` on, 48 KiB at most, with the checkpoint at size `at` (0: the newest)."""

    start: int
    at: int = 0


class TailReply(msgspec.Struct, frozen=True, tag="tail"):
    """Entries in order from `start`, the size of the whole log, and the checkpoint that was asked for."""

    start: int
    entries: tuple[bytes, ...]
    size: int
    note: str


class ShareRequest(msgspec.Struct, frozen=True):
    """Asks a vault for its share of roll `k`, due since the log had `size` entries."""

    k: int
    size: int


class ShareReply(msgspec.Struct, frozen=True, tag="share"):
    """A vault's share of roll `k`; it proves itself against the last one."""

    k: int
    x: bytes

    def __repr__(self) -> str:
        return f"ShareReply({self.k})"


class Behind(msgspec.Struct, frozen=True, tag="behind"):
    """The asked role has not yet seen what makes this due; it is catching up. Ask again."""

    size: int


class PairRequest(msgspec.Struct, frozen=True):
    """The host asks a vault for the `pair` secret of ticket `issue`, boxed to `key` (X25519, 32 bytes)."""

    issue: int
    key: bytes


class PairReply(msgspec.Struct, frozen=True, tag="pair"):
    """The `pair` secret in a sealed box, and the vault's frame key for this table (X25519, 32 bytes)."""

    sealed: bytes
    frame_key: bytes


class AdmitRequest(msgspec.Struct, frozen=True):
    """The host asks the gate for the `admit` secret of a seat's ticket, boxed to `key`; of its vault's with `vault`."""

    table: bytes
    seat: int
    issue: int
    key: bytes
    vault: bool = False


class AdmitReply(msgspec.Struct, frozen=True, tag="admit"):
    """The `admit` secret in a sealed box."""

    sealed: bytes


class Knock(msgspec.Struct, frozen=True, tag="knock"):
    """A player tries a code at a vault, short or `long`: 16 random bytes and a point. Neither tells anything of it."""

    nonce: bytes
    point: bytes
    long: bool = False


class Handed(msgspec.Struct, frozen=True, tag="handed"):
    """The vault's point, and the secrets of a ticket in a box that only the right code opens."""

    point: bytes
    sealed: bytes


class OpenRequest(msgspec.Struct, frozen=True):
    """The host opens a table under an id it chose at random, so that asking twice opens one table.

    The edition is named, and told apart from another of that name by its hash; `own` are the seats whose players keep
    their vaults themselves.
    """

    table: bytes
    game: str
    edition: str
    options: tuple[tuple[str, str], ...]
    bots: tuple[bool, ...]
    spectators: bool = True
    edition_hash: bytes = b""
    own: tuple[int, ...] = ()
    reveal: str = "public"
    auditor_key: bytes | None = None


class CloseRequest(msgspec.Struct, frozen=True):
    """The host ends a table that will not be played on."""

    table: bytes
    why: str


class VoidRequest(msgspec.Struct, frozen=True):
    """The host voids a seat's ticket: the next issue counts."""

    table: bytes
    seat: int


class TableInfo(msgspec.Struct, frozen=True):
    """What anybody may know of a table before sitting down."""

    table: bytes
    game: str
    edition: str
    phase: str
    size: int
    names: tuple[str, ...]
    taken: tuple[bool, ...]
    bots: tuple[bool, ...]
    issues: tuple[int, ...]
    spectators: bool
    own: tuple[int, ...] = ()
    reveal: str = "public"


class TableList(msgspec.Struct, frozen=True, tag="tables"):
    """The open tables, and the closed ones still in the stream; with who says so, and when (ms, 0 if it was not said).

    A game master that has just started is `reading` its store, and there may be more tables than it knows by then.
    It is the first thing that a guest and a player hear of a server, so it names protocol version and release.
    """

    tables: tuple[TableInfo, ...]
    protocol: int = 1
    version: str = ""
    now: int = 0
    reading: bool = False


class TableIssues(msgspec.Struct, frozen=True, tag="issues"):
    """Which issue of each seat's ticket counts, of no seat if there is no such table; `own`: who has an own vault.

    `coded` are those of them whose vault's ticket a code still opens.
    """

    issues: tuple[int, ...]
    own: tuple[int, ...] = ()
    coded: tuple[int, ...] = ()


InboundReply = Accepted | Refusal
TailAnswer = TailReply | Refusal
ShareAnswer = ShareReply | Behind | Refusal
PairAnswer = PairReply | Refusal
AdmitAnswer = AdmitReply | Refusal
CodeAnswer = Handed | Refusal
LobbyAnswer = Accepted | TableList | Refusal
IssuesAnswer = TableIssues | Refusal


def encode(message: msgspec.Struct) -> bytes:
    """Return the msgpack bytes of a request or reply."""
    return msgspec.msgpack.encode(message)
