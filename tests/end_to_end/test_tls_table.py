"""A whole table on a server with TLS: the tickets carry the fingerprint, and nothing else is needed."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import msgspec
import pytest
from tests.support.house import House

from chambers.audit import audit
from chambers.bus.errors import BusError
from chambers.clients.bot_house import BotHouse, lay
from chambers.clients.connecting import as_host, as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.services.stack import Stack


async def test_a_game_among_bots_of_a_house_is_played_over_tls_and_audits_clean(tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    async with Stack(tmp_path / "home", seats=3, sync="default", tls=True) as stack:
        host = await as_host(stack.url, stack.home)
        table = await House(stack, host).open(3)
        tickets = [await host.ticket(table, seat) for seat in range(3)]
        spectator = await as_spectator(host.server, table)
        bots = asyncio.create_task(BotHouse(folder, level="random", longest=0.0).run())
        lay(folder, tickets)

        phases = [scene.phase async for scene in spectator.scenes()]
        docket = await spectator.docket()
        while any(folder.glob("*.ticket")):  # noqa: ASYNC110 - its folder is all that a house of bots shows
            await asyncio.sleep(0)

        bots.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await bots
        await spectator.leave()
        await host.leave()
    receipt = (folder / f"{table.hex()}.note").read_text()
    report = audit(docket, workers=1, receipts=(receipt,))
    assert [path.name for path in folder.iterdir()] == [f"{table.hex()}.note"]
    assert all(ticket.fingerprint is not None for ticket in tickets)
    assert phases[-1] == "closed"
    assert (report.exit_code, report.findings) == (0, ())


async def test_a_ticket_for_another_certificate_is_of_no_use_here(tmp_path: Path) -> None:
    async with Stack(tmp_path, seats=2, sync="default", tls=True) as stack:
        host = await as_host(stack.url, stack.home)
        table = await House(stack, host).open(2)
        forged = msgspec.structs.replace(await host.ticket(table, 0), fingerprint=bytes(32))

        with pytest.raises(BusError, match="bus/bad-certificate"):
            await take_seat(forged, SeatSession(forged, "Ada"))

        await host.leave()
