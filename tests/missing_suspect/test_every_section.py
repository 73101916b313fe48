"""Every heading of the rulebook and every ruling has a test that names it."""

from __future__ import annotations

import re

import pytest
from tests.support.rulebook import docstrings

HEADINGS = (
    "Game Implements",
    "Start of Play",
    "How to Play",
    "Moves on the Board",
    "Picking Up a Detective Case",
    "Collecting Clues",
    "How to Draw Clue Cards",
    '"Question Witness" Cards',
    "Questioning Witness at Inquest Spots",
    "Checking Suspects on the Board",
    "Picking Up a New Detective Case",
    "Solving a Detective Case",
    "Capturing a Suspect and Bringing Him to Trial",
    "Example of a Solved Detective Case",
    "Winner",
    "Explanation of Question Witness Chart",
)
RULINGS = tuple(f"MS-{number}" for number in range(1, 47))


@pytest.mark.parametrize("heading", HEADINGS)
def test_each_heading_is_named_by_a_test(heading: str) -> None:
    assert any(f"MS: {heading}" in text for text in docstrings(__file__))


@pytest.mark.parametrize("ruling", RULINGS)
def test_each_ruling_is_named_by_a_test(ruling: str) -> None:
    assert any(re.search(rf"\b{ruling}\b", text) for text in docstrings(__file__))


def test_each_test_says_which_rule_it_proves() -> None:
    assert all(re.search(r"\bMS(: |-\d)", text) for text in docstrings(__file__))
