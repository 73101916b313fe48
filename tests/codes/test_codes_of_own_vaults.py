"""The code of an own vault's ticket, at the gate: its ticket for whoever has it, a limit for whoever guesses."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import structlog
from tests.support.commands import Command
from tests.support.house import House

from chambers.bus import logs
from chambers.clients.addresses import read_address
from chambers.clients.connecting import as_host
from chambers.clients.keeping import own_vault
from chambers.clients.short_codes import ticket_by_code, vault_ticket_by_code
from chambers.protocol.codes import Code, code_of
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import TableIssues
from chambers.protocol.tickets import VaultTicket
from chambers.services.code_door import BURST, LIFE_S, PAUSE_S
from chambers.services.own_code_door import LOOK_UPS, OwnCodeDoor
from chambers.services.stack import Stack

OWN = 1


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with Stack(tmp_path / "home", seats=2, sync="default", tls=True) as stack:
        host = await as_host(stack.url, stack.home)
        yield House(stack, host)
        await host.leave()


async def opened(house: House) -> tuple[bytes, VaultTicket]:
    """Return a table for two people, and the ticket of the vault that the player of seat 1 keeps."""
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False), own=(OWN,))
    return table, await house.host.vault_ticket(table, OWN)


def code(ticket: VaultTicket) -> Code:
    return code_of(ticket.seat, ticket.admit)


async def got(house: House, table: bytes, code: Code) -> VaultTicket:
    return await vault_ticket_by_code(read_address(house.stack.url), table, code)


async def tried(house: House, table: bytes, code: Code) -> str:
    """Return the code of the refusal that a try meets."""
    with pytest.raises(ProtocolError) as caught:
        await got(house, table, code)
    return caught.value.code


async def test_a_code_gets_the_very_ticket_of_the_vault_after_every_service_was_restarted_too(house: House) -> None:
    table, ticket = await opened(house)

    before = await got(house, table, code(ticket))
    for user in ("gate", "gm", "seat1"):
        await house.restart(user)
    after = await got(house, table, code(ticket))

    assert before == after == ticket
    assert ticket.fingerprint is not None


async def test_the_line_that_the_host_prints_starts_the_vault_and_says_how_to_come_back(
    house: House, tmp_path: Path
) -> None:
    url = house.stack.url
    host = await Command.start(
        "host", "--server", url, "--home", str(house.stack.home), "--seats", "2", "--own", "1", home=tmp_path
    )
    assert await host.ended() == 0
    line = next(line for line in host.lines if "in the same network: chambers vault " in line)

    vault = await Command.start(
        "vault", line.partition("chambers vault ")[2].split()[0], "--server", url, home=tmp_path
    )
    join = (await vault.says("chambers join ")).split()[-1]
    ada = await Command.start("join", join, home=tmp_path, typed="quit\n")
    ends = await ada.ended()
    await vault.stop()

    admitted = next(line.split()[-1] for line in host.lines if line.startswith("seat 1: chambers vault "))
    assert ends == 0
    assert f"You keep the vault of seat 1. To come back to it: chambers vault {admitted}" in vault.errors
    assert f"The table waits for your vault; to come back: chambers vault {admitted}" in vault.errors


async def test_a_code_opens_no_vault_once_its_player_has_sat_down(house: House, tmp_path: Path) -> None:
    table, ticket = await opened(house)
    async with own_vault(ticket, tmp_path / "own") as keeper:
        ada = await Command.start("join", keeper.ticket.text(), home=tmp_path)
        await ada.says("sits down at seat 1")

        assert await tried(house, table, code(ticket)) == "code/none"
        await ada.stop()


async def test_a_voided_ticket_s_code_opens_nothing_and_the_next_one_does(house: House) -> None:
    table, ticket = await opened(house)
    await house.host.void(table, OWN)
    fresh = await house.host.vault_ticket(table, OWN)

    assert await tried(house, table, code(ticket)) == "code/wrong"
    assert await got(house, table, code(fresh)) == fresh


async def test_neither_another_s_seat_nor_an_old_table_nor_none_has_such_a_code(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, ticket = await opened(house)
    hosted = await house.host.ticket(table, 0)

    assert await tried(house, table, code_of(0, hosted.admit)) == "code/none"
    assert await tried(house, bytes(16), code(ticket)) == "code/none"
    with pytest.raises(ProtocolError, match="chambers vault CODE"):
        await ticket_by_code(read_address(house.stack.url), table, code(ticket))

    other, late = await opened(house)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + LIFE_S + 1)
    assert await tried(house, other, code(late)) == "code/none"


# guessing


class Now:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def __call__(self) -> float:
        return self.now


async def test_guessing_is_refused_after_the_limit_until_time_has_passed(house: House) -> None:
    table, ticket = await opened(house)
    clock = Now()
    house.stack._running["gate"].service._code_door._clock = clock  # type: ignore[attr-defined]  # the one there is
    right = code(ticket)
    wrong = Code(right.seat, "000000" if right.signs != "000000" else "000001")

    guessed = [await tried(house, table, wrong) for _ in range(BURST)]
    after = await tried(house, table, right)
    clock.now += PAUSE_S

    assert guessed == ["code/wrong"] * BURST
    assert after == "code/too-often"
    assert await got(house, table, right) == ticket


async def test_no_log_line_holds_the_code_of_an_own_vault(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("debug")
    table, ticket = await opened(house)
    right = code(ticket)

    await got(house, table, right)
    wrong = Code(right.seat, "zyxwvt" if right.signs != "zyxwvt" else "zyxwvs")  # as is in no number of any log line
    for _ in range(BURST + 1):
        await tried(house, table, wrong)

    lines = capsys.readouterr().err
    structlog.reset_defaults()
    assert "admitted" in lines
    told = (right.signs, wrong.signs, ticket.admit.hex(), ticket.client.hex())
    assert [secret for secret in told if secret in lines.lower()] == []


async def test_whoever_names_tables_at_random_holds_up_no_player_of_a_table_that_was_opened(house: House) -> None:
    table, ticket = await opened(house)
    clock = Now()
    door: OwnCodeDoor = house.stack._running["gate"].service._code_door  # type: ignore[attr-defined]  # the one there is
    door._clock = clock
    for n in range(LOOK_UPS):
        await door._said_of(n.to_bytes(16, "big"))

    assert await tried(house, bytes(16), code(ticket)) == "code/none"  # which was asked about a moment ago
    assert await tried(house, b"?" * 16, code(ticket)) == "code/too-often"
    assert await got(house, table, code(ticket)) == ticket


async def test_tries_at_a_seat_are_forgotten_once_that_changes_nothing() -> None:
    clock = Now()
    door = OwnCodeDoor(None, secrets=lambda *_: (b"", b""), issues=none_is_there, fingerprint=None, clock=clock)  # type: ignore[arg-type]
    tired = door._tries_at((bytes(16), OWN), clock.now)
    for _ in range(BURST):
        tired.take(clock.now)

    door._tries_at((bytes(16), OWN + 1), clock.now + PAUSE_S)
    soon = dict(door._tries)
    door._tries_at((bytes(16), OWN + 2), clock.now + BURST * PAUSE_S)

    assert soon[bytes(16), OWN] is tired
    assert set(door._tries) == {(bytes(16), OWN + 2)}


async def none_is_there(_: bytes) -> TableIssues:
    return TableIssues(())


async def test_whoever_names_tables_at_random_has_the_game_master_asked_about_few_of_them() -> None:
    asked: list[bytes] = []
    clock = Now()

    async def issues(table: bytes) -> TableIssues:
        asked.append(table)
        return TableIssues(())

    door = OwnCodeDoor(None, secrets=lambda *_: (b"", b""), issues=issues, fingerprint=None, clock=clock)  # type: ignore[arg-type]
    for n in range(10 * LOOK_UPS):
        with contextlib.suppress(ProtocolError):
            await door._said_of(n.to_bytes(16, "big"))

    assert len(asked) == LOOK_UPS
