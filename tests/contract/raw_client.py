"""A client that speaks the server's own language, so that no library keeps it from doing what is not allowed."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket

import msgspec
import nkeys
from nacl.signing import SigningKey

from chambers.bus import natsjwt
from chambers.bus.login import Login

_LIMIT_S = 60


class RawClient:
    """A connection by a ticket or a visitor's key, logged in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def log_in(cls, port: int, login: Login, *, room: int = 0) -> RawClient:
        """Connect; with `room`, the system keeps only so many bytes that have come and were not read."""
        plug = socket.socket()
        if room:
            plug.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        plug.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plug, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=plug, limit=room or 2**16)
        client = cls(reader, writer)
        nonce = msgspec.json.decode((await reader.readline()).removeprefix(b"INFO "))["nonce"]
        signer = SigningKey(bytes(nkeys.decode_seed(bytearray(login.seed.encode()))[1]))
        signature = base64.b64encode(signer.sign(nonce.encode()).signature).decode()
        options = {"nkey": natsjwt.public_nkey(login.seed), "sig": signature, "auth_token": login.token or "",
                   "verbose": False, "lang": "raw"}  # fmt: skip
        client.send(b"CONNECT " + msgspec.json.encode(options) + b"\r\nPING\r\n")
        assert (await asyncio.wait_for(reader.readline(), _LIMIT_S)).startswith(b"PONG")
        return client

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)

    def publish(self, subject: str, payload: bytes) -> None:
        """Publish a message."""
        self.send(f"PUB {subject} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def stop_reading(self) -> None:
        """Leave what comes where it is, as a process does that has stopped."""
        self._writer.transport.pause_reading()  # type: ignore[attr-defined]  # asyncio's transports of sockets have it

    async def hung_up(self) -> bytes:
        """Return all that the server still said, once it has closed the connection."""
        said = b""
        with contextlib.suppress(ConnectionResetError):
            async with asyncio.timeout(_LIMIT_S):
                while part := await self._reader.read(65536):
                    said += part
        return said

    async def until(self, wanted: bytes) -> bytes:
        """Return what the server said up to the line that holds `wanted`."""
        said = b""
        async with asyncio.timeout(_LIMIT_S):
            while wanted not in said:
                line = await self._reader.readline()
                assert line, said
                said += line
        return said

    def close(self) -> None:
        """Hang up."""
        self._writer.close()
