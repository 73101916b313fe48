"""On a real server every vault, the dealer and the dice keep a copy of their tables, which holds no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.house import House, house

from chambers import audit
from chambers.bus.deployment import master_key
from chambers.fairness.keys import TableSecrets
from chambers.protocol.copies import load
from chambers.protocol.watching import Scene

ROLES = ("dice", "dealer", "seat0", "seat1")


def copy_of(here: House, role: str) -> Path:
    (path,) = (here.stack.home / "roles" / role / "copies").iterdir()
    return path


async def test_whoever_sits_at_a_table_and_deals_and_rolls_keeps_its_whole_record(tmp_path: Path) -> None:
    async with house(tmp_path, seats=3) as here:
        docket = await here.play(2, level="rules")

    kept = {role: load(copy_of(here, role).read_bytes()).docket() for role in ROLES}
    assert set(kept.values()) == {docket}
    assert audit.audit(docket).exit_code == 0
    assert not (here.stack.home / "roles" / "seat2" / "copies").exists()


@pytest.mark.parametrize("user", ["dealer", "seat1"])
async def test_a_copy_goes_on_where_it_was_when_its_role_is_killed(tmp_path: Path, user: str) -> None:
    async with house(tmp_path, seats=2) as here:

        async def kill(scene: Scene) -> None:
            if scene.sequence % 9 == 0:
                await here.restart(user)

        docket = await here.play(2, at_entry=kill)

    assert load(copy_of(here, user).read_bytes()).leaves == docket.leaves


async def test_a_copy_holds_no_secret_while_the_game_is_played(tmp_path: Path) -> None:
    seen: dict[str, bytes] = {}
    async with house(tmp_path, seats=2) as here:

        async def look(scene: Scene) -> None:
            if scene.phase == "play":
                seen.update({role: copy_of(here, role).read_bytes() for role in ROLES})

        docket = await here.play(2, at_entry=look)

    table = audit.inspect(docket).walk.log.id
    for role in ROLES:
        master = master_key(here.stack.home / "roles" / role / "master.key")
        own = TableSecrets.from_master(master, table, role=role, attempt=1)
        record = b"".join(load(seen[role]).leaves)
        for secret in (master, own.secret, own.luck, own.signing_seed, own.frame_key or master):
            assert secret not in record
            assert secret not in seen[role]
            assert secret.hex().encode() not in seen[role]
