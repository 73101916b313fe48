"""The folder of a deployment: log-in keys of every static user, the gate's keys, the server's configuration."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

import msgspec

from chambers.bus import certificates, natsjwt
from chambers.bus.certificates import CERTIFICATE
from chambers.bus.errors import BusError
from chambers.bus.login import Login
from chambers.bus.permissions import CALLOUT, GATE, STATIC_USERS, SYS
from chambers.bus.server_config import ServerOptions, TlsFiles, server_config
from chambers.protocol.errors import ProtocolError

LOGIN: Final = "login.nk"
ISSUER: Final = "issuer.nk"
_MASTER_BYTES: Final = 32
_OWNER_ONLY: Final = 0o600
_OWNER_AND_GROUP: Final = 0o640


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

    @property
    def tls(self) -> Path:
        """Return the path of the server's private key and certificate, for the server's eyes only."""
        return self.home / "nats" / "tls.pem"

    def certificate(self, user: str) -> Path | None:
        """Return the server's certificate in the volume of a user, None if the server was set up without TLS."""
        return certificate_in(self.role_home(user))

    def may_be(self, user: str) -> bool:
        """Return whether whoever runs this may log in as a static user: its key is here and can be read."""
        return os.access(self.role_home(user) / _file_of(user), os.R_OK)

    def login(self, user: str) -> Login:
        """Return what a static user logs in with; BusError if this folder is not set up."""
        return login_of(self.role_home(user), user)


def _file_of(user: str) -> str:
    return f"{user}.nk" if user in (CALLOUT, SYS) else LOGIN


def login_of(role_home: Path, user: str) -> Login:
    """Return what a static user logs in with, from its own volume; BusError if the key is missing or unreadable."""
    return Login(user, read_seed(role_home / _file_of(user)))


def certificate_in(role_home: Path) -> Path | None:
    """Return the server's certificate in a role's volume, None if the server was set up without TLS."""
    path = role_home / CERTIFICATE
    return path if path.exists() else None


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


def _make_once(path: Path, content: bytes, *, mode: int = _OWNER_ONLY) -> bytes:
    """Return what the file holds: `content` if it was not there; safe against others who make it at the same time."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            return path.read_bytes()
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            os.fchmod(handle, mode)
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


def _make_seed(path: Path, kind: str, *, mode: int) -> str:
    _make_once(path, natsjwt.new_seed(kind).encode() + b"\n", mode=mode)
    return read_seed(path)


def _write(path: Path, text: str) -> None:
    draft = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise BusError("bus/no-config", f"{path} cannot be written: {error.strerror}.") from None


def init(home: Path, options: ServerOptions, *, tls: bool = False, for_groups: bool = False) -> Deployment:
    """Return the deployment in `home`: keys are made once and kept, the configuration is written anew.

    With `tls` the server gets a certificate, also made once. With `for_groups` a key may be read by its file's group:
    where each role's folder belongs to that role's group, whoever sets up need not be able to become every role.
    """
    deployment = Deployment(home)
    mode = _OWNER_AND_GROUP if for_groups else _OWNER_ONLY
    nkeys = {
        user: natsjwt.public_nkey(_make_seed(deployment.role_home(user) / _file_of(user), natsjwt.USER, mode=mode))
        for user in STATIC_USERS
    }
    issuer = natsjwt.public_nkey(_make_seed(deployment.role_home(GATE) / ISSUER, natsjwt.ACCOUNT, mode=mode))
    certificate = None
    if tls:
        certificate = certificates.public_part(_make_once(deployment.tls, certificates.new_certificate(), mode=mode))
        options = msgspec.structs.replace(options, tls=TlsFiles(str(deployment.tls), str(deployment.tls)))
    for user in STATIC_USERS:
        _show_certificate(deployment.role_home(user) / CERTIFICATE, certificate)
    _write(deployment.config, server_config(nkeys, issuer=issuer, options=options))
    return deployment


def _show_certificate(path: Path, certificate: bytes | None) -> None:
    if certificate is not None:
        _write(path, certificate.decode("ascii"))
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise BusError("bus/no-config", f"{path} cannot be removed: {error.strerror}.") from None


def load(home: Path) -> Deployment:
    """Return the deployment in `home`; BusError if it was never set up."""
    deployment = Deployment(home)
    if not deployment.config.exists():
        raise BusError("bus/no-config", f"{home} holds no deployment; set it up first.")
    return deployment
