"""Whatever an edition's names are like, a seat gets its view: what does not fit goes in a fixed order."""

from __future__ import annotations

import pytest
from nacl.public import PrivateKey

from chambers.protocol.client import Ask, Choice, Line, Ping, Pong, Update, Welcome
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import ClientSession, Hello, VaultSession, read_hello
from chambers.services.vault_client import fitted

LINES = tuple(Line(number, "what happened " * 8) for number in range(40))


def sessions() -> tuple[VaultSession, ClientSession]:
    key = PrivateKey.generate()
    client = ClientSession(bytes(key.public_key), bytes(32), "Ada")
    vault = VaultSession(bytes(key), read_hello(client.hello(), bytes(key)))
    client.open(vault.welcome(Welcome("t", "g", "e", b"", 0, 2, (), False, b"")))
    return vault, client


def update(*, options: int, label: int, field: int) -> Update:
    ask = Ask("1.0", "ask", "?", tuple(Choice(f"a{n}", "y" * label, {"k": "z" * field}) for n in range(options)))
    return Update(1, "play", {}, (), ask)


def test_the_oldest_lines_go_first_and_the_client_is_told_that_there_are_earlier_ones() -> None:
    vault, client = sessions()

    got = client.open(fitted(vault, update(options=20, label=300, field=100), LINES[1:], total=40))

    assert isinstance(got, Update)
    assert got.lines
    assert got.lines == LINES[-len(got.lines) :]
    assert got.earlier
    assert got.prompt is not None
    assert got.prompt.options[0].event


def test_options_go_without_their_fields_before_a_seat_goes_without_its_view() -> None:
    vault, client = sessions()

    got = client.open(fitted(vault, update(options=40, label=250, field=100), LINES, total=40))

    assert isinstance(got, Update)
    assert got.prompt is not None
    assert [option.label for option in got.prompt.options] == ["y" * 250] * 40
    assert [option.event for option in got.prompt.options] == [{}] * 40


def test_what_cannot_fit_at_all_is_refused() -> None:
    vault, _ = sessions()

    with pytest.raises(ProtocolError) as refusal:
        fitted(vault, update(options=60, label=250, field=100), (), total=0)

    assert refusal.value.code == "frame/too-big"


def test_a_frame_of_the_vaults_own_that_comes_back_does_not_block_the_clients_next() -> None:
    vault, client = sessions()
    own = vault.seal(Pong(7))

    with pytest.raises(ProtocolError) as refusal:
        vault.open(own)

    assert refusal.value.code == "frame/malformed"
    assert vault.open(client.seal(Ping())) == Ping()


def test_a_client_key_that_no_box_can_be_made_with_is_refused() -> None:
    hello = Hello(1, bytes(32), bytes(32), bytes(16), "Eve")

    with pytest.raises(ProtocolError) as refusal:
        VaultSession(bytes(PrivateKey.generate()), hello)

    assert refusal.value.code == "frame/bad-hello"
