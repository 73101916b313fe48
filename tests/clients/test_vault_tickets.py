"""The two kinds of ticket: neither is read as the other, and a vault's shows none of its secrets."""

from __future__ import annotations

import pytest

from chambers.protocol.errors import ProtocolError
from chambers.protocol.tickets import Ticket, VaultTicket, read_ticket, read_vault_ticket

VAULT = VaultTicket("nats://127.0.0.1:4222", bytes(16), 2, 3, admit=b"a" * 32, client=b"c" * 32, fingerprint=b"f" * 32)
CLIENT = VAULT.for_client(pair=b"p" * 32, frame_key=b"k" * 32)


def test_a_vault_ticket_is_read_as_it_was_written() -> None:
    assert read_vault_ticket(VAULT.text()) == VAULT
    assert VAULT.token == f"vault.{'0' * 32}.2.3"


def test_the_client_s_ticket_has_the_client_s_secret_and_never_the_vault_s() -> None:
    assert Ticket(VAULT.server, VAULT.table, 2, 3, b"c" * 32, b"p" * 32, b"k" * 32, b"f" * 32) == CLIENT
    assert read_ticket(CLIENT.text()) == CLIENT


def test_a_ticket_of_the_other_kind_is_refused_with_the_command_that_takes_it() -> None:
    with pytest.raises(ProtocolError, match=r"ticket/for-a-vault.*chambers vault"):
        read_ticket(VAULT.text())
    with pytest.raises(ProtocolError, match=r"ticket/for-a-client.*chambers join"):
        read_vault_ticket(CLIENT.text())


@pytest.mark.parametrize("text", ["", "chambers1vault.", "chambers1vault.%", VAULT.text()[:-9], "nonsense"])
def test_a_vault_ticket_that_is_cut_or_none_is_unreadable(text: str) -> None:
    with pytest.raises(ProtocolError, match="ticket/unreadable"):
        read_vault_ticket(text)


def test_no_secret_is_in_a_vault_ticket_s_printed_form() -> None:
    assert repr(VAULT) == "VaultTicket(00000000, seat 2)"
