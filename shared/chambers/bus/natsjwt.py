"""The NATS server's own tokens and nkeys: as much of them as an auth callout needs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import time
from typing import Any, Final

import msgspec
import nkeys
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from chambers.bus.permissions import Permissions
from chambers.protocol.errors import ProtocolError

USER: Final = "user"
ACCOUNT: Final = "account"

_PREFIXES: Final = {
    USER: nkeys.PREFIX_BYTE_USER,
    ACCOUNT: nkeys.PREFIX_BYTE_ACCOUNT,
    "server": nkeys.PREFIX_BYTE_SERVER,
}
_HEADER: Final = b'{"typ":"JWT","alg":"ed25519-nkey"}'
_UNLIMITED: Final = -1


class _ServerId(msgspec.Struct, frozen=True):
    id: str


class _ClientInfo(msgspec.Struct, frozen=True):
    id: int
    nonce: str = ""


class _ConnectOptions(msgspec.Struct, frozen=True):
    nkey: str = ""
    sig: str = ""
    auth_token: str = ""

    def __repr__(self) -> str:
        return "_ConnectOptions(...)"


class _Asked(msgspec.Struct, frozen=True):
    server_id: _ServerId
    user_nkey: str
    client_info: _ClientInfo
    connect_opts: _ConnectOptions


class _RequestClaims(msgspec.Struct, frozen=True):
    iss: str
    nats: _Asked


class LogIn(msgspec.Struct, frozen=True):
    """One attempt to log in: the server and its name for the client, the key shown, and the proof of that key."""

    server: str
    client: int
    user_nkey: str
    nkey: str
    signature: bytes
    nonce: str
    token: str

    def __repr__(self) -> str:
        return f"LogIn({self.client})"


_request = msgspec.json.Decoder(_RequestClaims)


def new_seed(kind: str) -> str:
    """Return the text of a new random nkey seed, of a `user` or an `account`."""
    return seed_text(os.urandom(32), kind)


def seed_text(raw: bytes, kind: str = USER) -> str:
    """Return the nkey seed text of 32 raw bytes."""
    return str(nkeys.encode_seed(raw, _PREFIXES[kind]).decode())


def _signing_key(seed: str) -> SigningKey:
    try:
        _, raw = nkeys.decode_seed(bytearray(seed.strip().encode()))
    except (nkeys.NkeysError, ValueError, IndexError):
        raise ProtocolError("key/unreadable", "This is no nkey seed.") from None
    return SigningKey(bytes(raw))


def _kind_of(seed: str) -> str:
    return {"SU": USER, "SA": ACCOUNT, "SN": "server"}.get(seed[:2], USER)


def public_nkey(seed: str) -> str:
    """Return the public nkey of a seed; ProtocolError if it is none."""
    raw = bytes([_PREFIXES[_kind_of(seed.strip())]]) + bytes(_signing_key(seed).verify_key)
    return base64.b32encode(raw + nkeys.crc16(raw).to_bytes(2, "little")).rstrip(b"=").decode()


def _raw_public(nkey: str) -> bytes:
    try:
        raw = base64.b32decode(nkey + "=" * (-len(nkey) % 8))
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 35 or nkeys.crc16(raw[:-2]) != int.from_bytes(raw[-2:], "little"):
        raise ProtocolError("key/unreadable", "This is no public nkey.")
    return raw[1:-2]


def check_signature(nkey: str, data: bytes, signature: bytes) -> None:
    """Refuse, with ProtocolError, a signature over `data` that the public nkey has not made."""
    try:
        VerifyKey(_raw_public(nkey)).verify(data, signature)
    except (BadSignatureError, ValueError):
        raise ProtocolError("key/bad-signature", "This signature was not made with this key.") from None


def _unbase64(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        raise ProtocolError("token/unreadable", "This token is no base64.") from None


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def encode(claims: dict[str, Any], issuer_seed: str) -> str:
    """Return the signed token of `claims`, issued now and without an end: a client would not survive one."""
    whole = {**claims, "iss": public_nkey(issuer_seed), "iat": int(time.time())}
    ident = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).digest()
    whole["jti"] = base64.b32encode(ident).rstrip(b"=").decode()
    signed = f"{_base64(_HEADER)}.{_base64(json.dumps(whole, separators=(',', ':')).encode())}"
    return f"{signed}.{_base64(_signing_key(issuer_seed).sign(signed.encode()).signature)}"


def decode(token: str) -> bytes:
    """Return the JSON claims of a token that its issuer has signed; ProtocolError for any other."""
    parts = token.split(".")
    if len(parts) != 3:
        raise ProtocolError("token/unreadable", "A token has three parts.")
    claims = _unbase64(parts[1])
    try:
        issuer = msgspec.json.decode(claims)["iss"]
    except (msgspec.MsgspecError, KeyError, TypeError):
        raise ProtocolError("token/unreadable", "A token names its issuer.") from None
    check_signature(str(issuer), f"{parts[0]}.{parts[1]}".encode(), _unbase64(parts[2]))
    return claims


def read_log_in(data: bytes) -> LogIn:
    """Return what the server asks the gate; ProtocolError unless it is signed by a server and complete."""
    try:
        claims = _request.decode(decode(data.decode()))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ProtocolError("token/unreadable", "This is no request to admit somebody.") from None
    if not claims.iss.startswith("N"):
        raise ProtocolError("token/unreadable", "Only a server asks to admit somebody.")
    asked = claims.nats
    return LogIn(
        server=asked.server_id.id,
        client=asked.client_info.id,
        user_nkey=asked.user_nkey,
        nkey=asked.connect_opts.nkey,
        signature=_unbase64(asked.connect_opts.sig),
        nonce=asked.client_info.nonce,
        token=asked.connect_opts.auth_token,
    )


def admission(log_in: LogIn, permissions: Permissions, *, name: str, account: str, issuer_seed: str) -> bytes:
    """Return the answer that admits a client to an account, with exactly these permissions."""
    user = {
        "sub": log_in.user_nkey,
        "name": name,
        "aud": account,
        "nats": {
            "type": "user",
            "version": 2,
            "pub": {"allow": list(permissions.publish)},
            "sub": {"allow": list(permissions.subscribe)},
            # Of those whom a callout admits, the server heeds none of these (nats-server #5002); it has limits for all.
            "subs": _UNLIMITED,
            "data": _UNLIMITED,
            "payload": _UNLIMITED,
        },
    }
    return _response(log_in, {"jwt": encode(user, issuer_seed)}, issuer_seed)


def rejection(log_in: LogIn, why: str, *, issuer_seed: str) -> bytes:
    """Return the answer that turns a client away; `why` goes to the server's log."""
    return _response(log_in, {"error": why}, issuer_seed)


def _response(log_in: LogIn, result: dict[str, str], issuer_seed: str) -> bytes:
    nats = {"type": "authorization_response", "version": 2, **result}
    claims = {"sub": log_in.user_nkey, "aud": log_in.server, "nats": nats}
    return encode(claims, issuer_seed).encode()
