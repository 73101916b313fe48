"""The dealer: shuffles by everybody's entropy, deals into boxes, and opens what the rules let somebody look at.

chambers.<t>.poke.dealer     the size at which the dealer owes something      Poked
chambers.<t>.feed            entries, verified and folded                     Follower
chambers.<t>.in.dealer       sent: what it owes, as signed statements
chambers.<t>.tail.dealer     sent: asks for entries that it missed
"""

from __future__ import annotations

from pathlib import Path

from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.ports import Bus
from chambers.bus.run import Settings, run_service
from chambers.fairness.commitments import place_commitment, seal_commitment
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import card_seal, place_nonce, shuffle_key
from chambers.protocol.log import Admitted
from chambers.rules import Phase, RuleError
from chambers.rules.events import Bad, Deal, TableEvent
from chambers.rules.roles import DEALER, seat_role
from chambers.rules.terms import Disclosed, Due, Pile
from chambers.services.contributor import Contributor, check_box
from chambers.services.poked import Poked

NAME = "dealer"


class Dealer:
    """One replica; replicas share the master key, and the log decides between them."""

    def __init__(self, bus: Bus, *, master: bytes, home: Path | None = None) -> None:
        self._tables: dict[bytes, DealerTable] = {}
        self._poked = Poked(
            bus, role=DEALER, master=master, act=self._act, learn=self._learn, rest=self._rest, home=home
        )

    async def start(self) -> None:
        """Follow the tables, and act when poked."""
        await self._poked.start()

    async def stop(self) -> None:
        """Stop following."""
        await self._poked.stop()

    def _at(self, me: Contributor) -> DealerTable:
        table = self._tables.get(me.log.id)
        if table is None:
            table = self._tables[me.log.id] = DealerTable(me)
        return table

    def _rest(self, table: bytes) -> None:
        self._tables.pop(table, None)

    async def _learn(self, me: Contributor, entry: Admitted) -> None:
        self._at(me).learn(entry)
        await self._complain(me)

    async def _complain(self, me: Contributor) -> None:
        bad = self._at(me).complaint()
        if bad is not None:
            await me.say(me.pen.write(lambda _: bad))

    async def _act(self, me: Contributor, item: Due) -> None:
        table = self._at(me)
        await self._complain(me)
        if not table.stopped or me.log.table.phase is not Phase.PLAY:
            await me.say(me.pen.write(lambda n: table.event(item, n)))


class DealerTable:
    """The dealer at one table. Its pile is a function of its secret and the log; it is kept nowhere else."""

    def __init__(self, me: Contributor) -> None:
        self._me = me
        self._log = me.log
        self._pile: Pile | None = None
        self._nonces: dict[int, bytes] = {}
        self._bad: Bad | None = None
        self.stopped = False

    def __repr__(self) -> str:
        return "DealerTable(...)"

    def complaint(self) -> Bad | None:
        """Return what must be said of a box that is bad, until the log shows that the table has stopped.

        None while a log is read in which it may be said, and while what was said last is not in it.
        """
        log, bad = self._log, self._bad
        if bad is None or log.size < max(log.kept, self._me.said) or log.handed_in():
            return None
        return bad if log.table.phase is Phase.PLAY and not log.table.stopped else None

    def learn(self, entry: Admitted) -> None:
        """Keep the pile after an entry, and what must be said of one whose box to the dealer is bad."""
        table = entry.after
        if isinstance(entry.event, Deal):
            self._pile = self.pile()
        if self._pile is None or table.phase is not Phase.PLAY or isinstance(entry.event, Deal) or self.stopped:
            return
        assert entry.before is not None
        try:
            opened = self._me.open(entry) if entry.author != DEALER else None
            if opened is not None:
                check_box(entry, opened, table=self._log.id)
        except (FairnessError, RuleError) as error:
            self.stopped = True
            self._bad = Bad(entry.seq, error.code)
            return
        for item in opened or ():
            if item.place is not None and item.nonce is not None:
                self._nonces[item.place] = item.nonce
        self._pile = table.game.stock(self._pile, entry.before.play, table.play, entry.author, entry.event, opened)

    def event(self, item: Due, n: int) -> TableEvent:
        """Return the event with which the dealer does what it owes, in its statement number `n`."""
        table = self._log.table
        if item.act == "commit":
            return self._me.commit()
        if item.act == "deal":
            return self._deal(n)
        if table.phase is not Phase.PLAY:
            return self._me.leaving(item.act)
        secret = self._me.secrets.secret
        return table.game.dealer_act(
            table.play,
            self._pile or self.pile(),
            item,
            seal=lambda kind: card_seal(secret, kind),
            nonce=self._nonce,
            box=lambda to, opened: self._me.box(n, to, opened),
        )

    def _nonce(self, place: int) -> bytes:
        return self._nonces.get(place) or place_nonce(self._me.secrets.secret, place)

    def pile(self) -> Pile:
        """Return where every card was dealt, from the secret and everybody's mixes."""
        table = self._log.table
        key = shuffle_key(self._me.secrets.secret, self._log.id, mixes=[mix.e for _, mix in table.mixes])
        return table.game.deal(table.setup, Draw(key, table.game.RULES))

    def _deal(self, n: int) -> Deal:
        table, secret, pile = self._log.table, self._me.secrets.secret, self.pile()
        setup, table_id = table.setup, self._log.id
        values = dict(pile.values)
        seals = [card_seal(secret, kind) for kind in range(table.game.kinds(setup))]
        places = table.game.places(setup)
        boxes = []
        for seat, hand in enumerate(pile.hands):
            cards = tuple(
                Disclosed(values[place], seals[values[place]], place, place_nonce(secret, place)) for place in hand
            )
            boxes.append((seat_role(seat), self._me.box(n, seat_role(seat), cards)))
        return Deal(
            seals=tuple(seal_commitment(seal, table_id, kind=kind) for kind, seal in enumerate(seals)),
            places=tuple(
                place_commitment(place_nonce(secret, place), table_id, place=place, value=values[place])
                for place in places
            ),
            boxes=tuple(boxes),
        )


async def make(bus: NatsBus, settings: Settings) -> Dealer:
    """Return the dealer on its connection, with the master key of its own volume."""
    return Dealer(bus, master=master_key(settings.home / "master.key"), home=settings.home)


def main() -> int:
    """Run the dealer until told to stop."""
    return run_service(make, user=DEALER)
