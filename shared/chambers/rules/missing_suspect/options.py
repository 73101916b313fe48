"""The table options of the missing-suspect game: what may be agreed before the deal, and what was."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.rules.errors import RuleError
from chambers.rules.terms import OptionSpec, Setup
from chambers.rules.usual_options import ANSWER_FLOOR, NUMBER, STALL

_YES_NO: Final = ("no", "yes")
_LIMIT: Final = ("none", NUMBER)
_LONGEST: Final = 6

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
        allowed=_YES_NO,
        meaning="Every Detective Case card is shown to everybody as it is drawn (MS-37).",
    ),
    OptionSpec(
        name="show_values",
        default="yes",
        allowed=_YES_NO,
        meaning="The screen goes on showing the number of a clue that the seat has once held.",
    ),
    OptionSpec(
        name="turn_limit",
        default="none",
        allowed=_LIMIT,
        meaning="Seconds for each choice of one's own turn; then the vault makes the safe one (MS-44).",
    ),
    OptionSpec(
        name="answer_limit",
        default="none",
        allowed=_LIMIT,
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


def admits(spec: OptionSpec, value: str) -> bool:
    """Return whether an option takes the value; `seconds` among the allowed words stands for up to six digits."""
    if NUMBER in spec.allowed and value.isascii() and value.isdigit():
        return len(value) <= _LONGEST
    return value in spec.allowed and value != NUMBER


def check_options(given: tuple[tuple[str, str], ...]) -> None:
    """Refuse (RuleError) options that are not exactly this game's, each with a value that it takes."""
    names = [name for name, _ in given]
    known = {spec.name: spec for spec in OPTIONS}
    for name, value in given:
        spec = known.get(name)
        if spec is None:
            raise RuleError("rule/option-unknown", f"This game has no option {name}.")
        if not admits(spec, value):
            raise RuleError("rule/option-value", f"Option {name} takes {', '.join(spec.allowed)}, not {value}.")
    if len(names) != len(set(names)):
        raise RuleError("rule/option-twice", "An option is given twice.")
    missing = [name for name in known if name not in names]
    if missing:
        raise RuleError("rule/option-missing", f"Every option needs a value; missing: {', '.join(missing)}.")


def _milliseconds(value: str) -> int | None:
    return int(value) * 1000 if value.isdigit() else None


def agreed(setup: Setup) -> Options:
    """Return the options of a checked setup, ready to use."""
    given = dict(setup.opening.options)
    return Options(
        no_dot_twice=given["retrace"] == "dot",
        free_ask=given["empty_ask"] == "free",
        open_cases=given["open_cases"] == "yes",
        show_values=given["show_values"] == "yes",
        turn_limit=_milliseconds(given["turn_limit"]),
        answer_limit=_milliseconds(given["answer_limit"]),
    )
