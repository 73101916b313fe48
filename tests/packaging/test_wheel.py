"""What is shipped: one namespace out of three source roots, the editions, the commands, and nothing else."""

from __future__ import annotations

import tomllib
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOTS = ("shared", "services", "clients")


def _sources() -> frozenset[str]:
    """Return every file below the three roots, as the wheel should name it."""
    return frozenset(
        str(path.relative_to(ROOT / root))
        for root in ROOTS
        for path in (ROOT / root).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


@pytest.mark.parametrize("root", ROOTS)
def test_no_source_root_makes_the_namespace_its_own(root: str) -> None:
    assert (ROOT / root / "chambers").is_dir()
    assert not (ROOT / root / "chambers" / "__init__.py").exists()


def test_no_two_source_roots_hold_the_same_package() -> None:
    packages = [path.name for root in ROOTS for path in (ROOT / root / "chambers").iterdir() if path.name[0] != "_"]

    assert sorted(packages) == sorted(set(packages))


def test_the_wheel_holds_every_source_file_and_nothing_else(packed: frozenset[str]) -> None:
    shipped = {name for name in packed if ".dist-info/" not in name}

    assert shipped == _sources()


def test_the_namespace_of_the_wheel_has_no_init_file(packed: frozenset[str]) -> None:
    assert "chambers/__init__.py" not in packed


@pytest.mark.parametrize("module", ["rules/game.py", "services/game_master.py", "clients/cli.py"])
def test_the_wheel_holds_a_portion_of_each_root(packed: frozenset[str], module: str) -> None:
    assert f"chambers/{module}" in packed


def test_the_wheel_holds_the_editions(packed: frozenset[str]) -> None:
    shelf = "chambers/editions/witness-stand/"

    assert {f"{shelf}{name}.toml" for name in ("tandem-target", "stuttering-bishop", "board")} <= packed


def test_the_wheel_holds_no_tests_and_no_documents(packed: frozenset[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in packed} == {"chambers"}
    assert not [name for name in packed if "test" in Path(name).name]


def test_the_wheel_brings_the_commands_and_the_licence(wheel: Path, packed: frozenset[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entry_points = next(name for name in packed if name.endswith("entry_points.txt"))
    metadata = next(name for name in packed if name.endswith(".dist-info/METADATA"))

    with zipfile.ZipFile(wheel) as archive:
        commands = archive.read(entry_points).decode()
        fields = HeaderParser().parsestr(archive.read(metadata).decode())

    assert [name for name in project["scripts"] if f"{name} = {project['scripts'][name]}" not in commands] == []
    assert (fields["Name"], fields["Version"]) == ("chambers", project["version"])
    assert any(name.endswith("/LICENSE") for name in packed)
