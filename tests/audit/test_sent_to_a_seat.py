"""What a seat was sent can be made again after the reveal, message for message and byte for byte."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import play_game
from tests.support.tabletop import TABLE, Tabletop
from tests.support.virtual_time import moment, run

from chambers import editions
from chambers.audit.sent import sent
from chambers.protocol import subjects
from chambers.protocol.client import ChoiceAccepted, FromVault, Update
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import CloseRequest, encode
from chambers.rules.table import Phase
from chambers.rules.terms import Viewer

# The edition, the options, and after how many moves cards and numbers have been shown, passed and traded.
GAMES = {
    "witness-stand": ("tandem-target", (("object_window", "none"), ("answer_floor_ms", "0")), 45),
    "missing-suspect": ("missing-suspect", (("answer_floor_ms", "0"),), 140),
}


async def play(home: Path, game: str) -> tuple[list[list[FromVault]], Docket]:
    """Return what each client was sent at a table of three that is closed after some moves, and the table's docket."""
    edition, options, moves = GAMES[game]
    chance = random.Random(7)
    async with Tabletop(home, seats=3, game=game, edition=edition, options=options) as table:
        for _ in range(moves):
            await table.until(lambda: any(chair.asked for chair in table.chairs))
            chair = next(chair for chair in table.chairs if chair.asked)
            calm = [option for option in chair.asked if not option.startswith("accuse")]
            await table.choose(chair.seat, chance.choice(calm))
        closing = encode(CloseRequest(table=TABLE, why="the evening is over"))
        await table.server.connect("host").request(subjects.lobby("close", "host"), closing)
        await table.until(lambda: table.log.table.phase is Phase.CLOSED)
        await moment()
        docket = Docket(editions.canonical(editions.load(edition)), tuple(table.log.leaves), "")
        return [list(chair.heard) for chair in table.chairs], docket


@pytest.fixture(scope="module", params=GAMES)
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[list[FromVault]], Docket]:
    return run(play(tmp_path_factory.mktemp("vaults"), request.param))


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seat_is_sent_again_byte_for_byte_what_its_client_opened(
    played: tuple[list[list[FromVault]], Docket], seat: int
) -> None:
    heard, docket = played
    live = [one for one in heard[seat] if isinstance(one, Update | ChoiceAccepted)]
    # A client that begins is sent one update with all lines so far; from then on it is one for each entry.
    begun = next(n for n, one in enumerate(live) if isinstance(one, Update) and len(one.lines) == 1)
    first = live[begun]
    assert isinstance(first, Update)

    again = [one.message for one in sent(docket, Viewer(f"seat{seat}")) if one.seq >= first.sequence]

    assert [msgspec.msgpack.encode(one) for one in again] == [msgspec.msgpack.encode(one) for one in live[begun:]]
    assert sum(isinstance(one, ChoiceAccepted) for one in again) > 5


def test_only_a_seat_was_sent_anything() -> None:
    docket = play_game(seats=2, seed=3).docket()

    with pytest.raises(ProtocolError, match="replay/viewer"):
        sent(docket, Viewer("public"))


def test_nothing_can_be_sent_again_before_the_seat_has_revealed() -> None:
    played = play_game(seats=2, seed=3)
    docket = played.record(played.log.leaves[: played.size_after_byes])

    with pytest.raises(ProtocolError, match="replay/not-revealed"):
        sent(docket, Viewer("seat0"))
