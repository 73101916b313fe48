"""Ways to change the text of a docket, by hand, by chance or by malice, with or without the game master's key.

Each takes an honest game as `Records` has it and returns a text; what it changes is drawn from `of.chance`.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable
from typing import Any

import msgspec
from tests.attacks.record_edits import Records

from chambers.fairness.signatures import sign_statement
from chambers.protocol.docket import dump
from chambers.protocol.statements import Entry, Statement, leaf, read_leaf, read_statement
from chambers.rules.roles import GM, Role

Change = Callable[[Records], str]

HUGE = 2**32 - 1
DEEP = 100_000
_INTS = (-1, -(2**63), 0, 1, 255, 2**31, 2**32, 2**63 - 1, 2**64 - 1)
_LENGTHS = {
    "array": (b"\xdc", b"\xdd"), "bytes": (b"\xc4", b"\xc5", b"\xc6"), "text": (b"\xd9", b"\xda", b"\xdb"),
}  # fmt: skip


def text_of(of: Records, leaves: list[bytes], *, signed: bool = True, note: str | None = None) -> str:
    """Return the docket of some leaves, under the game's own checkpoint or one that the game master signs for them."""
    docket = of.game.record()
    note = (of.note(leaves) if signed else docket.note) if note is None else note
    return dump(msgspec.structs.replace(docket, leaves=tuple(leaves), note=note))


def lines_of(of: Records) -> list[str]:
    return dump(of.game.record()).split("\n")


def flipped(of: Records, raw: bytes) -> bytes:
    at = of.chance.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << of.chance.randrange(8)]) + raw[at + 1 :]


def renumbered(leaves: list[bytes]) -> list[bytes]:
    return [leaf(msgspec.structs.replace(read_leaf(raw), seq=n)) for n, raw in enumerate(leaves)]


def maybe_renumbered(of: Records, leaves: list[bytes]) -> str:
    return text_of(of, renumbered(leaves) if of.chance.random() < 0.5 else leaves)


def replaced(of: Records, at: int, raw: bytes, *, signed: bool = True) -> str:
    return text_of(of, [*of.leaves[:at], raw, *of.leaves[at + 1 :]], signed=signed)


def anywhere(of: Records) -> int:
    return of.chance.randrange(len(of.leaves))


# bits


def a_bit_of_an_entry(of: Records) -> str:
    at = anywhere(of)
    return replaced(of, at, flipped(of, of.leaves[at]), signed=False)


def a_bit_of_an_entry_under_a_new_checkpoint(of: Records) -> str:
    at = anywhere(of)
    return replaced(of, at, flipped(of, of.leaves[at]))


def a_bit_of_the_text(of: Records) -> str:
    return flipped(of, dump(of.game.record()).encode()).decode("utf-8", "replace")


def a_bit_of_the_checkpoint(of: Records) -> str:
    note = of.game.record().note.encode()
    return text_of(of, of.leaves, note=flipped(of, note).decode("utf-8", "replace"))


def another_edition(of: Records) -> str:
    docket = of.game.record()
    changed = flipped(of, docket.edition).decode("utf-8", "replace").replace("\n", "\\n").encode()
    return dump(msgspec.structs.replace(docket, edition=changed))


# cuts


def a_cut_of_the_text(of: Records) -> str:
    text = dump(of.game.record())
    return text[: of.chance.randrange(len(text) - 1)]


def a_cut_of_the_tail(of: Records) -> str:
    return text_of(of, of.leaves[: anywhere(of)])


def a_cut_in_the_middle_of_an_entry(of: Records) -> str:
    at = anywhere(of)
    cut = of.leaves[at][: of.chance.randrange(len(of.leaves[at]))]
    return text_of(of, [*of.leaves[:at], cut] if of.chance.random() < 0.5 else [*of.leaves[:at], cut, *of.leaves[at:]])


def an_entry_with_something_behind_it(of: Records) -> str:
    at = anywhere(of)
    return replaced(of, at, of.leaves[at] + of.chance.randbytes(of.chance.choice((1, 2, 100))))


# other orders, and entries that came from elsewhere


def two_entries_swapped(of: Records) -> str:
    leaves = list(of.leaves)
    here, there = of.chance.sample(range(len(leaves)), 2)
    leaves[here], leaves[there] = leaves[there], leaves[here]
    return maybe_renumbered(of, leaves)


def a_run_of_entries_in_another_order(of: Records) -> str:
    start = anywhere(of)
    run = of.leaves[start : start + of.chance.randrange(2, 12)]
    mixed = of.chance.choice((run[::-1], of.chance.sample(run, len(run))))
    return maybe_renumbered(of, [*of.leaves[:start], *mixed, *of.leaves[start + len(run) :]])


def an_entry_left_out(of: Records) -> str:
    at = anywhere(of)
    return maybe_renumbered(of, [*of.leaves[:at], *of.leaves[at + 1 :]])


def an_entry_said_twice(of: Records) -> str:
    leaves = list(of.leaves)
    leaves.insert(anywhere(of), of.chance.choice(leaves))
    return maybe_renumbered(of, leaves)


def a_run_of_entries_said_twice(of: Records) -> str:
    start = anywhere(of)
    run = of.leaves[start : start + of.chance.randrange(1, 12)]
    return maybe_renumbered(of, [*of.leaves[: start + len(run)], *run, *of.leaves[start + len(run) :]])


def an_entry_of_another_table(of: Records) -> str:
    at = of.chance.randrange(min(len(of.leaves), of.other.log.size))
    return replaced(of, at, of.other.log.leaves[at])


def the_head_of_one_game_and_the_tail_of_another(of: Records) -> str:
    twin = list(of.twin.log.leaves)
    at = of.chance.randrange(1, min(len(of.leaves), len(twin)))
    return text_of(of, [*of.leaves[:at], *twin[at:]])


def a_whole_second_game(of: Records) -> str:
    """Return the other game under the same keys, whole or up to its end: only a receipt tells."""
    twin = list(of.twin.log.leaves)
    return text_of(of, twin[: len(twin) - of.chance.randrange(3)])


# lengths


def a_length_that_lies(of: Records) -> str:
    """Return a docket in which one length in an entry, of whatever is there, is another than what follows."""
    at = anywhere(of)
    raw = bytearray(of.leaves[at])
    heads = [n for n, byte in enumerate(raw[:-5]) if bytes([byte]) in itertools.chain(*_LENGTHS.values())]
    where = of.chance.choice(heads or [0])
    raw[where + 1] = of.chance.choice((0, 1, raw[where + 1] ^ 1, 0x7F, 0xFF))
    return replaced(of, at, bytes(raw))


def a_huge_length(of: Records) -> str:
    """Return a docket in which an entry says that four gigabytes or entries follow, at its start or anywhere in it."""
    at = anywhere(of)
    raw, kind = of.leaves[at], of.chance.choice(sorted(_LENGTHS))
    head = _LENGTHS[kind][-1] + HUGE.to_bytes(4, "big")
    where = of.chance.choice((0, 1, of.chance.randrange(len(raw))))
    return replaced(of, at, raw[:where] + head + raw[where + of.chance.choice((0, 1, 5)) :])


def arrays_within_arrays(of: Records) -> str:
    at = anywhere(of)
    entry = read_leaf(of.leaves[at])
    deep = b"\x91" * of.chance.choice((100, DEEP)) + b"\xc0"
    return replaced(of, at, of.chance.choice((deep, leaf(msgspec.structs.replace(entry, stmt=deep)))))


def a_statement_written_otherwise(of: Records) -> str:
    """Return a docket in which a statement says the same with a length that is longer than it need be."""
    at = anywhere(of)
    entry = read_leaf(of.leaves[at])
    stmt = entry.stmt.replace(b"\xc4\x10", b"\xc5\x00\x10", 1)
    return replaced(of, at, leaf(msgspec.structs.replace(entry, stmt=stmt)))


# what its author signs


def a_field_that_its_author_signs(of: Records) -> str:
    """Return a docket that ends with a statement whose author signed another value of one field, of any kind."""
    at = of.chance.randrange(1, len(of.leaves))
    statement = read_statement(read_leaf(of.leaves[at]).stmt)
    fields = msgspec.msgpack.decode(bytes(statement.ev))
    where = of.chance.randrange(1, len(fields)) if len(fields) > 1 else 0
    fields[where] = other_value(of, fields[where])
    return text_of(of, [*of.leaves[:at], signed_anew(of, at, statement, fields)])


def other_value(of: Records, value: Any) -> Any:
    """Return something else of the same kind, or now and then of another."""
    chance = of.chance
    if chance.random() < 0.2:
        return chance.choice((None, True, "", b"", [], -1, [[]], 2**64 - 1))
    match value:
        case bool():
            return not value
        case int():
            return chance.choice((value + 1, value - 1, *_INTS))
        case bytes():
            return chance.choice((b"", value[:-1], value + b"\0", flipped(of, value or b"\0"), bytes(len(value))))
        case str():
            return chance.choice(("", value + "x", "seat5", "gm", "\x1b[2J", "\ud7ff" * 300))
        case list() if value and chance.random() < 0.6:
            where = chance.randrange(len(value))
            return [*value[:where], other_value(of, value[where]), *value[where + 1 :]]
        case list():
            return chance.choice(([], value * 2, value[:-1], value * 500))
    return 0


def signed_anew(of: Records, at: int, statement: Statement, event: Any) -> bytes:
    """Return entry `at` with another event, signed by the key of its author."""
    author = Role(statement.author)
    key = of.game.key if author == GM else of.game.roles[author].signing_key
    raw = msgspec.msgpack.encode(msgspec.structs.replace(statement, ev=msgspec.Raw(msgspec.msgpack.encode(event))))
    return leaf(Entry(at, read_leaf(of.leaves[at]).ts, raw, sign_statement(key, raw)))


# the text around the entries


def another_spelling_of_a_line(of: Records) -> str:
    lines = lines_of(of)
    at = of.chance.randrange(2, 2 + len(of.leaves))
    lines[at] = of.chance.choice(
        (
            " " + lines[at],
            lines[at] + "\r",
            lines[at] + "=",
            lines[at].replace("A", "\u0410", 1) + "\n",
            lines[at] + "\x85",
        )
    )
    return "\n".join(lines)


def a_line_that_is_none(of: Records) -> str:
    lines = lines_of(of)
    junk = of.chance.choice(("", "====", "\x00", base64.b64encode(of.chance.randbytes(300)).decode(), "A" * 10_000_000))
    lines.insert(of.chance.randrange(len(lines)), junk)
    return "\n".join(lines)


CHANGES: list[Change] = [
    a_bit_of_an_entry,
    a_bit_of_an_entry_under_a_new_checkpoint,
    a_bit_of_the_text,
    a_bit_of_the_checkpoint,
    another_edition,
    a_cut_of_the_text,
    a_cut_of_the_tail,
    a_cut_in_the_middle_of_an_entry,
    an_entry_with_something_behind_it,
    two_entries_swapped,
    a_run_of_entries_in_another_order,
    an_entry_left_out,
    an_entry_said_twice,
    a_run_of_entries_said_twice,
    an_entry_of_another_table,
    the_head_of_one_game_and_the_tail_of_another,
    a_whole_second_game,
    a_length_that_lies,
    a_huge_length,
    arrays_within_arrays,
    a_statement_written_otherwise,
    a_field_that_its_author_signs,
    another_spelling_of_a_line,
    a_line_that_is_none,
]
