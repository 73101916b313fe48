"""How a window comes to its seat: a hello with a fresh key, the vault's welcome, and the keys that count after it."""

from __future__ import annotations

from chambers.protocol.client import FromClient, FromVault, Welcome
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import ClientSession
from chambers.protocol.tickets import Ticket


class Door:
    """The keys of one window: those it plays with, and those of the newest hello.

    `waiting` is a welcome that has to be answered, `doubted` one that finds a window at the seat that may be this one.
    """

    def __init__(self, ticket: Ticket, name: str) -> None:
        self._ticket = ticket
        self._name = name
        self._current: ClientSession | None = None
        self._coming: ClientSession | None = None
        self.waiting: Welcome | None = None
        self.doubted: Welcome | None = None

    def __repr__(self) -> str:
        return f"Door(inside={self.inside})"

    @property
    def inside(self) -> bool:
        """Return whether this window has begun to play."""
        return self._current is not None

    @property
    def expects_welcome(self) -> bool:
        """Return whether a hello was said whose welcome still counts."""
        return self._coming is not None

    def hello(self) -> bytes:
        """Return the frame of a new hello; welcomes of older ones count no more."""
        # A fresh key each time: two hellos with one key would get two welcomes, and only the vault knows which counts.
        self._coming = ClientSession(self._ticket.frame_key, self._ticket.pair, self._name)
        self.waiting = self.doubted = None
        return self._coming.hello()

    def stay(self) -> None:
        """Go on with the keys that this window plays with, whatever the newest hello is answered."""
        self._coming = self.doubted = None

    def wait(self, welcome: Welcome) -> None:
        """Stand at the door with a welcome, until `enter`."""
        self.waiting, self.doubted = welcome, None

    def enter(self) -> Welcome:
        """Return the welcome that was waited with; the keys of its hello are those to play with from here on."""
        assert self.waiting is not None
        welcome, self.waiting = self.waiting, None
        self._current, self._coming = self._coming, None
        return welcome

    def open(self, frame: bytes) -> FromVault | None:
        """Return what a frame says to this window, None if it is not for it or was changed on the way."""
        for session in (self._current, self._coming):
            if session is None:
                continue
            try:
                message = session.open(frame)
            except ProtocolError:
                return None
            if message is not None:
                return message
        return None

    def seal(self, message: FromClient) -> bytes | None:
        """Return the frame of a message, None as long as there are no keys to play with."""
        return self._current.seal(message) if self._current is not None and self._current.ready else None
