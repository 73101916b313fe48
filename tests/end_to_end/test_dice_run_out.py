"""A table whose dice chain has no link left closes with that as its result, and everything it has is proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.house import house

from chambers import audit
from chambers.protocol.statements import read_event, read_leaf, read_statement
from chambers.rules import missing_suspect
from chambers.rules.events import Close, Roll

LINKS = 16


async def test_a_table_without_another_roll_is_closed_and_audits_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing_suspect, "CHAIN", LINKS)
    async with house(tmp_path, seats=3) as here:
        docket = await here.play(3, game="missing-suspect")

    said = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "missing-suspect") for raw in docket.leaves[1:]]
    report = audit.audit(docket)

    assert [event for event in said if isinstance(event, Close)] == [Close("aborted: dice exhausted")]
    assert len([event for event in said if isinstance(event, Roll)]) == LINKS
    assert (report.exit_code, report.findings) == (0, ())
