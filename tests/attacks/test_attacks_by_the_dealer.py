"""A modified dealer: a wrong shuffle is proved by its secret, a wrong box or verdict is refused by whoever gets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import Crook, crooked_house, dealer_with, entry_of, evening, evenings, events, found

from chambers.audit import audit
from chambers.fairness.draw import Draw
from chambers.fairness.keys import card_seal, place_nonce, shuffle_key
from chambers.rules.events import Bad, Deal, TableEvent
from chambers.rules.roles import DEALER, seat_role
from chambers.rules.terms import Disclosed, Pile
from chambers.rules.witness_stand.events import Look
from chambers.services.dealer import DealerTable


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
