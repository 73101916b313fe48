"""How this game refuses, and the headings of its rulebook that refusals and prompts name."""

from __future__ import annotations

from typing import Final, NoReturn

from chambers.rules.errors import RuleError
from chambers.rules.missing_suspect.play import Play, Stage

START: Final = "Start of Play"
MOVES: Final = "Moves on the Board"
FIRST_CASE: Final = "Picking Up a Detective Case"
COLLECTING: Final = "Collecting Clues"
DRAWING: Final = "How to Draw Clue Cards"
WITNESS_CARDS: Final = '"Question Witness" Cards'
INQUESTS: Final = "Questioning Witness at Inquest Spots"
CHECKING: Final = "Checking Suspects on the Board"
NEW_CASE: Final = "Picking Up a New Detective Case"
SOLVING: Final = "Solving a Detective Case"
CAPTURING: Final = "Capturing a Suspect and Bringing Him to Trial"
WINNER: Final = "Winner"
CHART: Final = "Explanation of Question Witness Chart"
HOW: Final = "How to Play"

_AWAITED: Final = {
    Stage.FIRST: "The players throw for Dealer now.",
    Stage.PLACE: "{turn} places the suspects now.",
    Stage.CLAIM: "{turn}'s vault says now whether the case is still solved.",
    Stage.ROLL: "The die is thrown now.",
    Stage.MOVE: "{turn} drives now.",
    Stage.OFFICE: "{turn} takes a new case now, or keeps the old one.",
    Stage.CASE: "The dealer hands {turn} a case now.",
    Stage.SHOW: "{turn}'s vault shows the new case now.",
    Stage.RETURN: "{turn}'s vault puts the old case under the pile now.",
    Stage.RED: "{turn} takes a clue card now, or does not.",
    Stage.DRAW: "The dealer hands {turn} a clue card now.",
    Stage.KEEP: "{turn} says now whether the card is a Question Witness.",
    Stage.DISCARD: "{turn} discards a card now.",
    Stage.STOW: "{turn}'s vault puts Question Witness under the pile now.",
    Stage.WITNESS: "The die is thrown for the chart now.",
    Stage.CHART: "{turn}'s vault reads the chart now.",
    Stage.CHECK: "{turn} chooses a suspect to check now.",
    Stage.LOOK: "The dealer shows {turn} a number now.",
    Stage.CAPTURE: "{turn} captures the suspect now, or leaves him.",
    Stage.OFFER: "{turn} turns to another player for a clue card now, or does not.",
    Stage.ASK: "{turn} names a clue now.",
    Stage.ANSWER: "{target} answers now.",
    Stage.SWAP: "{turn}'s vault hands the offered card over now.",
    Stage.POINT: "{turn} asks for a suspect's number now, or does not.",
    Stage.TELL: "{target}'s vault answers now.",
    Stage.OPENCARDS: "{turn}'s vault proves the case now.",
    Stage.OVER: "The game is over.",
}


def refuse(code: str, sentence: str, *, section: str, ruling: str = "") -> NoReturn:
    """Refuse a move: raise the RuleError `rule/<code>`."""
    raise RuleError(f"rule/{code}", sentence, section=section, ruling=ruling)


def awaited(play: Play) -> str:
    """Return the sentence that says what the table waits for."""
    target = "" if play.asked is None else play.name(play.asked.target)
    return _AWAITED[play.stage].format(turn=play.name(play.turn), target=target)


def refuse_now(play: Play, *, section: str, ruling: str = "MS-45") -> NoReturn:
    """Refuse a move that does not belong to this moment of the turn."""
    refuse("not-now", f"Not now. {awaited(play)}", section=section, ruling=ruling)
