"""A table that the admin deletes: only one that has closed, unless told otherwise, and it does not come back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.attacks.crooked_house import Window
from tests.support.commands import Command
from tests.support.house import House, house

from chambers.bus.deployment import Deployment
from chambers.bus.permissions import ADMIN
from chambers.bus.run import Settings, connect
from chambers.bus.stream import StreamLog
from chambers.clients.connecting import as_spectator
from chambers.clients.spectating import NotWatched
from chambers.services import follower, game_master


async def _deleted(here: House, home: Path, table: bytes, *more: str) -> tuple[int, list[str], list[str]]:
    """Return how the command ends: exit code, output, and what it says beside that."""
    command = await Command.start(
        "delete", table.hex(), "--server", here.stack.url, "--home", str(here.stack.home), *more, home=home
    )
    return await command.ended(), command.lines, command.errors


async def _stored(here: House) -> list[str]:
    admin = await connect(
        Settings(user=ADMIN, home=Deployment(here.stack.home).role_home(ADMIN), server=here.stack.url)
    )
    try:
        return sorted(await StreamLog(admin).tables())
    finally:
        await admin.close()


async def test_a_closed_table_is_deleted_and_the_game_master_does_not_put_it_back(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        docket = await here.play(2)
        other = await here.open(2)
        table = next(info.table for info in await here.host.tables() if info.table != other)

        told = await _deleted(here, tmp_path, table)
        stored = await _stored(here)
        copies = list(here.stack.home.glob(f"roles/*/copies/{table.hex()}.*.copy"))
        await here.restart("gm")
        again = await _stored(here)
        await here.host.table(other)  # which a game master that was just started may not have read yet
        listed = [info.table for info in await here.host.tables()]
        twice = await _deleted(here, tmp_path, table)

    said = f"Deleted table {table.hex()}: witness-stand tandem-target, closed, {len(docket.leaves)} entries."
    assert told[:2] == (0, [said])
    assert told[2][-1].endswith(f"copies/{table.hex()}.* in each volume.")
    assert stored == again == [other.hex()]
    assert listed == [other]
    assert len(copies) == 5  # game master, dealer, dice and two vaults
    assert twice == (2, [], ["There is no such table."])


async def test_a_table_that_has_not_closed_is_deleted_only_if_told_so(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2)

        refused = await _deleted(here, tmp_path, table)
        kept = await _stored(here)
        told = await _deleted(here, tmp_path, table, "--unfinished")
        gone = await _stored(here)

    assert refused[:2] == (1, [])
    assert refused[2][-1].startswith("This table has not closed: witness-stand tandem-target, commit, ")
    assert refused[2][-1].endswith("To delete it all the same, say --unfinished.")
    assert kept == [table.hex()]
    assert told[0] == 0
    assert gone == []


async def test_whoever_has_not_the_admins_key_deletes_nothing(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2)
        role = Deployment(here.stack.home).role_home(ADMIN)
        role.rename(tmp_path / "elsewhere")
        code, lines, errors = await _deleted(here, tmp_path, table, "--unfinished")
        (tmp_path / "elsewhere").rename(role)
        kept = await _stored(here)

    assert (code, lines, len(errors)) == (2, [], 1)
    assert kept == [table.hex()]


async def test_whoever_sits_at_a_table_that_is_deleted_is_told_so_and_nobody_finds_it_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_master, "STORED_S", 0.3)
    monkeypatch.setattr(follower, "SILENCE_S", 0.3)
    async with house(tmp_path / "house", seats=2) as here, asyncio.timeout(60):
        table = await here.open(2)
        window = await Window.open(here, table, 0)
        spectator = await as_spectator(here.stack.url, table)
        scenes = spectator.scenes()
        await anext(scenes)

        deleted = await _deleted(here, tmp_path, table, "--unfinished")
        told = await window.told("vault/no-table")
        with pytest.raises(NotWatched) as shown_out:
            async for _ in scenes:
                pass  # an entry that was stored before it was deleted
        listed = await here.host.tables()
        await spectator.leave()
        await window.close()

    assert deleted[0] == 0
    assert told.text.startswith("The host's log has nothing of this table any more")
    assert shown_out.value.refusal.code == "watch/no-table"
    assert listed == ()
