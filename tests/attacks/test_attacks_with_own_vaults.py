"""A player's own vault that lies or floods, and a host whose services ask it for what is not yet due."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import (
    COURT_TABLE,
    Crook,
    crooked_house,
    entry_of,
    evening,
    found,
    seat_bot,
)
from tests.attacks.test_attacks_by_a_vault import LIAR, denies_a_card
from tests.support.house import House
from tests.support.own_vaults import OWN, sit_at_own

from chambers.audit import Verdict, audit
from chambers.bus.errors import BusError
from chambers.bus.login import own_vault_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients import keeping
from chambers.clients.connecting import as_spectator
from chambers.clients.keeping import own_vault
from chambers.protocol import subjects
from chambers.protocol.docket import Docket
from chambers.protocol.log import Log
from chambers.protocol.messages import Behind, ShareAnswer, ShareRequest, TailRequest, encode
from chambers.rules import Phase
from chambers.services.own_vault import OwnVault
from chambers.services.vault_table import VaultTable

_share = msgspec.msgpack.Decoder(ShareAnswer)


class LyingOwnVault(OwnVault):
    """A vault on its player's machine that plays a trick."""

    crook: Crook

    def _table(self, log: Log) -> VaultTable | None:
        known = log.id in self._tables
        table = super()._table(log)
        if table is not None and not known:
            self.crook.bend(table.me, table)
            learn = table._learn

            def go_on(entry: Any, opened: Any) -> None:
                with contextlib.suppress(ValueError, AssertionError):  # a liar plays on, whatever its hand makes of it
                    learn(entry, opened)

            table._learn = go_on  # type: ignore[method-assign]
        return table


async def opened(here: House, *, number: int) -> bytes:
    """Return a table at which the player of seat 1 keeps the vault."""
    return await here.host.open_table(
        "witness-stand", "tandem-target", options=COURT_TABLE, bots=(True,) * 3, own=(OWN,), table=bytes([number]) * 16
    )


async def own_evening(here: House, home: Path, crook: Crook, *, number: int) -> Docket:
    """Return the docket of a table with an own vault, closed by the host soon after the trick or near its end."""
    table = await opened(here, number=number)
    spectator = await as_spectator(here.stack.url, table)
    async with own_vault(await here.host.vault_ticket(table, OWN), home / f"own{number}") as keeper:
        players: list[asyncio.Task[Any]] = [await seat_bot(here, table, seat) for seat in (0, 2)]
        players.append(await sit_at_own(keeper))
        closing = False
        async with asyncio.timeout(90):
            async for scene in spectator.scenes():
                if scene.phase == Phase.PLAY and not closing and (crook.done or scene.sequence > 300):
                    closing = True
                    await here.close(table, "the evening is over")
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
    docket = await spectator.docket()
    await spectator.leave()
    return docket


async def test_an_own_vault_that_denies_a_card_is_found_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crook = Crook(denies_a_card)
    monkeypatch.setattr(LyingOwnVault, "crook", crook, raising=False)
    monkeypatch.setattr(keeping, "OwnVault", LyingOwnVault)
    async with crooked_house(tmp_path / "host", {}) as here:
        docket, number = await own_evening(here, tmp_path, crook, number=1), 1
        while not crook.told:
            number += 1
            docket = await own_evening(here, tmp_path, crook, number=number)

    report = audit(docket)

    assert crook.accepted
    assert found(report) == {("A24", entry_of(docket, crook.told[-1]), LIAR)}


async def test_an_own_vault_that_floods_the_game_master_holds_up_no_other_table(tmp_path: Path) -> None:
    async with crooked_house(tmp_path / "host", {}) as here:
        table = await opened(here, number=9)
        ticket = await here.host.vault_ticket(table, OWN)
        bus = await NatsBus.connect(here.stack.url, own_vault_login(ticket))
        inbound, tail = subjects.inbound(table.hex(), LIAR, own=True), subjects.tail(table.hex(), LIAR, own=True)
        done = asyncio.Event()

        async def flood() -> int:
            sent = 0
            while not done.is_set():
                for subject, data in ((inbound, b"x" * 4000), (tail, encode(TailRequest(0))), (inbound, b"")):
                    await bus.ask(subject, data, reply=f"{subjects.inbox(bus.user)}.flood")
                    sent += 1
                await bus.barrier()
            return sent

        flooding = asyncio.create_task(flood())
        docket = await evening(here, lambda: True, more=40)
        done.set()
        sent = await flooding
        await bus.close()

    assert sent > 100
    assert audit(docket).verdict is Verdict.CLEAN


async def test_the_hosts_dice_get_no_share_of_an_own_vault_ahead_of_its_roll(tmp_path: Path) -> None:
    async with crooked_house(tmp_path / "host", {}) as here:
        table = await opened(here, number=7)
        spectator = await as_spectator(here.stack.url, table)
        dice = await NatsBus.connect(here.stack.url, here.stack.deployment.login("dice"))
        answers, closing = [], False
        async with own_vault(await here.host.vault_ticket(table, OWN), tmp_path / "own") as keeper:
            players: list[asyncio.Task[Any]] = [await seat_bot(here, table, seat) for seat in (0, 2)]
            players.append(await sit_at_own(keeper))
            async with asyncio.timeout(90):
                async for scene in spectator.scenes():
                    if scene.phase == Phase.PLAY and not closing:
                        asked = encode(ShareRequest(900, scene.sequence))
                        with contextlib.suppress(BusError):
                            answers.append(_share.decode(await dice.request(subjects.share(table.hex(), OWN), asked)))
                    if len(answers) >= 20 and not closing:
                        closing = True
                        await here.close(table, "the evening is over")
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
        docket = await spectator.docket()
        await dice.close()
        await spectator.leave()

    assert {type(answer) for answer in answers} == {Behind}
    assert audit(docket).verdict is Verdict.CLEAN
