"""Whether a witness-stand edition can be played: its suspects, texts, cards and board against the rulebook's facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chambers.editions.errors import Fault
from chambers.editions.texts import NAME_LIMIT, TEXT_LIMIT, head_faults, text_faults, twin_faults
from chambers.rules.witness_stand.edition import LETTERS, QUESTIONS, SUSPECTS, ActionCard, Edition, Space, SpaceKind

GAME: Final = "witness-stand"
QUESTION_LIMIT: Final = 120
CARD_LIMIT: Final = 20
BOARD_SIZES: Final = range(12, 61)
DRAWN: Final = range(16)
CORNERS: Final = 4
CORNER_KINDS: Final = (SpaceKind.PERRY, SpaceKind.DELLA, SpaceKind.DRAKE, SpaceKind.FIFTH)

_SETUP: Final = "Setting Up the Game"
_QUESTIONING: Final = "Questioning a Suspect"
_ACTIONS: Final = "Action Cards"
_SPACES: Final = "Special Spaces"


def faults(edition: Edition, /) -> tuple[Fault, ...]:
    """Return every fault of a well-formed edition, in the order of its fields; empty for a sound one."""
    return (
        *head_faults(name=edition.name, game=edition.game, title=edition.title, story=edition.story, expected=GAME),
        *_suspects(edition),
        *_said_once(edition),
        *_cards(edition),
        *_space_names(edition),
        *_spaces(edition.board),
        *_track(edition.board),
        *_corners(edition.board),
        *_every_space(edition.board),
    )


def _suspects(edition: Edition) -> Iterator[Fault]:
    if len(edition.suspects) != SUSPECTS:
        yield Fault("suspects", f"there are {len(edition.suspects)}; a case has {SUSPECTS}", _SETUP)
    for number, suspect in enumerate(edition.suspects, 1):
        place = f"suspects no. {number}"
        yield from text_faults(f"{place}, name", suspect.name, NAME_LIMIT)
        yield from text_faults(f"{place}, about", suspect.about, TEXT_LIMIT)
        if len(suspect.questions) != QUESTIONS:
            count = len(suspect.questions)
            yield Fault(f"{place}, questions", f"there are {count}; every suspect has {QUESTIONS}", _SETUP)
        for count, question in enumerate(suspect.questions, 1):
            here = f"{place}, questions no. {count}"
            yield from text_faults(f"{here}, text", question.text, QUESTION_LIMIT)
            yield from text_faults(f"{here}, plain", question.plain, TEXT_LIMIT)
            yield from text_faults(f"{here}, starred", question.starred, TEXT_LIMIT)


def _said_once(edition: Edition) -> Iterator[Fault]:
    suspects = [(f"suspects no. {n}", suspect) for n, suspect in enumerate(edition.suspects, 1)]
    questions = [
        (f"{place}, questions no. {n}", question)
        for place, suspect in suspects
        for n, question in enumerate(suspect.questions, 1)
    ]
    yield from twin_faults([(f"{place}, name", suspect.name) for place, suspect in suspects], _SETUP)
    yield from twin_faults([(f"{place}, text", question.text) for place, question in questions], _QUESTIONING)
    answers = [
        answer
        for place, question in questions
        for answer in ((f"{place}, plain", question.plain), (f"{place}, starred", question.starred))
    ]
    yield from twin_faults(answers, _QUESTIONING)


def _cards(edition: Edition) -> Iterator[Fault]:
    cards = (
        ("objection", edition.objection),
        ("overruled", edition.overruled),
        ("excluded", edition.excluded),
        ("dismissed", edition.dismissed),
    )
    for place, card in cards:
        yield from text_faults(f"{place}, name", card.name, NAME_LIMIT)
        yield from _count(place, card)
    yield from twin_faults([(f"{place}, name", card.name) for place, card in cards], _ACTIONS)


def _count(place: str, card: ActionCard) -> Iterator[Fault]:
    if not 1 <= card.count <= CARD_LIMIT:
        yield Fault(f"{place}, count", f"is {card.count}; there must be 1 to {CARD_LIMIT} of this card", _ACTIONS)
        return
    removed = 1 if place == "excluded" else 0
    if card.count_small != card.count - removed:
        sentence = f"is {card.count_small}; with two to four players {removed or 'none'} of the {card.count} is removed"
        yield Fault(f"{place}, count_small", sentence, _SETUP)


def _space_names(edition: Edition) -> Iterator[Fault]:
    for kind in SpaceKind:
        if kind not in edition.space_names:
            yield Fault("space_names", f"{kind} is missing", _SPACES)
    names = [(f"space_names, {kind}", name) for kind, name in edition.space_names.items()]
    for place, name in names:
        yield from text_faults(place, name, NAME_LIMIT)
    yield from twin_faults(names, _SPACES)


def _spaces(board: tuple[Space, ...]) -> Iterator[Fault]:
    for number, space in enumerate(board, 1):
        place = f"board no. {number}"
        if space.col not in DRAWN or space.row not in DRAWN:
            yield Fault(place, f"lies outside columns and rows 0 to {DRAWN[-1]}")
        if space.kind is SpaceKind.CALL:
            if space.suspect not in range(SUSPECTS):
                yield Fault(place, f"calls nobody: `suspect` must be one of {', '.join(LETTERS)}", _SPACES)
        elif space.suspect is not None:
            yield Fault(place, f"is of kind {space.kind}, and only a call has a `suspect`", _SPACES)
        elif space.confidential:
            yield Fault(place, f"is of kind {space.kind}, and only a call can be `confidential`", _SPACES)


def _track(board: tuple[Space, ...]) -> Iterator[Fault]:
    if len(board) not in BOARD_SIZES:
        yield Fault("board", f"has {len(board)} spaces; it must have {BOARD_SIZES[0]} to {BOARD_SIZES[-1]}")
    cells: dict[tuple[int, int], int] = {}
    for number, space in enumerate(board, 1):
        first = cells.setdefault((space.col, space.row), number)
        if first != number:
            yield Fault(f"board no. {number}", f"lies on the same column and row as no. {first}")
    broken = False
    for number, space in enumerate(board, 1):
        after = board[number % len(board)]
        if abs(after.col - space.col) + abs(after.row - space.row) != 1:
            broken = True
            place = f"board no. {number}"
            yield Fault(place, f"does not touch no. {number % len(board) + 1}, the next space of the track")
    if board and not broken and len(cells) == len(board) and _turning(board) <= 0:
        yield Fault("board", "runs counter-clockwise; spaces are listed the way that pawns move, clockwise", "Play")


def _turning(board: tuple[Space, ...]) -> int:
    """Return twice the area inside the track: above 0 when it runs clockwise, with rows counted downwards."""
    following = board[1:] + board[:1]
    return sum(here.col * after.row - after.col * here.row for here, after in zip(board, following, strict=True))


def _corners(board: tuple[Space, ...]) -> Iterator[Fault]:
    corners = [number for number, space in enumerate(board) if space.corner]
    if len(corners) != CORNERS:
        yield Fault("board", f"has {len(corners)} corners; it must have {CORNERS}", _SETUP)
    for number in corners:
        before, space, after = board[number - 1], board[number], board[(number + 1) % len(board)]
        if before.col == after.col or before.row == after.row:
            yield Fault(f"board no. {number + 1}", "is marked as a corner, and the track does not turn there")
        if space.kind not in CORNER_KINDS:
            kinds = ", ".join(CORNER_KINDS)
            yield Fault(f"board no. {number + 1}", f"is a corner of kind {space.kind}; a corner is {kinds}", _SPACES)


def _every_space(board: tuple[Space, ...]) -> Iterator[Fault]:
    for kind in SpaceKind:
        if all(space.kind is not kind for space in board):
            yield Fault("board", f"has no space of kind {kind}", _SPACES)
    calls = {(space.suspect, space.confidential) for space in board if space.kind is SpaceKind.CALL}
    for suspect, letter in enumerate(LETTERS):
        for confidential, manner in ((False, "plain"), (True, "confidential")):
            if (suspect, confidential) not in calls:
                yield Fault("board", f"has no {manner} call of suspect {letter}", _SPACES)
