"""The table options of the witness-stand game: what may be agreed before the deal, and what was."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.rules.terms import OptionSpec, Setup
from chambers.rules.usual_options import ANSWER_FLOOR, LIMIT, STALL, YES_NO, milliseconds

OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec(
        name="step3",
        default="witness",
        allowed=("witness", "literal", "always"),
        meaning="When step 3 has a question: after a space that calls or grants one, only after Della Street, "
        "Paul Drake and Perry Mason, or whenever a suspect is out (WS-1).",
    ),
    OptionSpec(
        name="dismiss_chambers",
        default="no",
        allowed=YES_NO,
        meaning="Witness Dismissed may also send a suspect away from the judge's door (WS-26).",
    ),
    OptionSpec(
        name="burger_skips_out",
        default="no",
        allowed=YES_NO,
        meaning="A Hamilton Burger gift passes by players who accused wrongly (WS-28).",
    ),
    OptionSpec(
        name="out_chat",
        default="no",
        allowed=YES_NO,
        meaning="A player who accused wrongly may go on talking at the table (WS-35).",
    ),
    OptionSpec(
        name="last_player_wins",
        default="no",
        allowed=YES_NO,
        meaning="The last player who has not accused wrongly wins at once (WS-36).",
    ),
    OptionSpec(
        name="wrong_accusation",
        default="out",
        allowed=("out", "half"),
        meaning="A wrong accuser is out of the game; with half, the score also loses half a win.",
    ),
    OptionSpec(
        name="assist",
        default="no",
        allowed=YES_NO,
        meaning="Players are shown the odds that follow from their own question sheet.",
    ),
    OptionSpec(
        name="turn_limit",
        default="none",
        allowed=LIMIT,
        meaning="Seconds for each choice of one's own turn; then the vault makes the safe one.",
    ),
    OptionSpec(
        name="answer_limit",
        default="none",
        allowed=LIMIT,
        meaning="Seconds to answer a question; then the vault answers, the unstarred card first.",
    ),
    OptionSpec(
        name="object_window",
        default="10",
        allowed=("none", "seconds", "full-seconds", "skip"),
        meaning="How long objections are waited for: until everybody passes, at most so many seconds, always "
        "exactly so many, or not at all (then objections cannot be played).",
    ),
    ANSWER_FLOOR,
    STALL,
)


class Options(msgspec.Struct, frozen=True):
    """What a table agreed on, ready to use: limits in milliseconds, None for no limit."""

    step3: str
    dismiss_chambers: bool
    burger_skips_out: bool
    out_chat: bool
    last_player_wins: bool
    half: bool
    assist: bool
    turn_limit: int | None
    answer_limit: int | None
    window: int | None
    window_full: bool
    window_skip: bool


def agreed(setup: Setup) -> Options:
    """Return the options of a checked setup, ready to use."""
    given = dict(setup.opening.options)
    window = given["object_window"]
    return Options(
        step3=given["step3"],
        dismiss_chambers=given["dismiss_chambers"] == "yes",
        burger_skips_out=given["burger_skips_out"] == "yes",
        out_chat=given["out_chat"] == "yes",
        last_player_wins=given["last_player_wins"] == "yes",
        half=given["wrong_accusation"] == "half",
        assist=given["assist"] == "yes",
        turn_limit=milliseconds(given["turn_limit"]),
        answer_limit=milliseconds(given["answer_limit"]),
        window=milliseconds(window),
        window_full=window.startswith("full-"),
        window_skip=window == "skip",
    )
