"""The vault's end of one client's wire, with the real frames: what a session says, and what it is told."""

from __future__ import annotations

import asyncio

from nacl.public import PrivateKey

from chambers.protocol.client import Begin, FromClient, FromVault, Welcome
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import HELLO, VaultSession, read_hello
from chambers.protocol.tickets import Ticket

FRAME = PrivateKey(bytes(range(32)))
TICKET = Ticket(
    server="nats://127.0.0.1:4222",
    table=bytes(16),
    seat=1,
    issue=0,
    admit=b"a" * 32,
    pair=b"p" * 32,
    frame_key=bytes(FRAME.public_key),
)


class Vault:
    """The vault's end of the wire: it keeps what was published and frames what it is told to say."""

    def __init__(self) -> None:
        self.closed = False
        self.hellos: list[bytes] = []
        self.said: list[FromClient] = []
        self.session: VaultSession | None = None
        self.coming: VaultSession | None = None
        self.arrived = asyncio.Event()
        self.deaf = False

    async def publish(self, data: bytes) -> None:
        if self.deaf:
            return
        self.arrived.set()
        if data[:1] == HELLO:
            self.hellos.append(data)
            return
        for session in (self.coming, self.session):
            if session is None:
                continue
            try:
                message = session.open(data)
            except ProtocolError:
                continue
            if isinstance(message, Begin):
                self.session, self.coming = session, None
            self.said.append(message)
            return

    async def close(self) -> None:
        self.closed = True

    def welcome(self, *, occupied: bool = False) -> bytes:
        self.coming = VaultSession(bytes(FRAME), read_hello(self.hellos[-1], bytes(FRAME)))
        return self.coming.welcome(
            Welcome(
                table="00" * 16,
                game="witness-stand",
                edition="tandem-target",
                edition_hash=bytes(32),
                seat=1,
                seats=3,
                options=(),
                occupied=occupied,
                session=b"",
            )
        )

    def say(self, message: FromVault) -> bytes:
        assert self.session is not None
        return self.session.seal(message)

    async def until_hello(self, number: int) -> None:
        while len(self.hellos) < number:
            self.arrived.clear()
            await asyncio.wait_for(self.arrived.wait(), 60)
