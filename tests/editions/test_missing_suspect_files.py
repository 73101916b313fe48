"""An owner's missing-suspect box as TOML files: what is read, what is refused where, and the blank ones to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from chambers.editions import EditionError, blank, faults, load
from chambers.rules.missing_suspect.edition import Edition as Box
from chambers.rules.missing_suspect.edition import clues_of
from chambers.rules.witness_stand.edition import LETTERS, Edition, Space


def refusal(path: str) -> str:
    with pytest.raises(EditionError) as caught:
        load(path)
    return caught.value.sentence.replace(f"{Path(path).parent}/", "")


def written(text: str, texts: Iterable[str], numbers: Iterable[int]) -> str:
    """Return a blank edition with its empty texts and its zeros filled in, in the order of the file."""
    said, counted = iter(texts), iter(numbers)
    text = re.sub(r'(?<!")""(?!")', lambda _: json.dumps(next(said)), text)
    return re.sub(r"(?m)((?:^\w+|value) = )0\b", lambda found: f"{found[1]}{next(counted)}", text)


def test_an_owners_box_is_read_with_the_cases_and_the_city_beside_it(own_box: Any, box: Box) -> None:
    assert load(str(own_box.path)) == box


def test_a_legend_may_use_other_marks(own_box: Any, box: Box) -> None:
    before, art, after = own_box.board.read_text().split('"""')
    own_box.board.write_text('"""'.join((before, art.replace("S", "*"), after)))
    path = own_box.change_board('S = "suspect"', '"*" = "suspect"')

    assert load(path) == box


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('["Carbon Copy", ', '["Carbon", ', "my-case.toml, cards no. 2: no case lists a clue 'Carbon'"),
        ('["Carbon Copy", ', "[4, ", "my-case.toml, cards no. 2 no. 1: expected `str`, got `int`"),
        ('["Carbon Copy", ', "[", "my-case.toml, cards no. 2: expected `array` of length 2"),
        ("question_witness = 4", "", "my-case.toml: the field `question_witness` is missing"),
        ("question_witness = 4", "witnesses = 4", "my-case.toml: there is no field `witnesses` here"),
        ('A = ["lying"', 'A = ["dying"', "my-case.toml, chart (one of its keys or values) no. 1: invalid enum value"),
        ('A = ["lying"', 'Z = ["lying"', "my-case.toml, chart: there is no case 'Z'"),
        ('shape = "heart"', "shape = 4", "my-case.toml, suspects no. 6, shape: expected `str`, got `int`"),
        ('cases = "cases.toml"', 'cases = "../cases.toml"', "my-case.toml, cases: '../cases.toml' is not the name of"),
        ('cases = "cases.toml"', "cases = 4", "my-case.toml, cases: expected `array`, got `int`"),
    ],
)
def test_a_field_of_the_wrong_shape_is_refused_with_its_place(own_box: Any, old: str, new: str, sentence: str) -> None:
    assert refusal(own_box.change(old, new)).startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("value = 1,", 'value = "1",', "cases.toml, cases no. 1, clues no. 1, value: expected `int`, got `str`"),
        ("about = ", "abuot = ", "cases.toml, cases no. 1: there is no field `abuot` here"),
        ("[[cases]]", "[[files]]", "cases.toml: a cases file holds the field `cases` and nothing else"),
    ],
)
def test_a_case_of_the_wrong_shape_is_refused_with_its_file_and_place(
    own_box: Any, old: str, new: str, sentence: str
) -> None:
    assert refusal(own_box.change_cases(old, new)) == sentence


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("art = ", "map = ", "board.toml, board: there is no field `map` here"),
        ('o = "dot"', 'o = "spot"', "board.toml, board, legend (one of its keys or values): invalid enum value 'spot'"),
        ('o = "dot"', "", "board.toml, board, legend: the drawing has 'o', which is not here"),
        ('o = "dot"', 'oo = "dot"', "board.toml, board, legend: expected one character that is no line, got 'oo'"),
        ('o = "dot"', '"-" = "dot"', "board.toml, board, legend: expected one character that is no line, got '-'"),
        ("a1 = ", "c2 = ", "board.toml, board, names: the drawing has no place 'c2'"),
    ],
)
def test_a_city_of_the_wrong_shape_is_refused_with_its_file_and_place(
    own_box: Any, old: str, new: str, sentence: str
) -> None:
    assert refusal(own_box.change_board(old, new)) == sentence


def test_a_column_that_the_chart_lacks_is_a_fault_and_not_a_refusal(own_box: Any) -> None:
    path = own_box.change('C = ["lying", "check", "clue", "trade", "number", "new"]\n', "")

    assert [fault.place for fault in faults(load(path))] == ["chart, C"]


@pytest.mark.parametrize("game", ["missing-suspect", "witness-stand"])
def test_a_blank_edition_can_be_read_and_everything_in_it_is_still_to_be_done(tmp_path: Path, game: str) -> None:
    file = tmp_path / "blank.toml"
    file.write_text(blank(game))

    edition = load(str(file))

    places = {fault.place.partition(",")[0].partition(" no.")[0] for fault in faults(edition)}
    fields = set(type(edition).__struct_fields__) - {"game", "reconstruction", "clues"}  # type: ignore[attr-defined]
    assert edition.game == game
    assert places == fields


def test_a_blank_box_that_is_filled_in_can_be_played(tmp_path: Path, box: Box) -> None:
    clues = [[box.clues[clue] for clue in clues_of(box, case)] for case in range(8)]
    texts = ["my-box", box.title, box.story]
    texts += [text for top in box.suspects for text in (top.colour, top.letter, top.shape)]
    for case, listed in zip(box.cases, clues, strict=True):
        texts += [case.title, *(clue.name for clue in listed)]
    numbers = [box.question_witness, *(clue.value for listed in clues for clue in listed)]
    cards = [[box.clues[clue].name for clue in card] for card in box.cards]
    text = written(blank("missing-suspect"), texts, numbers).replace("cards = [\n]", f"cards = {json.dumps(cards)}")
    for case, column in zip(box.cases, box.chart, strict=True):
        text = text.replace(f"\n{case.letter} = []", f"\n{case.letter} = {json.dumps(column)}")
    file = tmp_path / "my-box.toml"
    file.write_text(text.replace('art = """\n', 'art = """\n' + "\n".join(box.board.art) + "\n"))

    edition = load(str(file))

    assert faults(edition) == ()
    assert isinstance(edition, Box)
    assert (edition.cards, edition.chart, edition.board.lines) == (box.cards, box.chart, box.board.lines)


def test_a_blank_case_that_is_filled_in_can_be_played(tmp_path: Path, case: Edition) -> None:
    cards = (case.objection, case.overruled, case.excluded, case.dismissed)
    texts = ["my-case", case.title, case.story, *(card.name for card in cards), *case.space_names.values()]
    for suspect in case.suspects:
        texts += [suspect.name, suspect.about]
        texts += [text for asked in suspect.questions for text in (asked.text, asked.plain, asked.starred)]
    numbers = [number for card in cards for number in (card.count, card.count_small)]
    spaces = ",\n".join(space_in_toml(space) for space in case.board)
    text = written(blank("witness-stand"), texts, numbers).replace("board = [\n]", f"board = [\n{spaces}\n]")
    file = tmp_path / "my-case.toml"
    file.write_text(text)

    assert load(str(file)) == replace(case, name="my-case", reconstruction=False)


def space_in_toml(space: Space) -> str:
    said = [
        f'kind = "{space.kind}"',
        f"col = {space.col}",
        f"row = {space.row}",
        f"corner = {str(space.corner).lower()}",
    ]
    if space.suspect is not None:
        said += [f'suspect = "{LETTERS[space.suspect]}"', f"confidential = {str(space.confidential).lower()}"]
    return f"{{ {', '.join(said)} }}"


def test_there_is_no_blank_edition_of_an_unknown_game() -> None:
    with pytest.raises(EditionError, match="no game is called 'chess'; there is witness-stand, missing-suspect"):
        blank("chess")
