"""Names and verbs as one viewer reads them, and how the chart's results are printed."""

from __future__ import annotations

from typing import Final

from chambers.rules.missing_suspect.edition import ChartResult, card_name
from chambers.rules.missing_suspect.play import Play, Stage
from chambers.rules.roles import seat_of
from chambers.rules.terms import Viewer

CHART_WORDS: Final = {
    ChartResult.LYING: "Lying Witness",
    ChartResult.CHECK: "Check Suspect",
    ChartResult.CLUE: "Ask for Clue",
    ChartResult.TRADE: "Trade Clues",
    ChartResult.NUMBER: "Ask for Suspect Number",
    ChartResult.NEW: "Pick Up New Clue",
}
VAULT_DOES: Final = {
    Stage.PLACE: "takes the next free spot",
    Stage.MOVE: "drives as far as it can",
    Stage.OFFICE: "keeps the old case",
    Stage.RED: "draws nothing",
    Stage.CAPTURE: "leaves the suspect",
    Stage.DISCARD: "discards the new card",
    Stage.CHECK: "checks the next suspect",
    Stage.OFFER: "asks nobody",
    Stage.ASK: "asks nothing",
    Stage.POINT: "asks nobody",
    Stage.ANSWER: "gives the card drawn longest ago",
}


class Words:
    """The viewer's own seat is `you`, every other a name."""

    def __init__(self, play: Play, viewer: Viewer) -> None:
        self.play = play
        self.seat = seat_of(viewer)

    def name(self, seat: int) -> str:
        """Return a player's name, or `you`."""
        return "you" if seat == self.seat else self.play.name(seat)

    def whose(self, seat: int) -> str:
        """Return a player's name in the genitive, or `your`."""
        return "your" if seat == self.seat else f"{self.play.name(seat)}'s"

    def verb(self, seat: int, verb: str, third: str = "") -> str:
        """Return a verb in the person of a seat; `third` where an s is not enough."""
        return verb if seat == self.seat else third or verb + "s"

    def does(self, seat: int, verb: str, third: str = "") -> str:
        """Return a seat and its verb."""
        return f"{self.name(seat)} {self.verb(seat, verb, third)}"

    def card(self, kind: int) -> str:
        """Return what is printed on a card."""
        return card_name(self.play.town.edition, kind)

    def suspect(self, suspect: int) -> str:
        """Return what a suspect is called."""
        return self.play.suspect(suspect)
