"""The wheel that the packaging tests look into: the one named by CHAMBERS_WHEEL, else one built for them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the wheel."""
    named = os.environ.get("CHAMBERS_WHEEL")
    if named:
        return Path(named)
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def packed(wheel: Path) -> frozenset[str]:
    """Return the names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())
