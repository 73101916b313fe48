"""A client's seat at a table: one subscription, sealed frames, and a return after every break."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final, Protocol

from chambers.clients.door import Door
from chambers.clients.gaps import Gaps
from chambers.clients.heard import FLOODED, VOIDED, Heard, Link, LinkState, Occupied
from chambers.clients.luck import LuckBroken, NoLuck, OfVault, OwnLuck
from chambers.clients.pending import Pending
from chambers.clients.unheard import Unheard
from chambers.protocol import subjects
from chambers.protocol.client import (
    Begin,
    ChoiceRefused,
    Choose,
    FromClient,
    FromVault,
    Leave,
    Note,
    Over,
    Ping,
    Pong,
    Record,
    Replaced,
    Resync,
    Talk,
    Update,
    WantsBindings,
    WantsLuck,
    Welcome,
)
from chambers.protocol.frames import WHO, read_other_version
from chambers.protocol.tickets import Ticket
from chambers.protocol.versions import mismatch

QUIET_S: Final = 5.0
SILENCE_S: Final = 3.0
CLOSED: Final = "closed"
_TICK_S: Final = 0.25
_LAST_WORD: Final = 5
"""How many times the vault is waited for at the end before its player goes without a receipt."""
_WAITING: Final = 2000


class Courier(Protocol):
    """What carries a session's frames; `chambers.bus` connects one with the ticket's key and token."""

    async def publish(self, data: bytes) -> None:
        """Send a frame up to the vault; a frame that cannot be sent now is dropped."""

    async def close(self) -> None:
        """Leave the server."""


class SeatSession:
    """One window at one seat. It sends a choice again until the vault, which alone knows what was taken, answers it.

    `deliver` takes every frame that arrives on the seat's subject; `messages` gives what they say, in order.
    """

    def __init__(
        self,
        ticket: Ticket,
        name: str,
        *,
        take_over: bool = False,
        luck: OwnLuck | None = None,
        quiet: float = QUIET_S,
        silence: float = SILENCE_S,
    ) -> None:
        self.ticket = ticket
        self.name = name
        self.sequence = -1
        self.betrayed = False
        self._unheard = Unheard(ticket.seat)
        self._gaps = Gaps()
        self._returned = False
        self.why_shut_out = ""
        self._luck: OwnLuck | NoLuck = luck or NoLuck()
        self._take_over = take_over
        self._quiet, self._silence = quiet, silence
        self._courier: Courier | None = None
        self._door = Door(ticket, name)
        self._heard: asyncio.Queue[Heard | None] = asyncio.Queue()
        self._pending = Pending()
        self._last_heard = 0.0
        self._asked_at: float | None = None
        self._lost_at: float | None = None
        self._answered_probe = False
        self._over = False
        self._closed: tuple[Update, float] | None = None
        self._ended = False
        self._keeper: asyncio.Task[None] | None = None

    @property
    def subject(self) -> str:
        """Return the one subject that this session subscribes to."""
        return subjects.seat_down(self.ticket.table.hex(), self.ticket.seat)

    @property
    def ended(self) -> bool:
        """Return whether another window has this seat for good, or the session was closed."""
        return self._ended

    async def start(self, courier: Courier) -> None:
        """Say hello and keep the session alive from here on; call it after the subscription stands."""
        self._courier = courier
        self._last_heard = _now()
        await self._say_hello()
        self._keeper = asyncio.create_task(self._keep(), name="seat-session")

    async def close(self) -> None:
        """Leave; the seat stays, and the same ticket opens it again."""
        await self._send(Leave())
        self._end()
        if self._keeper is not None:
            self._keeper.cancel()
            # Not awaited itself: that would take the caller's own cancellation for the keeper's.
            await asyncio.wait({self._keeper})
        if self._courier is not None:
            await self._courier.close()

    async def messages(self) -> AsyncIterator[Heard]:
        """Yield what the vault says, and what happens to the link, until this window is done."""
        while True:
            heard = await self._heard.get()
            if heard is None:
                return
            yield heard

    def shut_out(self, code: str, sentence: str) -> None:
        """End the session, which cannot go on; the player is told why, and `why_shut_out` says it from then on."""
        if not self._ended:
            self.why_shut_out = sentence
            self._heard.put_nowait(ChoiceRefused(prompt="", code=code, text=sentence))
            self._end()

    # what the player does

    async def choose(self, prompt: str, option: str) -> None:
        """Send a choice; it is answered by `ChoiceAccepted`, `ChoiceRefused` or, after a break, `Unsent`."""
        for choice in self._pending.chosen(Choose(prompt=prompt, option=option), cut_off=self._lost_at is not None):
            await self._send(choice)

    @property
    def cut_off(self) -> bool:
        """Return whether the vault is out of reach just now, or another window has the seat."""
        return self._lost_at is not None or not self._door.inside

    async def note(self, text: str) -> None:
        """Have the vault keep the player's private notes, whole; after a break they are sent again."""
        self._unheard.noted(text)
        if not self.cut_off:
            await self._send(Note(text=text))

    async def say(self, text: str) -> None:
        """Say something that the whole table may read; after a break it is sent again if it is not in the log."""
        self._unheard.said(text)
        if not self.cut_off:
            await self._send(Talk(text=text))

    async def resync(self, before: int | None = None) -> None:
        """Ask for the view, the prompt and the last log lines again, or for the lines before `before`."""
        await self._send(Resync(before=before))

    async def take_over(self) -> None:
        """Take the seat from the other window that `Occupied` spoke of."""
        if self._door.waiting is not None:
            self._take_over = True
            await self._begin(take_over=True)

    # what arrives

    async def reconnected(self) -> None:
        """Ask the vault whether it still knows this window, after the connection was made again."""
        if self._lost_at is None:
            self._lost_at = self._last_heard
        self._pending.link_broke()
        await self._probe()

    async def deliver(self, frame: bytes) -> None:
        """Take one frame from the seat's subject; what is not for this window is passed over."""
        if self._ended:
            return
        if self._heard.qsize() >= _WAITING:
            self.shut_out("client/flooded", FLOODED)
            return
        if frame[:1] == WHO:
            self._answered_probe = False
            await self._say_hello()
            return
        if (other := read_other_version(frame)) is not None and not self._door.inside:
            self.shut_out("frame/version", mismatch(other.v, other.version))
            return
        message = self._door.open(frame)
        if message is None:
            return
        self._last_heard = _now()
        self._asked_at = None
        if isinstance(message, Welcome):
            await self._welcomed(message)
            return
        self._answered_probe = True
        if self._door.doubted is not None:
            await self._still_sits()
        if isinstance(message, Update):
            await self._updated(message)
        elif isinstance(message, WantsBindings | WantsLuck | Record):
            await self._on_luck(message)
        elif isinstance(message, Pong):
            await self._ponged(message)
        else:
            self._answered(message)

    async def _welcomed(self, message: Welcome) -> None:
        if not self._door.expects_welcome:
            return
        mine_perhaps = message.occupied and self._door.inside
        if mine_perhaps and self._answered_probe:
            await self._still_sits()
        elif mine_perhaps and not self._take_over:
            # A probe may get lost just before a hello gets through. If the vault answers none now, another window sits.
            self._door.doubted = message
            await self._probe()
        else:
            await self._at_door(message)

    async def _still_sits(self) -> None:
        """Go on with the old session: the vault answered it, so the window that it finds at the seat is this one."""
        self._door.stay()
        await self._send(Resync())

    async def _at_door(self, message: Welcome) -> None:
        self._door.wait(message)
        if message.occupied and not self._take_over:
            self._heard.put_nowait(Occupied(message))
            return
        await self._begin(take_over=message.occupied)

    async def _begin(self, *, take_over: bool) -> None:
        again, welcome = self._door.inside, self._door.enter()
        self._returned = True
        self._pending.link_broke()
        if not again:
            self._heard.put_nowait(welcome)
        await self._send(Begin(have=self.sequence, take_over=take_over, luck=self._brings_luck(welcome)))

    async def _updated(self, message: Update) -> None:
        if message.sequence < self.sequence:
            return  # a vault that has just started is still catching up; its prompt is an old one
        if self._gaps.come_before(message.lines, _now()):
            await self._send(Resync())
            return
        self.sequence = message.sequence
        self._take_over = False  # not before: a begin that was lost on the way has to be said again
        self._unheard.shown(message)
        if self._returned or self._lost_at is not None:
            self._returned = False
            for note in self._unheard.after_break():
                await self._send(note)
            await self._say_again()
        self._found()
        for choice in self._pending.link_is_back():
            await self._send(choice)
        self._heard.put_nowait(message)
        await self._on_luck(message)
        if message.phase == CLOSED and self._closed is None:
            self._closed = (message, _now())
            if self._over:
                self._end()

    async def _say_again(self) -> None:
        for talk in self._unheard.next_word(_now()):
            await self._send(talk)

    def _close_table(self, message: Update) -> None:
        """End the session without the vault's last word, which has not come: the view says how the table ended."""
        result = (message.view.get("public") or {}).get("result") or {}
        text = result.get("text", "The table is closed.")
        self._heard.put_nowait(Over(result.get("winner"), text, size=0, root=""))
        self._end()

    async def _ponged(self, message: Pong) -> None:
        if message.sequence > self.sequence or self._lost_at is not None:
            await self._send(Resync())
        elif message.sequence == self.sequence:  # one that is behind might not know yet what it has taken
            for choice in self._pending.unanswered():
                await self._send(choice)
        self._heard.put_nowait(message)

    def _answered(self, message: FromVault) -> None:
        if isinstance(message, Replaced) and message.voided:
            self.shut_out("ticket/void", VOIDED)
            return
        if isinstance(message, ChoiceRefused):
            self._unheard.refused(message)
        for told in self._pending.answered(message):
            self._heard.put_nowait(told)
        self._over = self._over or isinstance(message, Over)
        if isinstance(message, Replaced) or (self._over and self._closed is not None):
            self._end()

    # the player's own luck

    def _brings_luck(self, welcome: Welcome) -> bool:
        try:
            return self._luck.brings(welcome)
        except LuckBroken as broken:
            self._betray(broken)
            return False

    async def _on_luck(self, message: OfVault) -> None:
        try:
            answer = self._luck.hear(message)
        except LuckBroken as broken:
            self._betray(broken)
            return
        for told in answer.tell:
            self._heard.put_nowait(told)
        for said in answer.say:
            await self._send(said)

    def _betray(self, broken: LuckBroken) -> None:
        """End the session: a vault that is not what it should be gets nothing more, and the player is told why."""
        self.betrayed = True
        self.shut_out(broken.code, broken.sentence)

    # keeping the link

    async def _keep(self) -> None:
        while not self._ended:
            await asyncio.sleep(_TICK_S)
            now = _now()
            if self._closed is not None:
                await self._await_last_word(*self._closed, now)
                continue
            if self._door.waiting is not None:
                continue
            if not self.cut_off:
                await self._say_again()
            if self._asked_at is not None and now - self._asked_at >= self._silence:
                if self._door.doubted is not None:
                    await self._at_door(self._door.doubted)
                    continue
                self._lose()
                await self._probe()
                await self._say_hello()
            elif self._asked_at is None and now - self._last_heard >= self._quiet:
                await self._probe()

    async def _await_last_word(self, message: Update, since: float, now: float) -> None:
        """Ask for the receipt until it has come, and go without it in the end: a vault that is gone gives none."""
        if now - since >= _LAST_WORD * self._silence:
            self._close_table(message)
        elif now - max(since, self._asked_at or 0.0) >= self._silence:
            await self._probe()

    async def _probe(self) -> None:
        self._asked_at = _now()
        self._answered_probe = False
        if self._door.inside:
            await self._send(Ping())

    async def _say_hello(self) -> None:
        self._asked_at = _now()
        await self._publish(self._door.hello())

    async def _send(self, message: FromClient) -> None:
        frame = self._door.seal(message)
        if frame is not None:
            await self._publish(frame)

    async def _publish(self, frame: bytes) -> None:
        if self._courier is not None and not self._ended:
            await self._courier.publish(frame)

    def _lose(self) -> None:
        if self._lost_at is None:
            self._lost_at = self._last_heard
            self._pending.link_broke()
            self._heard.put_nowait(Link(LinkState.LOST))

    def _found(self) -> None:
        if self._lost_at is not None:
            self._heard.put_nowait(Link(LinkState.RESUMED, seconds=_now() - self._lost_at))
            self._lost_at = None

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._heard.put_nowait(None)


def _now() -> float:
    return asyncio.get_running_loop().time()
