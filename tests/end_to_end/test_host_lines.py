"""What the host is shown of tables and voided tickets: whose vault a seat has, and the code that now opens it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.support.commands import Command
from tests.support.house import House
from tests.support.house import house as open_house

PEOPLE = (False, False, False)


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path / "house", seats=3) as one:
        yield one


async def opened(house: House, *, bots: tuple[bool, ...] = PEOPLE, own: tuple[int, ...] = ()) -> str:
    return (await house.host.open_table("witness-stand", "tandem-target", bots=bots, own=own)).hex()


async def void(house: House, home: Path, table: str, seat: int) -> list[str]:
    """Return the lines that the host is shown."""
    command = await Command.start(
        "void", table, str(seat), "--server", house.stack.url, "--home", str(house.stack.home), home=home
    )
    assert await command.ended() == 0, command.errors
    return command.lines


async def test_a_voided_ticket_s_seat_has_a_new_code_which_opens_it(house: House, tmp_path: Path) -> None:
    table = await opened(house)
    (_, before, _), (line, code, elsewhere) = [await void(house, tmp_path, table, 1) for _ in range(2)]
    old, new = (told.partition("chambers join ")[2].split()[0] for told in (before, code))

    by_old = await Command.start("join", old, "--server", house.stack.url, home=tmp_path, typed="quit\n")
    by_new = await Command.start("join", new, "--server", house.stack.url, home=tmp_path, typed="quit\n")

    assert [await by_old.ended(), await by_new.ended()] == [2, 0]
    assert f"You have seat 1. To come back to it: {line.removeprefix('seat 1: ')}" in by_new.errors
    assert elsewhere == f"where no table is found, add: --server {house.stack.url}"


async def test_a_seat_that_is_taken_or_for_a_bot_has_no_code_and_an_own_vault_has_one(
    house: House, tmp_path: Path
) -> None:
    table = await opened(house, bots=(False, False, True), own=(1,))
    ada = await Command.start(
        "join", "-", home=tmp_path, typed=f"{(await void(house, tmp_path, table, 0))[0].split()[-1]}\n"
    )
    await ada.says("sits down")

    lines = [await void(house, tmp_path, table, seat) for seat in range(3)]
    await ada.stop()

    assert [len(of_seat) for of_seat in lines] == [1, 3, 1]
    assert lines[1][1].startswith("        or, in the same network: chambers vault 1-")
    assert [of_seat[0].rpartition(" ")[0] for of_seat in lines] == [
        "seat 0: chambers join", "seat 1: chambers vault", "seat 2: chambers bot"
    ]  # fmt: skip


async def test_the_list_of_tables_says_which_seats_are_a_bot_s_and_which_vaults_are_the_player_s_own(
    house: House, tmp_path: Path
) -> None:
    await opened(house, bots=(False, False, True), own=(1,))

    lines, objects = [
        await Command.start("tables", "--server", house.stack.url, *more, home=tmp_path) for more in ((), ("--json",))
    ]

    assert [await lines.ended(), await objects.ended()] == [0, 0]
    assert lines.lines[0].endswith("  free, free (own vault), free (bot)")
    assert [seat["own"] for seat in json.loads(objects.lines[0])["seats"]] == [False, True, False]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("host", "--option", "bogus=1"), "There is no option 'bogus'; there is: "),
        (("host", "--option", "turn_limit=soon"), "Option turn_limit takes none or seconds, not 'soon'."),
        (("host", "--reveal", "nobody"), "The reveal policy is one of: public, auditor, none."),
        (("void", "00" * 16, "0"), "There is no such table."),
    ],
)
async def test_what_no_server_could_do_is_exit_code_2(
    house: House, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    command = await Command.start(
        *arguments, "--server", house.stack.url, "--home", str(house.stack.home), home=tmp_path
    )

    assert (await command.ended(), command.lines) == (2, [])
    assert command.errors[-1].startswith(sentence)


async def test_a_seat_that_the_table_has_not_is_exit_code_2(house: House, tmp_path: Path) -> None:
    table = await opened(house)

    command = await Command.start(
        "void", table, "4", "--server", house.stack.url, "--home", str(house.stack.home), home=tmp_path
    )

    assert (await command.ended(), command.errors) == (2, ["This table has no seat 4; it has 3 seats."])


async def test_every_command_takes_the_first_digits_of_a_table(house: House, tmp_path: Path) -> None:
    table, other = await opened(house), await opened(house)
    at, home = ("--server", house.stack.url), ("--home", str(house.stack.home))
    commands = (
        ("export", table[:6], *at),
        ("log", table[:6], *at),
        ("replay", table[:6], *at),
        ("void", table[:6], "0", *at, *home),
        ("vault", "export", table[:6], "--into", "left", *home),
        ("close", table[:6], "--why", "It is late.", *at, *home),
        ("delete", table[:6], "--unfinished", *at, *home),
    )

    ended = {}
    for words in commands:
        command = await Command.start(*words, home=tmp_path)
        ended[words[0]] = (await command.ended(), command.errors)
    left = [info.table.hex() for info in await house.host.tables()]

    assert {name: code for name, (code, _) in ended.items() if code} == {"vault": 1}, ended  # which plays on
    assert other in left
