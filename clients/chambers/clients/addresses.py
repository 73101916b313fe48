"""Where a server is and how it is known: `nats://host:4222`, and behind `#` the fingerprint of its certificate."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import ssl
from typing import Final
from urllib.parse import urlsplit

import msgspec

from chambers.bus import certificates
from chambers.bus.errors import BusError
from chambers.bus.hosts import host_port

LAN: Final = "lan"
_SCHEMES: Final = frozenset(("nats", "tls"))
_PORT: Final = 4222
# Reserved for examples (RFC 5737 and 3849): to ask for the way there sends nothing, and tells what faces outwards.
_ELSEWHERE: Final = ((socket.AF_INET, ("192.0.2.1", 9)), (socket.AF_INET6, ("2001:db8::1", 9)))


class Address(msgspec.Struct, frozen=True):
    """A server's URL, or those of a cluster's nodes with commas between, and its fingerprint if it uses TLS."""

    url: str
    fingerprint: bytes | None = None

    def text(self) -> str:
        """Return the address as one word, to be given to `--server`."""
        return self.url if self.fingerprint is None else f"{self.url}#{self.fingerprint.hex()}"

    @property
    def tls(self) -> ssl.SSLContext | None:
        """Return settings that accept this server only, None without TLS."""
        return None if self.fingerprint is None else certificates.pinned(self.fingerprint)


def read_address(text: str) -> Address:
    """Return the address that a word names; BusError (`bus/bad-address`) if it is none."""
    url, hash_sign, pin = text.strip().partition("#")
    if not url or not all(map(_is_url, url.split(","))):
        raise BusError("bus/bad-address", f"'{url}' is no address of a server; one looks like nats://192.168.1.20:4222")
    if not hash_sign:
        return Address(url)
    try:
        fingerprint = bytes.fromhex(pin)
    except ValueError:
        fingerprint = b""
    if len(fingerprint) != certificates.FINGERPRINT_BYTES:
        raise BusError("bus/bad-address", "What follows # is no fingerprint: it has 64 hex digits.")
    return Address(url, fingerprint)


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url if "://" in url else f"nats://{url}")
        return parts.scheme in _SCHEMES and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def public_url(server: str, wanted: str) -> str:
    """Return the URL that tickets name: the one that is wanted, or the server's own.

    `lan` stands for this machine's address in its network, with the ports of `server`; BusError if it has none.
    """
    if wanted != LAN:
        return read_address(wanted).url if wanted else server
    address = lan_address()
    urls = (urlsplit(url if "://" in url else f"nats://{url}") for url in server.split(","))
    return ",".join(f"nats://{host_port(address, url.port or _PORT)}" for url in urls)


def lan_address() -> str:
    """Return the address under which other machines reach this one; BusError (`bus/no-network`) if there is none.

    IPv4 if it has one there, since every other machine has that.
    """
    for family, elsewhere in _ELSEWHERE:
        with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(elsewhere)
            found = str(probe.getsockname()[0])
            if not _is_nowhere(found):
                return found
    raise BusError("bus/no-network", "This machine has no address in a network; name one with --public-server.")


def _is_nowhere(address: str) -> bool:
    ip = ipaddress.ip_address(address)
    return ip.is_loopback or ip.is_unspecified or (ip.version == 6 and ip.is_link_local)
