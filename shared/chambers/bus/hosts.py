"""Hosts and ports as one word: an IPv6 address stands in brackets, or its colons would be taken for the port's."""

from __future__ import annotations

from typing import Final

EVERY_IPV4: Final = ("0.0.0.0", "")
EVERY: Final = "::"


def host_port(host: str, port: int) -> str:
    """Return `host:port`, or `[host]:port` for an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def from_here(listen: str) -> str:
    """Return the host by which this machine reaches a server that listens on `listen`."""
    if listen in EVERY_IPV4:
        return "127.0.0.1"
    return "::1" if listen == EVERY else listen
