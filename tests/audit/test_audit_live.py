"""A game can be audited while it goes on: what is wrong is told at the entry that shows it, and never twice."""

from __future__ import annotations

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers import editions
from chambers.audit import Finding, Verdict, audit
from chambers.audit.live import LiveAudit, Told
from chambers.protocol.statements import leaf, read_leaf
from chambers.rules.events import Ok, Roll, TableEvent
from chambers.rules.roles import Role

PLAYED = play_game(seats=3, seed=12, talk=0.1)
EDITION = editions.canonical(PLAYED.edition)


def followed(leaves: list[bytes], played: PlayedGame, *, step: int = 1) -> tuple[LiveAudit, list[tuple[int, Told]]]:
    """Return a live audit that got so many entries at a time, and what it told with the size it had then."""
    live = LiveAudit(played.id)
    told: list[tuple[int, Told]] = []
    for start in range(0, len(leaves), step):
        seen = leaves[: start + step]
        found = live.take(seen[start:], note=played.note_over(seen), edition=EDITION)
        told += [(live.size, one) for one in found]
    return live, told


def blamed(told: Told) -> tuple[str, int | None, str]:
    """Return the check, the entry and the culprit of what was told, which proves something."""
    assert isinstance(told, Finding)
    return told.check, told.entry, told.culprit


@pytest.mark.parametrize("step", [1, 7, 1000])
def test_an_honest_game_is_followed_to_its_close_without_a_word(step: int) -> None:
    live, told = followed(PLAYED.log.leaves, PLAYED, step=step)

    assert (told, live.closed, live.size) == ([], True, PLAYED.log.size)
    assert audit(live.docket()).verdict is Verdict.CLEAN


def test_dice_that_report_another_value_are_found_at_that_entry() -> None:
    def another(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        if isinstance(event, Roll) and event.k == 5:
            return msgspec.structs.replace(event, value=event.value % 6 + 1)
        return event

    played = play_game(seats=3, seed=12, event=another)
    leaves = list(played.docket().leaves)

    live, told = followed(leaves, played)

    assert live.broken
    assert [(size, *blamed(one)) for size, one in told] == [(len(leaves) - 1, "A11", len(leaves) - 1, "dice")]
    assert [one for _, one in told] == list(audit(played.docket()).findings)


def test_a_move_out_of_turn_is_found_live() -> None:
    def out_of_turn(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        return Ok(3) if game.log.size > 40 and role == "seat2" else event

    played = play_game(seats=3, seed=8, event=out_of_turn)

    live, told = followed(list(played.docket().leaves), played)

    assert [blamed(one) for _, one in told] == [("A13", live.size, "seat2")]


def test_a_false_signature_is_found_live() -> None:
    leaves = list(PLAYED.log.leaves)
    leaves[50] = leaf(msgspec.structs.replace(read_leaf(leaves[50]), sig=bytes(64)))

    live, told = followed(leaves, PLAYED)

    assert [blamed(one) for _, one in told] == [("A03", 50, "log")]
    assert live.size == 50


def test_a_game_master_that_signs_another_log_is_found_when_its_entries_come() -> None:
    twin = play_game(seats=3, seed=99, table=PLAYED.id)
    live = LiveAudit(PLAYED.id)
    leaves = PLAYED.log.leaves
    forked = [*leaves[:40], *twin.log.leaves[40:60]]

    first = live.take(leaves[:40], note=PLAYED.note_over(forked), edition=EDITION)
    then = live.take(leaves[40:70], note=PLAYED.note_over(leaves[:70]))
    again = live.take(leaves[70:80], note=PLAYED.note_over(leaves[:80]))

    assert first == ()
    assert [blamed(one) for one in then] == [("A06", None, "gm")]
    assert again == ()


@pytest.mark.parametrize("ahead", [False, True])
def test_an_entry_that_is_shown_at_another_time_is_not_blamed_on_the_game_master(ahead: bool) -> None:
    live, leaves = LiveAudit(PLAYED.id), PLAYED.log.leaves
    entry = read_leaf(leaves[39])
    shown = leaf(msgspec.structs.replace(entry, ts=entry.ts + 1))
    true, older = PLAYED.note_over(leaves[:40]), PLAYED.note_over(leaves[:39])

    first = live.take(leaves[:39], note=true if ahead else older, edition=EDITION)
    then = live.take([shown], note=older if ahead else true)

    assert first == ()
    assert [blamed(one) for one in then] == [("A06", None, "log")]


def test_a_head_that_somebody_else_signed_is_not_blamed_on_the_game_master() -> None:
    other = play_game(seats=3, seed=13)
    live = LiveAudit(PLAYED.id)

    told = live.take(PLAYED.log.leaves[:30], note=other.note_over(PLAYED.log.leaves[:30]), edition=EDITION)

    assert [blamed(one) for one in told] == [("A06", None, "log")]
