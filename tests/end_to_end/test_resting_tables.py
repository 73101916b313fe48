"""A closed table is forgotten by every service after a while, and read again for whoever asks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.house import house

from chambers import audit
from chambers.clients.connecting import as_spectator
from chambers.clients.spectating import NotWatched
from chambers.services import follower, game_master


def _kept(service: Any, table: bytes) -> bool:
    inner = getattr(service, "_poked", service)
    inner = getattr(inner, "_follower", inner)
    return table in getattr(inner, "logs", {}) or table in getattr(service, "_ledgers", {})


async def test_a_closed_table_leaves_the_memory_of_every_service_and_can_still_be_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (follower, game_master):
        monkeypatch.setattr(module, "REST_S", 0.5)
    async with house(tmp_path, seats=2) as here:
        docket = await here.play(2)
        (info,) = await here.host.tables()
        services = {user: one.service for user, one in here.stack._running.items() if user != "gate"}
        for _ in range(200):
            if not any(_kept(service, info.table) for service in services.values()):
                break
            await asyncio.sleep(0.1)
        assert [user for user, service in services.items() if _kept(service, info.table)] == []
        (listed,) = await here.host.tables()
        spectator = await as_spectator(here.stack.url, info.table)
        again = await spectator.docket()
        await spectator.leave()

    assert listed == info
    assert again.leaves == docket.leaves
    assert audit.audit(again).exit_code == 0


async def test_tables_that_are_not_there_are_not_kept_however_many_a_stranger_names(tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        gallery: Any = here.stack._running["gallery"].service
        for number in range(20):
            spectator = await as_spectator(here.stack.url, number.to_bytes(16, "big"))
            with pytest.raises(NotWatched):
                await anext(spectator.scenes())
            await spectator.leave()
        kept = dict(gallery._follower.logs)

    assert kept == {}
