"""How a command ends: 1 is a no to whoever asked, 2 is what nobody could have done."""

from __future__ import annotations

import pytest
import typer

from chambers.clients.exits import one_sentence
from chambers.clients.hosting import Refused
from chambers.protocol.errors import Refusal
from chambers.rules import RuleError


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("bus/timeout", 2),
        ("lobby/edition", 2),
        ("lobby/unknown-table", 2),
        ("rule/edition", 2),
        ("lobby/taken", 1),
        ("rule/ended", 1),
        ("rule/seats-taken", 1),
    ],
)
def test_what_nobody_could_do_ends_otherwise_than_a_no(
    code: str, exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = Refusal(code, "The sentence.")

    with pytest.raises(typer.Exit) as ended, one_sentence():
        raise Refused(refusal)

    assert ended.value.exit_code == exit_code
    assert capsys.readouterr().err.startswith("The sentence.")


def test_a_refusal_by_the_rules_names_what_is_behind_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as ended, one_sentence():
        raise RuleError("rule/not-now", "Not now.", section="Play", ruling="WS-49")

    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "Not now. (Play, WS-49)\n"
