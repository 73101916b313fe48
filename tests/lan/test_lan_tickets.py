"""Tickets on a LAN: of no use, taken to another machine, kept over a restart; each player in a network of its own."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.lan.evening import URL, Evening, evening
from tests.lan.network import Network
from tests.support.commands import tickets

from chambers.protocol.tickets import read_ticket

pytestmark = [pytest.mark.netns, pytest.mark.timeout(240)]


async def _told(table: Evening, who: str, *arguments: str, typed: str | None = None) -> tuple[int, list[str], str]:
    """Return how a command in somebody's network ends: exit code, output, and the last of what it says beside that."""
    command = await table.run(who, *arguments, typed=typed)
    code = await command.ended()
    return code, command.lines, (command.errors or [""])[-1]


async def test_a_ticket_that_opens_nothing_is_told_of_in_a_sentence_whatever_is_wrong_with_it(
    tmp_path: Path, lan: Network
) -> None:
    lan.plug_in("p0", "10.77.0.10")
    async with evening(tmp_path, lan, seats=2) as table:
        ticket = read_ticket(table.tickets[0])
        bots = [await table.bot("p0", seat, pause=0) for seat in range(2)]
        assert [await bot.ended(limit=150) for bot in bots] == [0, 0]
        await _told(table, "host", "host", "--server", table.server, "--home", "data", "--seats", "2")
        wrong = {
            "cut": ticket.text()[:-9],
            "forged": msgspec.structs.replace(ticket, admit=bytes(32)).text(),
            "for another server": msgspec.structs.replace(ticket, fingerprint=bytes(32)).text(),
            "for a table that is over": ticket.text(),
        }
        told = {why: await _told(table, "p0", "join", "-", typed=f"{text}\n") for why, text in wrong.items()}
        unknown = [
            await _told(table, "p0", command, "00" * 16, "--server", table.server) for command in ("watch", "export")
        ]
        over = await _told(table, "p0", "watch", table.table, "--server", table.server)
        export = await _told(table, "p0", "export", table.table, "--server", table.server)
        await table.serve.stop()
        silent = await _told(table, "p0", "join", "-", typed=f"{ticket.text()}\n")

    assert {why: (code, lines) for why, (code, lines, _) in told.items()} == dict.fromkeys(wrong, (2, []))
    beginnings = (
        "This ticket is cut or mistyped;",
        f"The server at {URL} does not admit ",
        f"The server at {URL} shows a certificate that is not ours.",
        "This table has closed. ",
    )
    for (_, _, sentence), beginning in zip(told.values(), beginnings, strict=True):
        assert sentence.startswith(beginning), told
    assert unknown == [(2, [], "There is no such table.")] * 2
    assert (over[0], over[1][-1].partition(" ")[0], export[0]) == (0, "END", 0)
    assert silent[:2] == (2, [])
    assert silent[2].startswith(f"No NATS server answers at {URL}.")


async def test_a_ticket_outlives_a_restart_of_the_server_and_of_every_service(tmp_path: Path, lan: Network) -> None:
    lan.plug_in("p0", "10.77.0.10")
    lan.plug_in("p1", "10.77.0.11")
    async with evening(tmp_path, lan, seats=2) as table:
        bot = await table.bot("p0", 0, pause=0)
        typed = f"{table.tickets[1]}\nquit\n"
        before = await _told(table, "p1", "join", "-", "--no-luck", typed=typed)
        await table.restart()
        after = await _told(table, "p1", "join", "-", "--no-luck", typed=typed)
        ada = await table.bot("p1", 1, pause=0)
        ends = [await one.ended(limit=150) for one in (bot, ada)]
        report = await table.report()

    for code, lines, _ in (before, after):
        assert code == 0
        assert "LINK you are at the table: seat 1 of 2" in "\n".join(lines)
    assert ends == [0, 0]
    assert (report.exit_code, report.findings) == (0, ())


async def test_a_voided_ticket_cuts_its_player_off_and_the_new_one_seats_him_from_another_machine(
    tmp_path: Path, lan: Network
) -> None:
    lan.plug_in("p0", "10.77.0.10")
    lan.plug_in("p1", "10.77.0.11")
    async with evening(tmp_path, lan, seats=2) as table:
        first = await table.run("p0", "join", "-", "--name", "Ada", typed=f"{table.tickets[1]}\n")
        await first.says("LINK you are at the table")

        voided = await _told(table, "host", "void", table.table, "1", "--server", URL, "--home", "data")
        cut_off = await first.ended(limit=60)
        old = await _told(table, "p0", "join", "-", typed=f"{table.tickets[1]}\n")
        new = await _told(table, "p1", "join", "-", typed=f"{tickets(voided[1])[1]}\nquit\n")

    told = "This ticket was voided; ask the host for the new one."
    assert (voided[0], cut_off, first.lines[-1]) == (0, 2, f"ERR {told}")
    assert old == (2, [], told)
    assert new[0] == 0
    assert "LINK you are at the table: seat 1 of 2" in "\n".join(new[1])


async def test_on_a_second_machine_the_same_ticket_asks_which_window_stays(tmp_path: Path, lan: Network) -> None:
    lan.plug_in("p0", "10.77.0.10")
    lan.plug_in("p1", "10.77.0.11")
    async with evening(tmp_path, lan, seats=2) as table:
        first = await table.run("p0", "join", "-", "--name", "Ada", typed=f"{table.tickets[1]}\n")
        await first.says("LINK you are at the table")
        left = await _told(table, "p1", "join", "-", typed=f"{table.tickets[1]}\nquit\n")
        second = await table.run("p1", "join", "-", "--name", "Ada", typed=f"{table.tickets[1]}\n")
        await second.says("LINK another window plays this seat")
        second.type("take\n")
        await second.says("LINK you are at the table")
        code = await first.ended()
        second.type("quit\n")
        ended = await second.ended()

    assert left[0] == 0
    assert (code, ended) == (0, 0)
    assert first.lines[-1].startswith("LINK this window is no longer admitted: another window has taken the seat")
