"""Names and verbs as one viewer reads them, and how the chart's results are printed."""

from __future__ import annotations

from typing import Final

from chambers.rules.missing_suspect.edition import ChartResult, card_name
from chambers.rules.missing_suspect.play import Play, Stage
from chambers.rules.terms import Viewer
from chambers.rules.voice import Voice

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


class Words(Voice):
    """What the viewer reads of seats, cards and suspects of this game."""

    def __init__(self, play: Play, viewer: Viewer) -> None:
        super().__init__(play.name, viewer)
        self.play = play

    def card(self, kind: int) -> str:
        """Return what is printed on a card."""
        return card_name(self.play.town.edition, kind)

    def suspect(self, suspect: int) -> str:
        """Return what a suspect is called."""
        return self.play.suspect(suspect)
