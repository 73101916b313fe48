"""Tables that are played from another network, while what they are played on is killed, stopped and started."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.compose.engine import BOT_TABLE, SHORT_TABLE, Deployment, OwnVault, Table, deployment, docker, until

from chambers import editions
from chambers.audit import audit
from chambers.protocol.docket import Docket, load
from chambers.protocol.statements import read_leaf, read_open, read_statement
from chambers.protocol.tickets import read_ticket

SHELF = Path(editions.__file__).parent / "witness-stand"
pytestmark = [pytest.mark.docker, pytest.mark.timeout(800)]


def _open(
    site: Deployment, *, bots: int, edition: str = "tandem-target", options: tuple[str, ...] = SHORT_TABLE
) -> Table:
    return site.host("--edition", edition, "--seats", "4", "--bots", str(bots), *options)


def test_the_hosts_line_gives_each_player_a_ticket_for_this_machine_and_keeps_the_bots(site: Deployment) -> None:
    table = _open(site, bots=1)

    tickets = [read_ticket(line) for line in table.tickets.values()]

    assert sorted(table.tickets) == [0, 1, 2]
    assert {ticket.fingerprint for ticket in tickets} == {bytes.fromhex(table.server.partition("#")[2])}
    assert all(ticket.server == table.server.partition("#")[0] for ticket in tickets)
    assert "127.0.0.1" not in table.server


def test_a_table_of_each_game_ends_and_audits_clean_though_every_service_and_a_player_s_own_vault_are_killed(
    site: Deployment,
) -> None:
    table = site.host("--seats", "3", "--bots", "1", "--own", "1", *BOT_TABLE)
    other = site.host(
        "--game", "missing-suspect", "--seats", "3", "--bots", "1", "--own", "0", "--option", "answer_floor_ms=0"
    )  # fmt: skip
    own, beside_own = site.own_vault(table, 1), site.own_vault(other, 0)
    table.tickets[1], other.tickets[0] = own.start(), beside_own.start()
    watch, beside = site.watch(table), site.watch(other)
    players = [*site.play(table), *site.play(other, pause=0.05)]

    watch.reached(14)
    site.crash("vault0")
    site.crash("game-master", 1)
    watch.reached(18)
    own.kill()
    beside_own.kill()
    again = own.start(), beside_own.start()
    site.crash("game-master", 2)
    # whose luck at accusing ends the first table early is not ours to say; the second one is a long game
    beside.reached(40)
    site.crash("dealer", 1)
    site.crash("nats")
    beside.reached(60)
    site.crash("gate")
    unfinished = beside.over
    site.crash("dealer", 2)
    site.crash("bots")
    overs = (watch.ended(), beside.ended())
    ends = [own.ended(), beside_own.ended()]

    dockets = [load(site.docket(one)) for one in (table, other)]
    receipts = [_receipt(own, table), _receipt(beside_own, other)]
    reports = [audit(docket, workers=1, receipts=(receipt,)) for docket, receipt in zip(dockets, receipts, strict=True)]
    assert unfinished == ""
    assert again == (table.tickets[1], other.tickets[0])
    assert all(overs)
    assert [(report.exit_code, report.findings) for report in reports] == [(0, ()), (0, ())]
    assert [_vaults(docket) for docket in dockets] == [["host", "own", "host"], ["own", "host", "host"]]
    assert [(code, told.splitlines()[-2][:19]) for code, told in ends] == [(0, "The table is over: ")] * 2
    assert [player.wait(60) for player in players] == [0] * 4


def _receipt(own: OwnVault, table: Table) -> str:
    return own.files()[f"own/receipts/{table.id}.note"].decode()


def _vaults(docket: Docket) -> list[str]:
    opened = read_open(bytes(read_statement(read_leaf(docket.leaves[0]).stmt).ev))
    return [plan.vault for plan in opened.seats]


def test_the_admin_s_container_deletes_a_table_that_has_closed(site: Deployment) -> None:
    table = site.host("--seats", "2", "--bots", "2", *SHORT_TABLE)
    assert site.watch(table).ended()

    told = site.compose("run", "--rm", "-T", "--no-deps", "stream", "delete", table.id)
    again = site.piped("run", "--rm", "-T", "--no-deps", "stream", "delete", table.id)

    assert told.startswith(f"Deleted table {table.id}: witness-stand tandem-target, closed, ")
    assert again == (2, b"")


def test_a_folder_of_the_host_s_own_editions_is_played_from_by_services_and_bots(image: str, tmp_path: Path) -> None:
    for name in ("board.toml", "tandem-target.toml"):
        shutil.copy(SHELF / name, tmp_path)
    mine = tmp_path / "tandem-target.toml"
    mine.write_text(mine.read_text().replace('name = "tandem-target"', 'name = "borrowed-lamp"', 1))
    mine.rename(tmp_path / "my-box.toml")
    tmp_path.chmod(0o755)

    with deployment("chambersboxes", CHAMBERS_EDITIONS=str(tmp_path), CHAMBERS_BOT_PAUSE="0") as boxes:
        table = boxes.host("--edition", "my-box.toml", "--seats", "2", "--bots", "2", *BOT_TABLE)
        over = boxes.watch(table).ended()
        docket = load(boxes.docket(table))

    assert over
    assert audit(docket, workers=1).exit_code == 0
    assert read_open(bytes(read_statement(read_leaf(docket.leaves[0]).stmt).ev)).edition == "borrowed-lamp"


def test_down_and_up_in_the_middle_of_a_game_loses_nothing(site: Deployment) -> None:
    table = _open(site, bots=1)
    watch = site.watch(table)
    players = site.play(table)
    watch.reached(20)

    site.compose("stop")
    codes = {one["Config"]["User"]: one["State"]["ExitCode"] for one in site.containers()}
    site.compose("down")
    site.up()
    watch.reached(50)
    site.close(table)
    over = watch.ended()

    assert {user for user, code in codes.items() if code} <= {"10030:10030"}
    assert over
    assert audit(load(site.docket(table)), workers=1).exit_code == 0
    assert [player.wait(60) for player in players] == [0, 0, 0]


def test_a_table_goes_on_from_a_backup_in_new_volumes(image: str) -> None:
    with deployment("chambersmoved", CHAMBERS_BOT_PAUSE="0.2") as moved:
        table = moved.host("--seats", "2", "--bots", "2", *BOT_TABLE)
        moved.watch(table).reached(20)
        moved.compose("stop")
        backup = moved.packed()
        moved.compose("down", "--volumes")
        moved.unpack(backup)
        moved.up()
        watch = moved.watch(table)
        watch.reached(50)
        moved.close(table)

        assert watch.ended()
        assert audit(load(moved.docket(table)), workers=1).exit_code == 0


def test_a_service_is_healthy_only_while_the_server_answers_it(site: Deployment) -> None:
    _open(site, bots=2)

    def health() -> set[str]:
        states = [one["State"] for one in site.containers()]
        return {state["Health"]["Status"] for state in states if "Health" in state}

    until(lambda: health() == {"healthy"}, "not every service gets healthy", limit=60)

    docker("pause", site.container("nats"))
    try:
        until(lambda: "healthy" not in health(), "services do not notice that the server is silent", limit=90)
    finally:
        docker("unpause", site.container("nats"))
    until(lambda: health() == {"healthy"}, "services do not recover", limit=60)


def test_nobody_is_admitted_who_expects_another_certificate(site: Deployment) -> None:
    table = _open(site, bots=3)
    address, _, pin = table.server.partition("#")
    other = f"{address}#{'0' * len(pin)}"

    def tables(server: str) -> int:
        client = site.client("tables", "--server", server)
        return client.wait(60)

    assert tables(table.server) == 0
    assert tables(other) == 2


def test_the_status_of_every_service_is_told_to_the_host(site: Deployment) -> None:
    lines = site.compose("run", "--rm", "-T", "chambers", "status", "--json").splitlines()

    found = sorted(json.loads(line)["user"] for line in lines)

    vaults = [f"seat{n}" for n in range(6)]
    assert found == sorted(["gm", "gm", "dealer", "dealer", "dice", "dice", "gate", "gallery", *vaults])


def test_the_host_s_commands_know_the_server_without_its_fingerprint_and_find_nothing_wrong(site: Deployment) -> None:
    table = _open(site, bots=4)

    tables = site.compose("run", "--rm", "-T", "chambers", "tables")
    checks = site.compose("run", "--rm", "-T", "chambers", "doctor", "--json").splitlines()

    found = {one["name"]: one["state"] for one in map(json.loads, checks)}
    assert table.id in tables
    assert "wrong" not in found.values()
    assert [found[name] for name in ("TLS", "tables", "services")] == ["ok", "ok", "ok"]
    assert "log" not in found  # that is asked with the key of another role


def test_a_game_goes_on_when_a_node_of_the_cluster_is_killed(image: str) -> None:
    with deployment("chamberscluster", "cluster.yaml") as cluster:
        table = _open(cluster, bots=1)
        watch = cluster.watch(table)
        players = cluster.play(table)

        watch.reached(16)
        cluster.crash("nats")
        watch.reached(24)
        cluster.crash("nats-2")
        watch.reached(50)
        cluster.close(table)
        over = watch.ended()
        docket = load(cluster.docket(table))
        cluster.compose("stop", "nats-3")
        told = cluster.compose("run", "--rm", "-T", "chambers", "doctor", "--json", check=False)

        checks = [json.loads(line) for line in told.splitlines()]
        assert over
        assert audit(docket, workers=1).exit_code == 0
        assert [player.wait(60) for player in players] == [0, 0, 0]
        assert [one["state"] for one in checks if one["name"] == "node"] == ["ok", "ok", "wrong"]
        assert [one["text"] for one in checks if one["name"] == "nodes"] == ["2 of 3 stand; a game goes on with 2."]
        assert [one["state"] for one in checks if one["name"] in ("tables", "services")] == ["ok", "ok"]


def test_a_table_is_played_without_tls_too(image: str) -> None:
    with deployment("chambersplain", CHAMBERS_TLS="--no-tls", CHAMBERS_BOT_PAUSE="0") as plain:
        table = _open(plain, bots=4)

        over = plain.watch(table).ended()

        assert over
        assert "#" not in table.server
        assert audit(load(plain.docket(table)), workers=1).exit_code == 0
