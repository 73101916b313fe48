"""Plays whole games in one process with real keys, boxes, commitments and signatures, through the log that roles fold.

`play_game(seats=3, seed=7)` is an honest game that ends with every reveal. What one role does may be changed by a hook:

- `event(game, role, event)` returns what the role says instead, or None for silence;
- `pile(pile)` returns the cards that the dealer deals instead of the shuffled ones;
- `choose(seat, play, hand, prompt)` takes the option, which is a random one otherwise.

What the log refuses is kept as the last leaf of the docket all the same, as a game master without scruples would.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from chambers import editions
from chambers.fairness.commitments import place_commitment, seal_commitment
from chambers.fairness.dice import roll_value
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import digest
from chambers.fairness.keys import TableSecrets, card_seal, place_nonce, shuffle_key
from chambers.fairness.notes import checkpoint_text, cosign, cosignature_line, sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol.auditor import entrust
from chambers.protocol.boxes import open_disclosures, seal_disclosures
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Admitted, Log
from chambers.protocol.statements import Entry, leaf, sign
from chambers.rules import RuleError, Table, complete_options, due, game, rollers
from chambers.rules.events import (
    Again,
    Bye,
    Close,
    Commit,
    Cosign,
    Deal,
    Drop,
    Entrust,
    Lapse,
    LastWord,
    Mix,
    Open,
    Reveal,
    Roll,
    Say,
    SeatPlan,
    Stall,
    TableEvent,
)
from chambers.rules.game import Hand
from chambers.rules.roles import DEALER, GM, Role, contributors, seat_of, seat_role, seat_roles
from chambers.rules.table import Phase
from chambers.rules.terms import Disclosed, Due, Opened, Option, Pile, Prompt, Setup

NAMES = ("Ada", "Bo", "Cy", "Dot", "Eve", "Flo")

EventHook = Callable[["PlayedGame", Role, TableEvent], TableEvent | None]
PileHook = Callable[[Pile], Pile]
Choose = Callable[[int, Any, Hand, Prompt], Option]


class PlayedGame:
    """One table in one process: everybody's secrets and hands, and the log that they make together."""

    def __init__(
        self,
        *,
        seats: int,
        seed: int,
        table: bytes | None,
        masters: Mapping[Role, bytes],
        edition: str,
        options: Mapping[str, str],
        chain: int,
        boldness: float,
        lapses: float,
        talk: float,
        most: int | None,
        event: EventHook | None,
        pile: PileHook | None,
        choose: Choose | None,
        reveal: str,
        auditor_key: bytes | None,
    ) -> None:
        self.random = random.Random(seed)
        self.rules = game("witness-stand")
        self.edition = editions.load(edition)
        self.id = digest("table", str(seed))[:16] if table is None else table
        self.log_key = SigningKey(digest("gm", str(seed)))
        self._masters = {role: masters.get(role, digest("m", role, str(seed))) for role in contributors(seats)}
        self.roles = {role: self._secrets(role, 1) for role in self._masters}
        self.log = Log(self.id, edition_of=lambda _: self.edition)
        self.extra: list[bytes] = []
        self.said: list[tuple[Admitted, dict[Role, Opened]]] = []
        self.hands: dict[int, Hand] = {seat: self.rules.new_hand(seat) for seat in range(seats)}
        self.given: dict[int, list[int]] = {seat: [] for seat in range(seats)}
        self.pile: Pile | None = None
        self.ts = 1_700_000_000_000
        self._silent: set[tuple[Role, int]] = set()
        self._boldness, self._lapses, self._talk, self.most = boldness, lapses, talk, most
        self._event, self._pile, self._choose = event, pile, choose or self._at_random
        opening = Open(
            v=1,
            game=self.rules.NAME,
            rules=self.rules.RULES,
            edition=self.edition.name,
            edition_hash=editions.edition_hash(self.edition),
            options=complete_options(self.rules, tuple(options.items())),
            seats=(SeatPlan("host", True),) * seats,
            chain=chain,
            log_key=self.log_key.public,
            reveal=reveal,
            auditor_key=auditor_key,
            spectators=True,
        )
        self.setup = Setup(opening, self.edition)
        self.chain = chain

    # what comes of it

    @property
    def table(self) -> Table:
        """Return the public table as it stands."""
        return self.log.table

    def docket(self) -> Docket:
        """Return the record, under a checkpoint over everything in it."""
        return self.record([*self.log.leaves, *self.extra])

    def record(self, leaves: list[bytes], *, note: str | None = None) -> Docket:
        """Return a record of any leaves, under a checkpoint that the game master signs for them."""
        return Docket(editions.canonical(self.edition), tuple(leaves), self.note_over(leaves) if note is None else note)

    def note_over(self, leaves: list[bytes]) -> str:
        """Return the game master's checkpoint over some leaves."""
        tree = Tree()
        for raw in leaves:
            tree.append(leaf_hash(raw))
        return sign_checkpoint(self.log_key, self.id, size=tree.size, root=tree.root())

    def receipt(self) -> str:
        """Return the receipt that a player keeps: the head after the last goodbye, cosigned by everybody."""
        size, root = self.size_after_byes, self.log.tree.root_at(self.size_after_byes)
        note = sign_checkpoint(self.log_key, self.id, size=size, root=root)
        text = checkpoint_text(self.id, size, root=root)
        lines = (
            cosignature_line(
                self.id,
                role,
                public=own.signing_key.public,
                cosignature=cosign(own.signing_key, text, time=self.ts // 1000),
            )
            for role, own in self.roles.items()
        )
        return note + "".join(lines)

    @property
    def size_after_byes(self) -> int:
        """Return the size of the log right after the last goodbye."""
        return self.log.size - len(self.table.reveals)

    # what a role can do

    def _secrets(self, role: Role, attempt: int) -> TableSecrets:
        return TableSecrets.from_master(self._masters[role], self.id, role=role, attempt=attempt)

    def seal(self, kind: int) -> bytes:
        """Return the seal of a card kind, as whoever held such a card knows it."""
        return card_seal(self.roles[DEALER].secret, kind)

    def nonce(self, place: int) -> bytes:
        """Return the dealer's nonce of a place."""
        return place_nonce(self.roles[DEALER].secret, place)

    def box(self, author: Role, to: Role, opened: Opened) -> bytes:
        """Return the box of the author's next statement to another role."""
        return seal_disclosures(
            self.roles[author].box_private,
            self._box_public(to),
            table=self.id,
            author=author,
            n=self.log.counter(author),
            to=to,
            opened=opened,
            nonce=self.random.randbytes(24),
        )

    def share(self, role: Role, k: int) -> bytes:
        """Return a role's share of roll `k`."""
        return self.roles[role].chain(self.chain).share(k)

    def roll(self, k: int) -> Roll:
        """Return roll `k` with everybody's share of it."""
        shares = tuple((role, self.share(role, k)) for role in rollers(self.table))
        return Roll(k, shares, roll_value(self.id, k, shares=shares))

    def leaf_of(self, author: Role, event: TableEvent, *, n: int | None = None, size: int | None = None) -> bytes:
        """Return the entry that an event would be now, signed by its author."""
        key = self.log_key if author == GM else self.roles[author].signing_key
        seen = self.log.size if size is None else size
        number = self.log.counter(author) if n is None else n
        sig, stmt = sign(
            key, table=self.id, author=author, n=number, size=seen, root=self.log.tree.root_at(seen), event=event
        )
        return leaf(Entry(self.log.size, self.ts, stmt, sig))

    # the game

    def play(self) -> None:
        """Play from the opening to the last reveal, or until nobody who owes something says anything."""
        self.say(GM, self.setup.opening)
        while not self.extra and self.table.phase is not Phase.CLOSED:
            if self.most is not None and self.log.size >= self.most and self.table.phase is Phase.PLAY:
                self.say(GM, Close("aborted: the evening is over"))
                continue
            owed = [item for item in due(self.table) if (item.who, self.log.size) not in self._silent]
            if not owed:
                return
            self._act(self.random.choice(owed))

    def again(self, stalled: Role) -> None:
        """Have the game master start the setup anew, since a role let its limit pass: everybody has new secrets."""
        attempt = self.table.attempt + 1
        self.ts += 600_000
        self.say(GM, Again(attempt, stalled))
        self.roles = {role: self._secrets(role, attempt) for role in self.roles}

    def drop(self, seat: int) -> None:
        """Have every other live seat say that `seat` stalls what is due now, and the game master drop it."""
        owed = due(self.table)[0]
        self.ts += 600_000
        for role in seat_roles(self.table.seats):
            if role in self.table.live and role != seat_role(seat):
                self.say(role, Stall(seat_role(seat), owed.since))
        self.say(GM, Drop(seat))

    def _act(self, item: Due) -> None:
        self.ts += self.random.randrange(20, 2000)
        if self.table.phase is Phase.PLAY and self.random.random() < self._talk:
            seat = self.random.randrange(self.table.seats)
            if self._may_say(seat):
                self.say(seat_role(seat), Say(f"Well, well, {self.random.randrange(1000)}."))
        limited = item.until is not None and not item.lapsed and self.table.phase is Phase.PLAY
        if limited and item.until is not None and (item.who == GM or self.random.random() < self._lapses):
            self.ts = max(self.ts, item.until)
            self.say(GM, Lapse(item.since))
            return
        event = self._owed(item)
        if self._event is not None:
            changed = self._event(self, item.who, event)
            if changed is None:
                self._silent.add((item.who, self.log.size))
                return
            event = changed
        self.say(item.who, event)

    def _owed(self, item: Due) -> TableEvent:
        match item.act:
            case "commit":
                return self._commit(item.who)
            case "mix":
                return Mix(self.roles[item.who].mix)
            case "deal":
                return self._deal()
            case "roll":
                return self.roll(item.k)
            case "close":
                return Close("over" if self.rules.result(self.table.play) else f"aborted: {self.table.stopped}")
            case "bye":
                return Bye()
            case "reveal":
                return self._reveal(item.who)
        if item.who == DEALER:
            return self._dealer_act(item)
        return self._move(item)

    def _commit(self, role: Role) -> Commit:
        own, seat = self.roles[role], seat_of(role)
        bound = own.bindings(self.chain)
        name = "" if seat is None else NAMES[seat]
        return Commit(own.signing_key.public, name, bound.secret, bound.box, bound.luck, bound.anchor, bound.mix)

    def _deal(self) -> Deal:
        secret = self.roles[DEALER].secret
        mixes = [mix.e for _, mix in self.table.mixes]
        key = shuffle_key(secret, self.id, mixes=mixes)
        pile = self.rules.deal(self.setup, Draw(key, self.rules.RULES))
        self.pile = pile if self._pile is None else self._pile(pile)
        values = dict(self.pile.values)
        boxes = []
        for seat, role in enumerate(seat_roles(self.table.seats)):
            cards = tuple(
                Disclosed(values[place], self.seal(values[place]), place, self.nonce(place))
                for place in self.pile.hands[seat]
            )
            boxes.append((role, self.box(DEALER, role, cards)))
        return Deal(
            tuple(seal_commitment(self.seal(c), self.id, kind=c) for c in range(self.rules.kinds(self.setup))),
            tuple(
                place_commitment(self.nonce(place), self.id, place=place, value=values[place])
                for place in self.rules.places(self.setup)
            ),
            tuple(boxes),
        )

    def _dealer_act(self, item: Due) -> TableEvent:
        assert self.pile is not None
        return self.rules.dealer_act(
            self.table.play,
            self.pile,
            item,
            seal=self.seal,
            nonce=self.nonce,
            box=lambda to, opened: self.box(DEALER, to, opened),
        )

    def _move(self, item: Due) -> TableEvent:
        seat = seat_of(item.who)
        assert seat is not None
        play, hand = self.table.play, self.hands[seat]
        if item.lapsed:
            option = self.rules.fallback(play, hand)
        else:
            prompt = self.rules.prompt(play, hand)
            assert prompt is not None
            option = self._choose(seat, play, hand, prompt)
        return self.rules.complete(option, seal=self.seal, box=lambda to, opened: self.box(item.who, to, opened))

    def _reveal(self, role: Role) -> LastWord:
        own, size = self.roles[role], self.size_after_byes
        text = checkpoint_text(self.id, size, root=self.log.tree.root_at(size))
        cosignature = cosign(own.signing_key, text, time=self.ts // 1000)
        opening = self.setup.opening
        if opening.reveal == "none":
            return Cosign(cosignature)
        if opening.auditor_key is None:
            return Reveal(own.secret, own.luck, cosignature)
        box = entrust(opening.auditor_key, table=self.id, role=role, secret=own.secret, luck=own.luck)
        return Entrust(box, cosignature)

    def _at_random(self, seat: int, play: Any, hand: Hand, prompt: Prompt) -> Option:
        calm = [option for option in prompt.options if not option.id.startswith("accuse")]
        bold = self.random.random() < self._boldness or not calm
        return self.random.choice(prompt.options if bold else calm)

    def _may_say(self, seat: int) -> bool:
        try:
            self.rules.may_say(self.table.play, seat)
        except RuleError:
            return False
        return not self.table.stopped

    def say(self, author: Role, event: TableEvent) -> None:
        """Append what an author says; what the log refuses ends the game, and ends the record."""
        raw = self.leaf_of(author, event)
        n = self.log.counter(author)
        try:
            done = self.log.admit(raw)
        except (RuleError, ProtocolError, FairnessError):
            if self._event is None:
                raise
            self.extra.append(raw)
            return
        seen: dict[Role, Opened] = {}
        self.said.append((done, seen))
        if self.table.phase is not Phase.PLAY or self.table.play is None:
            return
        before = None if isinstance(event, Deal) or done.before is None else done.before.play
        for to, box in self.rules.boxes(event):
            seat = seat_of(author)
            if seat is not None:
                opened = self._open(to, author, n=n, box=box)
                self.given[seat] += [card.value for card in opened or ()]
        for other in self.hands:
            self._learn(other, before, author, event, n=n, seen=seen)

    def _learn(
        self, seat: int, before: Any, author: Role, event: TableEvent, *, n: int, seen: dict[Role, Opened]
    ) -> None:
        role, opened = seat_role(seat), None
        for to, box in self.rules.boxes(event):
            if role in (author, to):
                opened = self._open(to, author, n=n, box=box)
        if opened is not None:
            seen[role] = opened
        try:
            self.hands[seat] = self.rules.learn(self.hands[seat], before, self.table.play, author, event, opened)
        except ValueError:
            # Only a liar gives a card that it does not hold, and only a bad box is not opened.
            if self._event is None:
                raise

    def _open(self, to: Role, author: Role, *, n: int, box: bytes) -> Opened | None:
        try:
            return open_disclosures(
                self.roles[to].box_private, self._box_public(author), table=self.id, author=author, n=n, to=to, box=box
            )
        except FairnessError:
            if self._event is None:
                raise
            return None

    def _box_public(self, role: Role) -> bytes:
        commit = self.table.committed(role)
        assert commit is not None
        return commit.box


def play_game(
    *,
    seats: int = 3,
    seed: int = 1,
    table: bytes | None = None,
    masters: Mapping[Role, bytes] | None = None,
    edition: str = "tandem-target",
    options: Mapping[str, str] | None = None,
    chain: int = 1024,
    boldness: float = 0.1,
    lapses: float = 0.0,
    talk: float = 0.0,
    most: int | None = 4000,
    event: EventHook | None = None,
    pile: PileHook | None = None,
    choose: Choose | None = None,
    reveal: str = "public",
    auditor_key: bytes | None = None,
) -> PlayedGame:
    """Return a game that has been played to its last reveal, or as far as the hooks let it go.

    `seed` fixes everything: keys, deal, dice and choices; `table` and `masters` replace the table id and the master
    keys of some roles. `boldness` is how often an accusation is among the choices, `lapses` how often a limit passes,
    `talk` how often somebody speaks, `most` after how many entries the game master closes the table, `reveal` is the
    reveal policy.
    """
    played = PlayedGame(
        seats=seats,
        seed=seed,
        table=table,
        masters=masters or {},
        edition=edition,
        options=options or {},
        chain=chain,
        boldness=boldness,
        lapses=lapses,
        talk=talk,
        most=most,
        event=event,
        pile=pile,
        choose=choose,
        reveal=reveal,
        auditor_key=auditor_key,
    )
    played.play()
    return played
