"""`chambers doctor`: each thing that it tests is really broken, and it says so and what to do."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import ifaddr
import msgspec
import pytest
import pytest_asyncio
from tests.support.house import House

from chambers.bus.nats_bus import NatsBus
from chambers.clients import checkup
from chambers.clients.checkup import State, of_this_machine
from chambers.clients.checkup_server import CLOCK_S
from chambers.clients.connecting import as_host, take_seat
from chambers.clients.keeping import own_vault
from chambers.clients.session import SeatSession
from chambers.protocol.client import Update, Welcome
from chambers.protocol.tickets import Ticket
from chambers.services import lobby
from chambers.services.stack import Stack

LINES = ["terminal", "folder", "mDNS", "name", "port", "NATS", "TLS", "version", "clock", "tables"]
TICKETS = [*LINES, "ticket", "table", "seat"]


@asynccontextmanager
async def running(home: Path, *, tls: bool) -> AsyncIterator[House]:
    async with Stack(home, seats=2, sync="default", tls=tls) as stack:
        host = await as_host(stack.url, stack.home)
        yield House(stack, host)
        await host.leave()


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with running(tmp_path / "house", tls=False) as one:
        yield one


async def ticket(house: House) -> Ticket:
    return await house.host.ticket(await house.open(2), 0)


async def doctor(home: Path, *arguments: str, **environment: str) -> tuple[int | None, dict[str, tuple[str, str]]]:
    """Return the exit code and each finding, by what was tested: its state, and its sentence with what to do."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHAMBERS_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chambers.clients.cli", "doctor", "--json", *arguments,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**kept, "CHAMBERS_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert [line for line in err.splitlines() if not line.startswith(b'{"part"')] == []  # but for the log's own lines
    checks = [json.loads(line) for line in out.splitlines()]
    return process.returncode, {one["name"]: (one["state"], f"{one['text']} {one['todo']}") for one in checks}


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def broken(found: dict[str, tuple[str, str]]) -> list[str]:
    return [name for name, (state, _) in found.items() if state == State.WRONG]


# all is well


async def test_where_nothing_is_wrong_every_step_says_so(house: House, tmp_path: Path) -> None:
    code, found = await doctor(tmp_path / "ada", (await ticket(house)).text())

    assert (code, broken(found)) == (0, [])
    assert list(found) == TICKETS


async def test_the_host_is_told_of_services_and_log_too(house: House, tmp_path: Path) -> None:
    code, found = await doctor(tmp_path, "--server", house.stack.url, "--home", str(house.stack.home))

    assert (code, list(found)) == (0, [*LINES, "services", "log"])
    assert found["log"] == ("ok", "It holds 0 tables. ")


async def test_a_seat_that_is_played_is_not_taken_from_whoever_plays_it(house: House, tmp_path: Path) -> None:
    one = await ticket(house)
    session = SeatSession(one, "Ada")
    await take_seat(one, session)
    stream = session.messages()
    while not isinstance(await anext(stream), Welcome):
        pass

    code, found = await doctor(tmp_path / "ada", one.text())

    assert code == 0
    assert "another window plays there now" in found["seat"][1]
    assert not session.ended
    await session.close()


async def test_lines_are_for_people_without_json(tmp_path: Path) -> None:
    told = checkup.wrong("port", "No.", "Open it.").line

    assert told == "wrong    port      No. Open it."


# this machine


async def test_a_terminal_that_cannot_show_names(house: House, tmp_path: Path) -> None:
    code, found = await doctor(tmp_path / "ada", "--server", house.stack.url, PYTHONIOENCODING="ascii")

    assert (code, broken(found)) == (1, ["terminal"])
    assert "Set LANG=C.UTF-8." in found["terminal"][1]


async def test_a_folder_that_cannot_be_written(house: House, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    code, found = await doctor(tmp_path / "file", "--server", house.stack.url)

    assert (code, broken(found)) == (1, ["folder"])


@pytest.mark.parametrize(
    ("adapters", "state", "told"),
    [
        ([("lo", "127.0.0.1"), ("docker0", "172.17.0.1")], State.WRONG, "only docker0"),
        ([("eth0", "203.0.113.9")], State.WRONG, "none takes part in multicast"),
    ],
)
def test_a_machine_from_which_mdns_does_not_get_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adapters: list[tuple[str, str]], state: State, told: str
) -> None:
    made = [ifaddr.Adapter(name, name, [ifaddr.IP(address, 24, name)]) for name, address in adapters]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: made)

    found = {check.name: check for check in of_this_machine(tmp_path)}

    assert found["mDNS"].state is state
    assert told in found["mDNS"].text


# the way to the server


async def test_a_name_that_nobody_knows(tmp_path: Path) -> None:
    code, found = await doctor(tmp_path, "--server", "nats://no-such-host.invalid:4222")

    assert (code, broken(found), found["rest"][0]) == (2, ["name"], "untested")


async def test_a_port_where_nothing_listens(tmp_path: Path) -> None:
    code, found = await doctor(tmp_path, "--server", "nats://127.0.0.1:9")

    assert (code, broken(found)) == (2, ["port"])
    assert "firewall" in found["port"][1]


async def test_a_port_where_something_else_listens(tmp_path: Path) -> None:
    async def web(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(web, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        code, found = await doctor(tmp_path, "--server", f"nats://127.0.0.1:{port}")

    assert (code, broken(found)) == (2, ["NATS"])


async def test_of_several_nodes_each_is_looked_at_and_the_rest_is_tested_at_those_that_stand(
    house: House, tmp_path: Path
) -> None:
    code, found = await doctor(tmp_path, "--server", f"nats://127.0.0.1:9,{house.stack.url},nats://127.0.0.1:10")
    alone, none = await doctor(tmp_path, "--server", "nats://127.0.0.1:9,nats://127.0.0.1:10")

    assert (code, broken(found)) == (1, ["node"])
    assert found["nodes"] == ("note", "1 of 3 stand, and 2 have to for a game to go on. ")
    assert found["tables"][0] == "ok"
    assert (alone, broken(none), none["rest"][0]) == (2, ["node", "nodes"], "untested")
    assert none["nodes"][1] == "0 of 2 stand. Start them again."


@pytest.mark.parametrize("text", ["http://host", "nats://"])
async def test_an_address_that_is_none(tmp_path: Path, text: str) -> None:
    code, found = await doctor(tmp_path, "--server", text)

    assert (code, broken(found)) == (2, ["address"])


async def test_a_certificate_that_is_not_the_tickets(tmp_path: Path) -> None:
    async with running(tmp_path / "house", tls=True) as house:
        one = await ticket(house)
        good = await doctor(tmp_path / "ada", one.text())
        forged = await doctor(tmp_path / "ada", msgspec.structs.replace(one, fingerprint=bytes(32)).text())
        unknown = await doctor(tmp_path / "ada", "--server", house.stack.url)

    assert (good[0], good[1]["TLS"]) == (0, ("ok", "The certificate is the one that is expected. "))
    assert (forged[0], broken(forged[1])) == (2, ["TLS"])
    assert (unknown[0], unknown[1]["TLS"][0]) == (0, "note")


async def test_a_server_without_the_tls_that_the_ticket_expects(house: House, tmp_path: Path) -> None:
    one = msgspec.structs.replace(await ticket(house), fingerprint=bytes(32))

    code, found = await doctor(tmp_path / "ada", one.text())

    assert (code, broken(found)) == (2, ["TLS"])


# services, clock, versions


@pytest.mark.parametrize("user", ["gate", "gm"])
async def test_a_gate_or_a_game_master_that_is_gone(house: House, tmp_path: Path, user: str) -> None:
    await house.stack.kill(user)

    code, found = await doctor(tmp_path / "ada", "--server", house.stack.url)

    assert (code, broken(found)) == (2, ["services"])
    await house.stack.start(user)


async def test_dice_that_are_gone_are_missed_by_the_host(house: House, tmp_path: Path) -> None:
    await house.stack.kill("dice")

    code, found = await doctor(tmp_path, "--server", house.stack.url, "--home", str(house.stack.home))

    assert (code, broken(found)) == (1, ["services"])
    assert "dice" in found["services"][1]
    await house.stack.start("dice")


async def test_a_log_that_is_gone_is_missed_by_the_host(house: House, tmp_path: Path) -> None:
    admin = await NatsBus.connect(house.stack.url, house.stack.deployment.login("admin"))
    await admin.request("$JS.API.STREAM.DELETE.CHAMBERS", b"")
    await admin.close()

    code, found = await doctor(tmp_path, "--server", house.stack.url, "--home", str(house.stack.home))

    assert (code, broken(found)) == (1, ["log"])


@pytest.mark.parametrize(("seconds", "way"), [(-60, "ahead of"), (60, "behind")])
async def test_a_clock_that_is_wrong(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, way: str
) -> None:
    real = time.time_ns
    monkeypatch.setattr(lobby, "time", SimpleNamespace(time_ns=lambda: real() + seconds * 10**9))

    code, found = await doctor(tmp_path / "ada", "--server", house.stack.url)

    assert (code, broken(found)) == (1, ["clock"])
    assert way in found["clock"][1]
    assert abs(seconds) > CLOCK_S


@pytest.mark.parametrize(
    ("name", "value", "state", "code"), [("release", "9.1.0", "note", 0), ("PROTOCOL", 2, "wrong", 2)]
)
async def test_services_of_another_release(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object, state: str, code: int
) -> None:
    monkeypatch.setattr(lobby, name, (lambda: value) if name == "release" else value)

    got, found = await doctor(tmp_path / "ada", "--server", house.stack.url)

    assert (got, found["version"][0]) == (code, state)


# the ticket


async def test_a_line_that_is_no_ticket(tmp_path: Path) -> None:
    code, found = await doctor(tmp_path, "chambers1.abc")

    assert (code, broken(found)) == (2, ["ticket"])
    assert "cut or mistyped" in found["ticket"][1]


async def test_a_ticket_that_was_voided(house: House, tmp_path: Path) -> None:
    one = await ticket(house)
    await house.host.void(one.table, 0)

    code, found = await doctor(tmp_path / "ada", one.text())

    assert (code, broken(found)) == (2, ["ticket"])


async def test_a_table_that_has_closed(house: House, tmp_path: Path) -> None:
    one = await ticket(house)
    await house.host.close(one.table, "nobody came")

    code, found = await doctor(tmp_path / "ada", one.text())

    assert (code, broken(found)) == (1, ["table"])
    assert found["table"][1].endswith(f"Read it with: chambers log {one.table.hex()} --server {house.stack.url}")


async def test_a_ticket_whose_table_is_not_there_is_told_so(house: House, tmp_path: Path) -> None:
    lost = msgspec.structs.replace(await ticket(house), table=bytes(16))

    code, found = await doctor(tmp_path / "ada", lost.text())

    assert (code, broken(found)) == (2, ["ticket"])
    assert found["ticket"][1].startswith("This ticket's table is not on that server")


async def test_a_vault_s_ticket_is_tried_before_its_first_start_and_after(house: House, tmp_path: Path) -> None:
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False), own=(0,))
    one = await house.host.vault_ticket(table, 0)

    before = await doctor(tmp_path / "ada", one.text())
    async with own_vault(one, made(tmp_path / "ada" / "vaults" / f"{table.hex()}.0")) as vault:
        session = SeatSession(vault.ticket, "Ada")
        await take_seat(vault.ticket, session)
        async for heard in session.messages():
            if isinstance(heard, Update) and any("sits down" in line.text for line in heard.lines):
                break
        here, elsewhere = [await doctor(tmp_path / whose, one.text()) for whose in ("ada", "bo")]
        await session.close()

    assert list(before[1]) == [*LINES, "ticket", "table", "vault"]
    assert (before[0], before[1]["vault"][1].startswith("Its key is made at the first start")) == (0, True)
    assert (here[0], here[1]["vault"][1].startswith("Its key is in")) == (0, True)
    assert (elsewhere[0], broken(elsewhere[1])) == (1, ["vault"])


async def test_a_vault_that_is_gone(house: House, tmp_path: Path) -> None:
    one = await ticket(house)
    await house.stack.kill("seat0")

    code, found = await doctor(tmp_path / "ada", one.text())

    assert (code, broken(found)) == (1, ["seat"])
    assert found["seat"][1].endswith("The host has to start it again.")
    await house.stack.start("seat0")


async def test_a_vault_that_is_gone_and_is_the_player_s_own(house: House, tmp_path: Path) -> None:
    table = await house.host.open_table("witness-stand", "tandem-target", bots=(False, False), own=(0,))
    async with own_vault(await house.host.vault_ticket(table, 0), made(tmp_path / "vault")) as vault:
        one = vault.ticket

    code, found = await doctor(tmp_path / "ada", one.text())

    assert (code, broken(found)) == (1, ["seat"])
    assert "which is the player's own, does not answer. Start it again where its key is" in found["seat"][1]
