"""What keeps a well-formed missing-suspect edition from being played, each fault with its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from chambers.editions import faults, remarks
from chambers.editions.missing_suspect_art import read
from chambers.rules.missing_suspect.edition import Board, ChartResult, Edition


def found(edition: Edition) -> list[str]:
    return [f"{fault.place}: {fault.sentence}" for fault in faults(edition)]


def with_item(box: Edition, field: str, number: int, **changes: Any) -> Edition:
    items = list(getattr(box, field))
    items[number - 1] = replace(items[number - 1], **changes)
    return replace(box, **{field: tuple(items)})


def with_card(box: Edition, number: int, card: tuple[int, int]) -> Edition:
    return replace(box, cards=box.cards[: number - 1] + (card,) + box.cards[number:])


def with_column(box: Edition, letter: str, column: tuple[ChartResult, ...]) -> Edition:
    chart = list(box.chart)
    chart["ABCDEFGH".index(letter)] = column
    return replace(box, chart=tuple(chart))


def redrawn(box: Edition, *strokes: tuple[int, int, str]) -> Edition:
    """Return the box with other characters at the lines and columns, from 1, of its drawing."""
    art = [list(line) for line in box.board.art]
    for line, column, char in strokes:
        art[line - 1][column - 1] = char
    drawn = tuple("".join(line) for line in art)
    return replace(box, board=Board(drawn, read(drawn).nodes, read(drawn).lines))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda box: replace(box, name="My Box"), "name: must be small letters, digits and single dashes, 32 at most"),
        (lambda box: replace(box, title=""), "title: is empty"),
        (lambda box: replace(box, story="x" * 801), "story: has 801 characters; 800 is the most"),
        (lambda box: with_item(box, "suspects", 2, colour="\x1b[2J"), "suspects no. 2, colour: holds a line break"),
        (lambda box: with_item(box, "suspects", 2, letter="B"), "suspects no. 2, letter: must be one small letter"),
        (lambda box: with_item(box, "suspects", 2, letter="bb"), "suspects no. 2, letter: must be one small letter"),
        (lambda box: with_item(box, "suspects", 7, shape=" "), "suspects no. 7, shape: is empty"),
        (lambda box: with_item(box, "cases", 3, title=""), "cases no. 3, title: is empty"),
        (lambda box: with_item(box, "cases", 3, about="a\nb"), "cases no. 3, about: holds a line break"),
        (lambda box: with_item(box, "clues", 7, name=""), "cases no. 2, clues no. 3, name: is empty"),
        (lambda box: with_item(box, "clues", 32, about="x" * 161), "cases no. 8, clues no. 4, about: has 161"),
    ],
)
def test_a_text_that_is_empty_too_long_or_unprintable_is_a_fault(
    box: Edition, change: Callable[[Edition], Edition], fault: str
) -> None:
    (only,) = found(change(box))

    assert only.startswith(fault)


def test_there_are_seven_suspects(box: Edition) -> None:
    """MS: Game Implements."""
    assert found(replace(box, suspects=box.suspects[:6])) == ["suspects: there are 6; there must be 7"]


@pytest.mark.parametrize(("field", "twin"), [("colour", "Red"), ("letter", "a"), ("shape", "circle")])
def test_two_suspects_share_neither_colour_nor_letter_nor_shape(box: Edition, field: str, twin: str) -> None:
    twins = with_item(box, "suspects", 5, **{field: twin})

    assert found(twins) == [f"suspects no. 5, {field}: is the same as suspects no. 1, {field}"]


def test_there_are_eight_cases(box: Edition) -> None:
    """MS: Game Implements."""
    assert "cases: there are 7; there must be 8" in found(replace(box, cases=box.cases[:7]))


def test_cases_are_lettered_in_order(box: Edition) -> None:
    """MS: Picking Up a Detective Case."""
    assert found(with_item(box, "cases", 2, letter="C")) == ["cases no. 2, letter: must be B"]


def test_a_case_lists_four_clues(box: Edition) -> None:
    """MS: Collecting Clues."""
    said = found(with_item(box, "clues", 5, case=0))

    assert "cases no. 1, clues: there are 5; a case lists 4" in said
    assert "cases no. 2, clues: there are 3; a case lists 4" in said


def test_a_clue_of_no_case_is_a_fault(box: Edition) -> None:
    said = found(with_item(box, "clues", 32, case=8))

    assert "cases no. 9, clues no. 1: belongs to a case that is not there" in said


def test_no_two_clues_have_one_name(box: Edition) -> None:
    """MS: Collecting Clues."""
    assert found(with_item(box, "clues", 9, name="shorthand  pad")) == [
        "cases no. 3, clues no. 1, name: is the same as cases no. 1, clues no. 1, name"
    ]


@pytest.mark.parametrize("value", [-1, 0, 4])
def test_every_sum_of_three_clues_is_the_number_of_a_suspect(box: Edition, value: int) -> None:
    """MS: Solving a Detective Case."""
    assert found(with_item(box, "clues", 2, value=value))[0] == (
        f"cases no. 1, clues no. 2, value: is {value}; a clue's number is 1, 2 or 3, "
        "so that every three add up to a suspect of 3 to 9"
    )


def test_a_case_with_far_too_many_clues_is_a_fault_and_its_sums_are_not_tried(box: Edition) -> None:
    """MS: Collecting Clues. Three of two thousand could be chosen in a billion ways."""
    many = replace(box, clues=(*box.clues, *box.clues[:1] * 2000))

    faults = found(many)

    assert "cases no. 1, clues: there are 2004; a case lists 4" in faults
    assert not any(fault.startswith("cases: no three clues") for fault in faults)


def test_every_suspect_is_sought_in_some_case(box: Edition) -> None:
    """MS: Solving a Detective Case."""
    without_9 = with_item(with_item(box, "clues", 6, value=2), "clues", 22, value=2)

    assert found(without_9) == ["cases: no three clues of any case add up to 9, so nobody seeks suspect 9"]


def test_the_two_clues_of_a_card_belong_to_different_cases(box: Edition) -> None:
    """MS: Collecting Clues."""
    assert found(with_card(box, 17, (0, 1))) == [
        "cards no. 17: shows cases no. 1, clues no. 1 and cases no. 1, clues no. 2: "
        "two clues of one case; the clues of a card belong to different ones"
    ]


def test_a_card_with_a_clue_that_is_not_there_is_a_fault(box: Edition) -> None:
    assert found(with_card(box, 17, (0, 32))) == ["cards no. 17: shows a clue that is not there"]
    assert found(with_card(box, 17, (-1, 5))) == ["cards no. 17: shows a clue that is not there"]


def test_every_clue_stands_on_a_card(box: Edition) -> None:
    """MS: Collecting Clues."""
    assert found(with_card(box, 1, box.cards[16])) == [
        "cases no. 1, clues no. 3: stands on no card",
    ]


@pytest.mark.parametrize("witnesses", [3, 5])
def test_there_are_28_clue_cards(box: Edition, witnesses: int) -> None:
    """MS: Game Implements."""
    assert found(replace(box, question_witness=witnesses)) == [
        f"question_witness: is {witnesses}; with the 24 cards of two clues there must be 28 Clue cards"
    ]


@pytest.mark.parametrize("count", [27, 28, 29])
def test_some_clue_cards_are_question_witness_and_enough_are_not(box: Edition, count: int) -> None:
    """MS: "Question Witness" Cards."""
    many = replace(box, cards=(box.cards + box.cards)[:count], question_witness=28 - count)

    assert f"cards: there are {count} with two clues; there must be 16 to 26" in found(many)


def test_too_few_cards_with_clues_are_a_fault(box: Edition) -> None:
    few = replace(box, cards=box.cards[:15], question_witness=13)

    assert found(few)[-1] == "cards: there are 15 with two clues; there must be 16 to 26"


def test_the_chart_has_a_column_for_every_case(box: Edition) -> None:
    """MS: Explanation of Question Witness Chart."""
    assert found(replace(box, chart=box.chart[:7])) == [
        "chart: there are 7 columns; there must be one for each of the 8 cases"
    ]


@pytest.mark.parametrize("count", [0, 5])
def test_a_column_of_the_chart_has_a_result_for_every_throw(box: Edition, count: int) -> None:
    """MS: Explanation of Question Witness Chart."""
    assert found(with_column(box, "C", box.chart[2][:count])) == [f"chart, C: has {count} results; a throw is 1 to 6"]


def test_a_column_of_pick_up_new_clue_alone_is_a_fault(box: Edition) -> None:
    """MS: Explanation of Question Witness Chart."""
    assert found(with_column(box, "F", (ChartResult.NEW,) * 6)) == [
        "chart, F: holds Pick Up New Clue only, so a Question Witness card could send for another for ever"
    ]


def test_a_chart_that_tells_cases_apart_can_be_played_with_a_remark(box: Edition) -> None:
    telling = with_column(box, "F", (ChartResult.LYING,) * 6)

    assert faults(telling) == ()
    assert [fault.place for fault in remarks(telling)] == ["cards", "chart"]
    assert remarks(telling)[1].sentence.startswith("has 3 different columns, and a throw and its result are public")


@pytest.mark.parametrize(
    ("strokes", "said"),
    [
        ([(3, 5, "O")], "has 7 S spots; there must be 8"),
        ([(7, 17, "S")], "has 9 S spots; there must be 8"),
        ([(3, 17, "O")], "has 3 Inquest spots; there must be 4"),
        ([(9, 25, "o")], "has 0 Courthouses; there must be 1"),
        ([(9, 21, "C")], "has 2 Courthouses; there must be 1"),
        ([(7, 17, "o"), (7, 45, "o"), (11, 5, "o")], "has 1 Office; there must be 2 or more"),
        (
            [(1, 1, "o"), (1, 49, "o"), (9, 13, "o"), (17, 1, "o")],
            "has 2 tunnel dots; there must be 3 or more",
        ),
    ],
)
def test_the_city_holds_what_the_rulebook_names(box: Edition, strokes: list[tuple[int, int, str]], said: str) -> None:
    """MS: Start of Play; MS: Questioning Witness at Inquest Spots; MS: Picking Up a Detective Case."""
    assert f"board, art: {said}" in found(redrawn(box, *strokes))


def test_a_city_without_red_dots_is_a_fault(box: Edition) -> None:
    """MS: How to Draw Clue Cards."""
    art = tuple(line.replace("r", "o") for line in box.board.art)
    pale = replace(box, board=Board(art, read(art).nodes, read(art).lines))

    assert found(pale) == ["board, art: has 0 red dots; there must be 1 or more"]


def test_the_courthouse_has_four_entrances(box: Edition) -> None:
    """MS: Winner."""
    assert found(redrawn(box, (8, 25, " "))) == [
        "board, art line 9, column 25 (g5): the Courthouse has 3 entrances; it must have 4"
    ]


def test_a_place_that_no_car_can_reach_is_a_fault(box: Edition) -> None:
    """MS: Moves on the Board."""
    said = found(redrawn(box, (2, 5, " ")))

    assert said == [
        "board, art line 3, column 5 (b2): no car can drive here from the Courthouse",
        "board, art line 3, column 5 (b2): a car here has no move for a throw of 1, 2, 3, 4, 5, 6",
    ]


def test_no_way_leads_through_a_spot(box: Edition) -> None:
    """MS: Checking Suspects on the Board: c2 is joined to the S spot at b2 alone."""
    said = found(redrawn(box, (3, 6, "-"), (3, 7, "-"), (3, 8, "-"), (3, 9, "o")))

    assert said == ["board, art line 3, column 9 (c2): no car can drive here from the Courthouse"]


def test_a_throw_that_leads_nowhere_is_a_fault(box: Edition) -> None:
    """MS: Moves on the Board: g3 and g4 are left with a line to each other and to the Courthouse."""
    cut = [(4, 25), (5, 23), (5, 27), (7, 23), (7, 27)]
    blank = [(5, 22), (5, 24), (5, 26), (5, 28), (7, 22), (7, 24), (7, 26), (7, 28)]

    assert found(redrawn(box, *((line, column, " ") for line, column in cut + blank))) == [
        "board, art line 5, column 25 (g3): a car here has no move for a throw of 2, 3, 4, 5, 6",
        "board, art line 7, column 25 (g4): a car here has no move for a throw of 2, 3, 4, 5, 6",
    ]


def test_a_mistake_in_the_drawing_is_told_and_driving_is_not_judged_before_it_is_mended(box: Edition) -> None:
    assert found(redrawn(box, (1, 2, "x"), (2, 5, " "))) == [
        "board, art line 1, column 2: `x` is neither a mark of the legend nor a line (- | +)",
        "board, art line 1, column 3: `-` belongs to no line from a place to a place",
        "board, art line 1, column 4: `-` belongs to no line from a place to a place",
    ]


def test_places_and_lines_are_those_of_the_drawing(box: Edition) -> None:
    other = ["board: holds other places or lines than its drawing shows"]

    assert found(replace(box, board=replace(box.board, lines=box.board.lines[1:]))) == other
    assert found(replace(box, board=replace(box.board, nodes=box.board.nodes[::-1]))) == other


def test_a_name_of_a_place_must_be_printable(box: Edition) -> None:
    nodes = (replace(box.board.nodes[0], name="\x1b[2J"), *box.board.nodes[1:])

    assert found(replace(box, board=replace(box.board, nodes=nodes))) == [
        "board, names, a1: holds a line break or another character that cannot be printed"
    ]


def test_a_fault_of_the_rulebooks_making_names_its_section(box: Edition) -> None:
    (fault,) = faults(replace(box, suspects=box.suspects[:6]))

    assert fault.section == "Game Implements"


def test_an_edition_of_nothing_has_faults_and_breaks_nothing(box: Edition) -> None:
    empty = replace(box, suspects=(), cases=(), clues=(), cards=(), chart=(), board=Board((), (), ()))

    assert len(faults(empty)) > 10
