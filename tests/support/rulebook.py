"""What a folder of tests says that it proves: the docstrings in which tests name headings and rulings."""

from __future__ import annotations

import ast
from pathlib import Path


def docstrings(beside: str) -> list[str]:
    """Return the docstring of every test in a file's folder, but for that file's own; empty where there is none."""
    here = Path(beside)
    files = [path for path in sorted(here.parent.glob("test_*.py")) if path.name != here.name]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [ast.get_docstring(node) or "" for node in nodes if node.name.startswith("test_")]
