"""Questions that a command asks a person at the terminal: again after a typo, until an answer or the end of input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from chambers.clients.exits import could_not
from chambers.clients.pipes import tell

_Answer = TypeVar("_Answer")


class Mistyped(Exception):
    """What was typed is no answer; the sentence says what was expected."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def ask(question: str, answer: Callable[[str], _Answer]) -> _Answer:
    """Return what `answer` makes of a typed line, asking again as often as it is `Mistyped` or empty.

    The end of input ends the command with one sentence and exit code 2.
    """
    while True:
        sys.stderr.write(question)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            sys.stderr.write("\n")
            could_not(f"No answer came to: {question.strip()}")
        if not line.strip():
            continue
        try:
            return answer(line.strip())
        except Mistyped as mistyped:
            tell(mistyped.sentence, err=True)
