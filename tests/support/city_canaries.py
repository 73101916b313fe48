"""A missing-suspect edition whose clues and cases have names that occur nowhere else, and what a text tells by them."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from pathlib import Path
from typing import Final, cast

from chambers import editions
from chambers.protocol.client import FromVault, Update
from chambers.rules.missing_suspect.edition import Edition, case_kind, case_of, clue_code, clues_of, is_clue_card

Item = int | str
"""What may be told: a card or case by its kind, a clue's name (`clue 12`), a number (`number 7`), whose it is."""

_PRINTED: Final = cast(Edition, editions.load("missing-suspect"))
_CLUES: Final = len(_PRINTED.clues)


def canary(what: str, number: int) -> str:
    """Return the name of a clue or the title of a case in the edition."""
    return "Q" + hashlib.sha256(f"{what} {number}".encode()).hexdigest()[:15]


def write_edition(folder: Path) -> Path:
    """Return the file of a box in which the name of each clue and the title of each case is its canary."""
    shelf = resources.files("chambers.editions").joinpath("missing-suspect")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "board.toml").write_bytes(shelf.joinpath("board.toml").read_bytes())
    names = {clue.name: canary("clue", number) for number, clue in enumerate(_PRINTED.clues)}
    names |= {case.title: canary("case", number) for number, case in enumerate(_PRINTED.cases)}
    for printed, kept in (("cases.toml", "cases.toml"), ("missing-suspect.toml", "canaries.toml")):
        text = shelf.joinpath(printed).read_text()
        text = text.replace('name = "missing-suspect"', 'name = "city-canaries"', 1)
        for name, new in names.items():
            text = text.replace(f'"{name}"', f'"{new}"')
        (folder / kept).write_text(text)
    return folder / "canaries.toml"


_NAME: Final = re.compile(rb"Q[0-9a-f]{15}")
_PAIR: Final = re.compile(rb"(Q[0-9a-f]{15}) / (Q[0-9a-f]{15})")
_CODE: Final = re.compile(rb"(?<![A-Za-z0-9+/])([A-H][1-4]-[A-H][1-4])(?![A-Za-z0-9+/])")
_NUMBER: Final = re.compile(rb"(?:#|number )([3-9])(?!\d)")
_CLUE_OF: Final = {canary("clue", number).encode(): number for number in range(_CLUES)}
_CASE_OF: Final = {
    canary("case", number).encode(): case_kind(_PRINTED, number) for number in range(len(_PRINTED.cases))
}
_CARD_OF: Final = {frozenset(pair): kind for kind, pair in enumerate(_PRINTED.cards)}
_CODED: Final = {
    "-".join(clue_code(_PRINTED, clue) for clue in pair).encode(): kind for kind, pair in enumerate(_PRINTED.cards)
}


def named(data: bytes, *, codes: bool) -> set[Item]:
    """Return what bytes name by text, and, where they are all words, by a card's code or as a suspect's number."""
    found: set[Item] = set()
    for name in _NAME.findall(data):
        if name in _CLUE_OF:
            found.add(f"clue {_CLUE_OF[name]}")
        elif name in _CASE_OF:
            found.add(_CASE_OF[name])
    for one, other in _PAIR.findall(data):
        card = _CARD_OF.get(frozenset((_CLUE_OF.get(one, -1), _CLUE_OF.get(other, -1))))
        found |= set() if card is None else {card}
    if codes:
        found |= {_CODED[code] for code in _CODE.findall(data) if code in _CODED}
        found |= {f"number {value.decode()}" for value in _NUMBER.findall(data)}
    return found


def told_by(kind: int) -> set[Item]:
    """Return what whoever sees a card knows: the card and its clues, or the case and the clues that it lists."""
    case = case_of(_PRINTED, kind)
    if case is not None:
        return {kind, *(f"clue {clue}" for clue in clues_of(_PRINTED, case))}
    return {kind, *(f"clue {clue}" for clue in _PRINTED.cards[kind])} if is_clue_card(_PRINTED, kind) else {kind}


def under(suspect: int, value: int) -> set[Item]:
    """Return what whoever looks under a suspect knows."""
    return {f"number {value}", f"{_PRINTED.suspects[suspect].letter} is {value}"}


def shown_in(message: FromVault) -> set[Item]:
    """Return what a client is told in figures, not in words: the numbers on its check list, the kinds of its cards."""
    if not isinstance(message, Update) or "sheet" not in message.view:
        return set()
    numbers = message.view["sheet"]["numbers"].items()
    listed: set[Item] = {f"{letter} is {seen['number']}" for letter, seen in numbers if seen is not None}
    return listed | {card["kind"] for card in message.view["hand"]["cards"]}


def on_the_list_of_questions(message: FromVault) -> set[Item]:
    """Return the clues that a prompt to ask for one lists: all that there are."""
    asked = message.prompt if isinstance(message, Update) else None
    return {f"clue {clue}" for clue in range(_CLUES)} if asked is not None and asked.kind == "ask" else set()


ALL_ITEMS: Final[frozenset[Item]] = frozenset(
    {
        *(item for kind in range(len(_PRINTED.cards) + 1 + len(_PRINTED.cases)) for item in told_by(kind)),
        *(item for suspect in range(7) for value in range(3, 10) for item in under(suspect, value)),
    }
)
