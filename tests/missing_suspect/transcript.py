"""Games written down to be read: a header with the hidden cards, what is done, and indented below it what is said."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace
from tests.missing_suspect.town import EDITION, GAME, WITNESS, Town, card, setup
from tests.support.chance import Chance

from chambers.rules.missing_suspect.edition import case_kind
from chambers.rules.missing_suspect.play import CASES_AT, TOPS
from chambers.rules.simulator import Told
from chambers.rules.terms import ALL

_INDENT = "    "


def replayed(text: str) -> str:
    """Return the transcript with everything said anew by the rules: the same text, if they still play it so."""
    header, _, script = text.partition("\n\n")
    said: list[str] = []
    table = _table(dict(line.split(": ", 1) for line in header.splitlines() if not line.startswith("#")))
    table.watch = lambda told: said.append(_INDENT + _sentence(told))
    lines = [header, ""]
    for step in _steps(script):
        lines.append(step)
        _do(table, step)
        lines += said
        said.clear()
    return "\n".join(lines) + "\n"


def final(text: str) -> Town:
    """Return the table at the end of a transcript."""
    header, _, script = text.partition("\n\n")
    table = _table(dict(line.split(": ", 1) for line in header.splitlines() if not line.startswith("#")))
    for step in _steps(script):
        _do(table, step)
    return table


def _steps(script: str) -> Iterator[str]:
    return (line for line in script.splitlines() if line and not line.startswith(_INDENT))


def _sentence(told: Told) -> str:
    return GAME.narrate(told.before, told.after, told.author, told.event, told.opened, ALL)


def _table(header: dict[str, str]) -> Town:
    names = tuple(header["players"].split(", "))
    table = Town(GAME, setup(len(names)), names, draw=Chance(1))
    clues = [_kind(word) for word in header["clues"].split(", ")]
    rest = [*range(len(EDITION.cards)), *[WITNESS] * EDITION.question_witness]
    for kind in clues:
        rest.remove(kind)
    cases = [*header["cases"].split(", ")]
    cases += [letter for letter in "ABCDEFGH" if letter not in cases]
    numbers = [int(word.split()[1]) for word in header["numbers"].split(", ")]
    values = {
        **dict(enumerate(clues + rest)),
        **{TOPS + suspect: number for suspect, number in enumerate(numbers)},
        **{CASES_AT + n: case_kind(EDITION, "ABCDEFGH".index(letter)) for n, letter in enumerate(cases)},
    }
    table.pile = replace(table.pile, values=tuple(values.items()))
    return table


def _kind(word: str) -> int:
    return WITNESS if word == "Question Witness" else card(*word.split(" / "))


def _do(table: Town, step: str) -> None:
    who, _, what = step.partition(": ")
    if who == "throw":
        table.throw(int(what))
    else:
        table.take(table.play.town.names.index(who), what)
