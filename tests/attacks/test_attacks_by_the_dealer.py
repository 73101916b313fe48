"""A modified dealer: a wrong shuffle is proved by its secret, a wrong box or verdict is refused by whoever gets it."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import (
    COURT_TABLE,
    Crook,
    CrookedDealer,
    crooked_house,
    dealer_with,
    entry_of,
    evening,
    evenings,
    events,
    found,
    open_table,
    seat_bot,
)

from chambers.audit import Verdict, audit
from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings
from chambers.clients.connecting import as_spectator
from chambers.fairness.draw import Draw
from chambers.fairness.keys import TableSecrets, card_seal, place_nonce, shuffle_key
from chambers.rules.events import Again, Bad, Commit, Deal, Mix, TableEvent
from chambers.rules.roles import DEALER, seat_role
from chambers.rules.terms import Disclosed, Due, Pile
from chambers.rules.witness_stand.events import Look
from chambers.services.contributor import Contributor
from chambers.services.dealer import Dealer, DealerTable


class StackedDeck(DealerTable):
    """Deals the best cards to the first seats, whatever the mixes were."""

    def pile(self) -> Pile:
        """Return the cards in the order of their kinds."""
        honest = super().pile()
        places = [place for place, _ in honest.values]
        return Pile(tuple(zip(places, sorted(value for _, value in honest.values), strict=True)), honest.hands)


class DeafToASeat(DealerTable):
    """Shuffles by the mixes of all seats but the last."""

    def pile(self) -> Pile:
        """Return the pile that fewer mixes make."""
        table = self._log.table
        mixes = [mix.e for _, mix in table.mixes][:-1]
        key = shuffle_key(self._me.secrets.secret, self._log.id, mixes=mixes)
        return table.game.deal(table.setup, Draw(key, table.game.RULES))


class SwapsTwoCards(DealerTable):
    """Exchanges two cards after an honest shuffle."""

    def pile(self) -> Pile:
        """Return the honest pile but for two cards of different hands."""
        honest = super().pile()
        values = dict(honest.values)
        one, other = honest.hands[0][0], honest.hands[1][0]
        values[one], values[other] = values[other], values[one]
        return Pile(tuple(values.items()), honest.hands)


@pytest.mark.parametrize("kind", [StackedDeck, DeafToASeat, SwapsTwoCards])
async def test_a_deal_that_is_not_the_shuffle_of_all_mixes_is_found_at_the_audit(
    tmp_path: Path, kind: type[DealerTable]
) -> None:
    async with crooked_house(tmp_path, {DEALER: dealer_with(kind=kind)}) as here:
        docket = await evening(here, lambda: True, more=15)

    report = audit(docket)

    dealt = next(seq for seq, (_, _, event) in enumerate(events(docket)) if isinstance(event, Deal))
    assert ("A21", dealt, DEALER) in found(report)
    assert {item.culprit for item in report.findings} == {DEALER}


def deals_other_cards_than_it_committed_to(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Deal):
        return None
    secret, table = at.me.secrets.secret, at.log.table
    places = table.game.deal(table.setup, Draw(bytes(32), table.game.RULES)).hands[0]
    kinds = range(len(places))
    cards = (
        Disclosed(kind, card_seal(secret, kind), place, place_nonce(secret, place))
        for kind, place in zip(kinds, places, strict=True)
    )
    return msgspec.structs.replace(
        event, boxes=((seat_role(0), at.me.box(n, seat_role(0), tuple(cards))), *event.boxes[1:])
    )


async def test_a_seat_refuses_a_deal_of_other_cards_than_were_committed_to(tmp_path: Path) -> None:
    crook = Crook(deals_other_cards_than_it_committed_to)
    async with crooked_house(tmp_path, {DEALER: dealer_with(crook)}) as here:
        docket = await evenings(here, crook, more=60)
    at = entry_of(docket, crook.told[-1])

    report = audit(docket)

    said = [(author, event.ref, event.why) for author, _, event in events(docket) if isinstance(event, Bad)]
    assert said == [("seat0", at, "fairness/place")]
    assert ("A22", at, DEALER) in found(report)
    assert {item.culprit for item in report.findings} == {DEALER}


def deals_boxes_that_fit_into_no_frame(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Deal):
        return None
    return msgspec.structs.replace(event, boxes=(*event.boxes[:-1], (event.boxes[-1][0], bytes(8_000))))


async def test_a_deal_that_would_fit_into_no_frame_is_refused(tmp_path: Path) -> None:
    crook = Crook(deals_boxes_that_fit_into_no_frame, insist=False)
    async with crooked_house(tmp_path, {DEALER: dealer_with(crook)}) as here:
        docket = await evenings(here, crook)

    assert crook.codes == ["rule/malformed"]
    assert audit(docket).verdict is Verdict.CLEAN


def gives_a_false_verdict(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, verdict=not event.verdict) if isinstance(event, Look) else None


def shows_another_envelope(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Look):
        return None
    secret = at.me.secrets.secret
    cards = tuple(Disclosed(kind, None, place, place_nonce(secret, place)) for kind, place in enumerate(event.places))
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, cards))


@pytest.mark.parametrize(
    ("trick", "code"), [(gives_a_false_verdict, "rule/false-verdict"), (shows_another_envelope, "fairness/place")]
)
async def test_the_accuser_refuses_a_false_verdict_or_envelope_and_the_audit_names_the_dealer(
    tmp_path: Path, trick: Any, code: str
) -> None:
    crook = Crook(trick)
    async with crooked_house(tmp_path, {DEALER: dealer_with(crook)}) as here:
        docket = await evenings(here, crook, more=60, keen=("accuse",))
    at = entry_of(docket, crook.told[-1])
    accuser = crook.told[-1].event.to  # type: ignore[attr-defined]

    report = audit(docket)

    said = [(author, event.ref, event.why) for author, _, event in events(docket) if isinstance(event, Bad)]
    assert said == [(accuser, at, code)]
    assert ("A25", at, DEALER) in found(report)
    assert {item.culprit for item in report.findings} == {DEALER}


def commits_again_once_it_has_seen_the_mixes(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Deal):
        return None
    mixes = b"".join(mix.e for _, mix in at.log.table.mixes)
    other = TableSecrets.from_master(hashlib.sha256(mixes).digest(), at.log.id, role=DEALER, attempt=1)
    bound = other.bindings(at.log.table.setup.opening.chain)
    honest: Commit = at.me.commit()
    return msgspec.structs.replace(honest, secret=bound.secret, box=bound.box)


async def test_a_dealer_cannot_choose_its_secret_once_it_has_peeked_at_the_mixes(tmp_path: Path) -> None:
    crook = Crook(commits_again_once_it_has_seen_the_mixes, insist=False)
    async with crooked_house(tmp_path, {DEALER: dealer_with(crook)}) as here:
        docket = await evenings(here, crook)

    assert crook.codes == ["rule/setup-order"]
    assert audit(docket).verdict is Verdict.CLEAN


class WaitsForTheMixes(CrookedDealer):
    """A dealer that binds itself to nothing before it has seen a mix."""

    waited = 0

    async def _act(self, me: Contributor, item: Due) -> None:
        if item.act == "commit" and not me.log.table.mixes:
            self.waited += 1
            return
        await super()._act(me, item)


async def test_nobody_mixes_before_a_dealer_that_waits_for_the_mixes_has_committed(tmp_path: Path) -> None:
    async def make(bus: NatsBus, settings: Settings) -> Dealer:
        return WaitsForTheMixes(bus, master=master_key(settings.home / "master.key"))

    async with crooked_house(tmp_path, {DEALER: make}) as here:
        table = await open_table(here)
        spectator = await as_spectator(here.stack.url, table)
        players = [await seat_bot(here, table, seat) for seat in range(3)]
        dealer = here.stack._running["dealer"].service
        assert isinstance(dealer, WaitsForTheMixes)
        async for scene in spectator.scenes():
            if scene.waiting == ("The dealer",):
                break
        waited = dealer.waited
        while dealer.waited < waited + 2:  # it is poked again and again, and so are all others
            await here.host.table(table)
        await here.close(table, "the dealer does not commit")
        async for _ in spectator.scenes():
            pass
        docket = await spectator.docket()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await spectator.leave()

    assert not [event for _, _, event in events(docket) if isinstance(event, Mix)]
    assert audit(docket).findings == ()


class DislikesTheFirstShuffle(CrookedDealer):
    """A dealer that lets its time pass at the first shuffle that it gets to know."""

    disliked = 0

    async def _act(self, me: Contributor, item: Due) -> None:
        if item.act == "deal":
            self.disliked = self.disliked or me.log.table.attempt
        if item.act != "deal" or me.log.table.attempt != self.disliked:
            await super()._act(me, item)


async def test_a_dealer_that_lets_a_shuffle_pass_that_it_dislikes_is_named_in_the_record(tmp_path: Path) -> None:
    async def make(bus: NatsBus, settings: Settings) -> Dealer:
        return DislikesTheFirstShuffle(bus, master=master_key(settings.home / "master.key"))

    options = tuple((name, "2" if name == "stall_s" else value) for name, value in COURT_TABLE)
    async with crooked_house(tmp_path, {DEALER: make}) as here:
        docket = await evening(here, lambda: True, more=20, options=options)

    report = audit(docket)

    said = [event for _, _, event in events(docket)]
    named = [remark for remark in report.remarks if remark.role == DEALER]  # a seat whose mix took long is named, too
    assert [event.stalled for event in said if isinstance(event, Again)][-1:] == [DEALER]
    assert report.verdict is Verdict.CLEAN
    assert ["kept back a shuffle that it knew" in remark.sentence for remark in named] == [True]
