"""What an edition says, for a person to read and as JSON: suspects and questions, or cases, clues and the city."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from chambers.editions import Edition
from chambers.rules.missing_suspect.edition import Edition as Box
from chambers.rules.missing_suspect.edition import card_name, clues_of, most_seats
from chambers.rules.witness_stand.edition import LETTERS
from chambers.rules.witness_stand.edition import Edition as Case

_WIDEST: Final = 100


def sheet(edition: Edition, answers: bool) -> dict[str, Any]:
    """Return the edition's own part as plain JSON values; what the answer cards or the clues' numbers say if asked."""
    if isinstance(edition, Case):
        return {"suspects": _suspects(edition, answers)}
    if isinstance(edition, Box):
        return _box(edition, answers)
    return {}


def lines(edition: Edition, answers: bool) -> Iterator[str]:
    """Yield the edition's own part as lines no wider than the terminal, but for the drawing of a city."""
    if isinstance(edition, Case):
        yield from _case_lines(edition, answers)
    elif isinstance(edition, Box):
        yield from _box_lines(edition, answers)


def fill(text: str, *, hang: int = 0) -> str:
    """Return a text wrapped to the terminal, 40 to 100 columns, `hang` spaces before each line but the first."""
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return textwrap.fill(text, max(width, 40), subsequent_indent=" " * hang, break_on_hyphens=False)


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _suspects(case: Case, answers: bool) -> list[dict[str, Any]]:
    return [
        {
            "letter": letter,
            "name": suspect.name,
            "about": suspect.about,
            "questions": [
                {"code": f"{letter}{number}", "text": question.text}
                | ({"plain": question.plain, "starred": question.starred} if answers else {})
                for number, question in enumerate(suspect.questions, 1)
            ],
        }
        for letter, suspect in zip(LETTERS, case.suspects, strict=True)
    ]


def _case_lines(case: Case, answers: bool) -> Iterator[str]:
    for letter, suspect in zip(LETTERS, case.suspects, strict=True):
        yield ""
        yield fill(f"{letter}  {suspect.name}. {suspect.about}", hang=3)
        for number, question in enumerate(suspect.questions, 1):
            yield fill(f"   {letter}{number}  {question.text}", hang=7)
            if answers:
                yield fill(f"       plain    {question.plain}", hang=16)
                yield fill(f"       starred  {question.starred}", hang=16)
    cards = (case.objection, case.overruled, case.excluded, case.dismissed)
    yield ""
    yield fill(f"Action cards: {', '.join(f'{card.count} {card.name}' for card in cards)}.")
    yield fill(f"Board: {count(len(case.board), 'space')}.")


def _box(box: Box, answers: bool) -> dict[str, Any]:
    return {
        "suspects": [{"colour": top.colour, "letter": top.letter, "shape": top.shape} for top in box.suspects],
        "cases": [
            {
                "letter": case.letter,
                "title": case.title,
                "about": case.about,
                "clues": [
                    {"name": box.clues[clue].name, "about": box.clues[clue].about}
                    | ({"value": box.clues[clue].value} if answers else {})
                    for clue in clues_of(box, number)
                ],
            }
            for number, case in enumerate(box.cases)
        ],
        "cards": [[box.clues[clue].name for clue in card] for card in box.cards],
        "question_witness": box.question_witness,
        "chart": {case.letter: list(column) for case, column in zip(box.cases, box.chart, strict=True)},
        "board": {
            "art": list(box.board.art),
            "names": {node.address: node.name for node in box.board.nodes if node.name},
        },
        "most_seats": most_seats(box),
    }


def _box_lines(box: Box, answers: bool) -> Iterator[str]:
    yield ""
    suspects = ", ".join(f"{top.letter} {top.colour} ({top.shape})" for top in box.suspects)
    yield fill(f"Suspects: {suspects}.", hang=10)
    for number, case in enumerate(box.cases):
        yield ""
        yield fill(f"{case.letter}  The Case of the {case.title}. {case.about}".rstrip(), hang=3)
        for clue in (box.clues[clue] for clue in clues_of(box, number)):
            value = f"{clue.value}  " if answers else ""
            yield fill(f"   {value}{clue.name}{': ' if clue.about else ''}{clue.about}", hang=6)
    yield ""
    yield "Clue cards:"
    for kind in range(len(box.cards)):
        yield f"   {card_name(box, kind)}"
    yield f"   {box.question_witness} times Question Witness"
    yield ""
    yield "Question Witness chart, for a throw of 1 to 6:"
    for case, column in zip(box.cases, box.chart, strict=True):
        yield f"   {case.letter}  {', '.join(column)}"
    yield ""
    yield from _city_lines(box)
    yield fill(f"Seats: 2 to {most_seats(box)}.")


def _city_lines(box: Box) -> Iterator[str]:
    columns = max(node.col for node in box.board.nodes) + 1
    yield "     " + "   ".join(chr(ord("A") + col) for col in range(columns))
    for number, line in enumerate(box.board.art):
        yield f"{'' if number % 2 else number // 2 + 1:>3}  {line}".rstrip()
    yield ""
    yield "o dot, r red dot, T tunnel, S suspect spot, O Office, I Inquest, C Courthouse"
    yield fill(", ".join(f"{node.address} {node.name}" for node in box.board.nodes if node.name))
