"""A port of this machine at which nobody listens, and which nobody else gets meanwhile."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent_port() -> Iterator[int]:
    """Give a port that refuses every connection: it is taken, and not listened at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])
