"""What services tell of themselves to whoever watches over the house: numbers, and no secret of a table in play."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.attacks.crooked_house import CITY_TABLE, COURT_TABLE, crooked_house, events, seat_bot
from tests.support.lexicon import LEXICONS
from tests.support.tabletop import TABLE
from tests.worlds.leaks import Knowledge

from chambers import editions
from chambers.bus.nats_bus import NatsBus
from chambers.clients.connecting import as_spectator
from chambers.clients.shelf import table_of
from chambers.protocol import subjects
from chambers.rules.events import Open
from chambers.rules.roles import Role
from chambers.rules.terms import Setup

SEATS = 3
ENOUGH = 60
OPTIONS = {"witness-stand": COURT_TABLE, "missing-suspect": CITY_TABLE}
ASKED = ("INFO", "STATS")
USERS = ("gm", "dealer", "dice", "gallery", "gate", *(f"seat{seat}" for seat in range(SEATS)))
EVERYBODY = {(verb, user) for verb in ASKED for user in USERS}


def tellers(told: list[tuple[str, bytes]]) -> set[tuple[str, str]]:
    """Return who has told what kind of thing of itself."""
    return {(verb, msgspec.json.decode(data)["metadata"]["user"]) for verb, data in told}


@pytest.mark.parametrize("game", OPTIONS)
async def test_no_service_tells_a_secret_or_a_card_of_a_table_in_what_it_says_of_itself(
    tmp_path: Path, game: str
) -> None:
    _, case = table_of(game, str(LEXICONS[game].write_edition(tmp_path / "edition")))
    async with crooked_house(tmp_path / "house", {}) as here:
        await here.host.open_table(game, case, options=OPTIONS[game], bots=(True,) * SEATS, table=TABLE)
        spectator = await as_spectator(here.stack.url, TABLE)
        players = [await seat_bot(here, TABLE, seat) for seat in range(SEATS)]
        async for scene in spectator.scenes():
            if scene.sequence >= ENOUGH:
                break
        assert isinstance(here.host.bus, NatsBus)
        told: list[tuple[str, bytes]] = []
        async with asyncio.timeout(60):
            while EVERYBODY - tellers(told):  # in a second not everybody may get round to it
                for verb in ASKED:
                    answers = await here.host.bus.inboxes.gather(subjects.service(verb), b"", wait=1.0)
                    told += [(verb, data) for data, _ in answers]
        docket = await spectator.docket()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await spectator.leave()
    said = tuple((Role(author), n, event) for author, n, event in events(docket))
    opening = said[0][2]
    assert isinstance(opening, Open)
    knows = Knowledge(Setup(opening, editions.named(opening.edition)), said)

    leaks = [what for _, data in told for what in (*knows.secrets_in(data), *knows.cards_in(data, None, codes=True))]

    assert leaks == []
