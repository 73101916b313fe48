"""A vault on its player's own machine: whole games with one, and what happens when it comes, goes and stays away."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import msgspec
import pytest
from tests.support.commands import Command
from tests.support.discretion import Discretion
from tests.support.house import NAMES, TABLES, House, house
from tests.support.insider import Insider
from tests.support.own_vaults import OWN, OwnVaultProcess, own_table, sit_down

from chambers import audit
from chambers.bus.errors import BusError
from chambers.bus.login import own_vault_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import bot_for
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.hosting import Refused
from chambers.clients.keeping import own_vault
from chambers.clients.session import SeatSession
from chambers.protocol import subjects
from chambers.protocol.client import Over, Update
from chambers.protocol.errors import ProtocolError, Refusal
from chambers.protocol.messages import TailReply, TailRequest, encode
from chambers.protocol.statements import read_event, read_leaf, read_open, read_statement
from chambers.rules.events import Commit, Drop
from chambers.rules.roles import seat_role

HOSTED = (0, 2)
SHORT = (
    ("answer_floor_ms", "0"), ("answer_limit", "1"), ("object_window", "1"), ("stall_s", "1"), ("turn_limit", "1"),
)  # fmt: skip


async def hosted_players(here: House, table: bytes) -> list[asyncio.Task[Over | None]]:
    return [await here.sit(table, seat, level="rules") for seat in HOSTED]


async def stop(players: list[asyncio.Task[Over | None]]) -> None:
    for player in players:
        player.cancel()
    await asyncio.gather(*players, return_exceptions=True)


@pytest.mark.parametrize("game", TABLES)
async def test_a_game_whose_own_vault_is_killed_and_the_server_too_ends_clean_and_says_own(
    tmp_path: Path, game: str
) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here, game=game)
        spectator = await as_spectator(here.stack.url, table)
        async with OwnVaultProcess(tmp_path / "own", await here.host.vault_ticket(table, OWN)) as vault:
            first = vault.ticket
            players = [*await hosted_players(here, table), await sit_down(first)]
            shaken: list[int] = []
            async with asyncio.timeout(100):
                async for scene in spectator.scenes():
                    if scene.sequence >= 16 and not shaken:
                        shaken.append((await vault.end(signal.SIGKILL))[0])
                        await vault.start()
                    if scene.sequence >= 28 and len(shaken) == 1:
                        shaken.append(0)
                        await here.stack.server.restart()
                code, said = await vault.ended()
            await stop(players)
        docket = await spectator.docket()
        await spectator.leave()

    receipt = next((tmp_path / "own" / "receipts").iterdir()).read_text(encoding="utf-8")
    report = audit.audit(docket, receipts=(receipt,))
    plans = read_open(bytes(read_statement(read_leaf(docket.leaves[0]).stmt).ev)).seats
    assert (report.exit_code, report.findings) == (0, ())
    assert [plan.vault for plan in plans] == ["host", "own", "host"]
    assert len(shaken) == 2
    assert vault.ticket == first
    assert code == 0
    assert "The table is over: " in said


async def test_the_table_waits_in_its_setup_and_says_whose_own_vault_is_not_there(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here)
        spectator = await as_spectator(here.stack.url, table)
        ticket = await here.host.ticket(table, 0)
        session = SeatSession(ticket, NAMES[0])
        await take_seat(ticket, session)
        async with asyncio.timeout(60):
            told = await anext(
                heard.waiting
                async for heard in session.messages()
                if isinstance(heard, Update) and "seat 0" not in heard.waiting and len(heard.waiting) == 2
            )
            seen = await anext(scene.waiting async for scene in spectator.scenes() if len(scene.waiting) == 2)
        await session.close()
        await spectator.leave()

    assert told == seen == ("seat 1 (own vault)", "seat 2")


async def test_an_own_vault_that_stays_away_is_dropped_and_the_game_ends(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=4) as here:
        table = await here.host.open_table(
            "witness-stand", "tandem-target", options=SHORT, bots=(True,) * 4, own=(OWN,)
        )
        discretion = Discretion("random", seed=table.hex())
        spectator = await as_spectator(here.stack.url, table)
        async with OwnVaultProcess(tmp_path / "own", await here.host.vault_ticket(table, OWN)) as vault:
            players = [await here.sit(table, seat, make=discretion.make) for seat in (0, 2, 3)]
            players.append(await sit_down(vault.ticket, make=discretion.make))
            gone = False
            async with asyncio.timeout(100):
                async for scene in spectator.scenes():
                    if scene.sequence >= 24 and not gone:
                        gone = True
                        await vault.end()
                    discretion.over = bool(scene.view["dropped"])
            await stop(players)
        docket = await spectator.docket()
        await spectator.leave()

    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in docket.leaves[1:]]
    assert [event for event in events if isinstance(event, Drop)] == [Drop(OWN)]
    assert audit.audit(docket).findings == ()


async def test_a_void_issue_cuts_off_vault_and_client_and_the_next_one_brings_the_same_vault_back(
    tmp_path: Path,
) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here, game="missing-suspect")
        spectator = await as_spectator(here.stack.url, table)
        old = await here.host.vault_ticket(table, OWN)
        async with own_vault(old, tmp_path / "own") as keeper:
            players = [*await hosted_players(here, table), await sit_down(keeper.ticket)]
            await anext(scene async for scene in spectator.scenes() if scene.sequence >= 20)

            await here.host.void(table, OWN)

            with pytest.raises(ProtocolError) as cut_off:
                await keeper.until_over()
            assert await asyncio.wait_for(players[-1], 60) is None
        new = await here.host.vault_ticket(table, OWN)
        async with own_vault(new, tmp_path / "own") as keeper:
            players.append(await sit_down(keeper.ticket))
            async with asyncio.timeout(90):
                over = await keeper.until_over()
        with pytest.raises(BusError) as void:
            async with own_vault(old, tmp_path / "own"):
                pass
        await stop(players)
        await spectator.leave()

    assert [error.value.code for error in (cut_off, void)] == ["ticket/void", "bus/login-refused"]
    assert over is not None
    assert over.receipt


async def test_an_own_vault_with_another_key_is_told_so_and_does_nothing_at_the_table(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here, game="missing-suspect")
        ticket = await here.host.vault_ticket(table, OWN)
        spectator = await as_spectator(here.stack.url, table)
        async with own_vault(ticket, tmp_path / "own") as keeper:
            players = [*await hosted_players(here, table), await sit_down(keeper.ticket)]
            await anext(scene async for scene in spectator.scenes() if scene.sequence >= 20)

            with pytest.raises(Refused) as caught:
                async with own_vault(ticket, tmp_path / "another"):
                    pass
            async with asyncio.timeout(90):
                await keeper.until_over()
        await stop(players)
        docket = await spectator.docket()
        await spectator.leave()

    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "missing-suspect") for raw in docket.leaves[1:]]
    assert caught.value.refusal.code == "vault/other-key"
    assert len([event for event in events if isinstance(event, Commit) and event.name == NAMES[OWN]]) == 1
    assert audit.audit(docket).exit_code == 0


async def test_a_player_whose_own_vault_ends_is_told_to_start_it_again_and_nobody_else_is(tmp_path: Path) -> None:
    lost = "LINK lost. Your seat is held; trying again."
    async with house(tmp_path / "host", seats=2) as here:
        table = await own_table(here, seats=2)
        async with own_vault(await here.host.vault_ticket(table, OWN), tmp_path / "own") as keeper:
            tickets = (await here.host.ticket(table, 0), keeper.ticket)
            hosted, own = [await Command.start("join", one.text(), home=tmp_path) for one in tickets]
            for window in (hosted, own):
                await window.says("you are at the table")
        await here.stack.kill("seat0")
        told = [await window.says("LINK lost") for window in (hosted, own)]
        for window in (hosted, own):
            await window.stop()

    assert told == [lost, f"{lost} If your vault has ended, start it again in another window: chambers vault TICKET"]


async def test_a_bot_may_play_at_a_seat_with_an_own_vault(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=2) as here:
        table = await own_table(here, seats=2)
        async with own_vault(await here.host.vault_ticket(table, OWN), tmp_path / "own") as keeper:
            player = await here.sit(table, 0, level="rules")

            async def sit(ticket: object) -> object:
                assert ticket == keeper.ticket
                session = SeatSession(keeper.ticket, NAMES[OWN])
                await take_seat(keeper.ticket, session)
                return await BotRunner(session, bot_for("rules", seed="x"), pause=lambda: 0.0).play()

            async with asyncio.timeout(60):
                over = await keeper.until_over(sit)  # type: ignore[arg-type]
            await player

    assert over is not None
    assert over.receipt


async def test_the_host_s_vault_of_that_number_gets_no_statement_in_and_gives_no_ticket(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here)
        hosts = await Insider.enter(here.stack, table, seat_role(OWN))

        answer = await hosts.submit(hosts.statement(hosts.me.commit("Mallory")))
        with pytest.raises(Refused) as ticket:
            await here.host.ticket(table, OWN)
        with pytest.raises(Refused) as vault_ticket:
            await here.host.vault_ticket(table, 0)
        await hosts.bus.close()

    assert isinstance(answer, Refusal)
    assert answer.code == "gm/wrong-vault"
    assert [caught.value.refusal.code for caught in (ticket, vault_ticket)] == ["lobby/own-vault", "lobby/host-vault"]


async def test_an_own_vault_is_answered_in_its_own_inbox_and_in_no_other(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here)
        ticket = await here.host.vault_ticket(table, OWN)
        bus = await NatsBus.connect(here.stack.url, own_vault_login(ticket))
        hosts = await NatsBus.connect(here.stack.url, here.stack.deployment.login("seat1"))
        tail = subjects.tail(table.hex(), seat_role(OWN), own=True)

        async with hosts.inboxes.open() as inbox:
            await bus.ask(tail, encode(TailRequest(0)), reply=inbox.address)
            answer = await bus.request(tail, encode(TailRequest(0)))
            await hosts.barrier()
        await bus.close()
        await hosts.close()

    assert msgspec.msgpack.decode(answer, type=TailReply).size > 0
    assert inbox.replies.empty()
