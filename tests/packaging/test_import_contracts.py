"""Who may import whom: the contracts of pyproject.toml hold, and the pure core is pure by its own imports too."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOTS = ("shared", "services", "clients")
PURE = {
    "rules": {"chambers", "collections", "enum", "functools", "itertools", "msgspec", "types", "typing"},
    "fairness": {
        "base64", "binascii", "chambers", "collections", "functools", "hashlib", "hmac", "msgspec", "nacl", "re",
        "typing",
    },
}  # fmt: skip


def _imported(path: Path) -> Iterator[str]:
    """Yield the full name of everything that a module imports, wherever in the module it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield node.module or ""


def test_the_import_contracts_hold() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / root) for root in ROOTS)}
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo", "--no-cache"]

    checked = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_package_stands_under_the_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]

    packages = {f"chambers.{path.parent.name}" for root in ROOTS for path in (ROOT / root).glob("chambers/*/*.py")}

    assert packages == set(contracts["root_packages"])


@pytest.mark.parametrize("package", PURE)
def test_the_pure_core_imports_only_what_cannot_look_outside(package: str) -> None:
    modules = sorted((ROOT / "shared" / "chambers" / package).rglob("*.py"))

    foreign = {
        f"{path.name}: {name}"
        for path in modules
        for name in _imported(path)
        if name != "__future__" and name.partition(".")[0] not in PURE[package]
    }

    assert modules
    assert foreign == set()


def test_only_the_bus_imports_nats() -> None:
    sources = [path for root in ROOTS for path in (ROOT / root).rglob("*.py")]

    users = {path.parent.name for path in sources if any(n.split(".")[0] in ("nats", "nkeys") for n in _imported(path))}

    assert users == {"bus"}


def test_one_module_spells_subjects() -> None:
    sources = [path for root in ROOTS for path in (ROOT / root).rglob("*.py") if path.name != "subjects.py"]

    spelled = {
        f"{path.name}:{node.lineno}"
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and "\n" not in node.value
        and " " not in node.value
        and node.value.startswith(("chambers.*", "chambers-lobby", "$JS.", "$SRV", "$SYS", "_INBOX"))
    }

    assert spelled == set()


def test_every_foreign_package_that_is_imported_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=]", dependency)[0].lower() for dependency in project["dependencies"]}
    named = {"nacl": "pynacl", "nats": "nats-py"}

    imported = {
        name.partition(".")[0] for root in ROOTS for path in (ROOT / root).rglob("*.py") for name in _imported(path)
    }
    foreign = imported - sys.stdlib_module_names - {"chambers"}

    assert {named.get(name, name) for name in foreign} <= declared
