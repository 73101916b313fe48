"""What keeps a well-formed witness-stand edition from being played, each fault with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from chambers.editions import faults
from chambers.rules.witness_stand.edition import Edition, SpaceKind


def found(edition: Edition) -> list[str]:
    return [f"{fault.place}: {fault.sentence}" for fault in faults(edition)]


def with_space(case: Edition, number: int, **changes: Any) -> Edition:
    board = list(case.board)
    board[number - 1] = replace(board[number - 1], **changes)
    return replace(case, board=tuple(board))


def with_suspect(case: Edition, number: int, **changes: Any) -> Edition:
    suspects = list(case.suspects)
    suspects[number - 1] = replace(suspects[number - 1], **changes)
    return replace(case, suspects=tuple(suspects))


def with_question(case: Edition, number: int, count: int, **changes: Any) -> Edition:
    questions = list(case.suspects[number - 1].questions)
    questions[count - 1] = replace(questions[count - 1], **changes)
    return with_suspect(case, number, questions=tuple(questions))


@pytest.mark.parametrize("name", ["", "Tandem", "a b", "-a", "a--b", "x" * 33, "a\n"])
def test_a_name_that_a_command_line_cannot_take_is_a_fault(case: Edition, name: str) -> None:
    assert found(replace(case, name=name)) == ["name: must be small letters, digits and single dashes, 32 at most"]


def test_a_case_of_another_game_has_no_check_here(case: Edition) -> None:
    with pytest.raises(ValueError, match="no game is called 'chess'"):
        faults(replace(case, game="chess"))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda case: replace(case, title=" "), "title: is empty"),
        (lambda case: replace(case, title="A case "), "title: begins or ends with a space"),
        (lambda case: replace(case, title="\x1b[2J"), "title: holds a line break or another character"),
        (lambda case: replace(case, title="x\u202ey"), "title: holds a line break or another character"),
        (lambda case: replace(case, story="a\nb"), "story: holds a line break or another character"),
        (lambda case: replace(case, story="x" * 801), "story: has 801 characters; 800 is the most"),
        (lambda case: with_suspect(case, 2, name=""), "suspects no. 2, name: is empty"),
        (lambda case: with_suspect(case, 2, name="x" * 33), "suspects no. 2, name: has 33 characters; 32 is"),
        (lambda case: with_suspect(case, 3, about=""), "suspects no. 3, about: is empty"),
        (lambda case: with_question(case, 4, 5, text=""), "suspects no. 4, questions no. 5, text: is empty"),
        (lambda case: with_question(case, 4, 5, text="x" * 121), "suspects no. 4, questions no. 5, text: has 121"),
        (lambda case: with_question(case, 1, 2, plain=""), "suspects no. 1, questions no. 2, plain: is empty"),
        (
            lambda case: with_question(case, 1, 2, starred="x" * 161),
            "suspects no. 1, questions no. 2, starred: has 161",
        ),
        (lambda case: replace(case, excluded=replace(case.excluded, name="")), "excluded, name: is empty"),
    ],
)
def test_a_text_that_is_empty_too_long_or_unprintable_is_a_fault(
    case: Edition, change: Callable[[Edition], Edition], fault: str
) -> None:
    (only,) = found(change(case))

    assert only.startswith(fault)


def test_a_case_has_four_suspects(case: Edition) -> None:
    """WS: Setting Up the Game."""
    assert found(replace(case, suspects=case.suspects[:3])) == ["suspects: there are 3; a case has 4"]


def test_a_suspect_has_five_questions(case: Edition) -> None:
    """WS: Setting Up the Game: five starred cards for each of the suspects."""
    short = with_suspect(case, 2, questions=case.suspects[1].questions[:4])

    assert found(short) == ["suspects no. 2, questions: there are 4; every suspect has 5"]


def test_two_suspects_have_two_names(case: Edition) -> None:
    twins = with_suspect(case, 3, name="IRMA  Hodge")

    assert found(twins) == ["suspects no. 3, name: is the same as suspects no. 2, name"]


def test_a_question_is_asked_of_one_suspect_only(case: Edition) -> None:
    twins = with_question(case, 3, 4, text=case.suspects[0].questions[0].text)

    assert found(twins) == [
        "suspects no. 3, questions no. 4, text: is the same as suspects no. 1, questions no. 1, text"
    ]


def test_the_two_answers_to_a_question_differ(case: Edition) -> None:
    """WS: Questioning a Suspect."""
    twins = with_question(case, 1, 1, starred=case.suspects[0].questions[0].plain)

    assert found(twins) == [
        "suspects no. 1, questions no. 1, starred: is the same as suspects no. 1, questions no. 1, plain"
    ]


@pytest.mark.parametrize("count", [-1, 0, 21])
def test_every_action_card_is_in_the_deck_a_sensible_number_of_times(case: Edition, count: int) -> None:
    """WS: Action Cards."""
    card = replace(case.objection, count=count, count_small=count)

    assert found(replace(case, objection=card)) == [f"objection, count: is {count}; there must be 1 to 20 of this card"]


@pytest.mark.parametrize("small", [2, 4])
def test_exactly_one_evidence_excluded_is_removed_for_a_small_table(case: Edition, small: int) -> None:
    """WS: Setting Up the Game."""
    card = replace(case.excluded, count_small=small)

    assert found(replace(case, excluded=card)) == [
        f"excluded, count_small: is {small}; with two to four players 1 of the 4 is removed"
    ]


def test_no_other_action_card_is_removed_for_a_small_table(case: Edition) -> None:
    """WS: Setting Up the Game."""
    card = replace(case.dismissed, count_small=3)

    assert found(replace(case, dismissed=card)) == [
        "dismissed, count_small: is 3; with two to four players none of the 4 is removed"
    ]


def test_two_action_cards_have_two_names(case: Edition) -> None:
    card = replace(case.overruled, name=case.objection.name)

    assert found(replace(case, overruled=card)) == ["overruled, name: is the same as objection, name"]


def test_every_kind_of_space_has_a_name_of_its_own(case: Edition) -> None:
    """WS: Special Spaces."""
    named = {kind: name for kind, name in case.space_names.items() if kind is not SpaceKind.FIFTH}
    named[SpaceKind.DRAKE] = named[SpaceKind.DELLA]

    assert found(replace(case, space_names=named)) == [
        "space_names: fifth is missing",
        "space_names, drake: is the same as space_names, della",
    ]


@pytest.mark.parametrize("suspect", [None, -1, 4])
def test_a_call_calls_one_of_the_four(case: Edition, suspect: int | None) -> None:
    """WS: Special Spaces."""
    assert found(with_space(case, 2, suspect=suspect)) == [
        "board no. 2: calls nobody: `suspect` must be one of A, B, C, D"
    ]


def test_only_a_call_names_a_suspect(case: Edition) -> None:
    assert found(with_space(case, 6, suspect=0)) == ["board no. 6: is of kind burger, and only a call has a `suspect`"]


def test_only_a_call_is_confidential(case: Edition) -> None:
    assert found(with_space(case, 6, confidential=True)) == [
        "board no. 6: is of kind burger, and only a call can be `confidential`"
    ]


def test_a_board_that_cannot_be_drawn_is_a_fault(case: Edition) -> None:
    far = replace(case, board=tuple(replace(space, col=space.col + 9) for space in case.board))

    assert found(far) == [f"board no. {n}: lies outside columns and rows 0 to 15" for n in range(8, 16)]


def test_a_board_is_neither_tiny_nor_endless(case: Edition) -> None:
    assert "board: has 0 spaces; it must have 12 to 60" in found(replace(case, board=()))
    assert "board: has 84 spaces; it must have 12 to 60" in found(replace(case, board=case.board * 3))


def test_two_spaces_on_one_spot_are_a_fault(case: Edition) -> None:
    assert "board no. 3: lies on the same column and row as no. 2" in found(with_space(case, 3, col=1))


def test_a_gap_in_the_track_is_a_fault(case: Edition) -> None:
    gap = replace(case, board=case.board[:5] + case.board[6:])

    assert found(gap) == ["board no. 5: does not touch no. 6, the next space of the track"]


def test_a_track_that_does_not_close_is_a_fault(case: Edition) -> None:
    """WS: Play: pawns go round clockwise."""
    open_end = replace(case, board=case.board[:-1])

    assert found(open_end) == ["board no. 27: does not touch no. 1, the next space of the track"]


def test_a_track_that_runs_counter_clockwise_is_a_fault(case: Edition) -> None:
    """WS: Play: pawns move clockwise."""
    assert found(replace(case, board=case.board[::-1])) == [
        "board: runs counter-clockwise; spaces are listed the way that pawns move, clockwise"
    ]


def test_a_board_has_four_corners(case: Edition) -> None:
    """WS: Setting Up the Game: a pawn begins on any corner."""
    assert found(with_space(case, 1, corner=False)) == ["board: has 3 corners; it must have 4"]


def test_a_corner_is_where_the_track_turns(case: Edition) -> None:
    moved = with_space(with_space(case, 1, corner=False), 4, corner=True)

    assert found(moved) == ["board no. 4: is marked as a corner, and the track does not turn there"]


def test_a_corner_does_not_send_on_to_a_corner(case: Edition) -> None:
    """WS: Special Spaces: Go to Any Corner."""
    assert found(with_space(case, 1, kind=SpaceKind.ANY_CORNER)) == [
        "board no. 1: is a corner of kind any_corner; a corner is perry, della, drake, fifth"
    ]


def test_every_kind_of_space_is_on_the_board(case: Edition) -> None:
    """WS: Special Spaces."""
    assert found(with_space(case, 21, kind=SpaceKind.BURGER)) == ["board: has no space of kind any_corner"]


def test_every_suspect_is_called_openly_and_in_confidence_somewhere(case: Edition) -> None:
    """WS: Special Spaces: Call Witness."""
    never = with_space(with_space(case, 10, confidential=False), 27, confidential=False)

    assert found(never) == ["board: has no confidential call of suspect A"]


def test_a_fault_of_the_rulebooks_making_names_its_section(case: Edition) -> None:
    (fault,) = faults(replace(case, suspects=case.suspects[:3]))

    assert fault.section == "Setting Up the Game"


def test_several_faults_are_all_told(case: Edition) -> None:
    assert found(with_suspect(replace(case, title=""), 1, about="")) == [
        "title: is empty",
        "suspects no. 1, about: is empty",
    ]
