"""A vault's voice at a table: what it means to say, one statement at a time, each until it is stored or refused."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import structlog
from msgspec.structs import replace

from chambers.bus.errors import BusError
from chambers.bus.logs import fault
from chambers.fairness.errors import FairnessError
from chambers.protocol.errors import Refusal
from chambers.protocol.statements import unpack
from chambers.rules import RuleError
from chambers.services.contributor import Contributor
from chambers.services.ending import end
from chambers.services.intents import Intent

REST_S: Final = 1.0
AGAIN_S: Final = (1.0, 2.0, 5.0)
"""After how many seconds an answer is given again that was not taken; every five in the end."""
_MISSED_S: Final = 0.25
_TEXT: Final = 300

_logger = structlog.get_logger(__name__)


class Speaker(Protocol):
    """Whose voice it is: it knows what is owed, what may still be said, and hears what was refused."""

    def owed(self) -> Intent | None:
        """Return what is to be said next that nobody chose; None if nothing is."""

    def past(self, intent: Intent) -> Refusal | None:
        """Return the refusal of what was meant before this vault stopped, or before its prompt went; else None."""

    async def refuse(self, prompt: str, refusal: Refusal) -> None:
        """Tell the player that something was not accepted, and why."""

    async def duty_refused(self, intent: Intent, refusal: Refusal) -> bool:
        """Return whether something can be owed again at once, since what was refused has been mended."""


class Voice:
    """Says what was chosen in the order in which it was, and between that what is owed."""

    def __init__(self, me: Contributor, speaker: Speaker, catch_up: Callable[[], Awaitable[None]]) -> None:
        self._me = me
        self._speaker = speaker
        self._catch_up = catch_up
        self._intents: deque[Intent] = deque()
        self._speaking: Intent | None = None
        self._stored: Intent | None = None
        self._statement = b""
        self._insisted: list[Intent] = []
        self._wait_for = 0
        self._rest_until = 0.0
        self._wake = asyncio.Event()
        self._worker = asyncio.create_task(self._work())

    def __repr__(self) -> str:
        return f"Voice({self._me.role})"

    @property
    def under_way(self) -> list[Intent]:
        """Return what is meant, being said or said again until it is taken, or stored and not yet heard of."""
        self._settle()
        said = (self._stored, self._speaking, *self._insisted, *self._intents)
        return [intent for intent in said if intent is not None]

    @property
    def resting(self) -> bool:
        """Return whether what is owed waits a moment, since something was refused or failed."""
        return time.monotonic() < self._rest_until

    def mean(self, intent: Intent) -> None:
        """Say something once all that was meant before has been said."""
        self._intents.append(intent)
        self.wake()

    def wake(self) -> None:
        """See whether there is something to say."""
        self._wake.set()

    async def stop(self) -> None:
        """Fall silent, in the middle of whatever is being said."""
        await end(self._worker)

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while await self._say_next():
                continue

    async def _say_next(self) -> bool:
        """Return whether there was something to be said; it has been stored or refused by then."""
        intent: Intent | None = None
        try:
            intent = self._next()
            refusal = await self._speak(intent) if intent is not None else None
            if intent is not None and refusal is not None:
                await self._refused(intent, refusal)
        except Exception as error:  # noqa: BLE001 - the edge: one statement that fails must not silence a seat
            _logger.error("vault.fault", role=self._me.role, **fault(error))
            self._pause()
            if intent is not None:
                await self._speaker.refuse(intent.prompt, Refusal("vault/fault", "The vault could not do that."))
        return intent is not None

    def _settle(self) -> None:
        """Take what was accepted as said once it is in the log; where another entry has its place, it was refused."""
        stored, log = self._stored, self._me.log
        if stored is None or log.size < self._wait_for:
            return
        self._stored = None
        if self._statement in log.where:
            return
        _logger.warning("vault.not-stored", role=self._me.role, size=log.size)
        if stored.duty:
            self._pause()
        else:
            self._insist(stored)

    def _next(self) -> Intent | None:
        self._settle()
        if self._me.log.size < self._wait_for or not self._me.log.opened:
            return None
        return self._intents.popleft() if self._intents else self._speaker.owed()

    async def _speak(self, intent: Intent) -> Refusal | None:
        """Return the refusal of what was to be said; None once it is stored. It is under way for as long as this takes.

        Whoever hears of a refusal may answer again at once, so what was refused is under way no more by then.
        """
        self._speaking = intent
        try:
            refusal = await self._say(intent)
            if refusal is not None and not intent.duty:
                await self._catch_up()  # it may have been right before an entry that was missed
                if intent.prompt:
                    self._insist(intent)
            return refusal
        finally:
            self._speaking = None

    async def _say(self, intent: Intent) -> Refusal | None:
        if (early := intent.not_before - time.monotonic()) > 0:
            await asyncio.sleep(early)
        if (gone := self._speaker.past(intent)) is not None:
            return gone
        try:
            submission = self._me.pen.write(intent.make)
            answer = await self._me.say(submission)
        except RuleError as error:
            return Refusal(error.code, error.sentence, error.section, error.ruling)
        except (FairnessError, BusError) as error:
            return Refusal(error.code, error.sentence)
        if isinstance(answer, Refusal):
            return answer
        self._stored, self._wait_for, self._statement = intent, answer.sequence + 1, unpack(submission)[1]
        asyncio.get_running_loop().call_later(_MISSED_S, self._missed)
        return None

    def _insist(self, intent: Intent) -> None:
        """Have what was not taken said again, ever later, unless its prompt is gone or the rules forbid it now.

        Whoever refuses what the rules allow is behind, in trouble, or curious what else the seat could have answered.
        """
        if self._speaker.past(intent) is not None:
            return
        try:
            self._me.pen.write(intent.make)
        except (RuleError, FairnessError):
            return
        again = replace(intent, refusals=intent.refusals + 1)
        self._insisted.append(again)
        pause = AGAIN_S[min(intent.refusals, len(AGAIN_S) - 1)]
        asyncio.get_running_loop().call_later(pause, self._mean_again, again)

    def _mean_again(self, intent: Intent) -> None:
        self._insisted = [one for one in self._insisted if one is not intent]
        self.mean(intent)

    async def _refused(self, intent: Intent, refusal: Refusal) -> None:
        if intent.duty:
            await self._rest(intent, refusal)
        elif not any(one.prompt == intent.prompt for one in self._insisted if one.prompt):
            await self._speaker.refuse(intent.prompt, refusal)
        elif not intent.refusals:
            why = refusal.text[:_TEXT]
            told = f"The game master has not taken your answer: {why} Your vault gives it again."
            await self._speaker.refuse("", Refusal("vault/not-taken", told))

    async def _rest(self, intent: Intent, refusal: Refusal) -> None:
        if await self._speaker.duty_refused(intent, refusal):
            self.wake()
            return
        _logger.info("vault.duty-refused", role=self._me.role, duty=intent.duty, code=refusal.code)
        self._pause()
        await self._catch_up()

    def _pause(self) -> None:
        """Have every duty wait for a second, and see then what is owed: no entry may come that would tell."""
        self._rest_until = time.monotonic() + REST_S
        asyncio.get_running_loop().call_later(REST_S + 0.05, self.wake)

    def _missed(self) -> None:
        if self._me.log.size < self._wait_for:
            task = asyncio.ensure_future(self._catch_up())
            task.add_done_callback(lambda _: self.wake())
