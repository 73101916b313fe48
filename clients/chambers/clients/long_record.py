"""An honest record of any length, made in one process with real keys, boxes and signatures, to time the audit on."""

from __future__ import annotations

import random
from typing import Final

from chambers import editions
from chambers.fairness.commitments import offer_commitment, place_commitment, seal_commitment
from chambers.fairness.dice import roll_value
from chambers.fairness.draw import Draw
from chambers.fairness.hashing import digest
from chambers.fairness.keys import TableSecrets, card_seal, place_nonce, shuffle_key, stow_nonce
from chambers.fairness.notes import checkpoint_text, cosign, sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.protocol.boxes import seal_as_always
from chambers.protocol.docket import Docket
from chambers.protocol.log import Admitted, Log
from chambers.protocol.statements import Entry, leaf, sign
from chambers.rules import Phase, complete_options, due, game, rollers
from chambers.rules.events import Bye, Close, Commit, Deal, Lapse, Mix, Open, Reveal, Roll, SeatPlan, TableEvent
from chambers.rules.game import Hand
from chambers.rules.opening import VERSION
from chambers.rules.roles import DEALER, GM, Role, contributors, seat_of, seat_role
from chambers.rules.terms import Binding, Disclosed, Due, Opened, Option, Pile, Setup

_START: Final = 1_700_000_000_000
_STEP_MS: Final = 400
_ROLLS: Final = 2
"""Of so many entries at most one is a roll."""
_NAMES: Final = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo")


def long_record(entries: int, *, edition: str = "tandem-target", seats: int = 4, seed: int = 1) -> Docket:
    """Return the docket of a table that random players keep going up to about `entries` entries, reveals included.

    A game that ends by itself before that gives a shorter record. EditionError for an edition that is not here.
    """
    table = Evening(edition, seats, seed, chain=entries // _ROLLS)
    table.play(entries)
    return table.docket()


class _Bound:
    """What one seat's statement is bound by; `made` are the boxes of the offers that are still open."""

    def __init__(self, evening: Evening, role: Role) -> None:
        self._evening, self._role = evening, role

    def nonce(self, place: int, /) -> bytes:
        return place_nonce(self._evening.roles[DEALER].secret, place)

    def stow(self, place: int, kind: int, /) -> tuple[bytes, bytes]:
        log = self._evening.log
        nonce = stow_nonce(self._evening.roles[self._role].secret, log.counter(self._role))
        return nonce, place_commitment(nonce, log.id, place=place, value=kind)

    def offer(self, box: bytes, /) -> bytes:
        self._evening.made[self._role] = box
        return offer_commitment(box)

    def offered(self, to: Role, opened: Opened, /) -> bytes:
        self._evening.boxed = opened
        return self._evening.made[self._role]


class Evening:
    """One table in one process: everybody's secrets and hands, and the log that they make together."""

    def __init__(
        self, edition: str, seats: int, seed: int, *, chain: int, options: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.random = random.Random(seed)
        self.edition = editions.load(edition)
        self.rules = game(self.edition.game)
        self.chain = max(self.rules.CHAIN, chain)
        self.key = SigningKey(digest("gm", str(seed)))
        table = digest("table", str(seed))[:16]
        self.roles = {
            role: TableSecrets.from_master(digest("m", role, str(seed)), table, role=role, attempt=1)
            for role in contributors(seats)
        }
        self.log = Log(table, edition_of=lambda _: self.edition)
        self.hands: list[Hand] = [self.rules.new_hand(seat) for seat in range(seats)]
        self.pile: Pile | None = None
        self.made: dict[Role, bytes] = {}
        self.boxed: Opened | None = None
        self._stowed: dict[int, bytes | None] = {}
        self.setup = Setup(self._opening(seats, options), self.edition)
        self._ts = _START

    def _opening(self, seats: int, options: tuple[tuple[str, str], ...]) -> Open:
        return Open(
            v=VERSION,
            game=self.rules.NAME,
            rules=self.rules.RULES,
            edition=self.edition.name,
            edition_hash=editions.edition_hash(self.edition),
            options=complete_options(self.rules, options),
            seats=(SeatPlan("host", True),) * seats,
            chain=self.chain,
            log_key=self.key.public,
            reveal="public",
            auditor_key=None,
            spectators=True,
        )

    def play(self, entries: int) -> None:
        """Play until the table is closed; it is closed in time for its reveals to be among the entries."""
        self.say(GM, self.setup.opening)
        last = entries - 2 * len(self.roles) - 1
        while self.log.table.phase is not Phase.CLOSED:
            if self.log.size >= last and self.log.table.phase is Phase.PLAY:
                self.say(GM, Close("aborted: the evening is over"))
                continue
            item = self.random.choice(due(self.log.table))
            self._ts += _STEP_MS
            if item.who == GM and item.until is not None:
                self._ts = max(self._ts, item.until)
            self.say(item.who, self._owed(item))

    def docket(self, size: int | None = None) -> Docket:
        """Return the record so far or its first `size` entries, under a checkpoint over all that is in it."""
        log = self.log
        size = log.size if size is None else size
        note = sign_checkpoint(self.key, log.id, size=size, root=log.tree.root_at(size))
        return Docket(editions.canonical(self.edition), tuple(log.leaves[:size]), note)

    def bound(self, role: Role) -> Binding:
        """Return what binds a seat's statements."""
        return _Bound(self, role)

    def _owed(self, item: Due) -> TableEvent:
        log, role = self.log, item.who
        match item.act:
            case "commit":
                seat, own = seat_of(role), self.roles[role]
                bound = own.bindings(self.chain)
                name = "" if seat is None else _NAMES[seat]
                keys = (bound.secret, bound.box, bound.luck, bound.anchor, bound.mix)
                return Commit(own.signing_key.public, name, *keys)
            case "mix":
                return Mix(self.roles[role].mix)
            case "deal":
                return self._deal()
            case "roll":
                shares = tuple((one, self.roles[one].chain(self.chain).share(item.k)) for one in rollers(log.table))
                return Roll(item.k, shares, roll_value(log.id, item.k, shares=shares))
            case "close":
                return Close("over" if self.rules.result(log.table.play) else "aborted: the table stopped")
            case "bye":
                return Bye()
            case "reveal":
                size = log.table.since + 1
                text = checkpoint_text(log.id, size, root=log.tree.root_at(size))
                own = self.roles[role]
                return Reveal(own.secret, own.luck, cosign(own.signing_key, text, time=self._ts // 1000))
        if role == GM:
            return Lapse(item.since)
        return self._dealer_act(item) if role == DEALER else self._choice(role)

    def shuffled(self) -> Pile:
        """Return where every card lies by the dealer's secret and everybody's mixes."""
        mixes = [mix.e for _, mix in self.log.table.mixes]
        key = shuffle_key(self.roles[DEALER].secret, self.log.id, mixes=mixes)
        return self.rules.deal(self.setup, Draw(key, self.rules.RULES))

    def _deal(self) -> Deal:
        secret, log = self.roles[DEALER].secret, self.log
        self.pile = pile = self.shuffled()
        values = dict(pile.values)
        cards = [
            tuple(Disclosed(values[at], self.seal(values[at]), at, place_nonce(secret, at)) for at in places)
            for places in pile.hands
        ]
        return Deal(
            tuple(seal_commitment(self.seal(c), log.id, kind=c) for c in range(self.rules.kinds(self.setup))),
            tuple(
                place_commitment(place_nonce(secret, at), log.id, place=at, value=values[at])
                for at in self.rules.places(self.setup)
            ),
            tuple((seat_role(n), self.box(DEALER, seat_role(n), opened)) for n, opened in enumerate(cards)),
        )

    def _dealer_act(self, item: Due) -> TableEvent:
        assert self.pile is not None
        return self.rules.dealer_act(
            self.log.table.play,
            self.pile,
            item,
            seal=self.seal,
            nonce=self.nonce,
            box=lambda to, opened: self.box(DEALER, to, opened),
        )

    def _choice(self, role: Role) -> TableEvent:
        seat, play = seat_of(role), self.log.table.play
        assert seat is not None
        option = self.rules.automatic(play, self.hands[seat]) or self._any(seat)
        return self.rules.complete(
            option, seal=self.seal, box=lambda to, opened: self.box(role, to, opened), binds=self.bound(role)
        )

    def _any(self, seat: int) -> Option:
        prompt = self.rules.prompt(self.log.table.play, self.hands[seat])
        assert prompt is not None
        calm = [option for option in prompt.options if not option.id.startswith("accuse")]
        return self.random.choice(calm or list(prompt.options))

    def seal(self, kind: int) -> bytes:
        """Return the seal of a card kind."""
        return card_seal(self.roles[DEALER].secret, kind)

    def nonce(self, place: int) -> bytes:
        """Return the opening of a place of the deal, or of a card that was stowed there since."""
        return self._stowed.get(place) or place_nonce(self.roles[DEALER].secret, place)

    def box(self, author: Role, to: Role, opened: Opened) -> bytes:
        """Return the box of the author's next statement to another role."""
        self.boxed = opened
        other = self.log.table.committed(to)
        assert other is not None
        secret, n = self.roles[author].secret, self.log.counter(author)
        return seal_as_always(secret, other.box, table=self.log.id, author=author, n=n, to=to, opened=opened)

    def leaf_of(self, author: Role, event: TableEvent) -> bytes:
        """Return the entry that an event would be now, signed by its author."""
        key = self.key if author == GM else self.roles[author].signing_key
        log = self.log
        size, n = log.size, log.counter(author)
        sig, stmt = sign(key, table=log.id, author=author, n=n, size=size, root=log.tree.root(), event=event)
        return leaf(Entry(size, self._ts, stmt, sig))

    def say(self, author: Role, event: TableEvent) -> None:
        """Append what an author says; the log's error if it is refused."""
        self._learn(self.log.admit(self.leaf_of(author, event)))

    def _learn(self, item: Admitted) -> None:
        boxed, self.boxed = self.boxed, None
        play = item.after.play
        if play is None or item.after.phase is not Phase.PLAY:
            return
        before = None if isinstance(item.event, Deal) or item.before is None else item.before.play
        ends = {to for to, _ in self.rules.boxes(item.event)} | {item.author}
        for seat, hand in enumerate(self.hands):
            opened = boxed if seat_role(seat) in ends else None
            if isinstance(item.event, Deal):
                opened = self._dealt(seat)
            self.hands[seat] = self.rules.learn(hand, before, play, item.author, item.event, opened)
        if before is not None and self.pile is not None:
            if DEALER in ends and item.author != DEALER:
                self._stowed.update((one.place, one.nonce) for one in boxed or () if one.place is not None)
            self.pile = self.rules.stock(self.pile, before, play, item.author, item.event, boxed)

    def _dealt(self, seat: int) -> Opened:
        assert self.pile is not None
        values = dict(self.pile.values)
        return tuple(Disclosed(values[place]) for place in self.pile.hands[seat])
