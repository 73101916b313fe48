"""What a docket weighs, and what for: the game itself, and each thing that keeps it honest."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from chambers.audit.replay import admitted_of
from chambers.protocol.docket import Docket, dump
from chambers.protocol.log import Admitted
from chambers.protocol.statements import read_leaf, read_statement
from chambers.rules.events import Deal, Reveal, Roll, Share


class Weighed(StrEnum):
    """What the bytes of an entry are for."""

    SIGNATURES = "signatures"
    HEADS = "heads"
    COMMITMENTS = "commitments"
    BOXES = "boxes"
    SHARES = "shares"
    REVEALS = "reveals"
    GAME = "game"


class DocketFigures(msgspec.Struct, frozen=True):
    """Some dockets: entries (median, most), bytes of text (median, most), and bytes an entry by what they are for."""

    entries: tuple[float, int]
    text: tuple[float, int]
    an_entry: float
    shares: dict[str, float]


def docket_figures(dockets: Sequence[Docket]) -> DocketFigures:
    """Return what dockets weigh: of the bytes of all their entries, `shares` tells which part is for what (0 to 1)."""
    weights: Counter[Weighed] = Counter()
    for docket in dockets:
        weights.update(weigh(docket))
    entries = [len(docket.leaves) for docket in dockets]
    texts = [len(dump(docket)) for docket in dockets]
    whole = weights.total()
    return DocketFigures(
        entries=(statistics.median(entries), max(entries)),
        text=(statistics.median(texts), max(texts)),
        an_entry=whole / sum(entries),
        shares={part: weights[part] / whole for part in Weighed},
    )


def weigh(docket: Docket) -> Counter[Weighed]:
    """Return the bytes of a record's entries by what they are for; together they are all bytes of its entries.

    ProtocolError (`replay/broken`) for a record that breaks.
    """
    weights: Counter[Weighed] = Counter()
    for raw, entry in zip(docket.leaves, admitted_of(docket), strict=True):
        weights.update(_of_entry(raw, entry))
        weights[Weighed.GAME] += len(raw) - sum(_of_entry(raw, entry).values())
    return weights


def _of_entry(raw: bytes, entry: Admitted) -> Counter[Weighed]:
    """Return the bytes of an entry that are there for fairness: whatever is a signature, hash, key, secret or box."""
    stored = read_leaf(raw)
    statement = read_statement(stored.stmt)
    head = (statement.table, statement.n, statement.size, statement.root)
    boxes = entry.event.boxes if isinstance(entry.event, Deal) else _boxes(entry)
    sealed = sum(_size(box) for _, box in boxes)
    return Counter(
        {
            Weighed.SIGNATURES: _size(stored.sig),
            Weighed.HEADS: sum(_size(part) for part in head),
            Weighed.BOXES: sealed,
            _kind(entry): sum(_size(value) for value in _raw_values(bytes(statement.ev))) - sealed,
        }
    )


def _boxes(entry: Admitted) -> Sequence[tuple[str, bytes]]:
    return () if entry.after.play is None else entry.after.game.boxes(entry.event)


def _kind(entry: Admitted) -> Weighed:
    match entry.event:
        case Roll() | Share():
            return Weighed.SHARES
        case Reveal():
            return Weighed.REVEALS
        case _:
            return Weighed.COMMITMENTS


def _raw_values(event: bytes) -> Iterator[bytes]:
    """Yield every raw value in an event: rules and players say what they say in words and numbers."""
    waiting = [msgspec.msgpack.decode(event)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, bytes):
            yield value
        elif isinstance(value, list):
            waiting += value


def _size(value: bytes | int) -> int:
    return len(msgspec.msgpack.encode(value))
