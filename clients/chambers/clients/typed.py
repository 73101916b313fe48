"""What a typed line means: a choice of the prompt, a look at something, a note, table talk, or nothing we know."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

import msgspec

from chambers.clients.in_game import COMMANDS
from chambers.protocol.client import Ask, Choice


class Sight(StrEnum):
    """What `look` can show."""

    BOARD = "board"
    HAND = "hand"
    SHEET = "sheet"
    LOG = "log"
    NOTES = "notes"


class Chosen(msgspec.Struct, frozen=True):
    """The line picks this option of the prompt."""

    option: Choice

    def __repr__(self) -> str:
        return "Chosen(...)"


class LookAt(msgspec.Struct, frozen=True):
    """The player wants to see something."""

    sight: Sight


class Again(msgspec.Struct, frozen=True):
    """The player wants the prompt repeated."""


class Rule(msgspec.Struct, frozen=True):
    """The player wants the rule behind the prompt."""


class Jot(msgspec.Struct, frozen=True):
    """The player's notes, whole."""

    text: str

    def __repr__(self) -> str:
        return "Jot(...)"


class Speak(msgspec.Struct, frozen=True):
    """Table talk."""

    text: str


class Quit(msgspec.Struct, frozen=True):
    """The client leaves; the seat stays."""


class Nothing(msgspec.Struct, frozen=True):
    """An empty line."""


class Unclear(msgspec.Struct, frozen=True):
    """The line means nothing here, or several things; the sentence says which."""

    sentence: str


Typed = Chosen | LookAt | Again | Rule | Jot | Speak | Quit | Nothing | Unclear

NOTE_LIMIT = 2000
TALK_LIMIT = 200
_ACCUSE: Final = "accuse"
_BLANK: Final = "-"
_WORD = re.compile(r"[\w*]+")


def read_line(line: str, ask: Ask | None) -> Typed:
    """Return what a typed line means while `ask` is open; a line nobody understands comes back as `Unclear`."""
    text = line.strip()
    if not text:
        return Nothing()
    first, _, rest = text.partition(" ")
    rest = rest.strip()
    match first.lower():
        case "?" | "help":
            return _question_mark(rest)
        case "quit" | "exit":
            return Quit()
        case "look":
            return _look(rest)
        case "note":
            return _note(rest)
        case "say" if rest:
            return Speak(rest) if len(rest) <= TALK_LIMIT else Unclear(f"Talk holds {TALK_LIMIT} characters at most.")
        case "say":
            return Unclear("Say what? Type: say and then the words.")
    return _choice(text, ask)


def _question_mark(rest: str) -> Typed:
    if not rest:
        return Again()
    if rest.lower() == "rule":
        return Rule()
    return Unclear("Type ? for the prompt again, or ? rule for the rule behind it.")


def _note(rest: str) -> Typed:
    if not rest:
        return LookAt(Sight.NOTES)
    if len(rest) > NOTE_LIMIT:
        return Unclear(f"Notes hold {NOTE_LIMIT} characters at most.")
    return Jot("" if rest == _BLANK else rest)


def _look(rest: str) -> Typed:
    try:
        return LookAt(Sight(rest.lower() or "board"))
    except ValueError:
        return Unclear(f"You can look at: {', '.join(Sight)}.")


def _choice(text: str, ask: Ask | None) -> Typed:
    if ask is None:
        return Unclear(f"Nothing is asked of you now. You can type: {COMMANDS}.")
    if text.isdecimal():
        number = int(text) if len(text) < 6 else 0
        if 1 <= number <= len(ask.options):
            return Chosen(ask.options[number - 1])
        return Unclear(f"Choose a number from 1 to {len(ask.options)}, or type ? to see the choices again.")
    lowered = text.lower()
    for option in ask.options:
        if lowered in (option.id.lower(), option.label.lower()):
            return Chosen(option)
    return _by_words(lowered, ask)


def _by_words(text: str, ask: Ask) -> Typed:
    words = _WORD.findall(text)
    if not any(word[0].isalpha() and len(word) > 1 for word in words):
        return Unclear("That is none of the choices. Type ? to see them again.")
    for whole in (True, False):
        fitting = [option for option in ask.options if _fits(words, option, whole=whole)]
        meant = [option for option in fitting if _names_its_act(words, option, whole=whole)]
        if len(meant) == 1:
            return Chosen(meant[0])
        if meant:
            return Unclear(f"That could be {len(meant)} choices: {_labels(meant)}")
        if fitting:
            # A choice cannot be undone, so a word that only occurs in one is no choice yet.
            return Unclear(f"Type its number, or begin with its first word, if you mean: {_labels(fitting)}")
    return Unclear("That is none of the choices. Type ? to see them again.")


def _labels(options: list[Choice]) -> str:
    return "; ".join(option.label for option in options[:4]) + (" ..." if len(options) > 4 else "")


def _fits(words: list[str], option: Choice, *, whole: bool) -> bool:
    known = _WORD.findall(f"{option.label} {option.id.replace('.', ' ')}".lower())
    if whole:
        return all(word in known for word in words)
    return all(_begins(word, known) for word in words)


def _names_its_act(words: list[str], option: Choice, *, whole: bool) -> bool:
    act, _, rest = option.id.lower().partition(".")
    if act == _ACCUSE:
        return _ACCUSE in words
    label = _WORD.findall(option.label.lower())
    if rest and label[:1] == [rest]:
        return True  # a place: its label is an address and a name, and any part of them says where
    acts = [act, *label[:1]]
    return any(word in acts if whole else _begins(word, acts) for word in words)


def _begins(word: str, known: list[str]) -> bool:
    # A single letter names a suspect and is short for nothing: "accuse A" must not accuse B.
    return word in known or (len(word) > 1 and any(one.startswith(word) for one in known))
