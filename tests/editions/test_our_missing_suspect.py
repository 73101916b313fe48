"""The two boxes of the missing-suspect game that come with the program."""

from __future__ import annotations

from collections import Counter

import pytest

from chambers.editions import canonical, faults, from_canonical, load, names, remarks
from chambers.rules.missing_suspect.edition import Edition, NodeKind, clues_of, most_seats, numbers_of, triples

OURS = ("missing-suspect", "missing-suspect-sparse")


def ours(name: str) -> Edition:
    edition = load(name)
    assert isinstance(edition, Edition)
    return edition


def test_both_boxes_come_with_the_program() -> None:
    assert [name for game, name in names() if game == "missing-suspect"] == list(OURS)


@pytest.mark.parametrize("name", OURS)
def test_a_box_is_called_as_its_file_has_no_fault_and_says_that_it_is_a_reconstruction(name: str) -> None:
    box = ours(name)

    assert (box.name, box.reconstruction, faults(box)) == (name, True, ())


@pytest.mark.parametrize("name", OURS)
def test_a_box_is_the_same_after_its_bytes(name: str) -> None:
    assert from_canonical("missing-suspect", canonical(ours(name))) == ours(name)


@pytest.mark.parametrize("name", OURS)
def test_every_case_clue_and_spot_has_words_that_any_terminal_can_show(name: str) -> None:
    box = ours(name)
    texts = [text for case in box.cases for text in (case.title, case.about)]
    texts += [text for clue in box.clues for text in (clue.name, clue.about)]
    texts += [node.name for node in box.board.nodes if node.kind not in (NodeKind.DOT, NodeKind.RED)]

    assert [text for text in texts if not (text and text.isascii() and text.isprintable())] == []
    assert len({clue.about for clue in box.clues}) == 32


@pytest.mark.parametrize(("name", "cards", "witnesses", "seats"), [(OURS[0], 24, 4, 6), (OURS[1], 16, 12, 5)])
def test_there_are_28_clue_cards_and_enough_with_two_clues_for_the_seats(
    name: str, cards: int, witnesses: int, seats: int
) -> None:
    """MS: Game Implements; MS: "Question Witness" Cards."""
    box = ours(name)

    assert (len(box.cards), box.question_witness, most_seats(box)) == (cards, witnesses, seats)
    assert [fault.sentence for fault in remarks(box)] == [f"are enough for 2 to {seats} players"]


def test_the_printed_example_leads_to_suspect_7(box: Edition) -> None:
    """MS: Example of a Solved Detective Case."""
    found = {frozenset(box.clues[clue].name for clue in three): number for three, number in triples(box, 7)}

    assert box.cases[7].title == "Canary Diamonds"
    assert found[frozenset({"Overnight Case", "Missing Gems", "Face at the Window"})] == 7
    assert box.suspects[0].colour == "red"


def test_each_case_leads_to_the_suspects_it_should(box: Edition) -> None:
    """MS: Solving a Detective Case."""
    assert [numbers_of(box, case) for case in range(8)] == [
        (3, 4),
        (8, 9),
        (4, 5, 6),
        (6, 7, 8),
        (3, 5),
        (7, 9),
        (4, 5, 6),
        (6, 7, 8),
    ]


def test_the_first_16_cards_hold_each_clue_once_and_are_the_cards_of_the_sparse_box(box: Edition) -> None:
    assert sorted(clue for card in box.cards[:16] for clue in card) == list(range(32))
    assert ours("missing-suspect-sparse").cards == box.cards[:16]


def test_two_clues_of_every_case_stand_on_two_cards(box: Edition) -> None:
    copies = Counter(clue for card in box.cards for clue in card)

    assert [sum(copies[clue] == 2 for clue in clues_of(box, case)) for case in range(8)] == [2] * 8


def test_a_result_of_the_chart_tells_no_more_than_the_half_of_the_alphabet(box: Edition) -> None:
    """MS: Explanation of Question Witness Chart."""
    first, second = box.chart[0], box.chart[4]

    assert box.chart == (first,) * 4 + (second,) * 4
    assert second == first[::-1]
    assert list(first) == ["lying", "check", "clue", "trade", "number", "new"]


def test_suspects_are_told_apart_by_colour_by_letter_and_by_shape(box: Edition) -> None:
    """MS: Game Implements."""
    assert [suspect.colour for suspect in box.suspects] == ["red", "blue", "green", "yellow", "white", "pink", "black"]
    assert "".join(suspect.letter for suspect in box.suspects) == "abcdefg"
    assert len({suspect.shape for suspect in box.suspects}) == 7


def test_both_boxes_share_the_cases_the_chart_and_the_city(box: Edition) -> None:
    sparse = ours("missing-suspect-sparse")

    assert (sparse.cases, sparse.clues, sparse.chart, sparse.board) == (box.cases, box.clues, box.chart, box.board)


def test_the_city_has_101_places_and_118_lines(box: Edition) -> None:
    """MS: Moves on the Board."""
    kinds = Counter(node.kind.value for node in box.board.nodes)

    assert (len(box.board.nodes), len(box.board.lines)) == (101, 118)
    assert kinds == {
        "dot": 56,
        "red": 22,
        "tunnel": 6,
        "suspect": 8,
        "office": 4,
        "inquest": 4,
        "courthouse": 1,
    }


def test_the_courthouse_stands_in_the_middle_and_has_its_four_neighbours(box: Edition) -> None:
    """MS: Winner."""
    addresses = [node.address for node in box.board.nodes]
    court = addresses.index("g5")

    assert sorted(addresses[sum(line) - court] for line in box.board.lines if court in line) == ["f5", "g4", "g6", "h5"]
