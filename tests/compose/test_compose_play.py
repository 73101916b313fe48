"""Tables that are played from another network, while what they are played on is killed, stopped and started."""

from __future__ import annotations

import json

import pytest
from tests.compose.engine import BOT_TABLE, SHORT_TABLE, Deployment, Table, deployment, docker, until

from chambers.audit import audit
from chambers.protocol.docket import load
from chambers.protocol.tickets import read_ticket

pytestmark = [pytest.mark.docker, pytest.mark.timeout(400)]


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


def test_a_table_of_each_game_ends_and_audits_clean_though_every_service_is_killed_in_the_middle(
    site: Deployment,
) -> None:
    table = _open(site, bots=1, options=BOT_TABLE)
    other = site.host("--game", "missing-suspect", "--seats", "3", "--option", "answer_floor_ms=0")
    watch, beside = site.watch(table), site.watch(other)
    players = [*site.play(table), *site.play(other, pause=0.05)]

    watch.reached(14)
    site.crash("vault1")
    site.crash("game-master", 1)
    watch.reached(18)
    site.crash("game-master", 2)
    watch.reached(22)
    site.crash("dealer", 1)
    site.crash("nats")
    watch.reached(26)
    site.crash("gate")
    unfinished = (watch.over, beside.over, watch.sequence < 200)
    site.crash("dealer", 2)
    site.crash("bots")
    overs = (watch.ended(), beside.ended())

    reports = [audit(load(site.docket(one)), workers=1) for one in (table, other)]
    assert unfinished == ("", "", True)
    assert all(overs)
    assert [(report.exit_code, report.findings) for report in reports] == [(0, ()), (0, ())]
    assert [player.wait(60) for player in players] == [0] * 6


def test_down_and_up_in_the_middle_of_a_game_loses_nothing(site: Deployment) -> None:
    table = _open(site, bots=1)
    watch = site.watch(table)
    players = site.play(table)
    watch.reached(20)

    site.compose("stop")
    codes = {one["Config"]["User"]: one["State"]["ExitCode"] for one in site.containers()}
    site.compose("down")
    site.up()
    over = watch.ended()

    assert {user for user, code in codes.items() if code} <= {"10030:10030"}
    assert over
    assert audit(load(site.docket(table)), workers=1).exit_code == 0
    assert [player.wait(60) for player in players] == [0, 0, 0]


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


def test_a_game_goes_on_when_a_node_of_the_cluster_is_killed(image: str) -> None:
    with deployment("chamberscluster", "cluster.yaml") as cluster:
        table = _open(cluster, bots=1)
        watch = cluster.watch(table)
        players = cluster.play(table)

        watch.reached(16)
        cluster.crash("nats")
        watch.reached(24)
        cluster.crash("nats-2")
        over = watch.ended()

        assert over
        assert audit(load(cluster.docket(table)), workers=1).exit_code == 0
        assert [player.wait(60) for player in players] == [0, 0, 0]


def test_a_table_is_played_without_tls_too(image: str) -> None:
    with deployment("chambersplain", CHAMBERS_TLS="--no-tls", CHAMBERS_BOT_PAUSE="0") as plain:
        table = _open(plain, bots=4)

        over = plain.watch(table).ended()

        assert over
        assert "#" not in table.server
        assert audit(load(plain.docket(table)), workers=1).exit_code == 0
