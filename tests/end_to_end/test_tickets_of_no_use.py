"""A ticket that opens nothing: one sentence that says why, exit code 2, and never a wait."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from tests.support.commands import Command
from tests.support.house import House
from tests.support.house import house as open_house

from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import ADMIN
from chambers.bus.stream import create_stream
from chambers.protocol.tickets import Ticket


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path / "house", seats=2) as one:
        yield one


async def told(home: Path, *arguments: str) -> str:
    """Return the sentence with which the command ended, whose exit code is 2 and whose output is empty."""
    surroundings = {**os.environ, "CHAMBERS_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chambers.clients.cli", *arguments,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings,
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, out) == (2, b"")
    return err.decode().splitlines()[-1]


async def ticket(house: House) -> Ticket:
    return await house.host.ticket(await house.open(2), 0)


@pytest.mark.parametrize("arguments", [("join",), ("join", "--json"), ("bot",)])
async def test_a_ticket_for_a_closed_table_says_how_it_ended_and_where_to_read_it(
    house: House, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    one = await ticket(house)
    await house.host.close(one.table, "nobody came")

    sentence = await told(tmp_path, arguments[0], one.text(), *arguments[1:])

    assert sentence.startswith("This table has closed.")
    assert f"Read it with: chambers log {one.table.hex()} --server {one.server}" in sentence


async def test_a_player_who_was_away_at_the_end_gets_the_receipt_all_the_same(house: House, tmp_path: Path) -> None:
    await house.play(2)
    table = (await house.host.tables())[0].table
    one = await house.host.ticket(table, 0)

    await told(tmp_path, "join", one.text())
    note = (tmp_path / "receipts" / f"{table.hex()}.note").read_text()

    assert table.hex() in note


async def test_a_bot_keeps_its_receipt_as_a_person_does_and_says_how_to_hold_the_record_against_it(
    house: House, tmp_path: Path
) -> None:
    table = await house.open(2)
    lines = [f"{(await house.host.ticket(table, seat)).text()}\n" for seat in range(2)]
    ada, bo = [await Command.start("bot", "-", "--pause", "0", home=tmp_path, typed=line) for line in lines]

    codes = [await bot.ended(limit=120) for bot in (ada, bo)]
    told = ada.errors[-1].partition("hold the record against it with: chambers ")[2]
    audit = await Command.start(*told.split(), home=tmp_path)
    verdict = await audit.ended()

    assert codes == [0, 0], ada.errors
    assert ada.errors[0].startswith(f"A bot (rules) sits at seat 0 of table {table.hex()}, ")
    assert "--receipt" in told
    assert (verdict, audit.lines[0].partition(":")[0]) == (0, "audit clean")


@pytest.mark.parametrize("command", ["join", "bot"])
async def test_a_ticket_for_a_table_that_is_not_there_says_so(house: House, tmp_path: Path, command: str) -> None:
    lost = msgspec.structs.replace(await ticket(house), table=bytes(16))

    assert "table is not on that server" in await told(tmp_path, command, lost.text())


async def test_an_own_vault_s_ticket_for_a_table_that_is_not_there_says_so(house: House, tmp_path: Path) -> None:
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False), own=(0,))
    lost = msgspec.structs.replace(await house.host.vault_ticket(table, 0), table=bytes(16))

    assert "table is not on that server" in await told(tmp_path, "vault", lost.text())


@pytest.mark.parametrize("command", ["join", "bot"])
async def test_a_ticket_that_nobody_is_there_to_judge_is_not_called_void(
    house: House, tmp_path: Path, command: str
) -> None:
    one = await ticket(house)
    await house.stack.kill("gm")

    sentence = await told(tmp_path, command, one.text())

    assert "is there, but its gate does not answer. Try again in a moment" in sentence
    await house.stack.start("gm")


@pytest.mark.parametrize("command", ["join", "bot"])
async def test_a_voided_ticket_says_so(house: House, tmp_path: Path, command: str) -> None:
    one = await ticket(house)
    await house.host.void(one.table, 0)

    assert await told(tmp_path, command, one.text()) == "This ticket was voided; ask the host for the new one."


@pytest.mark.parametrize("command", [("join",), ("join", "--json"), ("bot",)])
async def test_a_ticket_that_is_voided_while_its_player_sits_ends_the_command_with_that_sentence(
    house: House, tmp_path: Path, command: tuple[str, ...]
) -> None:
    one = await ticket(house)
    watching = await Command.start("watch", one.table.hex(), "--server", house.stack.url, home=tmp_path)
    player = await Command.start(command[0], one.text(), *command[1:], home=tmp_path)
    await watching.says("sits down")

    await house.host.void(one.table, 0)
    code = await player.ended()
    await watching.stop()

    assert code == 2
    assert "This ticket was voided; ask the host for the new one." in (player.errors or player.lines)[-1]


async def test_whoever_sits_when_the_store_is_lost_is_told_that_the_table_is_gone(house: House, tmp_path: Path) -> None:
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False), own=(0,))
    vault = await Command.start("vault", (await house.host.vault_ticket(table, 0)).text(), home=tmp_path)
    player = await Command.start("join", (await house.host.ticket(table, 1)).text(), home=tmp_path)
    await vault.says("is at the table")
    await player.says("sits down")

    await house.stack.kill("gm")
    await house.stack.server.kill()
    shutil.rmtree(house.stack.home / "nats" / "store")
    await house.stack.server.start()
    admin = await NatsBus.connect(house.stack.url, house.stack.deployment.login(ADMIN))
    await create_stream(admin)
    await admin.close()
    await house.stack.start("gm")
    codes = [await one.ended() for one in (vault, player)]

    assert codes == [2, 2]
    told = "This ticket's table is not on that server: it was deleted, or the server is another one."
    assert vault.errors[-1] == told
    assert told in (player.errors + player.lines)[-1]


async def test_an_own_vault_whose_ticket_is_voided_ends_with_that_sentence(house: House, tmp_path: Path) -> None:
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False), own=(0,))
    one = await house.host.vault_ticket(table, 0)
    plain = await Command.start("vault", one.text(), "--home", "own", home=tmp_path)
    await plain.says("is at the table")
    await house.host.void(table, 0)
    again = await house.host.vault_ticket(table, 0)
    first = await plain.ended()
    seated = await Command.start("vault", again.text(), "--home", "own", "--join", home=tmp_path)
    await seated.says("you are at the table")
    await house.host.void(table, 0)
    second = await seated.ended()

    assert (first, second) == (2, 2)
    assert plain.errors[-1] == "This ticket was voided; ask the host for the new one."
    assert "This ticket was voided; ask the host for the new one." in (seated.errors + seated.lines)[-1]
    assert not [line for line in seated.errors if "Traceback" in line or "never retrieved" in line]


async def test_a_forged_ticket_is_not_admitted(house: House, tmp_path: Path) -> None:
    forged = msgspec.structs.replace(await ticket(house), admit=b"x" * 32)

    assert "does not admit" in await told(tmp_path, "join", forged.text())


@pytest.mark.parametrize("command", ["watch", "export", "log"])
async def test_a_table_that_is_not_there_cannot_be_read(house: House, tmp_path: Path, command: str) -> None:
    assert await told(tmp_path, command, "00" * 16, "--server", house.stack.url) == "There is no such table."
