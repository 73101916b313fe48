"""The private server's port: one that was free a moment ago is given up for another, one that was named is not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from chambers.bus.errors import BusError
from chambers.bus.server import free_port
from chambers.clients.connecting import as_host
from chambers.services import stack
from chambers.services.stack import Stack


@pytest.fixture
def taken() -> Iterator[int]:
    """Give a port at which another program listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield int(other.getsockname()[1])


async def test_a_port_that_another_program_takes_meanwhile_is_given_up_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    drawn = iter((taken,))
    monkeypatch.setattr(stack, "free_port", lambda: next(drawn, 0) or free_port())

    async with Stack(tmp_path, seats=2, sync="default") as running:
        host = await as_host(running.url, running.home)
        tables = await host.tables()
        await host.leave()

    assert tables == ()
    assert not running.url.endswith(f":{taken}")


async def test_a_port_that_was_named_and_is_taken_is_one_sentence(tmp_path: Path, taken: int) -> None:
    with pytest.raises(BusError, match="bus/port-taken"):
        async with Stack(tmp_path, ("127.0.0.1", taken), seats=2, sync="default"):
            pass
