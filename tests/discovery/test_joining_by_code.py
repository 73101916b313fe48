"""`chambers join` with a code, or with nothing: asked at a terminal, one sentence elsewhere, and a seat in the end."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from tests.support.house import House

from chambers.clients.connecting import as_host
from chambers.protocol.codes import code_of
from chambers.protocol.tickets import Ticket
from chambers.services.stack import Stack

PEOPLE = (False, False)
END = "\x04"


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with Stack(tmp_path / "home", seats=2, sync="default", tls=True) as stack:
        host = await as_host(stack.url, stack.home)
        yield House(stack, host)
        await host.leave()


async def opened(house: House) -> tuple[str, Ticket]:
    """Return the name of a table for two people, and the ticket of its seat 1."""
    table = await house.host.open_table("witness-stand", "tandem-target", bots=PEOPLE)
    return table.hex(), await house.host.ticket(table, 1)


def code(ticket: Ticket) -> str:
    return code_of(ticket.seat, ticket.pair).text()


async def program(home: Path, *arguments: str, typed: str = "", **environment: str) -> tuple[int | None, str, str]:
    """Return exit code, output and messages of `chambers` without a terminal."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chambers.clients.cli", *arguments,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(home, **environment),
    )  # fmt: skip
    out, err = await asyncio.wait_for(process.communicate(typed.encode()), 60)
    return process.returncode, out.decode(), err.decode()


def surroundings(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CHAMBERS_")}
    return {**kept, "CHAMBERS_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **more}


async def at_terminal(home: Path, *arguments: str, typed: list[tuple[str, str]], **environment: str) -> tuple[int, str]:
    """Return exit code and screen of `chambers` at a terminal, where each answer follows what it waits for."""
    screen, side = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "chambers.clients.cli", *arguments,
        stdin=side, stdout=side, stderr=side, env=surroundings(home, **environment), start_new_session=True,
    )  # fmt: skip
    os.close(side)
    seen = ""
    for awaited, answer in typed:
        while awaited not in seen:
            seen += (await asyncio.wait_for(asyncio.to_thread(os.read, screen, 4096), 60)).decode(errors="replace")
        os.write(screen, answer.encode() if answer == END else f"{answer}\n".encode())
    code = await asyncio.wait_for(process.wait(), 60)
    try:
        while part := os.read(screen, 65536):
            seen += part.decode(errors="replace")
    except OSError:
        pass  # how a terminal says that nobody is at its other side any more
    os.close(screen)
    return code, seen


async def test_a_code_and_a_server_are_enough_to_sit_down(house: House, tmp_path: Path) -> None:
    _, ticket = await opened(house)

    code_, out, err = await program(
        tmp_path / "ada", "join", code(ticket), "--name", "Ada", "--server", house.stack.url, typed="quit\n"
    )

    assert code_ == 0
    assert "LINK you are at the table: seat 1 of 2" in out
    assert f"To come back to it: chambers join {ticket.text()}" in err


async def test_chambers_server_is_asked_as_well(house: House, tmp_path: Path) -> None:
    _, ticket = await opened(house)

    code_, out, _ = await program(
        tmp_path / "ada", "join", code(ticket), typed="quit\n", CHAMBERS_SERVER=house.stack.url
    )

    assert code_ == 0
    assert "seat 1 of 2" in out


async def test_a_wrong_code_is_one_sentence_and_exit_code_2(house: House, tmp_path: Path) -> None:
    table, ticket = await opened(house)
    wrong = "1-000-001" if code(ticket) == "1-000-000" else "1-000-000"

    code_, out, err = await program(tmp_path / "ada", "join", wrong, "--server", house.host.server)

    assert (code_, out) == (2, "")
    assert err == (
        "This code does not open that seat: see whether it is the one of this table. "
        f"The table that was tried is {table[:8]}.\n"
    )


async def test_several_tables_without_a_terminal_are_named_and_one_can_be_chosen(house: House, tmp_path: Path) -> None:
    (first, _), (second, ticket) = await opened(house), await opened(house)

    code_, _, err = await program(tmp_path / "ada", "join", code(ticket), "--server", house.host.server)
    chosen, out, _ = await program(
        tmp_path / "ada", "join", code(ticket), "--table", second[:8], "--server", house.host.server, typed="quit\n"
    )

    assert (code_, len(err.splitlines())) == (2, 1)
    assert first in err
    assert second in err
    assert (chosen, "seat 1 of 2" in out) == (0, True)


async def test_without_a_terminal_nothing_is_asked(house: House, tmp_path: Path) -> None:
    code_, _, err = await program(tmp_path / "ada", "join", "--server", house.host.server)

    assert code_ == 2
    assert err == (
        "Which seat? Type the host's whole line, chambers join TICKET, or the seat's code: "
        f"chambers join CODE --server '{house.host.server}'\n"
    )


async def test_a_server_without_a_free_seat_is_one_sentence(house: House, tmp_path: Path) -> None:
    code_, _, err = await program(tmp_path / "ada", "join", "1-000-000", "--server", house.host.server)

    assert code_ == 2
    assert err == "No open table was found there. Type the host's whole line, chambers join TICKET.\n"


async def test_a_code_of_a_taken_seat_is_told_so(house: House, tmp_path: Path) -> None:
    _, ticket = await opened(house)
    other = await house.host.ticket(ticket.table, 0)
    for one in (ticket, other):
        await program(tmp_path / "ada", "join", one.text(), typed="quit\n")

    code_, out, err = await program(tmp_path / "ada", "join", code(ticket), "--server", house.host.server)

    assert (code_, out) == (2, "")
    assert err.splitlines()[-1].startswith("This seat is taken, and no code opens it any more")


async def test_a_code_of_a_seat_that_no_table_has_is_told_so(house: House, tmp_path: Path) -> None:
    await opened(house)

    code_, _, err = await program(tmp_path / "ada", "join", "4-000-000", "--server", house.host.server)

    assert code_ == 2
    assert err.startswith("No table that was found has a seat 4, which the code begins with.")


async def test_a_table_that_is_not_among_those_found_is_named(house: House, tmp_path: Path) -> None:
    await opened(house)

    code_, _, err = await program(
        tmp_path / "ada", "join", "1-000-000", "--table", "00" * 16, "--server", house.host.server
    )

    assert code_ == 2
    assert err.startswith(f"No open table {'00' * 16} was found there.")


async def test_at_a_terminal_a_table_is_chosen_and_the_code_typed(house: House, tmp_path: Path) -> None:
    tables = dict([await opened(house), await opened(house)])
    order = [info.table.hex() for info in await house.host.tables()]
    chosen = tables[order[1]]

    code_, seen = await at_terminal(
        tmp_path / "ada", "join", "--name", "Ada",
        typed=[("Which table? ", "2"), ("Your seat's code? ", code(chosen).upper()), ("Ada sits down", "quit")],
        CHAMBERS_SERVER=house.stack.url,
    )  # fmt: skip

    assert code_ == 0
    assert f"1 witness-stand, 0 of 2 seats taken, at {house.stack.url} (table {order[0][:8]})" in seen
    assert "your seat stays" in seen


async def test_a_number_that_is_not_listed_is_told_and_asked_for_again(house: House, tmp_path: Path) -> None:
    tables = dict([await opened(house), await opened(house)])
    order = [info.table.hex() for info in await house.host.tables()]

    code_, seen = await at_terminal(
        tmp_path / "ada", "join",
        typed=[
            ("Which table? ", "7"),
            ("'7' is none of the numbers 1 to 2, and no table here begins with it.\r\nWhich table? ", ""),
            ("\r\nWhich table? ", "2"),
            ("Your seat's code? ", code(tables[order[1]])), ("you are at the table", "quit"),
        ],
        CHAMBERS_SERVER=house.stack.url,
    )  # fmt: skip

    assert (code_, seen.count("Which table? ")) == (0, 3)
    assert "''" not in seen


async def test_a_table_is_also_chosen_by_the_first_digits_of_its_name(house: House, tmp_path: Path) -> None:
    tables = dict([await opened(house), await opened(house)])
    chosen = tables[max(tables)]

    code_, seen = await at_terminal(
        tmp_path / "ada", "join",
        typed=[
            ("Which table? ", "zzzz"), ("'zzzz' is none", max(tables)[:8].upper()),
            ("Your seat's code? ", code(chosen)), ("you are at the table", "quit"),
        ],
        CHAMBERS_SERVER=house.stack.url,
    )  # fmt: skip

    assert code_ == 0
    assert chosen.text() in seen


async def test_a_code_that_is_mistyped_is_told_and_asked_for_again(house: House, tmp_path: Path) -> None:
    _, ticket = await opened(house)
    wrong = "1-000-001" if code(ticket) == "1-000-000" else "1-000-000"

    code_, seen = await at_terminal(
        tmp_path / "ada", "join",
        typed=[
            ("Your seat's code? ", "kqx"), ("That is no code", "5-000-000"),
            ("this table's last seat is 1.", wrong), ("This code does not open that seat", code(ticket)),
            ("you are at the table", "quit"),
        ],
        CHAMBERS_SERVER=house.stack.url,
    )  # fmt: skip

    assert (code_, seen.count("Your seat's code? ")) == (0, 4)


async def test_the_end_of_input_ends_a_question_with_a_sentence(house: House, tmp_path: Path) -> None:
    await opened(house)
    await opened(house)

    code_, seen = await at_terminal(
        tmp_path / "ada", "join", typed=[("Which table? ", "7"), ("'7' is none", END)], CHAMBERS_SERVER=house.stack.url
    )

    assert code_ == 2
    assert "No answer came to: Which table?" in seen


async def test_whoever_comes_without_a_code_to_full_tables_is_told_how_to_come_back(
    house: House, tmp_path: Path
) -> None:
    _, ticket = await opened(house)
    for one in (ticket, await house.host.ticket(ticket.table, 0)):
        await program(tmp_path / "ada", "join", one.text(), typed="quit\n")

    code_, seen = await at_terminal(tmp_path / "ada", "join", typed=[], CHAMBERS_SERVER=house.stack.url)

    assert code_ == 2
    assert "Every seat is taken at the tables that were found. Whoever has sat there comes back with" in seen


# servers that were met before


async def test_a_guest_needs_no_fingerprint_and_is_told_of_the_first_meeting_once(house: House, tmp_path: Path) -> None:
    await opened(house)

    first = await program(tmp_path / "ada", "tables", "--server", house.stack.url)
    second = await program(tmp_path / "ada", "tables", "--server", house.stack.url)

    assert (first[0], second[0]) == (0, 0)
    assert first[1] == second[1] != ""
    assert first[2].startswith(f"The server at {house.stack.url} was not known here. Its certificate is ")
    assert house.host.server.partition("#")[2] in first[2]
    assert second[2] == ""


async def test_whoever_has_the_server_s_own_folder_need_not_meet_it(house: House, tmp_path: Path) -> None:
    await opened(house)
    other = tmp_path / "other"
    async with Stack(other, seats=2, sync="default", tls=True) as stack:
        own = await program(house.stack.home, "tables", CHAMBERS_SERVER=house.stack.url)
        in_its_place = await program(house.stack.home, "tables", CHAMBERS_SERVER=stack.url)

    assert (own[0], own[2]) == (0, "")
    assert not (house.stack.home / "known-servers").exists()
    assert (in_its_place[0], in_its_place[1]) == (2, "")
    assert f"shows another certificate than the host's folder {house.stack.home} has" in in_its_place[2]


async def test_another_certificate_than_the_first_time_is_refused_in_a_sentence(house: House, tmp_path: Path) -> None:
    home = tmp_path / "ada"
    home.mkdir()
    (home / "known-servers").write_text(f"{house.stack.url} {'00' * 32}\n")

    code_, out, err = await program(home, "tables", "--server", house.stack.url)

    assert (code_, out, len(err.splitlines())) == (2, "", 1)
    assert "shows another certificate than the first time" in err
    assert str(home / "known-servers") in err


async def test_a_fingerprint_that_is_named_counts_whatever_was_met_before(house: House, tmp_path: Path) -> None:
    home = tmp_path / "ada"
    home.mkdir()
    (home / "known-servers").write_text(f"{house.stack.url} {'00' * 32}\n")

    assert (await program(home, "tables", "--server", house.host.server))[0] == 0
    forged = f"{house.stack.url}#{'00' * 32}"
    assert (await program(home, "tables", "--server", forged))[0] == 2


async def test_where_nothing_can_be_kept_the_guest_goes_on_and_is_told(house: House, tmp_path: Path) -> None:
    home = tmp_path / "ada"
    home.write_text("a file where a folder should be")

    code_, _, err = await program(home, "tables", "--server", house.stack.url)

    assert code_ == 0
    assert "it is not remembered" in err
