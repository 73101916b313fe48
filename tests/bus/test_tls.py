"""TLS: the server shows one certificate for ever; who knows it talks to nobody else, and to nobody in the clear."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from tests.bus.running_server import TABLE, Site

from chambers.bus import certificates, deployment
from chambers.bus.deployment import Deployment
from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus
from chambers.bus.permissions import STATIC_USERS
from chambers.bus.run import Settings, connect
from chambers.bus.server import NatsServer, free_port
from chambers.bus.server_config import ServerOptions
from chambers.protocol import subjects


def _made(home: Path, *, port: int = 4222, tls: bool = True, for_groups: bool = False) -> Deployment:
    options = ServerOptions(store=str(home / "nats" / "store"), port=port, sync="default")
    return deployment.init(home, options, tls=tls, for_groups=for_groups)


async def _secure(home: Path) -> tuple[Deployment, NatsServer]:
    port = free_port()
    made = _made(home, port=port)
    server = NatsServer(made.config, port=port)
    await server.start()
    return made, server


async def _talk(made: Deployment, server: NatsServer) -> bytes:
    dealer = await connect(Settings(user="dealer", home=made.role_home("dealer"), server=server.url))
    gm = await connect(Settings(user="gm", home=made.role_home("gm"), server=server.url))

    async def echo(_subject: str, data: bytes) -> bytes:
        return data

    await gm.serve(subjects.tail(subjects.ANY, subjects.ANY), echo, asker=subjects.asker)
    answer = await dealer.request(subjects.tail(TABLE, "dealer"), b"here")
    await dealer.close()
    await gm.close()
    return answer


def test_the_certificate_is_made_once_and_shown_to_every_role(tmp_path: Path) -> None:
    first = _made(tmp_path).tls.read_bytes()

    again = _made(tmp_path)

    shown = {(again.role_home(user) / certificates.CERTIFICATE).read_bytes() for user in STATIC_USERS}
    assert again.tls.read_bytes() == first
    assert shown == {certificates.public_part(first)}
    assert b"PRIVATE KEY" not in certificates.public_part(first)


def test_only_the_owner_may_read_the_servers_key(tmp_path: Path) -> None:
    made = _made(tmp_path)

    assert stat.S_IMODE(made.tls.stat().st_mode) == 0o600


def test_where_folders_belong_to_groups_a_key_may_be_read_by_its_group_and_by_nobody_else(tmp_path: Path) -> None:
    made = _made(tmp_path, for_groups=True)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (made.tls, *tmp_path.rglob("*.nk"))}

    assert modes == {0o640}


def test_a_deployment_set_up_again_without_tls_shows_no_certificate(tmp_path: Path) -> None:
    _made(tmp_path)

    made = _made(tmp_path, tls=False)

    assert [made.certificate(user) for user in STATIC_USERS] == [None] * len(STATIC_USERS)
    assert "tls" not in made.config.read_text()


async def test_services_talk_over_tls_with_the_certificate_in_their_volumes(tmp_path: Path) -> None:
    made, server = await _secure(tmp_path)

    try:
        assert await _talk(made, server) == b"here"
    finally:
        await server.kill()


async def test_the_pinned_certificate_is_accepted_after_a_restart_too(tmp_path: Path) -> None:
    made, server = await _secure(tmp_path)
    path = made.certificate("host")
    assert path is not None
    pin = certificates.pinned(certificates.fingerprint(path))

    try:
        before = await NatsBus.connect(server.url, made.login("host"), tls=pin)
        await before.close()
        _made(tmp_path, port=int(server.url.rpartition(":")[2]))
        await server.restart()
        after = await NatsBus.connect(server.url, made.login("host"), tls=pin)
        assert after.connected
        await after.close()
    finally:
        await server.kill()


async def test_another_certificate_is_refused_before_anything_is_said(tmp_path: Path) -> None:
    made, server = await _secure(tmp_path)

    try:
        with pytest.raises(BusError, match="bus/bad-certificate"):
            await NatsBus.connect(server.url, made.login("host"), tls=certificates.pinned(bytes(32)))
    finally:
        await server.kill()
    assert "authentication" not in server.log.read_text().lower()


async def test_in_the_visit_of_the_first_meeting_too_no_second_certificate_is_accepted(tmp_path: Path) -> None:
    made, server = await _secure(tmp_path)
    shown: list[bytes] = []
    settings = certificates.met(shown)

    try:
        first = await NatsBus.connect(server.url, made.login("host"), tls=settings)
        await first.close()
        again = await NatsBus.connect(server.url, made.login("host"), tls=settings)
        await again.close()
        seen = shown[:]
        made.tls.write_bytes(certificates.new_certificate())
        await server.restart()
        with pytest.raises(BusError, match="bus/bad-certificate"):
            await NatsBus.connect(server.url, made.login("host"), tls=settings)
    finally:
        await server.kill()
    path = made.certificate("host")
    assert path is not None
    assert seen == shown == [certificates.fingerprint(path)]


async def test_a_client_that_knows_no_certificate_is_told_so(tmp_path: Path) -> None:
    made, server = await _secure(tmp_path)

    try:
        with pytest.raises(BusError, match="bus/unknown-certificate"):
            await NatsBus.connect(server.url, made.login("host"))
    finally:
        await server.kill()


async def test_who_expects_tls_says_nothing_to_a_server_without_it(site: Site) -> None:
    with pytest.raises(BusError, match="bus/no-tls"):
        await NatsBus.connect(site.server.url, site.deployment.login("host"), tls=certificates.pinned(bytes(32)))


def test_a_file_without_a_certificate_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")

    with pytest.raises(BusError, match="bus/bad-certificate"):
        certificates.trusted(tmp_path / "empty.pem")
    with pytest.raises(BusError, match="bus/bad-certificate"):
        certificates.fingerprint(tmp_path / "empty.pem")
