"""Log lines: JSON for machines, key-values for people, no text of an exception for anybody."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import structlog

from chambers.bus import logs


@pytest.fixture(autouse=True)
def _unconfigured() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def test_lines_are_json_when_stderr_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")

    logs.logger("gate").info("admitted", name="seat0")

    out, err = capsys.readouterr()
    line = json.loads(err)
    assert out == ""
    assert (line["event"], line["part"], line["name"], line["level"]) == ("admitted", "gate", "seat0", "info")


def test_lines_are_key_values_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("info", as_json=False)

    logs.logger("gate").info("admitted", name="seat0")

    assert "name=seat0" in capsys.readouterr().err


@pytest.mark.parametrize("as_json", [True, False])
def test_no_text_in_a_log_line_is_one_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    """A code or a subject may be what another side made up."""
    logs.configure("info", as_json=as_json)

    logs.logger("vault").info("refused", code="\x1b[2J\x9b2Jowned\r")

    line = capsys.readouterr().err.removesuffix("\n")
    assert line.isprintable()
    assert "?[2J?2Jowned?" in line


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("error")

    logs.logger("gate").warning("quiet")

    assert capsys.readouterr().err == ""


def test_a_fault_tells_type_and_place_and_not_the_text() -> None:
    try:
        raise KeyError("canary")
    except KeyError as error:
        told = logs.fault(error)

    assert told["error"] == "KeyError"
    assert told["place"].startswith("test_a_fault_tells_type_and_place_and_not_the_text:")
    assert "canary" not in str(told)
