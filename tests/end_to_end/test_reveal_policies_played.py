"""Games on a real server whose hands are opened to an auditor, or to nobody; what players and lists say about it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from tests.support.house import PATIENCE_S, house
from typer.testing import CliRunner, Result

from chambers import audit
from chambers.clients.cli import app
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.hosting import Refused
from chambers.clients.json_mode import JsonLines
from chambers.clients.seating import sights_of
from chambers.clients.session import SeatSession
from chambers.clients.speech import Speech
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.client import Over, Welcome
from chambers.protocol.docket import Docket
from chambers.protocol.tickets import read_ticket

KEY = AuditorKey(bytes(range(32)))


@pytest.mark.parametrize("game", ["witness-stand", "missing-suspect"])
async def test_a_game_for_an_auditor_is_clean_with_the_key_and_open_without(game: str, tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        docket = await here.play(2, game=game, level="rules", reveal="auditor", auditor_key=KEY.public)

    assert audit.audit(docket, auditor=KEY).exit_code == 0
    assert audit.audit(docket).exit_code == 2


async def test_a_game_that_nobody_opens_still_leaves_each_player_a_receipt(tmp_path: Path) -> None:
    overs: list[Over | None] = []
    async with house(tmp_path, seats=2) as here:
        table = await here.open(2, reveal="none")
        players = [await here.sit(table, seat, level="rules", silence=PATIENCE_S) for seat in range(2)]
        overs = [await player for player in players]
        (info,) = await here.host.tables()
        docket = await fetched(here.stack.url, table)

    assert (info.reveal, info.phase) == ("none", "closed")
    for over in overs:
        assert over is not None
        assert over.receipt.count("\u2014") == 1 + 4
        report = audit.audit(docket, receipts=[over.receipt])
        assert (report.findings, len(report.unproved), report.exit_code) == ((), 1, 2)


async def test_the_auditor_follows_a_game_and_opens_it_at_its_end(tmp_path: Path) -> None:
    key = tmp_path / "auditor.key"
    public = bytes.fromhex(call("auditor", str(key)).stdout.strip())
    async with house(tmp_path / "home", seats=2) as here:
        table = await here.open(2, reveal="auditor", auditor_key=public)
        follow = ("audit", table.hex(), "--live", "--server", here.stack.url)
        with_key = asyncio.create_task(calls(*follow, "--auditor-key", str(key)))
        players = [await here.sit(table, seat, level="rules") for seat in range(2)]
        for player in players:
            await player
        opened, shut = await with_key, await calls(*follow)

    assert (opened.exit_code, shut.exit_code) == (0, 2)
    assert "audit clean" in opened.output
    # the services of this process may have something to say on the same stream
    assert any(line.startswith(f"Following table {table.hex()}: ") for line in opened.stderr.splitlines())
    assert "this table's auditor only" in shut.output


async def test_who_may_open_the_hands_is_said_by_the_host_in_the_list_and_at_the_table(tmp_path: Path) -> None:
    key = tmp_path / "auditor.key"
    public = call("auditor", str(key)).stdout.strip()
    async with house(tmp_path / "home", seats=2) as here:
        at = ("--server", here.stack.url)
        opened = await calls("host", "--seats", "2", "--reveal", "auditor", "--auditor-key", str(key), *at,
                             "--home", str(here.stack.home))  # fmt: skip
        listed = await calls("tables", *at)
        ticket = read_ticket(re.findall(r"chambers1\.\S+", opened.stdout)[0])
        session = SeatSession(ticket, "Ada")
        await take_seat(ticket, session)
        welcome = await anext(session.messages())
        await session.close()

    assert f"hands are opened afterwards to the auditor with the key {public}" in opened.stdout
    assert ", revealed to its auditor only" in listed.stdout
    assert isinstance(welcome, Welcome)
    assert public in Speech(sights_of).lines(welcome)[1]
    assert public in JsonLines().lines(welcome)[0]


@pytest.mark.parametrize(
    "options",
    [
        ("--reveal", "auditor"),
        ("--reveal", "none", "--auditor-key", KEY.public.hex()),
        ("--reveal", "auditor", "--auditor-key", "nonsense"),
        ("--reveal", "nobody"),
    ],
)
async def test_a_policy_that_makes_no_sense_ends_in_one_sentence(options: tuple[str, ...], tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        got = await calls("host", "--seats", "2", *options, "--server", here.stack.url, "--home", str(tmp_path))
        tables = await here.host.tables()

    assert (got.exit_code, tables) == (2, ())
    assert "Traceback" not in got.output


async def test_the_lobby_refuses_a_key_to_which_nothing_can_be_sealed(tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        with pytest.raises(Refused, match="lobby/auditor-key"):
            await here.open(2, reveal="auditor", auditor_key=bytes(32))


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


async def calls(*arguments: str) -> Result:
    return await asyncio.to_thread(call, *arguments)


async def fetched(url: str, table: bytes) -> Docket:
    spectator = await as_spectator(url, table)
    try:
        return await spectator.docket()
    finally:
        await spectator.leave()
