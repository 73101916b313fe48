"""The table options of the missing-suspect game: what may be agreed before the deal, and what was."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.rules.terms import OptionSpec, Setup
from chambers.rules.usual_options import ANSWER_FLOOR, LIMIT, STALL, YES_NO, milliseconds

OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec(
        name="retrace",
        default="line",
        allowed=("line", "dot"),
        meaning="What may not be driven twice in one turn: a connecting line, or also a dot (MS-3).",
    ),
    OptionSpec(
        name="empty_ask",
        default="none",
        allowed=("none", "free"),
        meaning="A player without a clue card who asks for a clue learns yes or no; with free, he gets it (MS-25).",
    ),
    OptionSpec(
        name="open_cases",
        default="no",
        allowed=YES_NO,
        meaning="Every Detective Case card is shown to everybody as it is drawn (MS-37).",
    ),
    OptionSpec(
        name="show_values",
        default="yes",
        allowed=YES_NO,
        meaning="The screen goes on showing the number of a clue that the seat has once held.",
    ),
    OptionSpec(
        name="turn_limit",
        default="none",
        allowed=LIMIT,
        meaning="Seconds for each choice of one's own turn; then the vault makes the safe one (MS-44).",
    ),
    OptionSpec(
        name="answer_limit",
        default="none",
        allowed=LIMIT,
        meaning="Seconds to answer or to trade when asked; then the vault gives the card drawn longest ago.",
    ),
    ANSWER_FLOOR,
    STALL,
)


class Options(msgspec.Struct, frozen=True):
    """What a table agreed on, ready to use: limits in milliseconds, None for no limit."""

    no_dot_twice: bool
    free_ask: bool
    open_cases: bool
    show_values: bool
    turn_limit: int | None
    answer_limit: int | None


def agreed(setup: Setup) -> Options:
    """Return the options of a checked setup, ready to use."""
    given = dict(setup.opening.options)
    return Options(
        no_dot_twice=given["retrace"] == "dot",
        free_ask=given["empty_ask"] == "free",
        open_cases=given["open_cases"] == "yes",
        show_values=given["show_values"] == "yes",
        turn_limit=milliseconds(given["turn_limit"]),
        answer_limit=milliseconds(given["answer_limit"]),
    )
