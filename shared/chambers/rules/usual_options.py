"""The table options that every game has, and how the options of any game are completed, checked and read."""

from __future__ import annotations

from typing import Final

from chambers.rules.errors import RuleError
from chambers.rules.terms import OptionSpec

NUMBER: Final = "seconds"
"""Stands, alone or at the end of an allowed word, for a whole number of up to six digits."""
YES_NO: Final = ("no", "yes")
LIMIT: Final = ("none", NUMBER)

_LONGEST: Final = 6

ANSWER_FLOOR: Final = OptionSpec(
    name="answer_floor_ms",
    default="1500",
    allowed=(NUMBER,),
    meaning="Milliseconds before which no vault sends a chosen answer, so that its speed says nothing.",
)
STALL: Final = OptionSpec(
    name="stall_s",
    default="60",
    allowed=(NUMBER,),
    meaning="Seconds after which the others may report a seat that does not do what it owes.",
)


def complete(specs: tuple[OptionSpec, ...], given: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return every option with its value, sorted; RuleError for an unknown one, one given twice, or another value."""
    known = {spec.name: spec for spec in specs}
    chosen: dict[str, str] = {}
    for name, value in given:
        spec = known.get(name)
        if spec is None:
            there = ", ".join(sorted(known))
            raise RuleError("rule/option-unknown", f"There is no option '{name}'; there is: {there}.")
        if name in chosen:
            raise RuleError("rule/option-twice", f"Option {name} is given twice.")
        if not _admits(spec, value):
            raise RuleError("rule/option-value", f"Option {name} takes {' or '.join(spec.allowed)}, not '{value}'.")
        chosen[name] = value
    return tuple(sorted({spec.name: chosen.get(spec.name, spec.default) for spec in specs}.items()))


def milliseconds(value: str) -> int | None:
    """Return the seconds that end an option's value (`15`, `full-15`) as milliseconds, None where there are none."""
    digits = value.rpartition("-")[2]
    return int(digits) * 1000 if digits.isdigit() else None


def _admits(spec: OptionSpec, value: str) -> bool:
    for word in spec.allowed:
        head, number, _ = word.partition(NUMBER)
        if not number and value == word:
            return True
        digits = value.removeprefix(head)
        if number and value.startswith(head) and digits.isascii() and digits.isdigit() and len(digits) <= _LONGEST:
            return True
    return False
