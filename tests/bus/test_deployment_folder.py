"""The folder of a deployment: keys made once, readable by their owner alone, and no seed where it does not belong."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chambers.bus import deployment
from chambers.bus.errors import BusError
from chambers.bus.permissions import STATIC_USERS
from chambers.bus.server_config import ServerOptions


def _options(home: Path, port: int = 4222) -> ServerOptions:
    return ServerOptions(store=str(home / "store"), port=port)


def test_setting_up_twice_keeps_every_key(tmp_path: Path) -> None:
    first = deployment.init(tmp_path, _options(tmp_path))
    logins, config = [first.login(user) for user in STATIC_USERS], first.config.read_text()

    second = deployment.init(tmp_path, _options(tmp_path))

    assert [second.login(user) for user in STATIC_USERS] == logins
    assert second.config.read_text() == config


def test_setting_up_with_another_port_changes_the_configuration_only(tmp_path: Path) -> None:
    gm = deployment.init(tmp_path, _options(tmp_path)).login("gm")

    changed = deployment.init(tmp_path, _options(tmp_path, 4333))

    assert changed.login("gm") == gm
    assert '"127.0.0.1:4333"' in changed.config.read_text()


def test_every_user_has_a_key_of_its_own(tmp_path: Path) -> None:
    made = deployment.init(tmp_path, _options(tmp_path))

    assert len({made.login(user).seed for user in STATIC_USERS}) == len(STATIC_USERS)


def test_only_the_owner_may_read_a_key(tmp_path: Path) -> None:
    deployment.init(tmp_path, _options(tmp_path))

    modes = {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*.nk")}

    assert modes == {0o600}


def test_the_servers_configuration_holds_no_seed(tmp_path: Path) -> None:
    config = deployment.init(tmp_path, _options(tmp_path)).config.read_text()

    assert re.search(r"\bS[UAN][A-Z2-7]{50,}", config) is None
    assert len(re.findall(r"nkey: U[A-Z2-7]{55}\b", config)) == len(STATIC_USERS)


def test_no_other_file_is_left_behind(tmp_path: Path) -> None:
    deployment.init(tmp_path, _options(tmp_path))

    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())

    gates = ["callout.nk", "issuer.nk", "login.nk", "sys.nk"]
    others = ["admin", "dealer", "dice", "gallery", "gm", "host", *(f"seat{n}" for n in range(6))]
    expected = [f"roles/gate/{name}" for name in gates] + [f"roles/{name}/login.nk" for name in others]
    assert names == sorted([*expected, "nats/server.conf"])


def test_a_folder_that_was_never_set_up_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BusError, match="bus/no-config"):
        deployment.load(tmp_path)
    with pytest.raises(BusError, match="bus/no-key"):
        deployment.login_of(tmp_path, "gm")


def test_a_deployment_that_was_set_up_is_loaded(tmp_path: Path) -> None:
    made = deployment.init(tmp_path, _options(tmp_path))

    assert deployment.load(tmp_path) == made


def test_a_master_key_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "seat0" / "master.key"

    key = deployment.master_key(path)

    assert len(key) == 32
    assert deployment.master_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["master.key"]


def test_replicas_that_start_at_the_same_time_have_one_master_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(deployment.master_key, [tmp_path / "master.key"] * 64))

    assert len(keys) == 1
    assert keys == {(tmp_path / "master.key").read_bytes()}


def test_a_damaged_master_key_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    path.write_bytes(b"short")

    with pytest.raises(BusError, match="bus/no-key"):
        deployment.master_key(path)

    assert path.read_bytes() == b"short"


def test_a_master_key_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(BusError, match="cannot be written"):
        deployment.master_key(tmp_path / "file" / "master.key")
