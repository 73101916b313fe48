"""Statements and entries: their exact bytes, how they are signed, and how they are read back.

Bytes are stored and checked as they were signed, never encoded anew; a reader refuses bytes that are not the one
canonical encoding of what they say.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import msgspec

from chambers.fairness.signatures import SigningKey, sign_statement
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.rules.events import TABLE_EVENTS, Open, TableEvent
from chambers.rules.games import game
from chambers.rules.roles import Role

SIGNATURE = 64
MAX_STATEMENT = 48 * 1024


class Statement(msgspec.Struct, frozen=True, array_like=True):
    """What an author says: `n` is its own counter at this table, `size` and `root` the head it had seen."""

    table: bytes
    author: str
    n: int
    size: int
    root: bytes
    ev: msgspec.Raw


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A statement in order: `seq` is its place, `ts` the time in ms, `stmt` the exact bytes that `sig` signs."""

    seq: int
    ts: int
    stmt: bytes
    sig: bytes


_encoder = msgspec.msgpack.Encoder()
_statement = msgspec.msgpack.Decoder(Statement)
_entry = msgspec.msgpack.Decoder(Entry)
_open = msgspec.msgpack.Decoder(Open)


@functools.cache
def _events(name: str) -> msgspec.msgpack.Decoder[Any]:
    kinds: tuple[Any, ...] = (*TABLE_EVENTS, *game(name).EVENTS)
    return msgspec.msgpack.Decoder(functools.reduce(operator.or_, kinds))


@functools.cache
def tags(name: str) -> frozenset[str]:
    """Return every event tag that a game's tables know."""
    return frozenset(str(kind.__struct_config__.tag) for kind in (*TABLE_EVENTS, *game(name).EVENTS))


def sign(
    key: SigningKey, *, table: bytes, author: Role, n: int, size: int, root: bytes, event: TableEvent
) -> tuple[bytes, bytes]:
    """Return (signature, statement bytes) of an event by its author."""
    statement = Statement(table, author, n, size, root, msgspec.Raw(_encoder.encode(event)))
    raw = _encoder.encode(statement)
    return sign_statement(key, raw), raw


def pack(sig: bytes, stmt: bytes) -> bytes:
    """Return the bytes in which a statement is submitted: signature, then statement."""
    return sig + stmt


def unpack(data: bytes) -> tuple[bytes, bytes]:
    """Return (signature, statement bytes) of a submission; ProtocolError if it is too short or too long."""
    if len(data) <= SIGNATURE:
        raise ProtocolError("protocol/malformed", "A submission is a signature of 64 bytes and a statement.")
    if len(data) > MAX_STATEMENT:
        raise ProtocolError("protocol/too-big", f"A statement is at most {MAX_STATEMENT} bytes long.")
    return data[:SIGNATURE], data[SIGNATURE:]


def read_statement(raw: bytes) -> Statement:
    """Return the statement that bytes say; ProtocolError unless they are its one canonical encoding."""
    try:
        statement = _statement.decode(raw)
    except UNREADABLE:
        raise ProtocolError("protocol/malformed", "These bytes are no statement.") from None
    if _encoder.encode(statement) != raw:
        raise ProtocolError("protocol/not-canonical", "These bytes are not the one encoding of what they say.")
    if len(statement.table) != 16 or len(statement.root) != 32 or statement.n < 0 or statement.size < 0:
        raise ProtocolError(
            "protocol/malformed", "A statement has a table of 16 bytes, a root of 32, and counters from 0."
        )
    return statement


def read_event(raw: bytes, game_name: str) -> TableEvent:
    """Return the event of a game's table that bytes say; ProtocolError for an unknown tag or bad fields."""
    try:
        event: TableEvent = _events(game_name).decode(raw)
    except UNREADABLE:
        raise ProtocolError(*_why_unreadable(raw, game_name)) from None
    if _encoder.encode(event) != raw:
        raise ProtocolError("protocol/not-canonical", "These bytes are not the one encoding of what they say.")
    return event


def _why_unreadable(raw: bytes, game_name: str) -> tuple[str, str]:
    try:
        tag = msgspec.msgpack.decode(raw)[0]
    except (*UNREADABLE, TypeError, KeyError, IndexError):
        tag = None
    if isinstance(tag, str) and tag not in tags(game_name):
        return "protocol/unknown-event", "This version does not know that kind of event."
    return "protocol/malformed", "These bytes are no event."


def read_open(raw: bytes) -> Open:
    """Return the open event that bytes say; ProtocolError if they are another or none."""
    try:
        event = _open.decode(raw)
    except UNREADABLE:
        raise ProtocolError("protocol/no-open", "A log begins with an open event.") from None
    if _encoder.encode(event) != raw:
        raise ProtocolError("protocol/not-canonical", "These bytes are not the one encoding of what they say.")
    return event


def leaf(entry: Entry) -> bytes:
    """Return the canonical bytes of an entry: a leaf of the log tree."""
    return _encoder.encode(entry)


def read_leaf(raw: bytes) -> Entry:
    """Return the entry that a leaf holds; ProtocolError unless the bytes are its one canonical encoding."""
    try:
        entry = _entry.decode(raw)
    except UNREADABLE:
        raise ProtocolError("protocol/malformed", "These bytes are no entry.") from None
    if _encoder.encode(entry) != raw or len(entry.sig) != SIGNATURE:
        raise ProtocolError("protocol/not-canonical", "These bytes are not the one encoding of an entry.")
    return entry
