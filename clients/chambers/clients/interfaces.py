"""This machine's addresses in networks that other machines may be in, and why others may not find them."""

from __future__ import annotations

import ipaddress
import socket
import struct
from pathlib import Path
from typing import Final

import ifaddr
import msgspec

from chambers.bus.hosts import EVERY, EVERY_IPV4

LOOPBACK: Final = "loopback"
LINK_LOCAL: Final = "link-local"
VIRTUAL: Final = "virtual"
_VIRTUAL: Final = ("docker", "br-", "veth", "virbr", "tun", "tap", "wg", "utun", "vmnet", "vboxnet", "podman", "cni")
_WSL: Final = ("microsoft", "wsl")
_CONTAINER_SIGNS: Final = (Path("/.dockerenv"), Path("/run/.containerenv"))
_GROUP: Final = "224.0.0.251"
_GROUP_6: Final = "ff02::fb"


class Interface(msgspec.Struct, frozen=True):
    """One address, IPv4 or IPv6, and why nobody else can be reached by it: empty if others may be there.

    `index` is the number that the system has for the interface.
    """

    name: str
    address: str
    useless: str = ""
    index: int = 0


def interfaces() -> tuple[Interface, ...]:
    """Return every address of this machine, those that nobody else can reach included, IPv4 first, by interface.

    A machine's own name is not asked: it often stands for 127.0.0.1.
    """
    found = (
        Interface(adapter.nice_name, address, _useless(adapter.nice_name, address), adapter.index or 0)
        for adapter in ifaddr.get_adapters()
        for address in (ip.ip if isinstance(ip.ip, str) else ip.ip[0] for ip in adapter.ips)
    )
    return tuple(sorted(set(found), key=lambda one: (":" in one.address, one.name, one.address)))


def lan_addresses(listen: str = "0.0.0.0") -> tuple[str, ...]:
    """Return the addresses under which other machines may reach a server here that listens on `listen`."""
    reachable = tuple(one.address for one in interfaces() if not one.useless)
    # nats-server takes 0.0.0.0 for every address of either kind, as Go does
    if listen in (*EVERY_IPV4, EVERY):
        return reachable
    return tuple(address for address in reachable if address == listen)


def hears_multicast(one: Interface) -> bool:
    """Return whether an interface takes part in multicast with its address, which mDNS needs."""
    if ":" in one.address:
        family, level, option = socket.AF_INET6, socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP
        membership = socket.inet_pton(family, _GROUP_6) + struct.pack("@I", one.index)
    else:
        family, level, option = socket.AF_INET, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP
        membership = socket.inet_aton(_GROUP) + socket.inet_aton(one.address)
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.setsockopt(level, option, membership)
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
    ip = ipaddress.ip_address(address)
    if ip.is_loopback:
        return LOOPBACK
    # Such an IPv6 address means nothing without the interface, which has another name on the other machine.
    if ip.version == 6 and ip.is_link_local:
        return LINK_LOCAL
    return VIRTUAL if name.lower().startswith(_VIRTUAL) else ""
