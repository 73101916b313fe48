"""An honest game audits clean, whatever its size and options, and the report counts what was proved."""

from __future__ import annotations

import pytest

from chambers.audit import Verdict, audit
from chambers.protocol.docket import dump, load
from tests.audit.honest_game import play_game


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
    answers = []

    def count(game, role, event):  # type: ignore[no-untyped-def]
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
    docket = play_game(seats=3, seed=4, boldness=0.0, most=900).docket()

    assert audit(docket, workers=2) == audit(docket, workers=0)


def test_progress_is_told_up_to_the_last_entry() -> None:
    docket = play_game(seats=2, seed=4).docket()
    told: list[tuple[int, int]] = []

    audit(docket, progress=lambda done, total: told.append((done, total)))

    assert told[-1] == (len(docket.leaves), len(docket.leaves))
