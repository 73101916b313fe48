"""The two cases that come with the program."""

from __future__ import annotations

import pytest

from chambers.editions import Edition, faults, load, names
from chambers.rules.witness_stand import edition as witness_stand

OURS = ("stuttering-bishop", "tandem-target")


def ours(name: str) -> witness_stand.Edition:
    edition: Edition = load(name)
    assert isinstance(edition, witness_stand.Edition)
    return edition


def test_both_cases_of_the_rulebook_come_with_the_program() -> None:
    assert [name for game, name in names() if game == "witness-stand"] == ["stuttering-bishop", "tandem-target"]


@pytest.mark.parametrize("name", OURS)
def test_a_case_is_called_as_its_file_and_has_no_fault(name: str) -> None:
    edition = ours(name)

    assert edition.name == name
    assert faults(edition) == ()


@pytest.mark.parametrize("name", OURS)
def test_a_case_says_that_it_is_a_reconstruction(name: str) -> None:
    assert ours(name).reconstruction is True


@pytest.mark.parametrize("name", OURS)
def test_every_text_fits_its_card(name: str) -> None:
    questions = [question for suspect in ours(name).suspects for question in suspect.questions]

    assert len(questions) == 20
    assert max(len(question.text) for question in questions) <= 90
    assert max(len(text) for question in questions for text in (question.plain, question.starred)) < 120


@pytest.mark.parametrize("name", OURS)
def test_every_text_can_be_shown_by_any_terminal(name: str) -> None:
    suspects = ours(name).suspects
    texts = [text for suspect in suspects for q in suspect.questions for text in (q.text, q.plain, q.starred)]

    assert [text for text in texts if not (text.isascii() and text.isprintable())] == []


def test_the_one_suspect_whom_the_rulebook_names_is_suspect_b_of_the_tandem_target() -> None:
    assert ours("tandem-target").suspects[1].name == "Irma Hodge"


def test_the_two_cases_share_the_board_and_no_suspect_question_or_answer() -> None:
    tandem, bishop = ours("tandem-target"), ours("stuttering-bishop")
    said = [
        {text for s in case.suspects for q in s.questions for text in (s.name, q.text, q.plain, q.starred)}
        for case in (tandem, bishop)
    ]

    assert tandem.board == bishop.board
    assert said[0] & said[1] == set()


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(("seats", "excluded"), [(2, 3), (4, 3), (5, 4), (6, 4)])
def test_one_evidence_excluded_is_removed_with_two_to_four_players(name: str, seats: int, excluded: int) -> None:
    """WS: Setting Up the Game."""
    counts = witness_stand.copies(ours(name), seats)

    assert counts[:40] == (1,) * 40
    assert counts[40:] == (8, 5, excluded, 4)


def test_every_suspect_is_called_twice_each_way_on_the_board() -> None:
    board = ours("tandem-target").board
    calls = [(space.suspect, space.confidential) for space in board if space.kind == "call"]

    assert len(board) == 28
    assert sorted(calls) == [(suspect, quiet) for suspect in range(4) for quiet in (False, False, True, True)]


def test_the_corners_stand_clockwise_from_the_top_left() -> None:
    corners = [(space.kind.value, space.col, space.row) for space in ours("tandem-target").board if space.corner]

    assert corners == [("perry", 0, 0), ("della", 7, 0), ("drake", 7, 7), ("fifth", 0, 7)]
