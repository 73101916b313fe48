"""Reading a city from its drawing: places, lines, bends, and every mistake with its line and column."""

from __future__ import annotations

import pytest

from chambers.editions.missing_suspect_art import Drawing, read


def lines(drawing: Drawing) -> list[str]:
    return [" ".join(drawing.nodes[end].address for end in ends) for ends in drawing.lines]


def wrong(*art: str) -> list[str]:
    return [f"{fault.place.removeprefix('board, art ')}: {fault.sentence}" for fault in read(art).faults]


def test_places_are_read_in_reading_order_with_address_column_and_row() -> None:
    drawing = read(("o---T", "|   |", "S   r"))

    assert [(node.address, node.kind.value, node.col, node.row) for node in drawing.nodes] == [
        ("a1", "dot", 0, 0),
        ("b1", "tunnel", 1, 0),
        ("a2", "suspect", 0, 1),
        ("b2", "red", 1, 1),
    ]
    assert lines(drawing) == ["a1 b1", "a1 a2", "b1 b2"]
    assert drawing.faults == ()


def test_a_line_may_run_past_places_that_are_not_there() -> None:
    drawing = read(("O-----------I", "|", "|", "|", "C"))

    assert lines(drawing) == ["a1 d1", "a1 a3"]
    assert drawing.roads[0].points == ((0, 0), (1, 0), (2, 0), (3, 0))


def test_a_line_may_bend() -> None:
    drawing = read(("o---+", "    |", "+---+", "|", "o---o"))

    assert lines(drawing) == ["a1 a3", "a3 b3"]
    assert drawing.roads[0].points == ((0, 0), (1, 0), (1, 1), (0, 1), (0, 2))
    assert drawing.faults == ()


def test_two_places_side_by_side_without_a_line_are_not_joined() -> None:
    drawing = read(("o   o", "", "o   o"))

    assert (len(drawing.nodes), drawing.lines, drawing.faults) == (4, (), ())


@pytest.mark.parametrize(
    ("art", "fault"),
    [
        (("o---x",), "line 1, column 5: `x` is neither a mark of the legend nor a line (- | +)"),
        (("o\x1b",), "line 1, column 2: `?` is neither a mark of the legend nor a line (- | +)"),
        (("o--o",), "line 1, column 4: `o` stands between: places stand in every fourth column of every second line"),
        (("", "o"), "line 2, column 1: `o` stands between: places stand in every fourth column of every second line"),
        (("o-+-o",), "line 1, column 3: `+` stands between: a line bends in every fourth column of every second line"),
        (("o", "|", ""), "line 2, column 1: `|` belongs to no line from a place to a place"),
        (("o-- o",), "line 1, column 2: `-` belongs to no line from a place to a place"),
        (
            ("o---+---o", "    |", "    o"),
            "line 1, column 5: `+` joins 3 lines; it is a bend in one line and joins 2 ends",
        ),
        (("o---+",), "line 1, column 5: `+` joins 1 lines; it is a bend in one line and joins 2 ends"),
        (("o---o", "|   |", "+---+"), "line 2, column 1: a1 and b1 are joined by two lines"),
        (("o---+", "|   |", "+---+"), "line 1, column 2: a line leads from a1 back to a1"),
    ],
)
def test_a_mistake_in_the_drawing_is_told_with_its_place(art: tuple[str, ...], fault: str) -> None:
    assert fault in wrong(*art)


@pytest.mark.parametrize("art", [("o" * 105,), ("",) * 61])
def test_a_drawing_that_is_too_large_is_not_read(art: tuple[str, ...]) -> None:
    assert read(art).nodes == ()
    assert [(fault.place, fault.sentence) for fault in read(art).faults] == [
        ("board, art", "is larger than 104 columns and 60 lines")
    ]
