"""The table of scenarios leaves no number without a test, and names none that is not there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROW = re.compile(r"^\| (S\d\d) \| (.+) \| `([\w./]+)::(\w+)` \|$")
ROWS = [found.groups() for line in (HERE / "README.md").read_text().splitlines() if (found := ROW.match(line))]
NUMBERS = [f"S{number:02d}" for number in range(1, 37)]


def _tests_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds) and node.name.startswith("test_")}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_scenario_has_a_test(number: str) -> None:
    assert any(row[0] == number for row in ROWS)


def test_every_row_of_the_table_is_read_and_stands_in_order() -> None:
    rows = [line for line in (HERE / "README.md").read_text().splitlines() if line.startswith("| S")]
    assert len(rows) == len(ROWS)
    assert [row[0] for row in ROWS] == sorted(row[0] for row in ROWS)
    assert {row[0] for row in ROWS} == set(NUMBERS)


@pytest.mark.parametrize("path", sorted({row[2] for row in ROWS}))
def test_the_tests_that_the_table_names_are_there(path: str) -> None:
    named = {row[3] for row in ROWS if row[2] == path}
    assert named <= _tests_in(HERE / path)


@pytest.mark.parametrize(
    "path", sorted(path.name for path in HERE.glob("test_*.py") if path.name != Path(__file__).name)
)
def test_the_table_knows_every_file_of_scenarios(path: str) -> None:
    assert path in {row[2] for row in ROWS}
