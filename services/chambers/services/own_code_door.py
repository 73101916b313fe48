"""Where the code of an own vault's ticket is tried: at the gate, which makes both secrets of that ticket in any case.

chambers.<t>.code.<n>.<id>.own.up     Knock from whoever has, or guesses, a code      _on_knock
chambers.<t>.code.<n>.<id>.own.down   sent: Handed | Refusal
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Final

from chambers.bus.errors import BusError
from chambers.bus.ports import Bus
from chambers.protocol import subjects
from chambers.protocol.codes import VaultHandover, code_of, hand_over
from chambers.protocol.errors import ProtocolError, Refusal
from chambers.protocol.messages import Handed, TableIssues, encode
from chambers.rules.roles import MAX_SEATS
from chambers.services.code_door import KNOCKS, LANE, Tries, may_try, read_knock

FRESH_S: Final = 1.0
"""How long what the game master has said of a table counts."""
LOOK_UPS: Final = 20
LOOK_UP_S: Final = 0.2
"""Tables that are asked about at once, and how long until one more may be: strangers may name any table here.

Those that are known to have such a code are not counted, or whoever names tables at random would hold up their players.
"""
_REMEMBERED: Final = 256

Secrets = Callable[[bytes, int, int], tuple[bytes, bytes]]
"""What the gate makes of table, seat and issue: `admit` of the seat's own vault, and of its client."""


class OwnCodeDoor:
    """The gate's door for codes. Which seats have one, and which issue counts, the game master says."""

    def __init__(
        self,
        bus: Bus,
        *,
        secrets: Secrets,
        issues: Callable[[bytes], Awaitable[TableIssues]],
        fingerprint: bytes | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._secrets = secrets
        self._issues = issues
        self._fingerprint = fingerprint
        self._clock = clock
        self._said: dict[bytes, tuple[float, TableIssues]] = {}
        self._look_ups = Tries(clock(), burst=LOOK_UPS, pause=LOOK_UP_S)
        self._coded: dict[bytes, None] = {}
        self._tries: dict[tuple[bytes, int], Tries] = {}

    def __repr__(self) -> str:
        return "OwnCodeDoor()"

    async def start(self, queue: str) -> None:
        """Hear knocks from here on; one of the replicas hears each."""
        any_ = subjects.ANY
        knocks = subjects.code_up(any_, any_, any_, own=True)
        await self._bus.subscribe(knocks, self._on_knock, queue=queue, lane=LANE, room=KNOCKS)

    def expects(self, table: bytes) -> None:
        """Take a table for one at which a player may come for a vault of his own, until the game master says no."""
        self._coded.pop(table, None)
        self._coded[table] = None
        while len(self._coded) > _REMEMBERED:
            del self._coded[next(iter(self._coded))]

    async def _on_knock(self, subject: str, data: bytes) -> None:
        _, table, _, seat, visitor, *_ = subject.split(".")
        answer: Handed | Refusal
        try:
            answer = await self._answer(subjects.table_id(subject), seat, data)
        except (ProtocolError, BusError) as error:
            answer = Refusal(error.code, error.sentence)
        with contextlib.suppress(BusError, ProtocolError):  # a stranger may name what is no table and no seat
            await self._bus.publish(subjects.code_down(table, seat, visitor, own=True), encode(answer))

    async def _answer(self, table: bytes, named: str, data: bytes) -> Handed:
        knock = read_knock(data)
        seat = int(named) if named in map(str, range(MAX_SEATS)) else -1
        there = await self._said_of(table)
        if seat not in there.coded:
            told = "No code opens that seat's vault: it is taken, or not its player's own, or the codes are too old."
            raise ProtocolError("code/none", told)
        now = self._clock()
        may_try(knock, self._tries_at((table, seat), now), now)
        issue = there.issues[seat]
        admit, client = self._secrets(table, seat, issue)
        handover = VaultHandover(issue=issue, admit=admit, client=client, fingerprint=self._fingerprint)
        return hand_over(knock, code_of(seat, admit, long=knock.long), table=table, handover=handover)

    def _tries_at(self, seat: tuple[bytes, int], now: float) -> Tries:
        """Return how often a seat's code may still be tried; those are forgotten at which that is as often as ever."""
        known = self._tries.get(seat)
        if known is None:
            self._tries = {at: tries for at, tries in self._tries.items() if not tries.rested(now)}
            known = self._tries[seat] = Tries(now)
        return known

    async def _said_of(self, table: bytes) -> TableIssues:
        """Return what the game master says of a table now, or said a moment ago."""
        now = self._clock()
        at, said = self._said.get(table, (-FRESH_S, None))
        if said is None or now - at >= FRESH_S:
            if table not in self._coded and self._look_ups.take(now) > 0.0:
                raise ProtocolError("code/too-often", "Codes are tried for too many tables at once; try again soon.")
            said = await self._issues(table)
            if said.coded:
                self.expects(table)
            else:
                self._coded.pop(table, None)
            self._said.pop(table, None)
            self._said[table] = (now, said)
            while len(self._said) > _REMEMBERED:
                self._said.pop(next(iter(self._said)))
        return said
