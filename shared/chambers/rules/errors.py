"""The one error of the rules: a move that is refused, with what a player needs to understand it."""

from __future__ import annotations


class RuleError(Exception):
    """A move the rules refuse: a stable `code`, a `sentence` for the player, the rulebook `section`, our `ruling`."""

    def __init__(self, code: str, sentence: str, *, section: str = "", ruling: str = "") -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
        self.section = section
        self.ruling = ruling
