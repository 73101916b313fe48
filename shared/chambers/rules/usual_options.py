"""The table options that every game has: what the table itself and every vault go by."""

from __future__ import annotations

from typing import Final

from chambers.rules.terms import OptionSpec

NUMBER: Final = "seconds"
"""Admits any whole number."""

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
