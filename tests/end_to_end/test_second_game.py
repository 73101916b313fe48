"""Whole missing-suspect games through the real services on a real server, undisturbed and with services killed."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.house import NAMES, House, house

from chambers import audit
from chambers.audit.replay import admitted_of
from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import Bot, make_bot
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.fairness.commitments import offer_commitment
from chambers.protocol.client import Ask, Welcome
from chambers.protocol.docket import Docket
from chambers.protocol.watching import Scene
from chambers.rules.missing_suspect.events import Offer, OpenCards, Swap
from chambers.rules.roles import Role

GAME = "missing-suspect"
LIMIT = 280.0
"""Seconds; one game is three times as long as another, and how many turns there are between two trades is chance."""
TRADES = 3

pytestmark = pytest.mark.timeout(300)


def _assert_clean(docket: Docket) -> None:
    report = audit.audit(docket)
    assert (report.exit_code, report.findings) == (0, ())
    assert report.counts.entries == len(docket.leaves)


@pytest.mark.parametrize("seats", [2, 4, pytest.param(6, marks=pytest.mark.slow)])
async def test_a_whole_investigation_ends_with_a_trial_and_its_docket_audits_clean(tmp_path: Path, seats: int) -> None:
    async with house(tmp_path, seats=seats) as here:
        docket = await here.play(seats, game=GAME, level="rules", limit=LIMIT)

    _assert_clean(docket)
    assert any(isinstance(item.event, OpenCards) for item in admitted_of(docket))


_RARER = [pytest.param(user, marks=pytest.mark.slow) for user in ("dice", "seat0", "gate")]


@pytest.mark.parametrize("user", ["gm", "dealer", "seat1", *_RARER])
async def test_a_service_that_is_killed_at_every_tenth_entry_stops_no_investigation(tmp_path: Path, user: str) -> None:
    async with house(tmp_path, seats=2) as here:
        killed: list[int] = []

        async def kill(scene: Scene) -> None:
            if scene.sequence >= 10 * (len(killed) + 1):
                killed.append(scene.sequence)
                await here.restart(user)

        docket = await here.play(2, game=GAME, at_entry=kill, level="rules", limit=LIMIT)

    _assert_clean(docket)
    assert len(killed) > 4


class _Trader:
    """Plays by the rules, but trades whenever it can and captures nobody, so that there is always another trade."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        """Return an offer of a card where one can be made."""
        if ask.kind == "capture":
            return "no"
        offers = [option.id for option in ask.options if option.id.startswith("offer.") and option.id.count(".") > 1]
        return offers[0] if offers else self._bot.choose(view, ask)


def _trader(welcome: Welcome) -> Bot:
    return _Trader(make_bot("rules", welcome.seat, seed=welcome.table, game=GAME, edition=welcome.edition))


class _Patient(BotRunner):
    """Gives the card that it is asked for only once that question has been released."""

    def __init__(self, session: SeatSession, released: defaultdict[str, asyncio.Event]) -> None:
        super().__init__(session, _trader, pause=lambda: 0.0)
        self._released = released

    async def _answer(self, ask: Ask, *, after: float) -> None:
        if ask.kind == "answer":
            await self._released[ask.id.partition(".")[0]].wait()
        await super()._answer(ask, after=after)


async def _sit(here: House, table: bytes, seat: int, released: defaultdict[str, asyncio.Event]) -> asyncio.Task[Any]:
    ticket = await here.host.ticket(table, seat)
    session = SeatSession(ticket, NAMES[seat], take_over=True, silence=0.5)
    await take_seat(ticket, session)
    return asyncio.create_task(_Patient(session, released).play())


class _Handed(NamedTuple):
    """An offer, the card for which it was exchanged, and the handing over of what was offered: where, and what."""

    offered: int
    answered: int
    offer: Offer
    swap: Swap


def _handed_over(docket: Docket) -> list[_Handed]:
    found: list[_Handed] = []
    offered: list[tuple[Role, int, Offer]] = []
    answered = 0
    for item in admitted_of(docket):
        if isinstance(item.event, Offer):
            offered.append((item.author, item.seq, item.event))
        if isinstance(item.event, Swap):
            author, seq, offer = offered[-1]
            if item.author == author:
                found.append(_Handed(seq, answered, offer, item.event))
            answered = item.seq
    return found


async def test_a_vault_killed_between_offer_and_swap_hands_over_the_very_card_that_it_offered(tmp_path: Path) -> None:
    """The vault is dead and begins anew while its offer lies on the table, and only then the other card is given."""
    killed: list[int] = []
    given: set[int] = set()
    closed = False
    released: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
    async with house(tmp_path, seats=3) as here, asyncio.timeout(LIMIT):
        table = await here.open(3, game=GAME)
        spectator = await as_spectator(here.stack.url, table)
        players = [await _sit(here, table, seat, released) for seat in range(3)]
        async for scene in spectator.scenes():
            asked, turn = scene.view["public"].get("asked"), scene.view["public"].get("turn", {})
            if asked is not None and asked["offers"] and turn["stage"] == "answer":
                await here.restart(f"seat{asked['asker']}")
                killed.append(scene.sequence)
                released[str(turn["since"])].set()
            given |= {line.sequence for line in scene.lines if "face down to" in line.text}
            if asked is None and len(given) >= 2 * TRADES and not closed:
                closed = True
                await here.close(table, "enough trades")
        docket = await spectator.docket()
        await asyncio.gather(*players)
        await spectator.leave()

    _assert_clean(docket)
    handed = _handed_over(docket)
    assert len(handed) >= TRADES
    assert all(offer_commitment(one.swap.box) == one.offer.offer for one in handed)
    assert all(any(one.offered <= at < one.answered for at in killed) for one in handed)
