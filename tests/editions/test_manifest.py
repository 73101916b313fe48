"""Canonical bytes and their hash: what a table's opening commits to."""

from __future__ import annotations

import hashlib
import json
import tomllib
from importlib import resources
from typing import Any

import pytest

from chambers.editions import EditionError, canonical, edition_hash, from_canonical, load, names
from chambers.editions.manifest import MAX_BYTES
from chambers.rules.witness_stand.edition import Edition

OURS = ("stuttering-bishop", "tandem-target")


def written_by_hand(name: str) -> bytes:
    """The canonical bytes as the specification words them, from the TOML and without our structs."""
    shelf = resources.files("chambers.editions") / "witness-stand"
    data = tomllib.loads((shelf / f"{name}.toml").read_text())
    board = tomllib.loads((shelf / "board.toml").read_text())["board"]
    blank: dict[str, Any] = {"corner": False, "suspect": None, "confidential": False}
    spaces = [blank | space for space in board]
    data["board"] = [
        space | {"suspect": None if space["suspect"] is None else "ABCD".index(space["suspect"])} for space in spaces
    ]
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def spoiled(edition: Edition, **changes: Any) -> bytes:
    data = json.loads(canonical(edition)) | changes
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", OURS)
def test_the_bytes_are_json_with_sorted_keys_and_no_spaces(name: str) -> None:
    assert canonical(load(name)) == written_by_hand(name)


@pytest.mark.parametrize("name", OURS)
def test_the_hash_is_the_sha256_of_the_bytes(name: str) -> None:
    assert edition_hash(load(name)) == hashlib.sha256(written_by_hand(name)).digest()


@pytest.mark.parametrize("name", OURS)
def test_an_edition_comes_back_from_its_bytes(name: str) -> None:
    edition = load(name)

    assert from_canonical("witness-stand", canonical(edition)) == edition


def test_the_bytes_fit_on_one_line_of_a_docket_whatever_a_text_holds(case: Edition) -> None:
    data = spoiled(case, story="two\nlines\u2028and \x1b[31m and é")

    edition = from_canonical("witness-stand", data)

    assert b"\n" not in canonical(edition)
    assert canonical(edition) == data


def test_the_hash_changes_with_the_board(case: Edition) -> None:
    other = from_canonical("witness-stand", spoiled(case, board=json.loads(canonical(case))["board"][:-1]))

    assert edition_hash(other) != edition_hash(case)


def test_the_hash_does_not_change_with_the_layout_of_the_toml(own: Any, case: Edition) -> None:
    path = own.change('title = "', '# a remark\n\ntitle   =   "')
    own.change('name = "tandem-target"\n', "")
    own.change("reconstruction = true", 'name = "tandem-target"\nreconstruction = true')

    assert edition_hash(load(path)) == edition_hash(case)


def test_the_same_edition_written_differently_is_refused(case: Edition) -> None:
    spaced = json.dumps(json.loads(canonical(case)), sort_keys=True).encode()

    with pytest.raises(EditionError, match="not canonical"):
        from_canonical("witness-stand", spaced)


def test_bytes_that_leave_a_default_out_are_refused(case: Edition) -> None:
    short = canonical(case).replace(b'"corner":false,', b"", 1)

    with pytest.raises(EditionError, match="not canonical"):
        from_canonical("witness-stand", short)


def test_a_key_said_twice_is_refused(case: Edition) -> None:
    twice = canonical(case).replace(b'"name":"tandem-target"', b'"name":"other","name":"tandem-target"', 1)

    with pytest.raises(EditionError, match="not canonical"):
        from_canonical("witness-stand", twice)


@pytest.mark.parametrize("data", [b"", b'{"board":', b"\xff", b'{"name":"\\ud800"}', b"[" * 100_000])
def test_bytes_that_are_no_json_are_refused(data: bytes) -> None:
    with pytest.raises(EditionError, match="bytes"):
        from_canonical("witness-stand", data)


def test_more_bytes_than_an_edition_may_have_are_refused_before_they_are_read() -> None:
    with pytest.raises(EditionError, match="more than an edition may have"):
        from_canonical("witness-stand", b"[" * (MAX_BYTES + 1))


@pytest.mark.parametrize(("game", "name"), names())
def test_every_edition_that_comes_with_the_program_is_far_smaller_than_it_may_be(game: str, name: str) -> None:
    assert 4 * len(canonical(load(name))) < MAX_BYTES


def test_a_floating_number_is_refused(case: Edition) -> None:
    with pytest.raises(EditionError, match=r"board no\. 1, col: expected `int`, got `float`"):
        from_canonical("witness-stand", canonical(case).replace(b'"col":0', b'"col":0.0', 1))


def test_an_unknown_field_is_refused(case: Edition) -> None:
    with pytest.raises(EditionError, match="there is no field `extra` here"):
        from_canonical("witness-stand", spoiled(case, extra=1))


def test_bytes_of_another_game_are_refused(case: Edition) -> None:
    with pytest.raises(EditionError, match="for the game 'chess', not 'witness-stand'"):
        from_canonical("witness-stand", spoiled(case, game="chess"))


def test_an_unknown_game_is_refused_and_the_known_ones_are_named(case: Edition) -> None:
    with pytest.raises(EditionError, match=r"no game is called 'chess'; there is .*witness-stand"):
        from_canonical("chess", canonical(case))
