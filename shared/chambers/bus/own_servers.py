"""The servers that this process runs: nobody in it logs in to another program that has taken the address of one.

Whoever is in a server's place hears what is meant for it, and may ask in anybody's name. TLS keeps strangers out of it;
without TLS, a server that ends by itself leaves its port to whatever program of that machine is quick.
"""

from __future__ import annotations

from typing import Final, Protocol
from urllib.parse import urlsplit


class OwnServer(Protocol):
    """A server that was started here."""

    def is_it(self, server_id: str) -> bool:
        """Return whether it runs, and greets with this id."""


_started: Final[dict[str, OwnServer]] = {}


def note(url: str, server: OwnServer) -> None:
    """Take in that a server is started at an address."""
    _started[urlsplit(url).netloc] = server


def forget(url: str, server: OwnServer) -> None:
    """Take in that it was stopped: the address may be anybody's again."""
    if _started.get(urlsplit(url).netloc) is server:
        del _started[urlsplit(url).netloc]


def is_stranger(netloc: str, server_id: str) -> bool:
    """Return whether it is not our own server that greets with this id at an address (`host:port`) of one."""
    server = _started.get(netloc)
    return server is not None and not server.is_it(server_id)
