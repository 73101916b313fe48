"""Whole missing-suspect games through the real services on a real server, undisturbed and with services killed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.house import house

from chambers import audit
from chambers.audit.replay import admitted_of
from chambers.clients.bots import Bot, make_bot
from chambers.fairness.commitments import offer_commitment
from chambers.protocol.client import Ask, Welcome
from chambers.protocol.docket import Docket
from chambers.protocol.watching import Scene
from chambers.rules.missing_suspect.events import Offer, Swap

GAME = "missing-suspect"
LIMIT = 110.0


def _assert_clean(docket: Docket) -> None:
    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())
    assert report.counts.entries == len(docket.leaves)


@pytest.mark.parametrize("seats", [2, 4, pytest.param(6, marks=pytest.mark.slow)])
async def test_a_whole_investigation_ends_with_a_trial_and_its_docket_audits_clean(tmp_path: Path, seats: int) -> None:
    async with house(tmp_path, seats=seats) as here:
        docket = await here.play(seats, game=GAME, level="rules", limit=LIMIT)

    _assert_clean(docket)
    assert "wins" in audit.audit(docket).result


@pytest.mark.parametrize(
    "user",
    ["gm", "dealer", "seat1", *(pytest.param(user, marks=pytest.mark.slow) for user in ("dice", "seat0", "gate"))],
)
async def test_a_service_that_is_killed_at_every_tenth_entry_stops_no_investigation(tmp_path: Path, user: str) -> None:
    async with house(tmp_path, seats=2) as here:
        killed: list[int] = []

        async def kill(scene: Scene) -> None:
            if scene.sequence >= 10 * (len(killed) + 1):
                killed.append(scene.sequence)
                await here.restart(user)

        docket = await here.play(2, game=GAME, at_entry=kill, level="rules", limit=LIMIT)

    _assert_clean(docket)
    assert len(killed) > 8


class _Trader:
    """Plays by the rules, but trades whenever it can."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        """Return an offer of a card where one can be made."""
        offers = [option.id for option in ask.options if option.id.startswith("offer.") and option.id.count(".") > 1]
        return offers[0] if offers else self._bot.choose(view, ask)


def _trader(welcome: Welcome) -> Bot:
    return _Trader(make_bot("rules", welcome.seat, seed=welcome.table, game=GAME, edition=welcome.edition))


def _handed_over(docket: Docket) -> list[tuple[Offer, Swap, int]]:
    """Return each offer of a docket with the handing over of what it offered, and where that stands in the log."""
    found, last = [], None
    for item in admitted_of(docket):
        if isinstance(item.event, Offer):
            last = (item.author, item.event)
        if isinstance(item.event, Swap) and last is not None and item.author == last[0]:
            found.append((last[1], item.event, item.seq))
    return found


async def test_a_vault_killed_between_offer_and_swap_hands_over_the_very_card_that_it_offered(tmp_path: Path) -> None:
    """Killed when its offer is in the log, and killed again when the other card is: the box was bound before both."""
    async with house(tmp_path, seats=3) as here:
        killed: set[int] = set()

        async def kill(scene: Scene) -> None:
            public = scene.view["public"]
            asked, stage = public.get("asked"), public.get("turn", {}).get("stage")
            if asked is not None and asked["offers"] and stage in ("ask", "answer", "swap"):
                killed.add(scene.sequence)
                await here.restart(f"seat{asked['asker']}")

        docket = await here.play(3, game=GAME, at_entry=kill, make=_trader, limit=LIMIT)

    _assert_clean(docket)
    swaps = _handed_over(docket)
    assert all(offer_commitment(swap.box) == offer.offer for offer, swap, _ in swaps)
    assert any(killed & {seq - 1, seq - 2} for _, _, seq in swaps)
