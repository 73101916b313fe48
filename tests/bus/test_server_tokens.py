"""nkeys and the server's tokens: what we sign verifies, and nothing else does."""

from __future__ import annotations

import base64

import msgspec
import nkeys
import pytest

from chambers.bus import natsjwt
from chambers.bus.permissions import of_seat_client
from chambers.protocol.errors import ProtocolError

TABLE = "ab" * 16


def test_our_public_nkey_is_that_of_the_nkeys_library() -> None:
    for kind in (natsjwt.USER, natsjwt.ACCOUNT, "server"):
        seed = natsjwt.new_seed(kind)

        assert natsjwt.public_nkey(seed) == nkeys.from_seed(bytearray(seed.encode())).public_key.decode().rstrip("=")


def test_a_seed_text_is_a_function_of_its_bytes() -> None:
    assert natsjwt.seed_text(bytes(32)) == natsjwt.seed_text(bytes(32))
    assert natsjwt.seed_text(bytes(32)).startswith("SU")


def test_a_signature_is_that_of_its_key_and_data_alone() -> None:
    seed = natsjwt.new_seed(natsjwt.USER)
    signature = nkeys.from_seed(bytearray(seed.encode())).sign(b"nonce")

    natsjwt.check_signature(natsjwt.public_nkey(seed), b"nonce", signature)
    for key, data, signed in (
        (natsjwt.public_nkey(seed), b"other", signature),
        (natsjwt.public_nkey(natsjwt.new_seed(natsjwt.USER)), b"nonce", signature),
        (natsjwt.public_nkey(seed), b"nonce", signature[:-1]),
        (natsjwt.public_nkey(seed), b"nonce", b""),
    ):
        with pytest.raises(ProtocolError, match="key/bad-signature"):
            natsjwt.check_signature(key, data, signed)


@pytest.mark.parametrize("text", ["", "U", "not a key", "SUAAAA", "B" * 56, "é" * 56])
def test_what_is_no_nkey_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError, match="key/unreadable"):
        natsjwt.check_signature(text, b"nonce", bytes(64))
    with pytest.raises(ProtocolError, match="key/unreadable"):
        natsjwt.public_nkey(text)


def test_a_token_is_decoded_again() -> None:
    token = natsjwt.encode({"sub": "someone"}, natsjwt.new_seed(natsjwt.ACCOUNT))

    assert msgspec.json.decode(natsjwt.decode(token))["sub"] == "someone"


def test_a_changed_token_is_refused() -> None:
    head, body, signature = natsjwt.encode({"sub": "someone"}, natsjwt.new_seed(natsjwt.ACCOUNT)).split(".")
    claims = msgspec.json.decode(base64.urlsafe_b64decode(body + "=="))
    forged = base64.urlsafe_b64encode(msgspec.json.encode({**claims, "sub": "another"})).rstrip(b"=").decode()

    with pytest.raises(ProtocolError, match="key/bad-signature"):
        natsjwt.decode(f"{head}.{forged}.{signature}")


@pytest.mark.parametrize("token", ["", "a.b", "a.b.c", "a.e30.c", "a.bnVsbA.c", "a.W10.c", "ä.ö.ü"])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(ProtocolError):
        natsjwt.decode(token)


def test_only_a_server_asks_whom_to_admit() -> None:
    token = natsjwt.encode({"nats": {}}, natsjwt.new_seed(natsjwt.ACCOUNT))

    with pytest.raises(ProtocolError, match="token/unreadable"):
        natsjwt.read_log_in(token.encode())


def test_an_admission_names_exactly_the_permissions_and_has_no_end() -> None:
    issuer = natsjwt.new_seed(natsjwt.ACCOUNT)
    log_in = natsjwt.LogIn("NSERVER", 7, "UUSER", "UKEY", b"", "nonce", "token")

    answer = natsjwt.admission(log_in, of_seat_client(TABLE, 2), name="seat2", account="GAME", issuer_seed=issuer)

    response = msgspec.json.decode(natsjwt.decode(answer.decode()))
    user = msgspec.json.decode(natsjwt.decode(response["nats"]["jwt"]))
    assert (response["aud"], response["sub"], user["aud"], user["sub"]) == ("NSERVER", "UUSER", "GAME", "UUSER")
    assert user["nats"]["pub"] == {"allow": [f"chambers.{TABLE}.seat.2.up"]}
    assert user["nats"]["sub"] == {"allow": [f"chambers.{TABLE}.seat.2.down"]}
    assert "exp" not in user


def test_a_log_in_attempt_shows_no_token() -> None:
    assert "canary" not in repr(natsjwt.LogIn("N", 7, "U", "U", b"canary", "nonce", "canary"))
