"""Whatever a player calls himself, the seat commits under a name that the rules allow."""

from __future__ import annotations

import pytest

from chambers.rules.check import NAME_LENGTH
from chambers.services.naming import another_name, proper_name


@pytest.mark.parametrize(
    ("given", "called"),
    [
        ("Ada", "Ada"),
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("A\x1b[31mda", "A [31mda"),
        ("x" * 21, "x" * 20),
        ("x" * 19 + "  y", "x" * 19),
        ("", "Seat 3"),
        (" \n\t ", "Seat 3"),
    ],
)
def test_a_name_is_made_such_as_the_rules_allow(given: str, called: str) -> None:
    assert proper_name(given, 3) == called


@pytest.mark.parametrize("name", ["Ada", "x" * NAME_LENGTH, "Ada 2", "Ada 99", "x" * 16 + " 999"])
def test_another_name_is_always_another_and_short_enough(name: str) -> None:
    other = another_name(name)

    assert other != name
    assert 1 <= len(other) <= NAME_LENGTH
    assert other == proper_name(other, 0)
