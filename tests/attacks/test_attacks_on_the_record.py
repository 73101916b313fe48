"""An editor of a real game's record: what was changed is never clean, a whole other game contradicts a receipt."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.attacks.crooked_house import COURT_TABLE, Window, crooked_house, evening, found, open_table

from chambers.audit import Verdict, audit
from chambers.audit.findings import LOG
from chambers.clients.connecting import as_spectator
from chambers.protocol.client import Over
from chambers.protocol.docket import Docket, dump, load
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import leaf, read_leaf, read_statement
from chambers.rules.roles import GM


@pytest.fixture
async def game(tmp_path: Path) -> tuple[Docket, str]:
    """A whole game on a real server, with the receipt that seat 0 keeps."""
    async with crooked_house(tmp_path / "first", {}) as here:
        return await played(here)


async def played(here: object, *, number: int = 0) -> tuple[Docket, str]:
    table = await open_table(here, number=number, options=COURT_TABLE)  # type: ignore[arg-type]
    windows = [await Window.open(here, table, seat) for seat in range(3)]  # type: ignore[arg-type]
    await windows[0].until(lambda: any(isinstance(m, Over) for m in windows[0].heard), limit=90)
    receipt = next(m.receipt for m in windows[0].heard if isinstance(m, Over))
    spectator = await as_spectator(here.stack.url, table)  # type: ignore[attr-defined]
    docket = await spectator.docket()
    await spectator.leave()
    for window in windows:
        await window.close()
    return docket, receipt


def renumbered(leaves: list[bytes]) -> tuple[bytes, ...]:
    return tuple(leaf(msgspec.structs.replace(read_leaf(raw), seq=n)) for n, raw in enumerate(leaves))


def with_leaves(docket: Docket, leaves: list[bytes]) -> Docket:
    return msgspec.structs.replace(docket, leaves=renumbered(leaves))


async def test_a_real_record_is_clean_until_any_bit_of_it_is_flipped(game: tuple[Docket, str]) -> None:
    docket, receipt = game
    chance = random.Random(3)
    text = dump(docket).encode()
    verdicts = []
    for _ in range(60):
        flipped = bytearray(text)
        flipped[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
        try:
            verdicts.append(audit(load(flipped.decode(errors="surrogateescape"))).verdict)
        except ProtocolError:
            verdicts.append(Verdict.CHEATED)

    assert audit(docket, receipts=[receipt]).verdict is Verdict.CLEAN
    assert Verdict.CLEAN not in verdicts


def first_that_knew(leaves: list[bytes], touched: int) -> int | None:
    """Return the first entry of an edited record whose author had seen what stood at the touched place, if any."""
    knew = (n for n in range(touched, len(leaves)) if read_statement(read_leaf(leaves[n]).stmt).size > touched)
    return next(knew, None)


async def test_cuts_swaps_and_doubled_entries_of_a_real_record_are_found_by_the_first_who_knew_what_was_there(
    game: tuple[Docket, str],
) -> None:
    docket, receipt = game
    leaves, chance = list(docket.leaves), random.Random(4)
    edits: list[tuple[int, list[bytes]]] = []
    for _ in range(20):
        one, other = sorted(chance.sample(range(len(leaves)), 2))
        edits += [
            (one, leaves[:one] + leaves[other:]),
            (one, [*leaves[:one], leaves[other], *leaves[one + 1 : other], leaves[one], *leaves[other + 1 :]]),
            (other, [*leaves[:other], leaves[one], *leaves[other:]]),
        ]

    reports = [audit(with_leaves(docket, edit), receipts=[receipt]) for _, edit in edits]

    for (touched, edit), report in zip(edits, reports, strict=True):
        entry = next((item.entry for item in report.findings if item.check != "A07"), None)
        knew = first_that_knew(edit, touched)
        assert {culprit for _, _, culprit in found(report)} == {LOG}
        if entry is not None:  # the receipt, if nobody said anything who knew
            assert touched <= entry <= (len(edit) if knew is None else knew)
        assert entry is not None or knew is None


async def test_what_is_left_of_a_real_record_without_its_tail_contradicts_the_receipt(game: tuple[Docket, str]) -> None:
    docket, receipt = game
    sizes = random.Random(5).sample(range(2, len(docket.leaves)), 20)

    reports = [audit(with_leaves(docket, list(docket.leaves[:size])), receipts=[receipt]) for size in sizes]

    assert [{(entry, culprit) for _, entry, culprit in found(report)} for report in reports] == [{(None, LOG)}] * 20


async def test_an_entry_of_another_table_of_the_same_house_is_found(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {}) as here:
        docket = await evening(here, lambda: True, more=30, number=0)
        other = await evening(here, lambda: True, more=30, number=1)
    leaves = [*docket.leaves[:25], other.leaves[25], *docket.leaves[26:]]

    report = audit(with_leaves(docket, leaves))

    assert found(report) == {("A03", 25, LOG)}


async def test_a_second_game_under_the_same_id_is_clean_alone_and_contradicts_the_receipt(
    game: tuple[Docket, str], tmp_path: Path
) -> None:
    _, receipt = game
    async with crooked_house(tmp_path / "second", {}, salt="again") as here:
        second, _ = await played(here)

    alone, held = audit(second), audit(second, receipts=[receipt])

    assert alone.verdict is Verdict.CLEAN
    assert found(held) == {("A07", None, LOG)}


async def test_two_players_who_are_shown_two_games_to_the_end_have_the_game_masters_word_for_both(
    game: tuple[Docket, str], tmp_path: Path
) -> None:
    async with crooked_house(tmp_path / "second", {}) as here:
        games = [game, await played(here)]
    (longer, hers), (shorter, his) = sorted(games, key=lambda one: len(one[0].leaves), reverse=True)

    alone = [audit(longer, receipts=[hers]), audit(shorter, receipts=[his])]
    compared = [audit(longer, receipts=[hers, his]), audit(shorter, receipts=[his, hers])]

    assert [report.verdict for report in alone] == [Verdict.CLEAN] * 2
    assert found(compared[0]) == {("A07", None, GM)}
    # a record that is shorter than what was signed of the other might as well have lost its tail
    covers = int(hers.splitlines()[1]) <= len(shorter.leaves)
    assert found(compared[1]) == {("A07", None, GM if covers else LOG)}
