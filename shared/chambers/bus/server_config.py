"""The one generator of the NATS server's configuration, for a private table and for a deployment alike."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

import msgspec

from chambers.bus import permissions
from chambers.bus.hosts import host_port
from chambers.bus.permissions import CALLOUT, GAME_USERS, STATIC_USERS, SYS, Permissions

GAME_ACCOUNT: Final = "GAME"
MAX_PAYLOAD: Final = 64 * 1024
_MAX_SUBSCRIPTIONS: Final = 64
_AUTH_TIMEOUT_S: Final = 3


class TlsFiles(msgspec.Struct, frozen=True):
    """Paths of the server's certificate and its private key, as the server sees them; both may be in one file."""

    certificate: str
    key: str


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where the server listens and keeps its store; `sync`: `always` at every entry, `default` every two minutes."""

    store: str
    host: str = "127.0.0.1"
    port: int = 4222
    sync: str = "always"
    max_payload: int = MAX_PAYLOAD
    max_store: str = "10GB"
    tls: TlsFiles | None = None
    monitor: str | None = None


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(subjects: tuple[str, ...]) -> str:
    return "[" + ", ".join(map(_quoted, subjects)) + "]"


def _user(nkey: str, name: str, rights: Permissions) -> str:
    return (
        f"    # {name}\n"
        f"    {{ nkey: {nkey}, permissions: {{\n"
        f"      publish: {{ allow: {_list(rights.publish)} }}\n"
        f"      subscribe: {{ allow: {_list(rights.subscribe)} }}\n"
        f"    }} }}"
    )


def _account(name: str, users: tuple[str, ...], nkeys: Mapping[str, str], *, jetstream: bool) -> str:
    rights = permissions.of_static_users()
    listed = "\n".join(_user(nkeys[user], user, rights[user]) for user in users)
    extra = "jetstream: enabled, " if jetstream else ""
    return f"  {name} {{ {extra}users: [\n{listed}\n  ] }}"


def _head(options: ServerOptions) -> list[str]:
    lines = [
        f"listen: {_quoted(host_port(options.host, options.port))}",
        f"max_payload: {options.max_payload}",
        "max_connections: 2000",
        f"max_subscriptions: {_MAX_SUBSCRIPTIONS}",
        'ping_interval: "15s"',
        'write_deadline: "5s"',
    ]
    if options.monitor is not None:
        lines.append(f"http: {_quoted(options.monitor)}")
    store = f"store_dir: {_quoted(options.store)}, max_file_store: {options.max_store}"
    always = ", sync_interval: always" if options.sync == "always" else ""
    lines.append(f"jetstream {{ {store}{always} }}")
    if options.tls is not None:
        files = f"cert_file: {_quoted(options.tls.certificate)}, key_file: {_quoted(options.tls.key)}"
        lines.append(f"tls {{ {files}, timeout: 3, min_version: " + '"1.3" }')
    return lines


def server_config(nkeys: Mapping[str, str], *, issuer: str, options: ServerOptions) -> str:
    """Return the server's configuration: `nkeys` maps every static user to its public nkey, `issuer` is the gate's."""
    bypass = ", ".join(nkeys[user] for user in STATIC_USERS)
    lines = [
        "# Written by the chambers setup, and written again by it: do not edit. Holds public keys only.",
        *_head(options),
        "accounts {",
        _account("AUTH", (CALLOUT,), nkeys, jetstream=False),
        _account(GAME_ACCOUNT, GAME_USERS, nkeys, jetstream=True),
        _account("SYS", (SYS,), nkeys, jetstream=False),
        "}",
        "system_account: SYS",
        "authorization {",
        f"  timeout: {_AUTH_TIMEOUT_S}",
        # The static users do not pass through the gate, so that a dead gate locks out no service.
        f"  auth_callout {{ issuer: {issuer}, account: AUTH, auth_users: [ {bypass} ] }}",
        "}",
    ]
    return "\n".join(lines) + "\n"
