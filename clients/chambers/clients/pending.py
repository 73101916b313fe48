"""The choice that a player has made and that has not been answered: sent again until it is, and answered once."""

from __future__ import annotations

from chambers.clients.heard import Heard, Unsent
from chambers.protocol.client import ChoiceAccepted, ChoiceRefused, Choose, FromVault

_GONE = "prompt/gone"


class Pending:
    """The newest choice. A vault that is asked again knows what it has taken; a client cannot tell from the view."""

    def __init__(self) -> None:
        self._choice: Choose | None = None
        self._broken = False
        self._returned = False
        self._repeated = ""

    def __repr__(self) -> str:
        return f"Pending({self._choice is not None})"

    def chosen(self, choice: Choose, *, cut_off: bool) -> tuple[Choose, ...]:
        """Return what to send now that this is chosen: nothing while the vault is out of reach."""
        self._choice, self._broken = choice, cut_off
        self._returned, self._repeated = cut_off, ""
        return () if cut_off else (choice,)

    def link_broke(self) -> None:
        """Take in that nobody knows whether the choice has reached the vault."""
        self._broken = self._choice is not None

    def link_is_back(self) -> tuple[Choose, ...]:
        """Return what to send again after a break."""
        if not self._broken:
            return ()
        self._broken, self._returned = False, True
        return self.unanswered()

    def unanswered(self) -> tuple[Choose, ...]:
        """Return what to send again to a vault that lives and has not answered: sent twice, it is still one move."""
        if self._choice is None:
            return ()
        self._repeated = self._choice.prompt
        return (self._choice,)

    def answered(self, message: FromVault) -> tuple[Heard, ...]:
        """Return what the player is told by a message of the vault: nothing if it answers again what was repeated."""
        if not isinstance(message, ChoiceAccepted | ChoiceRefused) or not message.prompt:
            return (message,)
        choice = self._choice
        if choice is None or message.prompt != choice.prompt:
            again = isinstance(message, ChoiceAccepted) and choice is None and message.prompt == self._repeated
            self._repeated = "" if again else self._repeated
            return () if again else (message,)
        self._choice = None
        if isinstance(message, ChoiceRefused):
            self._repeated = ""
            if message.code == _GONE and self._returned:
                return (Unsent(choice.prompt, choice.option),)
        return (message,)
