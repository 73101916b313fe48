"""What the line mode needs of every game: its views and prompts in words."""

from __future__ import annotations

from typing import Any, Protocol

from chambers.protocol.client import Ask, Choice

View = dict[str, Any]


class Wording(Protocol):
    """Words for the views of one game; views are flat, and lines come without their first word."""

    @property
    def game(self) -> str:
        """Return the name of the game whose views these are the words for."""

    @property
    def title(self) -> str:
        """Return what is played, and that it is a reconstruction where it is one."""

    def label(self, option: Choice) -> str:
        """Return what a player reads of an option."""

    def choices(self, ask: Ask, view: View) -> list[str]:
        """Return every option with its number, like ones together in a line."""

    def turn(self, view: View) -> tuple[int, int] | None:
        """Return round and seat of the turn, or None before the first."""

    def turn_text(self, view: View) -> str:
        """Return whose turn it is and how that player stands."""

    def board(self, view: View) -> list[str]:
        """Return what lies open on the table."""

    def codes(self, view: View) -> tuple[str, ...] | None:
        """Return codes of what is in the hand, or None where the view shows no hand."""

    def hand(self, view: View) -> list[str]:
        """Return the hand in words."""

    def changed(self, before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
        """Return what has come into the hand and what has left it."""

    def sheet(self, view: View) -> list[str]:
        """Return what this seat has noted for itself."""

    def solution(self, view: View) -> list[str]:
        """Return what was found out at the end; nothing where nobody won."""
