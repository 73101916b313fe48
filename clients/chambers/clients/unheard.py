"""What a player noted or said and the vault has not shown yet: it is sent again after a break, and said once."""

from __future__ import annotations

from typing import Final

from chambers.protocol.client import ChoiceRefused, Note, Talk, Update

PACE_S: Final = 1.25
"""A vault takes one word a second; what has gathered during a break is sent again a little slower than that."""
_OF_NO_WORD: Final = frozenset({"client", "frame", "luck", "seat", "ticket", "vault"})
"""What refuses neither talk nor notes: it may come at any time, and what was said may still be on its way."""


class Unheard:
    """The newest note and everything said at a seat, each until an update shows it or the vault refuses it."""

    def __init__(self, seat: int = -1) -> None:
        self._seat = seat
        self._note: str | None = None
        self._said: list[str] = []
        self._again: list[str] = []
        self._sent_at = -PACE_S
        self._read: set[int] = set()

    def __repr__(self) -> str:
        return f"Unheard({self._note is not None}, {len(self._said)})"

    def noted(self, text: str) -> None:
        """Remember notes, which are kept whole: older ones need not be sent any more."""
        self._note = text

    def said(self, text: str) -> None:
        """Remember something that was said to the table, as the log will have it."""
        self._said.append(" ".join(text.split()))

    def shown(self, update: Update) -> None:
        """Forget what an update shows: the notes, and what now stands in the log."""
        if self._note is not None and update.view.get("notes") == self._note:
            self._note = None
        names = update.view.get("names", ())
        name = str(names[self._seat]) if 0 <= self._seat < len(names) else ""
        for line in update.lines:
            if line.sequence in self._read:
                continue  # the same words, said long ago
            self._read.add(line.sequence)
            said = (text for text in self._said if _is(line.text, f"{name} says: {text}", whole=bool(name)))
            text = next(said, None)
            if text is not None:
                self._said.remove(text)

    def refused(self, refusal: ChoiceRefused) -> None:
        """Forget what the vault will not take: a refusal of no prompt names no words, but its code tells which."""
        family = refusal.code.partition("/")[0]
        if refusal.prompt or family in _OF_NO_WORD:
            return
        if family == "note":
            self._note = None
        elif self._said:
            # what came too fast came after something else
            self._said.pop(-1 if refusal.code == "say/too-fast" else 0)

    def after_break(self) -> tuple[Note, ...]:
        """Return the notes that have to be sent again; `next_word` has what was said."""
        self._again, self._sent_at = list(self._said), -PACE_S
        return () if self._note is None else (Note(text=self._note),)

    def next_word(self, now: float) -> tuple[Talk, ...]:
        """Return what has to be said again at `now` (s), at most one thing: it was said before the break."""
        if now - self._sent_at < PACE_S:
            return ()
        while self._again:
            text = self._again.pop(0)
            if text in self._said:
                self._sent_at = now
                return (Talk(text=text),)
        return ()


def _is(line: str, said: str, *, whole: bool) -> bool:
    return line == said if whole else line.endswith(said)
