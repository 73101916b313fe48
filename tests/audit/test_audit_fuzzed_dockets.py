"""Thousands of changed dockets of both games: none is clean, and none is more than the audit can take."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator

import pytest
from tests.attacks.detection import GAMES
from tests.attacks.record_edits import Records
from tests.audit.docket_edits import CHANGES, Change

from chambers.audit import Verdict, audit, inspect, replay
from chambers.audit.page import page
from chambers.protocol.docket import dump, load
from chambers.protocol.errors import ProtocolError

ENTRIES = 110
EACH = -(-1000 // len(CHANGES))


@pytest.fixture(scope="module", params=GAMES)
def games(request: pytest.FixtureRequest) -> list[Records]:
    """Three honest games at tables of three to five seats."""
    return [Records(request.param, seed, entries=ENTRIES) for seed in (30, 31, 32)]


def changed(games: list[Records], change: Change, numbers: range) -> Iterator[tuple[Records, str]]:
    """Yield the honest game and the text of each changed docket of it."""
    originals = {dump(one.game.record()) for one in games}
    for number in numbers:
        of = games[number % len(games)]
        of.chance = random.Random(f"{change.__name__} {number}")
        text = change(of)
        # Two equal entries may change places, and a flipped bit may be the one that decoding puts back.
        if text not in originals:
            yield of, text


def verdict(text: str, *, receipt: str) -> Verdict | None:
    """Return the audit's verdict, None for a text that is no docket; the replay must not trip over it either."""
    try:
        docket = load(text)
    except ProtocolError:
        return None
    with contextlib.suppress(ProtocolError):
        list(replay(docket))
    return audit(docket, receipts=[receipt], workers=0).verdict


def test_the_games_are_clean_before_anybody_has_been_at_them(games: list[Records]) -> None:
    found = [verdict(dump(one.game.record()), receipt=one.receipt()) for one in games]

    assert found == [Verdict.CLEAN] * len(games)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_of_a_thousand_changed_dockets_none_is_clean(games: list[Records], change: Change) -> None:
    tried = list(changed(games, change, range(EACH // len(GAMES))))

    assert tried
    for of, text in tried:
        assert verdict(text, receipt=of.receipt()) is not Verdict.CLEAN


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_of_a_thousand_changed_dockets_of_each_game_none_is_clean(games: list[Records], change: Change) -> None:
    for of, text in changed(games, change, range(1000, 1000 + EACH)):
        assert verdict(text, receipt=of.receipt()) is not Verdict.CLEAN


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_whatever_somebody_has_done_to_a_docket_it_has_a_page(games: list[Records], change: Change) -> None:
    for _, text in changed(games, change, range(4)):
        with contextlib.suppress(ProtocolError):
            told = page(inspect(load(text), workers=0))
            assert told.rstrip().endswith("</html>")


def test_a_second_game_under_the_same_table_is_clean_alone_and_contradicts_the_receipt(games: list[Records]) -> None:
    for one in games:
        twin = one.twin.record()

        assert audit(twin).verdict is Verdict.CLEAN
        report = audit(twin, receipts=[one.receipt()])
        assert [(item.check, item.culprit) for item in report.findings] == [("A07", "gm")]
