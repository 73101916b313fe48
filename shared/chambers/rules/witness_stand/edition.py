"""What an edition of the witness-stand game consists of: a case, its cards and the board."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

SUSPECTS: Final = 4
QUESTIONS: Final = 5
ANSWERS: Final = SUSPECTS * QUESTIONS * 2
OBJECT: Final = ANSWERS
OVERRULED: Final = ANSWERS + 1
EXCLUDED: Final = ANSWERS + 2
DISMISSED: Final = ANSWERS + 3
KINDS: Final = ANSWERS + 4
LETTERS: Final = "ABCD"


class SpaceKind(StrEnum):
    """What a space of the board does to the pawn that lands on it."""

    CALL = "call"
    PERRY = "perry"
    DELLA = "della"
    DRAKE = "drake"
    BURGER = "burger"
    ANY_CORNER = "any_corner"
    FIFTH = "fifth"


class Space(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One space, clockwise from 0: its place on the drawn board, and for a call whom it calls and how."""

    kind: SpaceKind
    col: int
    row: int
    corner: bool = False
    suspect: int | None = None
    confidential: bool = False


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question to a suspect with its plain (unstarred) and its starred (incriminating) answer."""

    text: str
    plain: str
    starred: str


class Suspect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the four suspects, A..D, with five questions."""

    name: str
    about: str
    questions: tuple[Question, ...]


class ActionCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action card: its printed name, how many there are, and how many with two to four players."""

    name: str
    count: int
    count_small: int


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One case with its board. `spaces` names what each kind of space is called in this edition."""

    name: str
    game: str
    title: str
    story: str
    reconstruction: bool
    suspects: tuple[Suspect, ...]
    objection: ActionCard
    overruled: ActionCard
    excluded: ActionCard
    dismissed: ActionCard
    space_names: dict[SpaceKind, str]
    board: tuple[Space, ...]


def answer(suspect: int, question: int, *, starred: bool) -> int:
    """Return the card kind 0..39 of an answer: suspect 0..3, question 0..4."""
    return suspect * 10 + question * 2 + starred


def suspect_of(kind: int) -> int:
    """Return the suspect 0..3 of an answer card."""
    return kind // 10


def question_of(kind: int) -> int:
    """Return the question 0..19 (suspect * 5 + number) that an answer card answers."""
    return kind // 2


def is_answer(kind: int) -> bool:
    """Return whether a card is an answer, not an action card."""
    return kind < ANSWERS


def is_starred(kind: int) -> bool:
    """Return whether a card is a starred answer."""
    return kind < ANSWERS and kind % 2 == 1


def question_name(question: int) -> str:
    """Return a question's short name, `A1`..`D5`."""
    return f"{LETTERS[question // QUESTIONS]}{question % QUESTIONS + 1}"


def card_code(kind: int) -> str:
    """Return a card's short code: `B3*` starred, `B3.` plain, or an action card's name in capitals."""
    if kind < ANSWERS:
        return question_name(question_of(kind)) + ("*" if kind % 2 else ".")
    return ("OBJECT", "OVERRULED", "EXCLUDED", "DISMISSED")[kind - ANSWERS]


def card_text(edition: Edition, kind: int) -> str:
    """Return what is printed on a card: an answer's words, or an action card's name."""
    if kind < ANSWERS:
        question = edition.suspects[suspect_of(kind)].questions[question_of(kind) % QUESTIONS]
        return question.starred if is_starred(kind) else question.plain
    return (edition.objection, edition.overruled, edition.excluded, edition.dismissed)[kind - ANSWERS].name


def copies(edition: Edition, seats: int) -> tuple[int, ...]:
    """Return how many cards of each kind there are, envelope included: 44 numbers (WS: Setting Up the Game)."""
    small = seats <= 4
    actions = (edition.objection, edition.overruled, edition.excluded, edition.dismissed)
    return (1,) * ANSWERS + tuple(card.count_small if small else card.count for card in actions)
