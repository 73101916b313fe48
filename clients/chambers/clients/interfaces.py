"""This machine's addresses in networks that other machines may be in, and why others may not find them."""

from __future__ import annotations

import ipaddress
import socket
import struct
from pathlib import Path
from typing import Final

import ifaddr
import msgspec

LOOPBACK: Final = "loopback"
VIRTUAL: Final = "virtual"
_VIRTUAL: Final = ("docker", "br-", "veth", "virbr", "tun", "tap", "wg", "utun", "vmnet", "vboxnet", "podman", "cni")
_WSL: Final = ("microsoft", "wsl")
_CONTAINER_SIGNS: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
_GROUP: Final = "224.0.0.251"


class Interface(msgspec.Struct, frozen=True):
    """One IPv4 address, and why nobody else can be reached through it: empty if others may be there."""

    name: str
    address: str
    useless: str = ""


def interfaces() -> tuple[Interface, ...]:
    """Return every IPv4 address of this machine, those that nobody else can reach included, by interface and address.

    A machine's own name is not asked: it often stands for 127.0.0.1.
    """
    found = (
        Interface(adapter.nice_name, ip.ip, _useless(adapter.nice_name, ip.ip))
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if isinstance(ip.ip, str)
    )
    return tuple(sorted(set(found), key=lambda one: (one.name, one.address)))


def lan_addresses(listen: str = "0.0.0.0") -> tuple[str, ...]:
    """Return the addresses under which other machines may reach a server here that listens on `listen`."""
    reachable = tuple(one.address for one in interfaces() if not one.useless)
    if listen in ("0.0.0.0", "::", ""):
        return reachable
    return tuple(address for address in reachable if address == listen)


def hears_multicast(address: str) -> bool:
    """Return whether the interface of an address takes part in multicast, which mDNS needs."""
    membership = struct.pack("4s4s", socket.inet_aton(_GROUP), socket.inet_aton(address))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
        except OSError:
            return False
    return True


def shut_in(kernel: str | None = None, signs: tuple[Path, ...] = _CONTAINER_SIGNS) -> str:
    """Return what keeps mDNS from leaving this machine, `WSL` or `a container`; empty if neither is known."""
    if any(path.exists() for path in signs):
        return "a container"
    release = _kernel() if kernel is None else kernel
    return "WSL" if any(word in release.lower() for word in _WSL) else ""


def _kernel() -> str:
    try:
        return Path("/proc/sys/kernel/osrelease").read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""


def _useless(name: str, address: str) -> str:
    if ipaddress.IPv4Address(address).is_loopback:
        return LOOPBACK
    return VIRTUAL if name.lower().startswith(_VIRTUAL) else ""
