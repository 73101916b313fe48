"""A thousand dockets that somebody has been at: none is clean, and none is more than the audit can take."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import Verdict, audit, inspect, replay
from chambers.audit.page import page
from chambers.protocol.docket import Docket, dump, load
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import leaf, read_leaf

GAMES = [play_game(seats=seats, seed=seed, most=110, talk=0.1) for seats, seed in ((2, 31), (3, 32), (4, 33))]
OTHERS = [play_game(seats=one.table.seats, seed=50 + n, most=110) for n, one in enumerate(GAMES)]
TWINS = [play_game(seats=one.table.seats, seed=70 + n, table=one.id, most=110) for n, one in enumerate(GAMES)]
RECEIPTS = [one.receipt() for one in GAMES]

Change = Callable[[random.Random, int], str]


def text_of(number: int, leaves: list[bytes], *, note: str | None = None) -> str:
    played = GAMES[number]
    return dump(played.record(leaves, note=played.docket().note if note is None else note))


def flipped(chance: random.Random, raw: bytes) -> bytes:
    at = chance.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :]


def renumbered(leaves: list[bytes]) -> list[bytes]:
    return [leaf(msgspec.structs.replace(read_leaf(raw), seq=n)) for n, raw in enumerate(leaves)]


def a_bit_of_an_entry(chance: random.Random, number: int) -> str:
    leaves = list(GAMES[number].log.leaves)
    at = chance.randrange(len(leaves))
    leaves[at] = flipped(chance, leaves[at])
    return text_of(number, leaves)


def a_bit_of_an_entry_under_a_new_checkpoint(chance: random.Random, number: int) -> str:
    leaves = list(GAMES[number].log.leaves)
    at = chance.randrange(len(leaves))
    leaves[at] = flipped(chance, leaves[at])
    return text_of(number, leaves, note=GAMES[number].note_over(leaves))


def a_bit_of_the_text(chance: random.Random, number: int) -> str:
    return flipped(chance, dump(GAMES[number].docket()).encode()).decode("utf-8", "replace")


def a_cut_of_the_text(chance: random.Random, number: int) -> str:
    text = dump(GAMES[number].docket())
    return text[: chance.randrange(len(text) - 1)]


def a_cut_of_the_tail(chance: random.Random, number: int) -> str:
    leaves = GAMES[number].log.leaves[: chance.randrange(len(GAMES[number].log.leaves))]
    return text_of(number, leaves, note=GAMES[number].note_over(leaves))


def two_entries_swapped(chance: random.Random, number: int) -> str:
    leaves = list(GAMES[number].log.leaves)
    here, there = chance.sample(range(len(leaves)), 2)
    leaves[here], leaves[there] = leaves[there], leaves[here]
    leaves = renumbered(leaves) if chance.random() < 0.5 else leaves
    return text_of(number, leaves, note=GAMES[number].note_over(leaves))


def an_entry_left_out(chance: random.Random, number: int) -> str:
    leaves = list(GAMES[number].log.leaves)
    del leaves[chance.randrange(len(leaves))]
    leaves = renumbered(leaves) if chance.random() < 0.5 else leaves
    return text_of(number, leaves, note=GAMES[number].note_over(leaves))


def an_entry_said_twice(chance: random.Random, number: int) -> str:
    leaves = list(GAMES[number].log.leaves)
    leaves.insert(chance.randrange(len(leaves)), chance.choice(leaves))
    leaves = renumbered(leaves)
    return text_of(number, leaves, note=GAMES[number].note_over(leaves))


def an_entry_of_another_table(chance: random.Random, number: int) -> str:
    leaves, others = list(GAMES[number].log.leaves), OTHERS[number].log.leaves
    at = chance.randrange(min(len(leaves), len(others)))
    leaves[at] = others[at]
    return text_of(number, leaves, note=GAMES[number].note_over(leaves))


def the_tail_of_a_second_game(chance: random.Random, number: int) -> str:
    leaves, twins = list(GAMES[number].log.leaves), TWINS[number].log.leaves
    at = chance.randrange(min(len(leaves), len(twins)))
    changed = [*leaves[:at], *twins[at:]]
    return dump(TWINS[number].record(changed))


def another_edition(chance: random.Random, number: int) -> str:
    docket = GAMES[number].docket()
    changed = flipped(chance, docket.edition).decode("utf-8", "replace").encode()
    return dump(Docket(changed, docket.leaves, docket.note))


CHANGES: list[Change] = [
    a_bit_of_an_entry,
    a_bit_of_an_entry_under_a_new_checkpoint,
    a_bit_of_the_text,
    a_cut_of_the_text,
    a_cut_of_the_tail,
    two_entries_swapped,
    an_entry_left_out,
    an_entry_said_twice,
    an_entry_of_another_table,
    the_tail_of_a_second_game,
    another_edition,
]


def verdict(text: str, *, receipt: str) -> Verdict | None:
    """Return the audit's verdict, None for a text that is no docket; the replay must not trip over it either."""
    try:
        docket = load(text)
    except ProtocolError:
        return None
    with contextlib.suppress(ProtocolError):
        list(replay(docket))
    return audit(docket, receipts=[receipt], workers=0).verdict


def test_the_games_are_clean_before_anybody_has_been_at_them() -> None:
    found = [verdict(dump(one.docket()), receipt=RECEIPTS[n]) for n, one in enumerate(GAMES)]

    assert found == [Verdict.CLEAN] * len(GAMES)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_of_a_thousand_changed_dockets_none_is_clean(change: Change) -> None:
    chance = random.Random(change.__name__)
    each = -(-1000 // len(CHANGES))
    originals = {dump(one.docket()) for one in GAMES}

    for number in range(each):
        text = change(chance, number % len(GAMES))
        # Two equal entries may change places, and a flipped bit may be the one that decoding puts back.
        if text not in originals:
            assert verdict(text, receipt=RECEIPTS[number % len(GAMES)]) is not Verdict.CLEAN


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_whatever_somebody_has_done_to_a_docket_it_has_a_page(change: Change) -> None:
    chance = random.Random(change.__name__)

    for number in range(12):
        with contextlib.suppress(ProtocolError):
            text = page(inspect(load(change(chance, number % len(GAMES))), workers=0))
            assert text.rstrip().endswith("</html>")


@pytest.mark.parametrize("number", range(len(GAMES)))
def test_a_second_game_under_the_same_table_is_clean_alone_and_contradicts_the_receipt(number: int) -> None:
    twin: PlayedGame = TWINS[number]

    assert audit(twin.docket()).verdict is Verdict.CLEAN
    report = audit(twin.docket(), receipts=[RECEIPTS[number]])
    assert [(item.check, item.culprit) for item in report.findings] == [("A07", "log")]
