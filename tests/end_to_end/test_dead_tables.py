"""A table whose game master is gone for good: what is left in the volumes, handed in, still decides every lie."""

from __future__ import annotations

import asyncio
import contextlib
import io
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.attacks.crooked_house import Crook, Window, crooked_house, entry_of, found, open_table, seat_bot, vault_with
from tests.attacks.test_attacks_by_a_vault import denies_a_card
from tests.support.house import House, house
from tests.support.own_vaults import OWN, OwnVaultProcess, own_table, sit_down
from typer.testing import CliRunner, Result

from chambers import audit
from chambers.clients.auditing import handed_in
from chambers.clients.cli import app
from chambers.clients.connecting import as_spectator
from chambers.clients.luck import OwnLuck
from chambers.clients.luck_shelf import LuckShelf
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.client import Update
from chambers.protocol.docket import Docket, load
from chambers.protocol.watching import Scene
from chambers.rules import Phase

ROLES = ("dice", "dealer", "seat0", "seat1", "seat2")
KEY = AuditorKey(bytes(range(32)))


def export(home: Path, table: bytes, into: Path, *more: str) -> Result:
    return CliRunner().invoke(
        app, ["vault", "export", table.hex(), "--home", str(home), "--into", str(into), *more], catch_exceptions=False
    )


def docket_of(into: Path, table: bytes, role: str) -> Docket:
    return load((into / f"{table.hex()[:8]}.{role}.docket").read_text())


async def dies(here: House, table: bytes, once: Callable[[Scene], bool], *, level: str = "rules") -> None:
    """Have bots play until something is so, kill the game master, and let nobody come back."""
    spectator = await as_spectator(here.stack.url, table)
    players = [await seat_bot(here, table, seat, level=level) for seat in range(3)]
    try:
        async with asyncio.timeout(60):
            async for scene in spectator.scenes():
                if once(scene):
                    break
        await here.stack.kill("gm")
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await spectator.leave()


def far(scene: Scene) -> bool:
    """Return whether a game is well begun; one of the witness stand may be over after thirty entries."""
    return scene.phase == Phase.PLAY and scene.sequence > (30 if scene.game == "missing-suspect" else 22)


def a_while_after(crook: Crook) -> Callable[[Scene], bool]:
    scenes: list[Scene] = []

    def so(scene: Scene) -> bool:
        scenes.extend([scene] * crook.accepted)
        return len(scenes) > 3

    return so


@pytest.mark.parametrize("game", ["witness-stand", "missing-suspect"])
async def test_what_a_dead_table_left_is_audited_without_any_server(game: str, tmp_path: Path) -> None:
    async with crooked_house(tmp_path / "home", {}) as here:
        table = await open_table(here, game=game)
        await dies(here, table, far)

    told = export(tmp_path / "home", table, tmp_path / "left", "--table-is-dead")

    dockets = [docket_of(tmp_path / "left", table, role) for role in ROLES]
    longest = max(dockets, key=lambda one: len(one.leaves))
    report = audit.audit(longest, reveals=handed_in(tmp_path / "left" / "reveals"))
    assert (told.exit_code, len(longest.leaves) > 22) == (0, True)
    # whether the last entries have a checkpoint over them depends on when the game master died
    assert (report.findings, {one.check for one in report.unproved} - {"A06"}) == ((), {"A08"})
    assert all(one.leaves == longest.leaves[: len(one.leaves)] for one in dockets)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "left" / "reveals").iterdir()}
    assert modes == {0o600}


@pytest.mark.parametrize("silent", ROLES)
async def test_a_lie_at_a_dead_table_is_found_whichever_role_hands_nothing_in(silent: str, tmp_path: Path) -> None:
    crook = Crook(denies_a_card)
    async with crooked_house(tmp_path / "home", {"seat1": vault_with(crook)}) as here:
        table = b""
        for number in range(20):
            table = await open_table(here, number=number)
            await dies(here, table, a_while_after(crook), level="random")
            if crook.accepted:
                break
            await here.stack.start("gm")

    for role in ROLES:
        if role != silent:
            export(tmp_path / "home", table, tmp_path / "left", "--table-is-dead", "--role", role)

    docket = max(
        (docket_of(tmp_path / "left", table, role) for role in ROLES if role != silent),
        key=lambda one: len(one.leaves),
    )
    report = audit.audit(docket, reveals=handed_in(tmp_path / "left" / "reveals"))
    assert found(report) == {("A24", entry_of(docket, crook.told[-1]), "seat1")}
    assert report.exit_code == 1


async def test_a_game_that_goes_on_is_not_opened_unless_somebody_says_that_it_is_dead(tmp_path: Path) -> None:
    async with crooked_house(tmp_path / "home", {}) as here:
        table = await open_table(here, game="missing-suspect")
        await dies(here, table, far)
    volume = tmp_path / "home" / "roles" / "seat1"

    told = export(volume, table, tmp_path / "left")

    assert told.exit_code == 1
    assert "--table-is-dead" in told.output
    assert [path.name for path in (tmp_path / "left").iterdir()] == [f"{table.hex()[:8]}.seat1.docket"]
    assert [path.suffix for path in (volume / "copies").iterdir()] == [".copy"]


async def test_a_role_whose_reveal_was_handed_in_plays_no_more_when_the_table_comes_back(tmp_path: Path) -> None:
    async with house(tmp_path / "home", seats=3) as here:
        table = await here.open(3, game="missing-suspect")
        await dies(here, table, far)
        export(tmp_path / "home" / "roles" / "seat1", table, tmp_path / "left", "--table-is-dead")
        await here.restart("seat1")
        await here.stack.start("gm")
        spectator = await as_spectator(here.stack.url, table)
        windows = [await Window.open(here, table, seat) for seat in range(3)]
        told = await windows[1].told("vault/stopped")
        await here.host.close(table, "it is given up")
        async with asyncio.timeout(60):
            async for _ in spectator.scenes():
                pass
        docket = await spectator.docket()
        for window in windows:
            await window.close()
        await spectator.leave()

    report = audit.audit(docket)
    assert "handed in" in told.text
    assert (report.findings, report.unproved) == ((), ())


async def test_a_vault_that_runs_while_its_reveal_is_handed_in_makes_not_one_move_more(tmp_path: Path) -> None:
    def asked(window: Window) -> Update | None:
        updates = [one for one in window.heard if isinstance(one, Update) and one.prompt is not None]
        return updates[-1] if updates else None

    async with house(tmp_path / "home", seats=3) as here:
        table = await here.open(3)
        windows = [await Window.open(here, table, seat, plays=seat != 1) for seat in range(3)]
        await windows[1].until(lambda: asked(windows[1]) is not None)
        update = asked(windows[1])
        assert update is not None
        assert update.prompt is not None

        export(tmp_path / "home" / "roles" / "seat1", table, tmp_path / "left", "--table-is-dead")
        await windows[1].choose(update.prompt.id, update.prompt.options[0].id)
        refused = await windows[1].told("fairness/handed-in")
        for window in windows:
            await window.close()

    assert "handed in" in refused.text


async def test_an_own_vault_whose_reveal_is_handed_in_stays_for_its_goodbye_and_the_receipt(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=3) as here:
        table = await own_table(here, game="missing-suspect")
        spectator = await as_spectator(here.stack.url, table)
        async with OwnVaultProcess(tmp_path / "own", await here.host.vault_ticket(table, OWN)) as vault:
            players = [*[await here.sit(table, seat, level="rules") for seat in (0, 2)], await sit_down(vault.ticket)]
            async with asyncio.timeout(60):
                await anext(scene async for scene in spectator.scenes() if far(scene))
                export(tmp_path / "own", table, tmp_path / "left", "--table-is-dead")
                await here.host.close(table, "it is given up")
                code, said = await vault.ended()
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
        docket = await spectator.docket()
        await spectator.leave()

    receipt = next((tmp_path / "own" / "receipts").iterdir()).read_text(encoding="utf-8")
    report = audit.audit(docket, receipts=(receipt,))
    assert code == 0
    assert "The table is over: The table was closed: aborted: it is given up." in said.splitlines()
    assert (report.findings, report.unproved) == ((), ())


async def test_at_a_closed_table_there_is_nothing_left_to_reveal(tmp_path: Path) -> None:
    async with house(tmp_path / "home", seats=2) as here:
        docket = await here.play(2, level="rules")
    table = audit.inspect(docket).walk.log.id

    told = export(tmp_path / "home", table, tmp_path / "left", "--table-is-dead")

    assert told.exit_code == 0
    assert docket_of(tmp_path / "left", table, "dealer") == docket
    assert not (tmp_path / "left" / "reveals").exists()


@pytest.mark.parametrize(("policy", "reveals"), [("auditor", 4), ("none", 0)])
async def test_what_is_handed_in_keeps_to_the_table_s_reveal_policy(policy: str, reveals: int, tmp_path: Path) -> None:
    named = KEY.public if policy == "auditor" else None
    async with house(tmp_path / "home", seats=2) as here:
        table = await here.open(2, game="missing-suspect", reveal=policy, auditor_key=named)
        brought = OwnLuck(LuckShelf(tmp_path / "ada", table=table, seat=0), table=table, seat=0)
        held = OwnLuck(LuckShelf(tmp_path / "bo", table=table, seat=1), table=table, seat=1, hold=True)
        spectator = await as_spectator(here.stack.url, table)
        players = [
            await here.sit(table, 0, level="rules", luck=brought),
            await here.sit(table, 1, level="rules", luck=held),
        ]
        async for scene in spectator.scenes():
            if scene.phase == Phase.PLAY and scene.sequence > 20:
                break
        await here.stack.kill("gm")
        for player in players:
            player.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*players)
        await spectator.leave()

    told = export(tmp_path / "home", table, tmp_path / "left", "--table-is-dead")

    files = list((tmp_path / "left").glob("reveals/*"))
    found = handed_in(tmp_path / "left" / "reveals") if files else ()
    docket = docket_of(tmp_path / "left", table, "dealer")
    with_key = audit.audit(docket, reveals=found, auditor=KEY)
    without = audit.audit(docket, reveals=found)
    assert (told.exit_code, len(files), [one.secret for one in found]) == (0, reveals, [b""] * reveals), told.output
    assert (with_key.findings, with_key.counts.deals) == ((), int(policy == "auditor"))
    assert (without.findings, without.counts.deals) == ((), 0)


def test_a_volume_without_a_copy_and_a_key_that_is_not_the_role_s_end_in_one_sentence(tmp_path: Path) -> None:
    told = export(tmp_path, bytes(16), tmp_path / "left")

    assert (told.exit_code, told.output.count("\n")) == (2, 1)
    assert "There is no copy of table" in told.output


async def test_what_is_handed_in_may_leave_a_container_as_an_archive(tmp_path: Path) -> None:
    async with house(tmp_path / "home", seats=3) as here:
        table = await here.open(3, game="missing-suspect")
        await dies(here, table, far)

    told = export(tmp_path / "home" / "roles" / "dealer", table, Path("-"), "--table-is-dead")

    name = f"{table.hex()[:8]}.dealer"
    with tarfile.open(fileobj=io.BytesIO(told.stdout_bytes)) as archive:
        modes = {entry.name: entry.mode for entry in archive}
        docket = archive.extractfile(f"{name}.docket")
        assert docket is not None
        assert len(load(docket.read().decode()).leaves) > 30
    assert modes == {f"{name}.docket": 0o644, f"reveals/{name}.reveal": 0o600}
