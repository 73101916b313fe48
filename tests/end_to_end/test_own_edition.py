"""An owner's own edition: played from its file by its name, and no path of anybody's machine is ever in a record."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from tests.support.commands import Command, table_of, tickets

from chambers import editions
from chambers.audit import audit
from chambers.bus.server import free_port
from chambers.protocol.docket import load
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import installed_edition
from chambers.protocol.messages import OpenRequest
from chambers.services.lobby import opening

SHELF = Path(editions.__file__).parent / "witness-stand"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A file of a case that does not come with the program."""
    folder = tmp_path / "somewhere"
    folder.mkdir()
    shutil.copy(SHELF / "board.toml", folder)
    text = (SHELF / "tandem-target.toml").read_text().replace('name = "tandem-target"', 'name = "borrowed-lamp"', 1)
    (folder / "mine.toml").write_text(text)
    return folder / "mine.toml"


@asynccontextmanager
async def serving(home: Path, *arguments: str) -> AsyncIterator[str]:
    port = free_port()
    serve = await Command.start("serve", "--listen", f"127.0.0.1:{port}", "--data", "data", *arguments, home=home)
    try:
        await serve.says("Serving at")
        yield f"nats://127.0.0.1:{port}"
    finally:
        await serve.stop()


async def test_a_table_is_played_with_an_own_edition_whose_path_nobody_learns(tmp_path: Path, mine: Path) -> None:
    async with serving(tmp_path, "--edition", str(mine)) as server:
        host = await Command.start(
            "host", "--server", server, "--home", "data", "--edition", str(mine), "--seats", "2", "--bots", "2",
            "--option", "answer_floor_ms=0", "--option", "object_window=none", home=tmp_path,
        )  # fmt: skip
        assert await host.ended() == 0
        table, address = table_of(host.lines)
        bots = [
            await Command.start("bot", "-", "--pause", "0", "--edition", str(mine), home=tmp_path, typed=f"{ticket}\n")
            for ticket in tickets(host.lines).values()
        ]
        ends = [await bot.ended(limit=90) for bot in bots]
        export = await Command.start("export", table, "--server", address, home=tmp_path)
        assert await export.ended() == 0

    record = "\n".join(export.lines) + "\n"
    opened = load(record)
    assert ends == [0, 0]
    assert audit(opened, workers=1).exit_code == 0
    assert b"borrowed-lamp" in opened.leaves[0]
    assert not any(word in leaf for leaf in opened.leaves for word in (b"somewhere", b".toml"))


async def test_an_own_edition_that_the_services_do_not_know_is_refused_in_a_sentence(
    tmp_path: Path, mine: Path
) -> None:
    async with serving(tmp_path) as server:
        host = await Command.start("host", "--server", server, "--home", "data", "--edition", str(mine), home=tmp_path)

        assert await host.ended() == 2

    assert host.errors == [
        "The services do not know the edition borrowed-lamp. Start them with its file: --edition FILE"
    ]


@pytest.fixture
def another(tmp_path: Path, mine: Path) -> Path:
    """A file of the same name with another text, in a folder of its own."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    shutil.copy(SHELF / "board.toml", folder)
    (folder / "mine.toml").write_text(mine.read_text().replace("I Object!", "I Do Object!", 1))
    return folder / "mine.toml"


async def test_an_own_vault_plays_an_own_edition_by_the_host_s_file_and_by_no_other(
    tmp_path: Path, mine: Path, another: Path
) -> None:
    async with serving(tmp_path, "--edition", str(mine.parent)) as server:
        host = await Command.start(
            "host", "--server", server, "--home", "data", "--edition", str(mine), "--seats", "2", "--own", "1",
            "--option", "answer_floor_ms=0", "--option", "object_window=none", home=tmp_path,
        )  # fmt: skip
        assert await host.ended() == 0
        admitted = next(line.split()[-1] for line in host.lines if "chambers vault " in line)
        without = await Command.start("vault", admitted, home=tmp_path)
        ends = [await without.ended()]
        with_another = await Command.start("vault", admitted, "--edition", str(another), home=tmp_path)
        ends += [await with_another.ended()]

        vault = await Command.start("vault", admitted, "--edition", str(mine), home=tmp_path)
        own = (await vault.says("chambers join ")).split()[-1]
        bots = [
            await Command.start("bot", "-", "--pause", "0", "--edition", str(mine), home=tmp_path, typed=f"{ticket}\n")
            for ticket in (tickets(host.lines)[0], own)
        ]
        ends += [await one.ended(limit=90) for one in (*bots, vault)]

    assert ends == [2, 2, 0, 0, 0]
    what = "Start again with the host's file: --edition FILE"
    follow = "This vault cannot follow the table's log: "
    assert without.errors == [f"{follow}The table plays the edition borrowed-lamp, which is not known here. {what}"]
    assert with_another.errors == [
        f"{follow}The table was opened with another edition borrowed-lamp than the one here. {what}"
    ]


def test_a_folder_of_editions_is_shelved_without_the_parts_that_lie_in_it(mine: Path) -> None:
    mine.write_text(mine.read_text().replace("borrowed-lamp", "lamp-of-a-folder"))
    (mine.parent / "notes.txt").write_text("no edition")

    shelved = editions.shelve_all(mine.parent)

    assert [one.name for one in shelved] == ["lamp-of-a-folder"]
    assert editions.named("lamp-of-a-folder") == shelved[0]


def test_a_folder_with_a_file_that_is_no_edition_is_refused_by_its_name(mine: Path) -> None:
    (mine.parent / "other.toml").write_text("name = ")

    with pytest.raises(editions.EditionError, match=r"other\.toml: is not TOML"):
        editions.shelve_all(mine.parent)


def test_a_name_that_is_a_path_is_never_opened(mine: Path) -> None:
    request = OpenRequest(bytes(16), "witness-stand", str(mine), (), (True, True))
    honest = opening(OpenRequest(bytes(16), "witness-stand", "tandem-target", (), (True, True)), bytes(32))

    with pytest.raises(ProtocolError, match="lobby/edition"):
        opening(request, bytes(32))
    with pytest.raises(ProtocolError, match="protocol/edition"):
        installed_edition(msgspec.structs.replace(honest, edition=str(mine)))


def test_another_edition_of_a_name_that_is_known_is_refused(tmp_path: Path) -> None:
    shutil.copy(SHELF / "board.toml", tmp_path)
    text = (SHELF / "tandem-target.toml").read_text().replace("I Object!", "I Do Object!", 1)
    (tmp_path / "other.toml").write_text(text)

    with pytest.raises(editions.EditionError, match="another edition is called 'tandem-target' already"):
        editions.shelve(tmp_path / "other.toml")

    ours = editions.edition_hash(editions.named("tandem-target"))
    asked = OpenRequest(bytes(16), "witness-stand", "tandem-target", (), (True, True), edition_hash=bytes(32))
    with pytest.raises(ProtocolError, match="know another edition tandem-target"):
        opening(asked, bytes(32))
    assert opening(
        OpenRequest(bytes(16), "witness-stand", "tandem-target", (), (True, True), edition_hash=ours), bytes(32)
    )


def test_a_file_that_cannot_be_played_is_not_put_on_the_shelf(tmp_path: Path, mine: Path) -> None:
    text = mine.read_text().replace("borrowed-lamp", "bad-lamp")
    (mine.parent / "bad.toml").write_text(text.replace('name = "I Object!"', 'name = ""', 1))

    with pytest.raises(editions.EditionError, match=r"bad\.toml"):
        editions.shelve(mine.parent / "bad.toml")
    with pytest.raises(editions.EditionError, match="No edition is called 'bad-lamp' here"):
        editions.named("bad-lamp")
