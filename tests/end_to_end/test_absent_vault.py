"""A vault that is gone for good: the others say so, it is dropped, and the game goes on without it (WS-48)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.discretion import Discretion
from tests.support.house import House, house

from chambers import audit
from chambers.clients.connecting import as_spectator
from chambers.protocol.docket import Docket
from chambers.protocol.statements import read_event, read_leaf, read_statement
from chambers.rules.events import Drop, Share, Stall

SHORT = (
    ("answer_floor_ms", "0"), ("answer_limit", "1"), ("object_window", "1"), ("stall_s", "1"), ("turn_limit", "1"),
)  # fmt: skip


async def _lose(here: House, seats: int, *, gone: int, at: int) -> Docket:
    """Play a game in which a vault is cut off for good once the log has `at` entries, and which ends after its drop."""
    table = await here.open(seats, options=SHORT)
    discretion = Discretion("random", seed=table.hex())
    spectator = await as_spectator(here.stack.url, table)
    players = [await here.sit(table, seat, make=discretion.make) for seat in range(seats)]
    killed = False
    async with asyncio.timeout(100):
        async for scene in spectator.scenes():
            if scene.sequence >= at and not killed:
                killed = True
                await here.stack.kill(f"seat{gone}")
            discretion.over = bool(scene.view["dropped"])
    docket = await spectator.docket()
    for player in players:
        player.cancel()
    await spectator.leave()
    return docket


async def test_a_vault_that_never_comes_back_is_dropped_and_the_game_ends(tmp_path: Path) -> None:
    async with house(tmp_path, seats=4) as here:
        docket = await _lose(here, 4, gone=2, at=24)

    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in docket.leaves[1:]]
    report = audit.audit(docket)

    assert [event for event in events if isinstance(event, Drop)] == [Drop(2)]
    assert len([event for event in events if isinstance(event, Stall)]) >= 2
    assert report.findings == ()


async def test_a_share_that_the_dice_do_not_get_is_published_by_those_who_are_there(tmp_path: Path) -> None:
    async with house(tmp_path, seats=4) as here:
        docket = await _lose(here, 4, gone=3, at=15)  # all corners are chosen: the first throw is due

    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in docket.leaves[1:]]

    assert [event for event in events if isinstance(event, Share)]
    assert [event for event in events if isinstance(event, Drop)] == [Drop(3)]


async def test_a_vault_that_never_says_goodbye_does_not_keep_the_others_from_opening_their_secrets(
    tmp_path: Path,
) -> None:
    async with house(tmp_path, seats=4) as here:
        table = await here.open(4, options=SHORT)
        discretion = Discretion("random", seed=table.hex())
        spectator = await as_spectator(here.stack.url, table)
        players = [await here.sit(table, seat, make=discretion.make) for seat in range(4)]
        closed = False
        async with asyncio.timeout(60):
            async for scene in spectator.scenes():
                if scene.phase == "play" and not closed:
                    closed = True
                    await here.stack.kill("seat1")
                    await here.host.close(table, "the evening is over")
        docket = await spectator.docket()
        for player in players:
            player.cancel()
        await spectator.leave()

    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in docket.leaves[1:]]
    report = audit.audit(docket)

    assert [event for event in events if isinstance(event, Drop)] == [Drop(1)]
    assert report.phase == "closed"
    assert report.findings == ()
