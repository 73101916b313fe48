"""The one error of fairness: evidence that does not hold. Whoever meets it stops the table and shows the evidence."""

from __future__ import annotations


class FairnessError(Exception):
    """Bytes that do not prove what they claim: a stable `code` (`fairness/...`) and a `sentence` without any secret."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence
