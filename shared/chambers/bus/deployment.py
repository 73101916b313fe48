"""The folder of a deployment: log-in keys of every static user, the gate's keys, the server's configuration."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

import msgspec

from chambers.bus import natsjwt
from chambers.bus.errors import BusError
from chambers.bus.login import Login
from chambers.bus.permissions import CALLOUT, GATE, STATIC_USERS, SYS
from chambers.bus.server_config import ServerOptions, server_config
from chambers.protocol.errors import ProtocolError

LOGIN: Final = "login.nk"
ISSUER: Final = "issuer.nk"
_MASTER_BYTES: Final = 32


class Deployment(msgspec.Struct, frozen=True):
    """A folder with one volume a role below `roles/`, and the server's below `nats/`."""

    home: Path

    def role_home(self, user: str) -> Path:
        """Return the volume of a user; those of the gate's three users are one."""
        return self.home / "roles" / (GATE if user in (CALLOUT, SYS) else user)

    @property
    def config(self) -> Path:
        """Return the path of the server's configuration."""
        return self.home / "nats" / "server.conf"

    def login(self, user: str) -> Login:
        """Return what a static user logs in with; BusError if this folder is not set up."""
        return login_of(self.role_home(user), user)


def _file_of(user: str) -> str:
    return f"{user}.nk" if user in (CALLOUT, SYS) else LOGIN


def login_of(role_home: Path, user: str) -> Login:
    """Return what a static user logs in with, from its own volume; BusError if the key is missing or unreadable."""
    return Login(user, read_seed(role_home / _file_of(user)))


def read_seed(path: Path) -> str:
    """Return the nkey seed in a file; BusError if it is missing or unreadable."""
    try:
        seed = path.read_text(encoding="ascii").strip()
        natsjwt.public_nkey(seed)
    except (OSError, UnicodeDecodeError, ProtocolError):
        raise BusError("bus/no-key", f"{path} holds no log-in key; set the deployment up first.") from None
    return seed


def issuer_of(role_home: Path) -> str:
    """Return the seed with which the gate signs who is admitted; BusError if it is missing."""
    return read_seed(role_home / ISSUER)


def _make_once(path: Path, content: bytes) -> bytes:
    """Return what the file holds: `content` if it was not there; safe against others who make it at the same time."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            return path.read_bytes()
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            os.write(handle, content)
            os.fsync(handle)
        finally:
            os.close(handle)
        # A link, unlike a rename, never replaces what another replica made meanwhile.
        try:
            os.link(draft, path)
        except FileExistsError:
            return path.read_bytes()
        finally:
            draft.unlink()
    except OSError as error:
        raise BusError("bus/no-key", f"{path} cannot be written: {error.strerror}.") from None
    return content


def master_key(path: Path) -> bytes:
    """Return the 32 bytes of a role's master key, made at its first start; BusError if the file is damaged."""
    key = _make_once(path, secrets.token_bytes(_MASTER_BYTES))
    if len(key) != _MASTER_BYTES:
        raise BusError("bus/no-key", f"{path} is damaged: a master key has 32 bytes.")
    return key


def _make_seed(path: Path, kind: str) -> str:
    _make_once(path, natsjwt.new_seed(kind).encode() + b"\n")
    return read_seed(path)


def _write(path: Path, text: str) -> None:
    draft = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise BusError("bus/no-config", f"{path} cannot be written: {error.strerror}.") from None


def init(home: Path, options: ServerOptions) -> Deployment:
    """Return the deployment in `home`: keys are made once and kept, the configuration is written anew."""
    deployment = Deployment(home)
    nkeys = {
        user: natsjwt.public_nkey(_make_seed(deployment.role_home(user) / _file_of(user), natsjwt.USER))
        for user in STATIC_USERS
    }
    issuer = natsjwt.public_nkey(_make_seed(deployment.role_home(GATE) / ISSUER, natsjwt.ACCOUNT))
    _write(deployment.config, server_config(nkeys, issuer=issuer, options=options))
    return deployment


def load(home: Path) -> Deployment:
    """Return the deployment in `home`; BusError if it was never set up."""
    deployment = Deployment(home)
    if not deployment.config.exists():
        raise BusError("bus/no-config", f"{home} holds no deployment; set it up first.")
    return deployment
