"""A box that does not hold what it must: its receiver says so at once, everything is opened, and the liar is named."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.support.house import house

from chambers import audit
from chambers.clients.connecting import as_spectator
from chambers.fairness.keys import card_seal, place_nonce
from chambers.protocol.docket import Docket
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import encode
from chambers.protocol.statements import read_event, read_leaf, read_statement, unpack
from chambers.rules.events import Bad, Deal
from chambers.rules.roles import seat_role
from chambers.rules.terms import Disclosed
from chambers.services.dealer import DealerTable
from chambers.services.game_master import GameMaster


def deals_badly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the dealer open one card of seat 1 with a nonce that is not its place's."""
    honest = DealerTable._deal

    def crooked(self: DealerTable, n: int) -> Deal:
        deal, pile, secret = honest(self, n), self.pile(), self._me.secrets.secret
        cards = [
            Disclosed(pile.value(place), card_seal(secret, pile.value(place)), place, place_nonce(secret, place))
            for place in pile.hands[1]
        ]
        cards[0] = msgspec.structs.replace(cards[0], nonce=bytes(32))
        boxes = list(deal.boxes)
        boxes[1] = (seat_role(1), self._me.box(n, seat_role(1), tuple(cards)))
        return msgspec.structs.replace(deal, boxes=tuple(boxes))

    monkeypatch.setattr(DealerTable, "_deal", crooked)


async def played(home: Path) -> Docket:
    """Return the docket of a table that closes because of a bad box."""
    async with house(home, seats=3) as here:
        table = await here.open(3)
        spectator = await as_spectator(here.stack.url, table)
        players = [await here.sit(table, seat) for seat in range(3)]
        async with asyncio.timeout(60):
            async for _ in spectator.scenes():
                pass
        docket = await spectator.docket()
        for player in players:
            player.cancel()
        await spectator.leave()

    return docket


def complaints(docket: Docket) -> list[str]:
    """Return what was said of bad boxes in the log."""
    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in docket.leaves[1:]]
    return [event.why for event in events if isinstance(event, Bad)]


async def test_a_seat_that_is_dealt_a_card_with_a_wrong_opening_stops_the_table_and_the_dealer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deals_badly(monkeypatch)

    docket = await played(tmp_path)

    report = audit.audit(docket)
    assert complaints(docket) == ["fairness/place"]
    assert report.phase == "closed"
    assert {finding.culprit for finding in report.findings} == {"dealer"}


async def test_a_word_on_a_bad_box_that_was_refused_is_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deals_badly(monkeypatch)
    honest, refused = GameMaster._on_statement, list[str]()

    async def deaf_at_first(self: GameMaster, subject: str, data: bytes) -> bytes:
        tag = msgspec.msgpack.decode(read_statement(unpack(data)[1]).ev)[0]
        if tag == "bad" and len(refused) < 2:
            refused.append(tag)
            return encode(Refusal("rule/not-in-play", "There is nothing to stop."))
        return await honest(self, subject, data)

    monkeypatch.setattr(GameMaster, "_on_statement", deaf_at_first)

    docket = await played(tmp_path)

    assert len(refused) == 2
    assert complaints(docket) == ["fairness/place"]
