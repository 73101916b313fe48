"""An engine or a reason why there is none; one deployment for most tests, built from this checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
from tests.compose.engine import DEPLOY, IMAGE, Deployment, deployment, why_no_engine


@pytest.fixture(scope="session")
def image() -> str:
    """Return the image, built; skip without an engine, unless CHAMBERS_REQUIRE_DOCKER says that there must be one."""
    reason = why_no_engine()
    if reason and os.environ.get("CHAMBERS_REQUIRE_DOCKER") == "1":
        pytest.fail(f"CHAMBERS_REQUIRE_DOCKER is set, but {reason}")
    if reason:
        pytest.skip(f"needs a Docker engine: {reason}")
    command = ["docker", "build", "--file", str(DEPLOY / "Dockerfile"), "--tag", IMAGE, str(DEPLOY.parent)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    return IMAGE


@pytest.fixture(scope="session")
def site(image: str) -> Iterator[Deployment]:
    """Return a running deployment."""
    with deployment("chamberstest") as running:
        yield running
