"""What containers may do and show: no root, no writing outside their volumes, no secret where anybody could read it."""

from __future__ import annotations

import base64
import json
import subprocess

import pytest
from tests.compose.engine import BOT_TABLE, IMAGE, VOLUMES, Deployment, docker, unpacked

pytestmark = [pytest.mark.docker, pytest.mark.timeout(400)]

SERVICES = (
    "game-master", "dealer", "dice", "gate", "gallery", "bots", *(f"vault{n}" for n in range(6)),
)  # fmt: skip
OWN = {
    **{name: {name} for name in ("dealer", "dice", "gate", "gallery", "bots")},
    **{f"vault{n}": {f"seat{n}"} for n in range(6)},
    "game-master": {"gm"},
    "nats": {"store"},
    "stream": {"admin"},
    "init": set(VOLUMES),
}
TRY_TO_WRITE = """
for folder in / /etc /opt/chambers /srv /srv/chambers /srv/chambers/roles /var /home /usr/bin /root; do
  if touch "$folder/written" 2>/dev/null; then echo "$folder"; fi
done
"""


def _service(container: dict[str, dict[str, dict[str, str]]]) -> str:
    return container["Config"]["Labels"]["com.docker.compose.service"]


def test_no_container_is_root_or_has_a_right_that_it_does_not_need(site: Deployment) -> None:
    containers = site.containers()

    for one in containers:
        host = one["HostConfig"]
        assert int(one["Config"]["User"].split(":")[0]) >= 10000
        assert host["ReadonlyRootfs"] is True
        assert host["Privileged"] is False
        assert host["CapDrop"] == ["ALL"]
        assert not host["CapAdd"]
        assert host["SecurityOpt"] == ["no-new-privileges:true"]
        assert {(limit["Name"], limit["Hard"]) for limit in host["Ulimits"]} == {("core", 0)}
        # whichever of the two the kernel can: cgroup 2 knows no swappiness, cgroup 1 without swap accounting no limit
        assert host["MemorySwappiness"] == 0 or host["MemorySwap"] == host["Memory"]
        assert 0 < host["Memory"] <= 512 * 1024 * 1024
        assert host["LogConfig"]["Config"] == {"max-size": "10m", "max-file": "3"}


def test_every_role_is_a_user_of_its_own(site: Deployment) -> None:
    users: dict[str, set[str]] = {}
    for one in site.containers():
        users.setdefault(one["Config"]["User"], set()).add(_service(one))

    assert all(len(services) == 1 for services in users.values())
    assert len(users) == len(OWN)


def test_a_container_has_its_own_volume_and_no_other(site: Deployment) -> None:
    for one in site.containers():
        writable = {mount["Name"].removeprefix(f"{site.name}_") for mount in one["Mounts"] if mount["RW"]}
        assert writable == OWN[_service(one)]
        assert all(mount["Type"] == "volume" for mount in one["Mounts"])


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_cannot_write_outside_its_volume(site: Deployment, service: str) -> None:
    container = site.container(service)

    written = docker("exec", container, "sh", "-c", TRY_TO_WRITE)

    assert written == ""
    assert docker("exec", container, "id", "-u").strip() not in ("", "0")


@pytest.mark.parametrize("service", ["host", "chambers"])
def test_the_host_s_commands_are_not_root_and_cannot_write_outside_their_volumes(
    site: Deployment, service: str
) -> None:
    look = f"id -u; {TRY_TO_WRITE}"

    told = site.compose("run", "--rm", "-T", "--entrypoint", "sh", service, "-c", look)

    assert told.split() == ["10006"]


def test_a_player_s_container_is_not_root_either(image: str) -> None:
    assert docker("run", "--rm", "--network", "none", "--entrypoint", "id", image, "-u").strip() == "10000"


def test_after_a_game_no_container_has_changed_anything_but_its_volumes(site: Deployment) -> None:
    table = site.host("--seats", "2", "--bots", "2", *BOT_TABLE)
    site.watch(table).ended()

    for one in site.containers():
        changed = docker("diff", one["Id"]).splitlines()
        # where an image has no folder to mount a volume over, the engine makes one
        mounted = [mount["Destination"] for mount in one["Mounts"]]
        assert [line for line in changed if not any(place.startswith(line[2:]) for place in mounted)] == []


def test_only_the_server_is_published(site: Deployment) -> None:
    published = {_service(one): one["HostConfig"]["PortBindings"] for one in site.containers()}

    assert {service for service, ports in published.items() if ports} == {"nats"}
    assert list(published["nats"]) == ["4222/tcp"]


def test_nothing_leaves_the_network_of_the_services_and_only_the_server_is_also_at_the_door(site: Deployment) -> None:
    bus, door = (json.loads(docker("network", "inspect", f"{site.name}_{name}"))[0] for name in ("bus", "door"))
    joined = {_service(one): set(one["NetworkSettings"]["Networks"]) for one in site.containers()}

    assert (bus["Internal"], door["Internal"]) == (True, False)
    assert joined.pop("nats") == {f"{site.name}_bus", f"{site.name}_door"}
    assert joined.pop("init") == {"none"}
    assert set(map(frozenset, joined.values())) == {frozenset({f"{site.name}_bus"})}


def _secrets(site: Deployment) -> list[bytes]:
    """Return every secret of the deployment, as text and as bytes, read by root from outside."""
    files = unpacked({f"{site.name}_{name}": name for name in VOLUMES if name != "store"})
    return [kept for path, kept in files.items() if not path.endswith((".conf", "server.pem"))]


def _shapes(secret: bytes) -> list[bytes]:
    if secret.startswith(b"-----BEGIN"):
        return [secret.splitlines()[1]]
    as_written = secret.rstrip(b"\n") if secret.isascii() else secret  # raw bytes may end in what looks like space
    return [as_written, secret.hex().encode(), base64.b64encode(secret).rstrip(b"=")]


def test_neither_inspect_nor_the_logs_nor_the_image_show_a_secret(site: Deployment) -> None:
    table = site.host("--seats", "4", "--bots", "2", "--own", "1", *BOT_TABLE)
    own = site.own_vault(table, 1)
    table.tickets[1] = own.start()
    players = site.play(table)
    site.watch(table).reached(16)

    clients = docker("ps", "--quiet", "--filter", f"network={site.lan}").split()
    shown = [json.dumps(site.containers()).encode(), docker("inspect", IMAGE, *clients).encode()]
    shown += [docker("history", "--no-trunc", IMAGE).encode()]
    for one in site.containers():
        logs = subprocess.run(["docker", "logs", one["Id"]], capture_output=True, timeout=60, check=True)
        shown.append(logs.stdout + logs.stderr)
    layers = subprocess.run(["docker", "save", IMAGE], capture_output=True, timeout=120, check=True).stdout
    tickets = [ticket.encode() for ticket in (*table.tickets.values(), *table.vaults.values())]
    secrets = [*_secrets(site), *tickets, own.files()[f"own/vaults/{table.id}.1/master.key"]]

    # login keys of 13 roles, 3 more of the gate, master keys of 11 roles, the server's own, the own vault's, 4 tickets
    assert len(secrets) >= 33
    for secret in secrets:
        for shape in _shapes(secret):
            assert len(shape) >= 32
            assert not any(shape in text for text in shown)
            assert shape not in layers
    for player in players:
        player.kill()
    own.kill()
