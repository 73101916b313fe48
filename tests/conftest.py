"""What holds for every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """Leave logging to the next test as this one found it: which lines a test sees must not hang on another one."""
    known, before = structlog.is_configured(), structlog.get_config()
    yield
    if known:
        structlog.configure(**before)
    else:
        structlog.reset_defaults()
