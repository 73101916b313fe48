"""Every heading of the rulebook and every ruling has a test that names it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

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


def _docstrings() -> list[str]:
    """Return the docstring of every test in this folder, but for this file's."""
    files = [path for path in sorted(Path(__file__).parent.glob("test_*.py")) if path.name != Path(__file__).name]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [ast.get_docstring(node) or "" for node in nodes if node.name.startswith("test_")]


@pytest.mark.parametrize("heading", HEADINGS)
def test_each_heading_is_named_by_a_test(heading: str) -> None:
    assert any(re.search(rf"WS: {heading}\b", text) for text in _docstrings())


@pytest.mark.parametrize("ruling", RULINGS)
def test_each_ruling_is_named_by_a_test(ruling: str) -> None:
    assert any(re.search(rf"\b{ruling}\b", text) for text in _docstrings())


def test_each_test_says_which_rule_it_proves() -> None:
    assert all(re.search(r"\bWS(: |-\d)", text) for text in _docstrings())
