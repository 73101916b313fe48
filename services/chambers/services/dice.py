"""The dice: gather everybody's share of the roll that is due, and say what they make.

chambers.<t>.poke.dice       the size at which a roll is due          Poked
chambers.<t>.feed            entries, verified and folded             Follower
chambers.<t>.share.<n>       sent to every vault: its share of roll k, please
chambers.<t>.in.dice         sent: the roll with all shares
chambers.<t>.tail.dice       sent: asks for entries that it missed
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import structlog

from chambers.bus.deployment import master_key
from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus
from chambers.bus.ports import Bus
from chambers.bus.run import Settings, run_service
from chambers.fairness.dice import roll_value
from chambers.fairness.errors import FairnessError
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE
from chambers.protocol.log import Log
from chambers.protocol.messages import Behind, ShareAnswer, ShareReply, ShareRequest, encode
from chambers.rules import Phase, RuleError, rollers
from chambers.rules.events import Roll
from chambers.rules.roles import DICE, Role, seat_of
from chambers.rules.terms import Due
from chambers.services.contributor import Contributor
from chambers.services.poked import Poked

NAME = "dice"
ASK_AGAIN_S = (0.0, 0.01, 0.03, 0.1, 0.3)
_share = msgspec.msgpack.Decoder(ShareAnswer)
_logger = structlog.get_logger(__name__)


class Dice:
    """One replica; replicas share the master key, and a roll has one value whoever says it."""

    def __init__(self, bus: Bus, *, master: bytes, home: Path | None = None) -> None:
        self._bus = bus
        self._poked = Poked(bus, role=DICE, master=master, act=self._act, home=home)

    async def start(self) -> None:
        """Follow the tables, and roll when poked."""
        await self._poked.start()

    async def stop(self) -> None:
        """Stop following."""
        await self._poked.stop()

    async def _act(self, me: Contributor, item: Due) -> None:
        if item.act == "commit":
            await me.say(me.pen.write(lambda _: me.commit()))
        elif me.log.table.phase is not Phase.PLAY:
            await me.say(me.pen.write(lambda _: me.leaving(item.act)))
        else:
            await self._roll(me, item.k)

    async def _roll(self, me: Contributor, k: int) -> None:
        table = me.log.table
        own = me.share(k)
        seats = [role for role in rollers(table) if role != DICE]
        logged = dict(table.shares)
        shares = await asyncio.gather(*(self._ask(me.log, role, k, logged.get(role)) for role in seats))
        missing = [role for role, x in zip(seats, shares, strict=True) if x is None]
        if missing:
            _logger.info("dice.waiting", table=me.log.id.hex(), roll=k, waiting_for=missing)
            return  # the game master pokes again
        pairs = ((DICE, own), *((role, x) for role, x in zip(seats, shares, strict=True) if x is not None))
        value = roll_value(me.log.id, k, shares=pairs)
        try:
            roll = me.pen.write(lambda _: Roll(k, pairs, value))
        except (FairnessError, RuleError) as error:
            _logger.info("dice.too-late", table=me.log.id.hex(), roll=k, code=error.code)
            return  # while the shares came, the log has gone past this roll
        await me.say(roll)

    async def _ask(self, log: Log, role: Role, k: int, logged: bytes | None) -> bytes | None:
        """Return a vault's share of roll k, from the log if it is there; None if it does not come in a few tries."""
        if logged is not None:
            return logged
        seat = seat_of(role)
        assert seat is not None
        for pause in ASK_AGAIN_S:
            await asyncio.sleep(pause)
            try:
                request = encode(ShareRequest(k, log.size))
                answer = _share.decode(
                    await self._bus.request(subjects.share(log.id.hex(), seat), request, timeout=1.0)
                )
            except (BusError, *UNREADABLE):
                continue
            if isinstance(answer, ShareReply) and answer.k == k and _continues(log, role, k, answer.x):
                return answer.x
            if isinstance(answer, Behind) and answer.size > log.size:
                return None  # the log has gone past this roll
        return None


def _continues(log: Log, role: Role, k: int, x: bytes) -> bool:
    """Return whether a share is its role's: a roll with a false one would convict the dice, who sign it."""
    try:
        log.check_link(role, k, x)
    except FairnessError:
        return False
    return True


async def make(bus: NatsBus, settings: Settings) -> Dice:
    """Return the dice on their connection, with the master key of their own volume."""
    return Dice(bus, master=master_key(settings.home / "master.key"), home=settings.home)


def main() -> int:
    """Run the dice until told to stop."""
    return run_service(make, user=DICE)
