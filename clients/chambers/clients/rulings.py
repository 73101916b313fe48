"""The rulings that a prompt stands on, each in a sentence with its rulebook section."""

from __future__ import annotations

from typing import Final

from chambers.clients.rulings_city import CITY_RULINGS

RULINGS: Final[dict[str, tuple[str, str]]] = {
    **CITY_RULINGS,
    "WS-1": (
        "Play",
        "A question after the move is allowed when the space just landed on put a suspect out or grants a question; "
        "the table option step3 can narrow or widen that.",
    ),
    "WS-7": ("Special Spaces", "Della Street lets you place a suspect, Perry Mason makes you; asking is up to you."),
    "WS-8": (
        "Questioning a Suspect",
        "You may ask any other player, also one who is out of the game, but nobody who takes the Fifth.",
    ),
    "WS-13": (
        "Questioning a Suspect",
        "Answers are true: whoever holds a matching card gives it, with both in hand the choice is free; "
        "Evidence Excluded! may be given instead of either.",
    ),
    "WS-20": (
        "Action Cards",
        "Everybody but the asker may object, the one who is asked too; the window looks the same whatever you hold.",
    ),
    "WS-25": (
        "Action Cards",
        "Right after an objection anybody may overrule it; the question then stands and takes no second objection.",
    ),
    "WS-27": ("Special Spaces", "Hamilton Burger takes any card you choose; with an empty hand nothing happens."),
    "WS-31": ("Winning the Game", "You may accuse at any moment of your own turn, but not inside an open question."),
    "WS-39": ("Special Spaces", "Going to a corner is your choice; the corner then does what it says, once."),
    "WS-40": ("Setting Up the Game", "A starting corner does nothing, but Take the Fifth shelters from the start."),
    "WS-49": (
        "Play",
        "A turn is: a question, the move, a question if allowed, then an accusation, Witness Dismissed, or the end.",
    ),
}


def ruling_text(number: str) -> str:
    """Return a ruling as one line: number, section and sentence; the number alone where there is no sentence here."""
    section, sentence = RULINGS.get(number, ("", ""))
    if not sentence:
        return f"{number} (see the rules decisions in docs)" if number else "no ruling stands behind this"
    return f"{number}, {section}: {sentence}"
