"""Names and verbs in a sentence: the reader's own seat is `you`, every other a name."""

from __future__ import annotations

from collections.abc import Callable

from chambers.rules.roles import seat_of
from chambers.rules.terms import Viewer


class Voice:
    """How sentences for one viewer speak of seats; `called` gives a player's name."""

    def __init__(self, called: Callable[[int], str], viewer: Viewer) -> None:
        self._called = called
        self.seat = seat_of(viewer)

    def name(self, seat: int) -> str:
        """Return a player's name, or `you`."""
        return "you" if seat == self.seat else self._called(seat)

    def whose(self, seat: int) -> str:
        """Return a player's name in the genitive, or `your`."""
        return "your" if seat == self.seat else f"{self._called(seat)}'s"

    def sentence(self, text: str) -> str:
        """Return a sentence that may begin with `you` or `your` with its capital; a player's name stays as it is."""
        own = self.seat is not None and text.startswith(("you ", "your "))
        return f"Y{text[1:]}" if own else text

    def verb(self, seat: int, verb: str, third: str = "") -> str:
        """Return a verb in the person of a seat; `third` where an s is not enough."""
        return verb if seat == self.seat else third or verb + "s"

    def does(self, seat: int, verb: str, third: str = "") -> str:
        """Return a seat and its verb."""
        return f"{self.name(seat)} {self.verb(seat, verb, third)}"
