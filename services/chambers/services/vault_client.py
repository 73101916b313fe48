"""The vault's side of its client: who sits there, and frames of one size in one order, whatever the hand is."""

from __future__ import annotations

import contextlib
import time

from msgspec.structs import replace

from chambers.bus.errors import BusError
from chambers.bus.ports import Bus
from chambers.protocol import subjects
from chambers.protocol.client import (
    Begin,
    ChoiceRefused,
    FromClient,
    FromVault,
    Line,
    Replaced,
    Update,
    Welcome,
)
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import BOXED, HELLO, WHO, VaultSession, other_version, read_hello, same_secret
from chambers.services.naming import proper_name
from chambers.services.pace import Pace

ALIVE_S = 15.0
LINES = 40
_CANDIDATES = 4
FRAME_LIMIT = 16 * 1024
FRAMES_A_SECOND = 200
FRAMES_AT_ONCE = 400
TOLD_A_SECOND = 1


class VaultClient:
    """The client of one seat: at most one session is current; others wait until they begin."""

    def __init__(self, bus: Bus, table: bytes, seat: int, *, frame_private: bytes) -> None:
        self._bus = bus
        self._seat = seat
        self._down = subjects.seat_down(table.hex(), seat)
        self._frame_private = frame_private
        self._current: VaultSession | None = None
        self._candidates: dict[bytes, VaultSession] = {}
        self._heard = 0.0
        self._lines_sent = 0
        self._pace = Pace(FRAMES_A_SECOND, FRAMES_AT_ONCE)
        self._told = Pace(TOLD_A_SECOND, 1)
        self.name = ""

    def __repr__(self) -> str:
        return "VaultClient(...)"

    @property
    def there(self) -> bool:
        """Return whether a session is current."""
        return self._current is not None

    @property
    def occupied(self) -> bool:
        """Return whether the current session has been heard within the last 15 seconds."""
        return self._current is not None and time.monotonic() - self._heard < ALIVE_S

    async def _publish(self, frame: bytes) -> None:
        # a client that could not be reached asks for the whole view when it is back
        with contextlib.suppress(BusError):
            await self._bus.publish(self._down, frame)

    async def who(self) -> None:
        """Ask whoever sits there to say hello again: after a restart the vault knows no session."""
        await self._publish(WHO)

    async def in_time(self) -> bool:
        """Return whether one more frame is to be read; whoever sits there is told, once a second, if it is not."""
        if self._pace.keeps():
            return True
        if self._told.keeps():
            text = f"Your client sends more than {FRAMES_A_SECOND} messages a second; some are left out. Slow it down."
            await self.send(ChoiceRefused("", "seat/too-fast", text))
        return False

    async def other_version(self) -> None:
        """Tell a client of another protocol version which one this vault speaks."""
        await self._publish(other_version())

    async def hello(self, frame: bytes, *, pair: bytes, welcome: Welcome) -> None:
        """Welcome a client that knows the ticket's `pair` secret; ProtocolError for one that does not."""
        hello = read_hello(frame, self._frame_private)
        if not same_secret(hello.pair, pair):
            raise ProtocolError("ticket/void", "This ticket does not open this seat, or not any more.")
        if self._current is not None and hello.key == self._current.key:
            return
        session = self._candidates.get(hello.key) or VaultSession(self._frame_private, hello)
        self._candidates[hello.key] = session
        while len(self._candidates) > _CANDIDATES:
            del self._candidates[next(iter(self._candidates))]
        await self._publish(session.welcome(welcome))

    async def read(self, frame: bytes) -> FromClient | None:
        """Return what the current client says, Begin included; None for a frame that is nobody's or not yet allowed."""
        if frame[:1] != BOXED or len(frame) > FRAME_LIMIT:
            raise ProtocolError("frame/malformed", "This is no frame.")
        if self._current is not None:
            try:
                message = self._current.open(frame)
            except ProtocolError as error:
                if error.code != "frame/not-mine":
                    raise
            else:
                self._heard = time.monotonic()
                return message
        return await self._read_candidate(frame)

    async def _read_candidate(self, frame: bytes) -> FromClient | None:
        for key, session in tuple(self._candidates.items()):
            try:
                message = session.open(frame)
            except ProtocolError:
                continue
            if not isinstance(message, Begin):
                return None
            if self.occupied and not message.take_over:
                busy = ChoiceRefused("", "seat/occupied", "This seat is being played in another window.")
                await self._publish(session.seal(busy))
                return None
            await self.end()
            del self._candidates[key]
            self._current, self._heard = session, time.monotonic()
            self.name = proper_name(session.name, self._seat)
            return message
        if self._current is None:
            await self.who()
        return None

    def left(self) -> None:
        """Forget the current session, which has said that it goes."""
        self._current = None

    async def void(self) -> None:
        """End every session of the ticket that counts no more, those that have not begun included."""
        await self.end(voided=True)
        self._candidates.clear()
        self.name = ""

    async def end(self, *, voided: bool = False) -> None:
        """Tell the current session that it has lost the seat, to another one or with its ticket, and forget it."""
        if self._current is not None:
            await self.send(Replaced(voided=voided))
            self._current = None

    async def send(self, message: FromVault) -> None:
        """Send a message to the current session; nothing if nobody sits there."""
        if self._current is not None:
            await self._publish(self._current.seal(message))

    async def update(self, update: Update, lines: list[Line], *, have: int | None = None) -> None:
        """Send the view with the log lines since the last one, or since entry `have`; as many of them as fit."""
        if self._current is None:
            return
        if have is None:
            chosen = tuple(lines[self._lines_sent :][-LINES:])
        else:
            chosen = tuple([line for line in lines if line.sequence > have][-LINES:])
        self._lines_sent = len(lines)
        await self._publish(fitted(self._current, update, chosen, total=len(lines)))


def fitted(session: VaultSession, update: Update, lines: tuple[Line, ...], *, total: int) -> bytes:
    """Return the frame of an update with as many of the newest lines as fit into its one size.

    An edition with very long names may leave too little room even so: then options go without their machine fields.
    """
    prompt = update.prompt
    while True:
        first = lines[0].sequence if lines else -1
        whole = Update(
            update.sequence,
            update.phase,
            update.view,
            lines,
            prompt,
            update.waiting,
            earlier=total > len(lines) and first > 0,
        )
        try:
            return session.seal(whole)
        except ProtocolError:
            if lines:
                lines = lines[len(lines) // 2 + 1 :]
            elif prompt is not None and any(option.event for option in prompt.options):
                plain = tuple(replace(option, event={}) for option in prompt.options)
                prompt = replace(prompt, options=plain)
            else:
                raise


def is_hello(frame: bytes) -> bool:
    """Return whether a frame opens a session."""
    return frame[:1] == HELLO
