"""What a player noted or said and the vault has not shown yet: it is sent again after a break, and said once."""

from __future__ import annotations

from typing import Final

from chambers.protocol.client import ChoiceRefused, FromClient, Note, Talk, Update

_REMARKS: Final = ("frame/", "luck/", "seat/", "vault/")


class Unheard:
    """The newest note and everything said, each until an update shows it or the vault refuses it."""

    def __init__(self) -> None:
        self._note: str | None = None
        self._said: list[str] = []

    def __repr__(self) -> str:
        return f"Unheard({self._note is not None}, {len(self._said)})"

    def noted(self, text: str) -> None:
        """Remember notes, which are kept whole: older ones need not be sent any more."""
        self._note = text

    def said(self, text: str) -> None:
        """Remember something that was said to the table."""
        self._said.append(text)

    def shown(self, update: Update) -> None:
        """Forget what an update shows: the notes, and what now stands in the log."""
        if self._note is not None and update.view.get("notes") == self._note:
            self._note = None
        for line in update.lines:
            text = next((text for text in self._said if line.text.endswith(f" says: {text}")), None)
            if text is not None:
                self._said.remove(text)

    def refused(self, refusal: ChoiceRefused) -> None:
        """Forget what the vault will not take: a refusal of no prompt is of the oldest word, or of the notes.

        Unless it is a remark of the vault's own, say on what it cannot do just now.
        """
        if refusal.prompt or refusal.code.startswith(_REMARKS):
            return
        if self._said:
            self._said.pop(0)
        else:
            self._note = None

    def again(self) -> tuple[FromClient, ...]:
        """Return what has to be sent again."""
        notes = () if self._note is None else (Note(text=self._note),)
        return (*notes, *(Talk(text=text) for text in self._said))
