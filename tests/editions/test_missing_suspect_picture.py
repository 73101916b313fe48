"""The city as an SVG file: well-formed, complete, in need of nothing else, and safe whatever an owner wrote."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from chambers.editions import EditionError, load, picture
from chambers.editions.missing_suspect_art import read
from chambers.editions.missing_suspect_blocks import blocks
from chambers.rules.missing_suspect.edition import Board, Edition

SVG = "{http://www.w3.org/2000/svg}"


def drawn(edition: Edition) -> ElementTree.Element:
    return ElementTree.fromstring(picture(edition))


def board(*art: str) -> Board:
    return Board(art, read(art).nodes, read(art).lines)


def test_every_line_is_drawn_as_a_road_with_its_kerb(box: Edition) -> None:
    kinds = Counter(line.get("class") for line in drawn(box).iter(f"{SVG}polyline"))

    assert kinds == {"kerb": 118, "road": 118, "line": 118}


def test_every_place_is_drawn_with_its_address_and_name(box: Edition) -> None:
    titles = [title.text for group in drawn(box).iter(f"{SVG}g") for title in group.iter(f"{SVG}title")]

    assert len(titles) == 101
    assert {"a1 Quarry Tunnel", "b1", "g5 Courthouse", "k4 Hotel Alcazar"} <= set(titles)


def test_places_of_each_kind_have_a_sign_of_their_own(box: Edition) -> None:
    signs = Counter(shape.get("class") for group in drawn(box).iter(f"{SVG}g") for shape in group)

    counted = {kind: signs[kind] for kind in ("dot", "red", "tunnel", "suspect", "office", "inquest", "courthouse")}
    # One more of each than the city has places: the legend shows it.
    assert counted == {
        "dot": 57,
        "red": 23,
        "tunnel": 7,
        "suspect": 9,
        "office": 5,
        "inquest": 5,
        "courthouse": 2,
    }


def test_the_picture_says_that_it_is_a_reconstruction(box: Edition) -> None:
    assert "a reconstruction, not the printed board" in picture(box)
    assert "a transcription by its owner" in picture(replace(box, reconstruction=False))


def test_the_picture_needs_no_other_file_and_runs_nothing(box: Edition) -> None:
    text = picture(box)

    assert text.count("http") == 1
    assert [word for word in ("href", "url(", "<script", "@import", "onload") if word in text] == []


def test_the_picture_has_colours_for_a_dark_screen(box: Edition) -> None:
    light, _, dark = picture(box).partition("@media (prefers-color-scheme: dark)")

    assert "paper { fill: #f7f2e6; }" in light
    assert ".paper { fill: #16181c; }" in dark


def test_an_owners_words_cannot_break_out_of_their_text(box: Edition) -> None:
    nodes = tuple(replace(node, name="</g><b>") if node.address == "b2" else node for node in box.board.nodes)
    sly = replace(box, title='<script>&"', board=replace(box.board, nodes=nodes))

    title = drawn(sly).find(f"{SVG}title")

    assert title is not None
    assert title.text == '<script>&"'
    assert list(drawn(sly).iter(f"{SVG}script")) == []
    assert list(drawn(sly).iter(f"{SVG}b")) == []


def test_an_unknown_colour_or_shape_is_drawn_as_a_grey_circle(box: Edition) -> None:
    odd = replace(box, suspects=(replace(box.suspects[0], colour="teal", shape="moon"), *box.suspects[1:]))

    top = next(path for path in drawn(odd).iter(f"{SVG}path") if path.get("class") == "top")

    assert top.get("fill") == "#9a9488"
    assert (top.get("d") or "").startswith("M-9 0a9 9")


def test_roads_part_the_ground_into_blocks() -> None:
    city = board("o---o---o", "|   |   |", "o---o---o")

    found = blocks(city, 3, 2)

    assert [len(block.parts) for block in found] == [1, 1]


def test_ground_without_a_road_between_is_one_block() -> None:
    city = board("o---o---o", "|       |", "o       o", "|       |", "o---o---o")

    (only,) = blocks(city, 3, 3)

    # Four squares, four seams between them, and the middle.
    assert len(only.parts) == 9


def test_a_game_without_a_map_has_no_picture() -> None:
    with pytest.raises(EditionError, match="The game witness-stand has no map to draw"):
        picture(load("tandem-target"))
