"""Addresses: what may stand behind --server, and what tickets name."""

from __future__ import annotations

import pytest

from chambers.bus.errors import BusError
from chambers.clients.addresses import Address, public_url, read_address

PIN = bytes(range(32))


@pytest.mark.parametrize(
    "url", ["nats://192.168.1.20:4222", "tls://host.example", "localhost:4222", "nats://[::1]:4222"]
)
def test_an_address_without_a_fingerprint_is_its_url(url: str) -> None:
    assert read_address(url) == Address(url)
    assert read_address(url).tls is None


def test_an_address_with_a_fingerprint_is_written_and_read_again() -> None:
    address = Address("nats://192.168.1.20:4222", PIN)

    assert read_address(address.text()) == address
    assert address.tls is not None


def test_the_nodes_of_a_cluster_are_one_address() -> None:
    nodes = "nats://10.0.0.1:4222,nats://10.0.0.2:4223"

    assert read_address(f"{nodes}#{PIN.hex()}") == Address(nodes, PIN)


@pytest.mark.parametrize(
    "text", ["", "#" + "00" * 32, "http://host:80", "nats://", "nats://host:port", "nats://a,,nats://b"]
)
def test_what_is_no_address_is_one_sentence(text: str) -> None:
    with pytest.raises(BusError, match="bus/bad-address"):
        read_address(text)


@pytest.mark.parametrize("pin", ["", "00", "zz" * 32, "00" * 33])
def test_what_is_no_fingerprint_is_one_sentence(pin: str) -> None:
    with pytest.raises(BusError, match="fingerprint"):
        read_address(f"nats://host:4222#{pin}")


def test_tickets_name_the_server_unless_the_host_says_otherwise() -> None:
    assert public_url("nats://127.0.0.1:4222", "") == "nats://127.0.0.1:4222"
    assert public_url("nats://127.0.0.1:4222", "nats://10.1.2.3:4333") == "nats://10.1.2.3:4333"


def test_the_host_is_told_when_what_tickets_should_name_is_no_address() -> None:
    with pytest.raises(BusError, match="bus/bad-address"):
        public_url("nats://127.0.0.1:4222", "ftp://10.1.2.3")
