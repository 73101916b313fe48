"""A store that comes back from an older backup, or empty: its tables go on where they were, and nobody has forked."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from tests.end_to_end.test_dead_tables import ROLES, export, far
from tests.support.house import House, house
from typer.testing import CliRunner, Result

from chambers import audit
from chambers.clients.cli import app
from chambers.clients.connecting import as_spectator
from chambers.clients.hosting import Refused
from chambers.protocol.copies import entry_line, load
from chambers.protocol.docket import Docket, dump

LONG = (("answer_floor_ms", "0"), ("stall_s", "600"))


@asynccontextmanager
async def bots_at(here: House, table: bytes) -> AsyncIterator[None]:
    players = [await here.sit(table, seat, level="rules") for seat in range(3)]
    try:
        yield
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)


async def long_table(here: House) -> bytes:
    """Return a table whose game takes hundreds of entries: the other game may be over after thirty."""
    return await here.open(3, game="missing-suspect", options=LONG)


async def play_until_far(here: House, table: bytes) -> Docket:
    """Return the docket of a game in the middle."""
    spectator = await as_spectator(here.stack.url, table)
    async with bots_at(here, table), asyncio.timeout(60):
        async for scene in spectator.scenes():
            if far(scene):
                break
        else:
            raise AssertionError("the game ended before")
    docket = await spectator.docket()
    await spectator.leave()
    return docket


async def play_to_the_end(here: House, table: bytes) -> Docket:
    spectator = await as_spectator(here.stack.url, table)
    async with bots_at(here, table), asyncio.timeout(90):
        async for _ in spectator.scenes():
            pass
        return await spectator.docket()


def restore(*arguments: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(app, ["restore", *map(str, arguments)], input=text, catch_exceptions=False)


async def until_covered(home: Path, table: bytes, docket: Docket) -> None:
    """Return once all roles' copies have every entry of a docket and are one, under a checkpoint over all of it.

    What was under way when the players left has come to all of them then: whose copy has more than is put back is mute.
    """
    copies = [home / "roles" / role / "copies" / f"{table.hex()}.{role}.copy" for role in ROLES]
    async with asyncio.timeout(60):
        while True:
            first, *others = [load(await asyncio.to_thread(copy.read_bytes)).docket() for copy in copies]
            if len(first.leaves) >= len(docket.leaves) and all(first == other for other in others):
                beyond = {one.check for one in audit.audit(first).unproved} & {"A06"}
                if not beyond:
                    return
            await asyncio.sleep(0.1)


async def a_store_from_before(tmp_path: Path) -> tuple[bytes, Docket]:
    """Leave a house whose store is older than its roles' volumes; return its table, and how it stood."""
    home = tmp_path / "home"
    async with house(home, seats=3) as here:
        table = await long_table(here)
        async with asyncio.timeout(60), bots_at(here, table):
            spectator = await as_spectator(here.stack.url, table)
            async for scene in spectator.scenes():
                if scene.phase == "play":
                    break
            await spectator.leave()
    shutil.copytree(home / "nats" / "store", tmp_path / "backup")
    async with house(home, seats=3) as here:
        docket = await play_until_far(here, table)
        await until_covered(home, table, docket)
    shutil.rmtree(home / "nats" / "store")
    shutil.copytree(tmp_path / "backup", home / "nats" / "store")
    return table, docket


async def test_what_an_older_store_has_lost_the_game_master_puts_back_by_itself(tmp_path: Path) -> None:
    table, before = await a_store_from_before(tmp_path)

    async with house(tmp_path / "home", seats=3) as here:
        after = await play_to_the_end(here, table)

    assert after.leaves[: len(before.leaves)] == before.leaves
    assert audit.audit(after, receipts=[before.note]).exit_code == 0


async def test_of_what_the_game_master_has_lost_too_a_role_s_copy_is_restored(tmp_path: Path) -> None:
    home = tmp_path / "home"
    table, before = await a_store_from_before(tmp_path)
    shutil.rmtree(home / "roles" / "gm" / "copies")
    export(home, table, tmp_path / "left", "--role", "seat1")

    told = restore(tmp_path / "left" / f"{table.hex()[:8]}.seat1.docket", "--home", home)
    async with house(home, seats=3) as here:
        after = await play_to_the_end(here, table)

    assert told.exit_code == 0
    assert after.leaves[: len(before.leaves)] == before.leaves
    assert audit.audit(after, receipts=[before.note]).exit_code == 0


async def test_a_table_that_the_store_does_not_have_at_all_comes_back_when_it_is_asked_for(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with house(home, seats=3) as here:
        table = await long_table(here)
        before = await play_until_far(here, table)
    shutil.rmtree(home / "nats" / "store")

    async with house(home, seats=3) as here:
        unasked = await here.host.tables()
    told = restore("-", "--home", home / "roles" / "gm", text=dump(before))
    async with house(home, seats=3) as here:
        after = await play_to_the_end(here, table)
    marks = [path.suffix for path in (home / "roles" / "gm" / "copies").iterdir()]

    assert (unasked, told.exit_code, marks) == ((), 0, [".copy"])
    assert after.leaves[: len(before.leaves)] == before.leaves
    assert audit.audit(after).exit_code == 0


async def test_a_store_that_says_otherwise_than_the_game_master_s_copy_is_not_gone_on_with(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with house(home, seats=3) as here:
        table = await long_table(here)
        before = await play_until_far(here, table)
        path = home / "roles" / "gm" / "copies" / f"{table.hex()}.gm.copy"
        await here.stack.kill("gm")
        kept = path.read_bytes()
        path.write_bytes(kept.replace(entry_line(before.leaves[20]), b""))
        await here.stack.start("gm")
        spectator = await as_spectator(here.stack.url, table)
        with pytest.raises(Refused, match="the game master shows another log"):
            await here.host.close(table, "it is over")
        await spectator.leave()


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda docket: msgspec.structs.replace(docket, leaves=docket.leaves[:-5]), "not those that its checkpoint"),
        (lambda docket: msgspec.structs.replace(docket, note=""), "The docket is cut"),
        (lambda docket: msgspec.structs.replace(docket, note=f"x{docket.note}"), "Nothing is put back"),
        (
            lambda docket: msgspec.structs.replace(docket, leaves=docket.leaves[:5] + docket.leaves[6:]),
            "Nothing is put",
        ),
    ],
)
async def test_a_docket_that_does_not_hold_is_not_restored(spoil: object, code: str, tmp_path: Path) -> None:
    assert callable(spoil)
    async with house(tmp_path / "home", seats=3) as here:
        table = await long_table(here)
        docket = await play_until_far(here, table)

    told = restore("-", "--home", tmp_path / "home", text=dump(spoil(docket)))

    assert (told.exit_code, code in told.output) == (2, True), told.output


async def test_a_table_of_another_deployment_and_a_folder_of_none_are_refused(tmp_path: Path) -> None:
    async with house(tmp_path / "home", seats=3) as here:
        docket = await here.play(3, level="rules")
    async with house(tmp_path / "other", seats=3):
        pass

    elsewhere = restore("-", "--home", tmp_path / "other", text=dump(docket))
    nowhere = restore("-", "--home", tmp_path, text=dump(docket))

    assert (elsewhere.exit_code, nowhere.exit_code) == (2, 2)
    assert "Nothing is put back" in elsewhere.output
    assert "no game master's volume" in nowhere.output
