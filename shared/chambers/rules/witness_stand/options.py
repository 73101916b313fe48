"""The table options of the witness-stand game: what may be agreed before the deal, and what was."""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.rules.errors import RuleError
from chambers.rules.terms import OptionSpec, Setup
from chambers.rules.usual_options import ANSWER_FLOOR, NUMBER, STALL

_YES_NO: Final = ("no", "yes")
_LIMIT: Final = ("none", "seconds")
_LONGEST: Final = 6

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
        allowed=_YES_NO,
        meaning="Witness Dismissed may also send a suspect away from the judge's door (WS-26).",
    ),
    OptionSpec(
        name="burger_skips_out",
        default="no",
        allowed=_YES_NO,
        meaning="A Hamilton Burger gift passes by players who accused wrongly (WS-28).",
    ),
    OptionSpec(
        name="out_chat",
        default="no",
        allowed=_YES_NO,
        meaning="A player who accused wrongly may go on talking at the table (WS-35).",
    ),
    OptionSpec(
        name="last_player_wins",
        default="no",
        allowed=_YES_NO,
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
        allowed=_YES_NO,
        meaning="Players are shown the odds that follow from their own question sheet.",
    ),
    OptionSpec(
        name="turn_limit",
        default="none",
        allowed=_LIMIT,
        meaning="Seconds for each choice of one's own turn; then the vault makes the safe one.",
    ),
    OptionSpec(
        name="answer_limit",
        default="none",
        allowed=_LIMIT,
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


def admits(spec: OptionSpec, value: str) -> bool:
    """Return whether an option takes the value; `seconds` in an allowed word stands for up to six digits."""
    for word in spec.allowed:
        prefix, number, _ = word.partition(NUMBER)
        if not number and value == word:
            return True
        digits = value[len(prefix) :]
        if number and value.startswith(prefix) and len(digits) <= _LONGEST and digits.isascii() and digits.isdigit():
            return True
    return False


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
    digits = value.removeprefix("full-")
    return int(digits) * 1000 if digits.isdigit() else None


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
        turn_limit=_milliseconds(given["turn_limit"]),
        answer_limit=_milliseconds(given["answer_limit"]),
        window=_milliseconds(window),
        window_full=window.startswith("full-"),
        window_skip=window == "skip",
    )
