"""Sealed frames between a vault and its client: no size, name or order in them says anything about a hand.

A client says hello in a sealed box to the frame key of its ticket; the vault welcomes it; from then on each frame is a
`crypto_box` of session id, counter and message, padded. Neither side ever answers on a reply subject.
"""

from __future__ import annotations

import hmac
import struct

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey, PublicKey, SealedBox
from nacl.utils import random as random_bytes

from chambers.fairness.hashing import digest
from chambers.protocol.client import FromClient, FromVault, Over, Record, Update, Welcome
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.protocol.versions import PROTOCOL, release

NARROW = 1536
WIDE = 12 * 1024
UP = 1024
HELLO, BOXED, WHO, OTHER = b"\x01", b"\x02", b"\x03", b"\x04"
_HEAD = struct.Struct(">16sIH")
_NO_SESSION = bytes(16)

_from_vault = msgspec.msgpack.Decoder(FromVault)
_from_client = msgspec.msgpack.Decoder(FromClient)


class Hello(msgspec.Struct, frozen=True):
    """A client's first frame: its key, the ticket's `pair` secret, 16 random bytes, the player's name; its release."""

    v: int
    key: bytes
    pair: bytes
    c: bytes
    name: str
    version: str = ""

    def __repr__(self) -> str:
        return "Hello(...)"


class Speaks(msgspec.Struct, frozen=True):
    """What a side speaks. Of every hello, and of the frame 0x04 that answers one of another version, this stays."""

    v: int
    version: str = ""


_hello = msgspec.msgpack.Decoder(Hello)
_speaks = msgspec.msgpack.Decoder(Speaks)


def _pad(session: bytes, counter: int, message: msgspec.Struct, size: int) -> bytes:
    payload = msgspec.msgpack.encode(message)
    if len(payload) > 0xFFFF:
        raise ProtocolError("frame/too-big", "This message does not fit into a frame.")
    head = _HEAD.pack(session, counter, len(payload))
    whole = len(head) + len(payload)
    return (head + payload).ljust(-(-whole // size) * size, b"\0")


def _unpad(plain: bytes) -> tuple[bytes, int, bytes]:
    if len(plain) < _HEAD.size:
        raise ProtocolError("frame/malformed", "A frame is too short.")
    session, counter, length = _HEAD.unpack_from(plain)
    if _HEAD.size + length > len(plain):
        raise ProtocolError("frame/malformed", "A frame says it is longer than it is.")
    return session, counter, plain[_HEAD.size : _HEAD.size + length]


def read_hello(data: bytes, frame_private: bytes) -> Hello:
    """Return the hello sealed to this vault's frame key; ProtocolError if it is none."""
    try:
        plain = SealedBox(PrivateKey(frame_private)).decrypt(data[1:])
        if _speaks.decode(plain).v != PROTOCOL:
            raise ProtocolError("frame/version", "This client speaks another version of the protocol.")
        hello = _hello.decode(plain)
    except (*UNREADABLE, CryptoError, TypeError):
        raise ProtocolError("frame/bad-hello", "This hello was not sealed to this seat's ticket.") from None
    if len(hello.key) != 32 or len(hello.c) != 16:
        raise ProtocolError("frame/bad-hello", "This hello was not sealed to this seat's ticket.")
    return hello


def other_version() -> bytes:
    """Return the frame that answers a hello of another protocol version: ours, in the clear, and nothing else."""
    return OTHER + msgspec.msgpack.encode(Speaks(PROTOCOL, release()))


def read_other_version(frame: bytes) -> Speaks | None:
    """Return what a vault of another protocol version speaks; None for any other frame."""
    if frame[:1] != OTHER:
        return None
    try:
        speaks = _speaks.decode(frame[1:])
    except UNREADABLE:
        return None
    return None if speaks.v == PROTOCOL else speaks


def same_secret(one: bytes, other: bytes) -> bool:
    """Return whether two secrets are equal, in constant time."""
    return hmac.compare_digest(one, other)


class VaultSession:
    """The vault's end of one client's session."""

    def __init__(self, frame_private: bytes, hello: Hello) -> None:
        try:
            self._box = Box(PrivateKey(frame_private), PublicKey(hello.key))
        except (CryptoError, RuntimeError):
            raise ProtocolError("frame/bad-hello", "No box can be made with this client's key.") from None
        self._c = hello.c
        self._v = random_bytes(16)
        self.key = hello.key
        self.name = hello.name
        self._id = digest("session", self._c, self._v)[:16]
        self._sent = 0
        self._seen = -1

    def seal(self, message: FromVault) -> bytes:
        """Return the frame that carries `message`; every message of a kind gives a frame of one size."""
        session = _NO_SESSION if isinstance(message, Welcome) else self._id
        size = WIDE if isinstance(message, Update | Over | Record) else NARROW
        plain = _pad(session, self._sent, message, size)
        if len(plain) != size:
            raise ProtocolError("frame/too-big", "This message does not fit into its frame.")
        self._sent += 1
        return BOXED + self._box.encrypt(plain)

    def welcome(self, message: Welcome) -> bytes:
        """Return the frame of the welcome, which tells the client the vault's half of the session id."""
        return self.seal(msgspec.structs.replace(message, session=self._v))

    def open(self, frame: bytes) -> FromClient:
        """Return what the client says; ProtocolError for another client's, an old, a malformed or a repeated frame."""
        try:
            session, counter, payload = _unpad(self._box.decrypt(frame[1:]))
        except (CryptoError, ValueError):
            raise ProtocolError("frame/not-mine", "This frame belongs to another session.") from None
        if session != self._id:
            raise ProtocolError("frame/not-mine", "This frame belongs to another session.")
        if counter <= self._seen:
            raise ProtocolError("frame/repeated", "This frame came before.")
        try:
            message = _from_client.decode(payload)
        except UNREADABLE:
            raise ProtocolError(self._unknown(payload), "This vault does not know that message.") from None
        self._seen = counter  # only now: one of our own frames that comes back must not block the client's next
        return message

    @staticmethod
    def _unknown(payload: bytes) -> str:
        # One of our own that was sent back here is nobody's question.
        try:
            _from_vault.decode(payload)
        except UNREADABLE:
            return "frame/unknown-message"
        return "frame/malformed"


class ClientSession:
    """The client's end of a session: a fresh key, a hello, and frames from the welcome on."""

    def __init__(self, frame_key: bytes, pair: bytes, name: str) -> None:
        self._frame_key = PublicKey(frame_key)
        self._private = PrivateKey.generate()
        self._box = Box(self._private, self._frame_key)
        self._c = random_bytes(16)
        self._hello = Hello(
            v=PROTOCOL, key=bytes(self._private.public_key), pair=pair, c=self._c, name=name, version=release()
        )
        self._id: bytes | None = None
        self._sent = 0
        self._seen = -1

    @property
    def ready(self) -> bool:
        """Return whether the vault's welcome has come."""
        return self._id is not None

    def hello(self) -> bytes:
        """Return the frame that opens the session; it may be sent again until the welcome comes."""
        return HELLO + SealedBox(self._frame_key).encrypt(msgspec.msgpack.encode(self._hello))

    def seal(self, message: FromClient) -> bytes:
        """Return the frame that carries `message`; ProtocolError before the welcome."""
        if self._id is None:
            raise ProtocolError("frame/no-session", "The vault has not answered yet.")
        plain = _pad(self._id, self._sent, message, UP)
        self._sent += 1
        return BOXED + self._box.encrypt(plain)

    def open(self, frame: bytes) -> FromVault | None:
        """Return what the vault says, or None for a frame of another window; ProtocolError for a malformed one."""
        try:
            session, counter, payload = _unpad(self._box.decrypt(frame[1:]))
        except (CryptoError, ValueError):
            return None
        if counter <= self._seen:
            return None
        try:
            message = _from_vault.decode(payload)
        except UNREADABLE:
            raise ProtocolError("frame/malformed", "The vault sent a message this client does not know.") from None
        if isinstance(message, Welcome):
            if session != _NO_SESSION:
                return None
            self._id = digest("session", self._c, message.session)[:16]
        elif self._id is None or session != self._id:
            return None
        self._seen = counter
        return message
