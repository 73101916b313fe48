"""A store that is lost, and game masters that are: what the volumes of the others give back, as operating.md says."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from tests.compose.engine import Deployment, Table, deployment

from chambers.audit import audit
from chambers.clients.auditing import handed_in
from chambers.protocol.docket import load

ROLES = {"dealer": "dealer", "dice": "dice", "vault0": "seat0", "vault1": "seat1"}
LONG = ("--game", "missing-suspect", "--seats", "2", "--bots", "2", "--option", "answer_floor_ms=0")
"""A table whose game is not over while containers are stopped; one of the witness stand may be after twenty entries."""
pytestmark = [pytest.mark.docker, pytest.mark.timeout(400)]


def _exported(site: Deployment, table: Table, service: str, into: Path, *more: str) -> int:
    """Unpack what a service's volume has of a table; return the exit code."""
    code, data = site.piped(
        "run", "--rm", "-T", "--no-deps", "--entrypoint", "chambers", service,
        "vault", "export", table.id, "--home", f"/srv/chambers/roles/{ROLES[service]}", "--into", "-", *more,
    )  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        archive.extractall(into, filter="data")
    return code


def _docket(into: Path, table: Table, service: str) -> str:
    return (into / f"{table.id[:8]}.{ROLES[service]}.docket").read_text()


def _longest(into: Path, table: Table) -> str:
    """Return the docket that has most entries: who was stopped a moment later than another has heard more."""
    return max((_docket(into, table, service) for service in ROLES), key=lambda text: len(load(text).leaves))


def test_a_table_whose_store_is_lost_goes_on_from_the_longest_copy_and_one_without_game_masters_is_audited(
    image: str, tmp_path: Path
) -> None:
    with deployment("chamberslost", CHAMBERS_BOT_PAUSE="0.2") as site:
        table = site.host(*LONG)
        site.watch(table).reached(20)
        site.lose("store")
        still_open = {_exported(site, table, service, tmp_path) for service in ROLES}
        kept = _longest(tmp_path, table)
        restored, _ = site.piped(
            "run", "--rm", "-T", "--no-deps", "--entrypoint", "chambers", "game-master",
            "restore", "-", "--home", "/srv/chambers/roles/gm", given=kept.encode(),
        )  # fmt: skip
        site.up()
        watch = site.watch(table)
        watch.reached(50)
        site.close(table)
        over = watch.ended()
        whole = load(site.docket(table))

        dead = site.host(*LONG)
        site.watch(dead).reached(20)
        site.compose("stop", "game-master")
        codes = {service: _exported(site, dead, service, tmp_path, "--table-is-dead") for service in ROLES}

    left = load(_longest(tmp_path, dead))
    report = audit(left, reveals=handed_in(tmp_path / "reveals"), workers=1)
    assert (still_open, restored, bool(over)) == ({1}, 0, True)
    assert whole.leaves[: len(load(kept).leaves)] == load(kept).leaves
    assert audit(whole, workers=1).exit_code == 0
    assert codes == dict.fromkeys(ROLES, 0)
    assert (report.findings, {item.check for item in report.unproved} - {"A06"}) == ((), {"A08"})
