"""How a missing-suspect edition is written in TOML: clues under their case, cards by clue names, a drawn city."""

from __future__ import annotations

from typing import Any

import msgspec

from chambers.editions import missing_suspect_art as art
from chambers.rules.missing_suspect.edition import ChartResult, Node, NodeKind, Suspect


class _Clue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    value: int
    about: str = ""


class _Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    letter: str
    title: str
    clues: tuple[_Clue, ...]
    about: str = ""


class _City(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    art: str
    legend: dict[str, NodeKind]
    names: dict[str, str] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    game: str
    title: str
    story: str
    reconstruction: bool
    suspects: tuple[Suspect, ...]
    cases: tuple[_Case, ...]
    cards: tuple[tuple[str, str], ...]
    question_witness: int
    chart: dict[str, tuple[ChartResult, ...]]
    board: _City


def fields(data: dict[str, Any], /) -> dict[str, Any]:
    """Return the struct's fields for what the TOML says.

    msgspec.ValidationError for a field that is missing, unknown or of a wrong type, and for a card, a column of the
    chart or a name of a place that speaks of something the file does not have.
    """
    file = msgspec.convert(data, _File)
    clues = [(case, clue) for case, listed in enumerate(file.cases) for clue in listed.clues]
    return {
        **{name: data[name] for name in ("name", "game", "title", "story", "reconstruction", "question_witness")},
        "suspects": data["suspects"],
        "cases": [{"letter": case.letter, "title": case.title, "about": case.about} for case in file.cases],
        "clues": [{"name": clue.name, "value": clue.value, "case": case, "about": clue.about} for case, clue in clues],
        "cards": _cards(file, [clue.name for _, clue in clues]),
        "chart": _chart(file),
        "board": _board(file.board),
    }


def _cards(file: _File, names: list[str]) -> list[tuple[int, ...]]:
    for number, card in enumerate(file.cards):
        for name in card:
            if name not in names:
                raise msgspec.ValidationError(f"No case lists a clue {name!r} - at `$.cards[{number}]`")
    return [tuple(names.index(name) for name in card) for card in file.cards]


def _chart(file: _File) -> list[tuple[ChartResult, ...]]:
    letters = [case.letter for case in file.cases]
    for letter in file.chart:
        if letter not in letters:
            raise msgspec.ValidationError(f"There is no case {letter!r} - at `$.chart`")
    return [file.chart.get(letter, ()) for letter in letters]


def _board(city: _City) -> dict[str, Any]:
    drawn = _in_our_marks(city)
    drawing = art.read(drawn)
    known = {node.address for node in drawing.nodes}
    for address in city.names:
        if address not in known:
            raise msgspec.ValidationError(f"The drawing has no place {address!r} - at `$.board.names`")
    return {
        "art": drawn,
        "nodes": [_named(node, city.names) for node in drawing.nodes],
        "lines": drawing.lines,
    }


def _named(node: Node, names: dict[str, str]) -> dict[str, Any]:
    return {
        "address": node.address,
        "kind": node.kind,
        "col": node.col,
        "row": node.row,
        "name": names.get(node.address, ""),
    }


def _in_our_marks(city: _City) -> tuple[str, ...]:
    ours = {kind: mark for mark, kind in art.MARKS.items()}
    table: dict[int, str] = {}
    for mark, kind in city.legend.items():
        if len(mark) != 1 or mark in " " + art.STROKES:
            raise msgspec.ValidationError(f"Expected one character that is no line, got {mark!r} - at `$.board.legend`")
        table[ord(mark)] = ours[kind]
    for mark in art.MARKS:
        # A character that means nothing in this legend must not pass for one of ours.
        if mark in city.art and ord(mark) not in table:
            raise msgspec.ValidationError(f"The drawing has {mark!r}, which is not here - at `$.board.legend`")
    return tuple(line.translate(table).rstrip() for line in city.art.removesuffix("\n").split("\n"))
