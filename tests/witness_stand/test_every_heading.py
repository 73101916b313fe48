"""Every heading of the rulebook and every ruling has a test that names it."""

from __future__ import annotations

import re

import pytest
from tests.support.rulebook import docstrings

HEADINGS = (
    "Object of the Game",
    "Equipment",
    "Setting Up the Game",
    "Play",
    "Questioning a Suspect",
    "Action Cards",
    "Special Spaces",
    "Winning the Game",
)
RULINGS = tuple(f"WS-{number}" for number in range(1, 50))


@pytest.mark.parametrize("heading", HEADINGS)
def test_each_heading_is_named_by_a_test(heading: str) -> None:
    assert any(re.search(rf"WS: {heading}\b", text) for text in docstrings(__file__))


@pytest.mark.parametrize("ruling", RULINGS)
def test_each_ruling_is_named_by_a_test(ruling: str) -> None:
    assert any(re.search(rf"\b{ruling}\b", text) for text in docstrings(__file__))


def test_each_test_says_which_rule_it_proves() -> None:
    assert all(re.search(r"\bWS(: |-\d)", text) for text in docstrings(__file__))
