"""An honest game audits clean, whatever its size and options, and the report counts what was proved."""

from __future__ import annotations

import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import Verdict, audit
from chambers.audit.signatures import SHORT
from chambers.protocol.docket import dump, load
from chambers.rules.events import Close, Mix, Reveal, Roll, TableEvent
from chambers.rules.roles import Role


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_an_honest_game_of_any_size_is_clean(seats: int, seed: int) -> None:
    played = play_game(seats=seats, seed=seed, talk=0.05)

    report = audit(played.docket(), receipts=[played.receipt()])

    assert (report.verdict, report.findings, report.unproved) == (Verdict.CLEAN, (), ())
    assert report.exit_code == 0


@pytest.mark.parametrize(
    "options",
    [
        {"object_window": "skip"},
        {"object_window": "full-5", "burger_skips_out": "yes"},
        {"turn_limit": "30", "answer_limit": "30", "step3": "always"},
        {"last_player_wins": "yes", "dismiss_chambers": "yes", "step3": "literal"},
    ],
)
def test_an_honest_game_with_limits_and_options_is_clean(options: dict[str, str]) -> None:
    played = play_game(seats=4, seed=11, options=options, lapses=0.1)

    assert audit(played.docket()).verdict is Verdict.CLEAN


def test_the_other_edition_is_audited_from_the_record_alone() -> None:
    played = play_game(seats=3, seed=5, edition="stuttering-bishop")

    assert audit(load(dump(played.docket()))).verdict is Verdict.CLEAN


def test_the_report_counts_entries_rolls_and_proved_answers() -> None:
    played = play_game(seats=3, seed=2)

    counts = audit(played.docket()).counts

    assert (counts.entries, counts.signatures) == (played.log.size, played.log.size)
    assert (counts.rolls, counts.deals) == (played.table.rolls, 1)


def test_every_answer_of_an_honest_game_is_proved() -> None:
    answers: list[TableEvent] = []

    def count(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        if game.table.play is not None and str(game.table.play.stage) == "answer":
            answers.append(event)
        return event

    played = play_game(seats=4, seed=2, event=count)

    assert audit(played.docket()).counts.answers == len(answers)
    assert len(answers) > 20


def test_an_aborted_game_is_audited_as_usual() -> None:
    played = play_game(seats=4, seed=9, boldness=0.0, most=150)

    report = audit(played.docket())

    assert report.verdict is Verdict.CLEAN
    assert report.ending == "aborted: the evening is over"


def test_a_long_log_is_checked_by_workers_with_the_same_outcome() -> None:
    docket = play_game(seats=3, seed=4, boldness=0.0, most=SHORT + 300).docket()

    assert audit(docket, workers=2) == audit(docket, workers=0)


def test_progress_is_told_up_to_the_last_entry() -> None:
    docket = play_game(seats=2, seed=4).docket()
    told: list[tuple[int, int]] = []

    audit(docket, progress=lambda done, total: told.append((done, total)))

    assert told[-1] == (len(docket.leaves), len(docket.leaves))


@pytest.mark.parametrize("silent", [(), (Role("dealer"),), (Role("seat0"),)])
def test_a_game_goes_on_and_is_clean_after_a_seat_was_dropped(silent: tuple[Role, ...]) -> None:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Roll) and event.k == 9 and not game.table.dropped:
            game.drop(2)
            return None
        return None if isinstance(event, Reveal) and role in silent else event

    played = play_game(seats=4, seed=6, event=hook)

    report = audit(played.docket())

    assert played.table.dropped == (2,)
    assert (report.findings, report.counts.rolls) == ((), played.table.rolls - 1)
    assert {item.check for item in report.unproved} <= {"A20", "A21", "A22", "A23", "A24"}
    assert (report.verdict is Verdict.CLEAN) == (not silent)


def test_a_game_whose_setup_was_started_anew_is_clean() -> None:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Mix) and role == "seat1" and game.table.attempt < 3:
            game.again(role)
            return None
        return event

    played = play_game(seats=3, seed=6, event=hook)

    assert played.table.attempt == 3
    assert audit(played.docket(), receipts=[played.receipt()]).verdict is Verdict.CLEAN


@pytest.mark.parametrize("stop", ["commit", "mix", "deal"])
def test_a_table_that_is_closed_during_its_setup_is_clean(stop: str) -> None:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if str(game.table.phase) == stop and game.log.size >= 3:
            game.say(Role("gm"), Close("aborted: the guests went home"))
            return None
        return event

    report = audit(play_game(seats=3, seed=6, event=hook).docket())

    assert (report.verdict, report.counts.deals) == (Verdict.CLEAN, 0)
