"""Logging: key-values on a terminal, JSON lines elsewhere, always to stderr; never an exception's own text."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any

import structlog

LEVELS = ("debug", "info", "warning", "error")


def configure(level: str = "info", *, as_json: bool | None = None) -> None:
    """Send logs from `level` up to stderr; `as_json` None means JSON unless stderr is a terminal."""
    if as_json is None:
        as_json = not sys.stderr.isatty()
    renderer: Any = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _printable,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        # Looked up at each line: whoever exchanges stderr, as a test does, must not leave us with a closed one.
        logger_factory=lambda *_: structlog.PrintLogger(file=sys.stderr),
        cache_logger_on_first_use=False,
    )


def _printable(_logger: Any, _method: str, values: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Return a line's values with a `?` for each sign of a text that a terminal might obey: it may be a stranger's."""
    return {
        name: "".join(sign if sign.isprintable() else "?" for sign in value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def logger(name: str, **values: Any) -> Any:
    """Return a logger whose lines carry the name of their part of the program."""
    if not structlog.is_configured():
        configure("warning")
    return structlog.get_logger(part=name, **values)


def fault(error: BaseException) -> dict[str, str]:
    """Return an error's type and place for a log line; its text is left out, for it may quote a secret."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].name}:{frames[-1].lineno}" if frames else ""
    return {"error": type(error).__name__, "place": place}
