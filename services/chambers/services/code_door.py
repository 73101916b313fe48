"""Where a short code is tried at a seat's vault: a few times a minute, until the seat is taken or the day is over.

chambers.<t>.code.<n>.<id>.up     Knock from whoever has, or guesses, a code      _on_knock
chambers.<t>.code.<n>.<id>.down   sent: Handed | Refusal
chambers-lobby.admit.seat<n>      asks the gate for the gate's half of the ticket
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from typing import Final

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox

from chambers.bus.errors import BusError
from chambers.bus.ports import Bus, Room
from chambers.fairness.boxes import box_public
from chambers.fairness.keys import pair_secret
from chambers.protocol import subjects
from chambers.protocol.codes import Handover, code_of, hand_over
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.log import Log
from chambers.protocol.messages import AdmitAnswer, AdmitReply, AdmitRequest, Handed, Knock, encode
from chambers.protocol.statements import read_leaf
from chambers.rules import Phase
from chambers.rules.roles import seat_role
from chambers.services.vault_table import VaultTable

BURST: Final = 5
PAUSE_S: Final = 12.0
"""Short codes that may be tried at a seat at once, and how long until one more may: five a minute in the long run.

Whoever keeps on guessing uses them up. Long codes are not counted: no number of tries finds one.
"""
LIFE_S: Final = 12 * 3600
"""How long after its table was opened a code is taken."""

LANE: Final = "code"
KNOCKS: Final = Room(each=2, messages=64, bytes=64 * 1024)
_NOT_HERE: Final = "The host keeps no vault for that seat at that table."
_knock = msgspec.msgpack.Decoder(Knock)
_admit = msgspec.msgpack.Decoder(AdmitAnswer)


class Tries:
    """How often a code may still be tried; `now` is seconds of any clock that never goes back."""

    def __init__(self, now: float, *, burst: int = BURST, pause: float = PAUSE_S) -> None:
        self._burst = float(burst)
        self._pause = pause
        self._left = self._burst
        self._at = now

    def take(self, now: float) -> float:
        """Return 0.0 and count a try, or the seconds until the next one may be made."""
        self._left = min(self._burst, self._left + (now - self._at) / self._pause)
        self._at = now
        if self._left < 1.0:
            return (1.0 - self._left) * self._pause
        self._left -= 1.0
        return 0.0

    def rested(self, now: float) -> bool:
        """Return whether as many tries are left as at the beginning, so that nothing is lost if this is forgotten."""
        return self._left + (now - self._at) / self._pause >= self._burst


def may_try(knock: Knock, tries: Tries, now: float) -> None:
    """Count a try, unless it is of a long code; ProtocolError (`code/too-often`) if there were too many."""
    wait = 0.0 if knock.long else tries.take(now)
    if wait > 0.0:
        told = f"Codes were tried too often at this seat; try in {math.ceil(wait)} s again."
        raise ProtocolError("code/too-often", f"{told} The host has a long code, which is taken at any time.")


def read_knock(data: bytes) -> Knock:
    """Return a knock; ProtocolError (`code/unreadable`) for what is none."""
    try:
        return _knock.decode(data)
    except UNREADABLE:
        raise ProtocolError("code/unreadable", "This is no knock with a code.") from None


def check_open(log: Log, seat: int) -> None:
    """ProtocolError (`code/...`) where no code opens a seat: the table is over or old, the seat a bot's or taken."""
    if log.table.phase is Phase.CLOSED:
        raise ProtocolError("code/expired", "This table has closed.")
    if log.table.setup.opening.seats[seat].bot:
        raise ProtocolError("code/none", "This seat is for a bot, and no code opens it.")
    if log.table.committed(seat_role(seat)) is not None:
        told = "This seat is taken, and no code opens it any more; its player comes back with the ticket."
        raise ProtocolError("code/taken", told)
    if time.time() * 1000 - read_leaf(log.leaves[0]).ts > LIFE_S * 1000:
        raise ProtocolError("code/expired", "The codes of this table are too old; the host has its tickets.")


def coded_vaults(log: Log) -> tuple[int, ...]:
    """Return the seats whose own vault's ticket a code still opens."""
    found = []
    for n, plan in enumerate(log.table.setup.opening.seats):
        with contextlib.suppress(ProtocolError):
            if plan.vault == "own":
                check_open(log, n)
                found.append(n)
    return tuple(found)


class CodeDoor:
    """One vault's door for codes. It keeps nothing: a code follows from the ticket's `pair`, its end from the log."""

    def __init__(
        self,
        bus: Bus,
        *,
        seat: int,
        master: bytes,
        known: Callable[[bytes], VaultTable | None],
        fingerprint: bytes | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._seat = seat
        self._master = master
        self._known = known
        self._fingerprint = fingerprint
        self._clock = clock
        self._tries: dict[bytes, Tries] = {}

    def __repr__(self) -> str:
        return f"CodeDoor({self._seat})"

    async def start(self) -> None:
        """Hear knocks from here on."""
        any_ = subjects.ANY
        await self._bus.subscribe(subjects.code_up(any_, self._seat, any_), self._on_knock, lane=LANE, room=KNOCKS)

    def forget(self, table: bytes) -> None:
        """Forget how often codes were tried at a table, which has closed."""
        self._tries.pop(table, None)

    async def _on_knock(self, subject: str, data: bytes) -> None:
        table, visitor = subjects.table_id(subject), subject.split(".")[4]
        answer: Handed | Refusal
        try:
            # Strangers may name any table here, so nobody is asked about one that this vault does not have.
            known = self._known(table)
            if known is None:
                raise ProtocolError("vault/no-table", f"{_NOT_HERE} If its player does, try: chambers vault CODE")
            answer = await self._answer(known, data)
        except (ProtocolError, BusError) as error:
            answer = Refusal(error.code, error.sentence)
        with contextlib.suppress(BusError):
            await self._bus.publish(subjects.code_down(table.hex(), self._seat, visitor), encode(answer))

    async def _answer(self, table: VaultTable, data: bytes) -> Handed:
        knock = read_knock(data)
        check_open(table.log, self._seat)
        now = self._clock()
        may_try(knock, self._tries.setdefault(table.log.id, Tries(now)), now)
        issue = table.log.table.issues[self._seat]
        pair = pair_secret(self._master, table.log.id, issue=issue)
        frame_key = table.me.secrets.frame_key
        assert frame_key is not None
        handover = Handover(
            issue=issue,
            admit=await self._admit(table.log.id, issue),
            pair=pair,
            frame_key=box_public(frame_key),
            fingerprint=self._fingerprint,
        )
        code = code_of(self._seat, pair, long=knock.long)
        return hand_over(knock, code, table=table.log.id, handover=handover)

    async def _admit(self, table: bytes, issue: int) -> bytes:
        key = PrivateKey.generate()
        asked = AdmitRequest(table=table, seat=self._seat, issue=issue, key=bytes(key.public_key))
        reply = await self._bus.request(subjects.lobby("admit", seat_role(self._seat)), encode(asked))
        try:
            answer = _admit.decode(reply)
            if isinstance(answer, AdmitReply):
                return SealedBox(key).decrypt(answer.sealed)
        except (*UNREADABLE, CryptoError):
            pass
        raise BusError("bus/unreadable", "The gate answered something unreadable.")
