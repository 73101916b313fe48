"""The detection table in small: each attack in the first games that have room for it, and honest games beside them."""

from __future__ import annotations

import pytest
from tests.attacks.crooked_evening import Attack, CrookedEvening
from tests.attacks.detection import GAMES, honest, measured, told
from tests.attacks.lies import attacks
from tests.attacks.record_edits import EDITS, Records

from chambers.audit import Verdict

ATTACKS = list(attacks())


def _name(attack: Attack) -> str:
    return f"{attack.game}: {attack.name}"


@pytest.mark.parametrize("attack", ATTACKS, ids=_name)
def test_an_attack_is_named_whoever_else_keeps_its_secret(attack: Attack) -> None:
    tried = (CrookedEvening(attack, seed, seats=3) for seed in range(0, 90, 3))
    evening = next(one for one in tried if one.evening().at is not None)

    reports = [evening.audited(), *(evening.audited(silent=role) for role in evening.roles if role != attack.culprit)]
    alone = evening.audited(silent=attack.culprit)

    assert [{item.culprit for item in one.findings} for one in reports if one is not None] == [{attack.culprit}] * len(
        reports
    )
    assert alone is None or {item.culprit for item in alone.findings} <= {attack.culprit}
    assert alone is None or alone.verdict is not Verdict.CLEAN


@pytest.fixture(scope="module", params=GAMES)
def records(request: pytest.FixtureRequest) -> Records:
    return Records(request.param, 2)


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_the_record_is_found_and_blames_nobody_else(records: Records, edit: str) -> None:
    assert EDITS[edit](records).named() is not None


@pytest.mark.parametrize("game", GAMES)
def test_honest_games_have_no_finding_whoever_keeps_its_secret(game: str) -> None:
    audits, wrong = honest(game, 2)

    assert audits > 10
    assert wrong == 0


def test_a_row_tells_who_got_away() -> None:
    rejecting = next(one for one in ATTACKS if one.name == "rejects a good box")
    nothing = rejecting._replace(lie=lambda evening, author, event: None)

    line = measured(nothing, 1)

    assert line.escaped
    assert told(line).startswith("| rejects a good box | seat1 | witness-stand | 0 of 1 | 0 / 0 |")
    assert not line._replace(happened=1, named=1).escaped
    assert line._replace(happened=1, named=1, slandered=1).escaped
