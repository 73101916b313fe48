"""An engine or a reason why there is none; one deployment for most tests, built from this checkout."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Generator, Iterator

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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show with a failed test what the services that it shares with others printed last."""
    report = yield
    running = getattr(item, "funcargs", {}).get("site")
    if report.failed and report.when == "call" and running is not None:
        report.sections.append(("the last lines of every service", running.logs()))
    return report
