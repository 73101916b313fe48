"""The private replay: every seat's hand from the deal to the end, and every hidden statement held against it.

It knows a game by its door only: what a statement hides, moves and claims is asked of the game's own rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from chambers.audit.dealing import check_manifest, check_shuffle, dealt, is_dealt
from chambers.audit.faults import CORE_FAULTS
from chambers.audit.findings import Counts, Finding, Unproved
from chambers.audit.secrets import Opening, Secrets
from chambers.protocol.log import Admitted
from chambers.rules.due import ANSWERING
from chambers.rules.errors import RuleError
from chambers.rules.events import Bad, Deal
from chambers.rules.game import Hand
from chambers.rules.narrate import called, who
from chambers.rules.roles import DEALER, Role, seat_of, seat_role
from chambers.rules.table import Phase, Table
from chambers.rules.terms import Opened, Pile


class Unseen(Exception):
    """Somebody asked for a card of a hand that nothing tells of."""


class UnknownHand:
    """Stands for a hand that nothing tells of: whatever needs its cards raises Unseen."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def __getattr__(self, name: str) -> Any:
        raise Unseen


class Trace(msgspec.Struct, frozen=True):
    """What is known after one entry: the hands (None: unknown), the boxes opened, and what was proved, in words."""

    seq: int
    hands: tuple[Hand | None, ...]
    openings: tuple[tuple[Role, Opening], ...] = ()
    proof: str = ""

    def __repr__(self) -> str:
        return f"Trace({self.seq})"


class Replay:
    """Follows every hand through a log; `findings`, `unproved`, `counts` and `traces` say what came of it."""

    def __init__(self, secrets: Secrets, table: Table, admitted: tuple[Admitted, ...], *, trace: bool = False) -> None:
        self.findings: list[Finding] = []
        self.unproved: list[Unproved] = []
        self.proved: Counter[str] = Counter()
        self.traces: list[Trace] = []
        self._trace = trace
        self._secrets = secrets
        self._table = table
        self._admitted = admitted
        self._pile = secrets.pile()
        self._seals = secrets.seals()
        self._hands: dict[int, Hand | None] = {seat: table.game.new_hand(seat) for seat in range(table.seats)}
        self._openings: dict[tuple[int, Role], Opening] = {}
        self._handed_over: dict[int, Admitted] = {}
        self._public: dict[int, int] = {}

    def run(self) -> None:
        """Take every entry in order: what it hides is opened and judged, and the hands go on."""
        game = self._table.game
        try:
            for item in self._admitted:
                self._public.update((place, value) for place, value, _ in game.openings(item.event))
            self._handed_over = handed_over(self._admitted)
        except CORE_FAULTS:
            self.unproved.append(Unproved("A13", None, "What the record hides is something these rules cannot follow."))
            return
        for item in self._admitted:
            proof = ""
            try:
                proof = self._follow(item)
            except CORE_FAULTS:
                sentence = f"What entry {item.seq} hides is something that these rules cannot follow."
                self.unproved.append(Unproved("A13", item.seq, sentence))
                return
            if self._trace:
                boxes = tuple((to, opening) for (seq, to), opening in self._openings.items() if seq == item.seq)
                self.traces.append(Trace(item.seq, tuple(self._hands.values()), boxes, proof))

    def _follow(self, item: Admitted) -> str:
        match item.event:
            case Deal():
                return self._deal(item, item.event)
            case Bad():
                self._bad(item, item.event)
            case _ if item.before is not None and item.before.phase is Phase.PLAY:
                return self._statement(item)
        return ""

    def counts(self) -> Counts:
        """Return how many hidden statements of each kind were proved."""
        return Counts(**self.proved)

    # the deal

    def _deal(self, item: Admitted, event: Deal) -> str:
        if self._pile is None:
            sentence = "Without the dealer's secret the shuffle cannot be drawn again."
            self.unproved.append(Unproved("A21", item.seq, sentence))
        else:
            found = check_shuffle(self._secrets, self._table, item.seq, deal=event, pile=self._pile)
            self.findings.extend(found)
        for seat, (role, box) in enumerate(event.boxes):
            self._dealt(item, seat, opening=self._open(item, role, box))
        self.findings.extend(check_manifest(self._table, item.seq, play=item.after.play, hands=self._hands.values()))
        if self._pile is None or self.findings:
            return ""
        self.proved["deals"] += 1
        return (
            f"The deal is the shuffle that the dealer's secret and {len(self._table.mixes)} seats' mixes make: "
            f"{len(event.places)} places and {len(event.seals)} seals equal their commitments."
        )

    def _dealt(self, item: Admitted, seat: int, *, opening: Opening) -> None:
        expected = dealt(self._secrets, self._pile, seat)
        opened = opening.opened
        if opening.fault:
            self._find("A22", item.seq, DEALER, f"The cards dealt to seat {seat}: {opening.fault}")
        elif opened is not None and not is_dealt(self._table, opened, seat, expected=expected):
            self._find("A22", item.seq, DEALER, f"The cards dealt to seat {seat} are not those of the shuffle.")
        elif opened is None and expected is None:
            self.unproved.append(Unproved("A22", item.seq, f"Nobody has opened the cards dealt to seat {seat}."))
            self._hands[seat] = None
        self._learn(item, seat, expected if opened is None or (opening.fault and expected is not None) else opened)

    # play

    def _statement(self, item: Admitted) -> str:
        game = self._table.game
        opening: Opening | None = None
        ends: tuple[Role, ...] = ()
        for to, box in game.boxes(item.event):
            opening, ends = self._open(item, to, box), (item.author, to)
        later = self._handed_over.get(item.seq)
        if opening is None and later is not None:
            # What was offered here is in the box that was handed over later; nobody but its author knew it before.
            ((to, box),) = game.boxes(later.event)
            opened = self._secrets.open_entry(later, self._admitted, to=to, box=box).opened
            ends = (item.author,)
        elif opening is None and game.offer(item.event) is not None:
            opened = self._offered(item)
            ends = () if opened is None else (item.author,)
        else:
            opened = opening.opened if opening is not None else None
        moves = opening is not None or bool(game.seals(item.event))
        proof = self._judge(item, opening, opened, moves=moves)
        before = dict(self._hands) if moves else {}
        astray = False
        for other in self._hands:
            mine = seat_role(other) in ends
            if mine and opened is None:
                self._hands[other] = None
            astray |= not self._learn(item, other, opened if mine else None)
        lay, lies = self._stock(item, opened)
        if proof is not None and moves and not astray:
            self._check_conserved(item, before, lay=lay, lies=lies)
        return proof or ""

    def _offered(self, item: Admitted) -> Opened | None:
        """Return what an offer is bound to that nobody took up: only its author's secret makes that box again."""
        assert item.before is not None
        hand = self._hands[seat_of(item.author) or 0]
        held = () if hand is None else self._table.game.held(item.before.play, hand)
        # A card that is held is tried first: it is one of them unless the author lies.
        likely = {kind: self._seals[kind] for kind in held if kind in self._seals}
        opened = self._secrets.offered(item, seals={**likely, **self._seals})
        if opened is None:
            # Another nonce than the usual one is no fault, so it may be a card as well as nothing at all.
            what = f"What {self._called(item.author)} offered at entry {item.seq}"
            told = "is bound to no card that can be told" if self._secrets.has(item.author) else "has not been revealed"
            self.unproved.append(Unproved("A24", item.seq, f"{what} {told}."))
        return opened

    def _judge(self, item: Admitted, opening: Opening | None, opened: Opened | None, *, moves: bool) -> str | None:
        """Return what is proved of a statement, in words; None if it is false, or if nothing tells."""
        if opening is not None and not self._judge_box(item, opening):
            if item.author == DEALER and not opening.decided:
                # Nobody has opened the box, but what was opened before everybody may still contradict its verdict.
                self._vouch_dealer(item, None)
            return None
        seat = seat_of(item.author)
        if item.author == DEALER:
            return self._vouch_dealer(item, opened)
        return "" if seat is None else self._vouch(item, seat, opened, moves=moves)

    def _judge_box(self, item: Admitted, opening: Opening) -> bool:
        """Return whether a statement's box holds what it must hold, as far as its receiver could tell at once."""
        assert item.before is not None
        check, fault = "A25" if item.author == DEALER else "A23", opening.fault
        ((to, _),) = self._table.game.boxes(item.event)
        if not opening.decided:
            names = f"Neither {self._called(item.author)} nor {self._called(to)}"
            sentence = f"{names} has revealed what opens the box of entry {item.seq}."
            self.unproved.append(Unproved(check, item.seq, sentence))
            return False
        if not fault and opening.opened is not None:
            try:
                self._table.game.accept(item.before.play, item.event, opening.opened)
            except RuleError as error:
                fault = error.sentence
        if fault:
            sentence = f"What {self._called(item.author)} gave {self._called(to)} at entry {item.seq} is bad: {fault}"
            self._find(check, item.seq, item.author, sentence)
        return not fault

    def _vouch(self, item: Admitted, seat: int, opened: Opened | None, *, moves: bool) -> str | None:
        assert item.before is not None
        game, hand, check = self._table.game, self._hands[seat], "A23" if moves else "A24"
        try:
            game.vouch(item.before.play, UnknownHand(seat) if hand is None else hand, item.event, opened)
        except Unseen:
            sentence = f"Nothing tells whether {self._called(item.author)} spoke truly: some cards are unknown."
            self.unproved.append(Unproved(check, item.seq, sentence))
            return None
        except RuleError as error:
            sentence = f"What {self._called(item.author)} did at entry {item.seq} is false: {error.sentence}"
            self._find(check, item.seq, item.author, sentence)
            return None
        return "" if hand is None else self._prove(item, seat, opened, moves=moves)

    def _prove(self, item: Admitted, seat: int, opened: Opened | None, *, moves: bool) -> str:
        boxed, answers = bool(self._table.game.boxes(item.event)), self._act(item) in ANSWERING
        self.proved["answers"] += answers
        self.proved["passes"] += boxed
        self.proved["plays"] += moves and not boxed and not answers
        if not self._trace:
            return ""
        name = self._called(item.author)
        if boxed:
            return f"The box opens to what it must hold, and {name} held it."
        if moves:
            return f"The seal is right, and {name} held the card."
        if not self._rests_on_hand(item, seat, opened):
            return ""
        held = len(self._table.game.held(item.after.play, self._hands[seat]))
        return f"True: it agrees with all that {name} held and knew then ({held} card{'s' if held != 1 else ''})."

    def _rests_on_hand(self, item: Admitted, seat: int, opened: Opened | None) -> bool:
        assert item.before is not None
        try:
            self._table.game.vouch(item.before.play, UnknownHand(seat), item.event, opened)
        except Unseen:
            return True
        return False

    def _vouch_dealer(self, item: Admitted, opened: Opened | None) -> str | None:
        assert item.before is not None
        # The places are committed to, so what was opened of them is what lies there, and enough to judge by.
        shown = {card.place: card.value for card in opened or () if card.place is not None}
        pile = self._pile
        if pile is None and opened is None and not self._public:
            return None
        lying = {**self._public, **shown, **(dict(pile.values) if pile is not None else {})}
        try:
            hands = pile.hands if pile is not None else ()
            self._table.game.vouch_dealer(item.before.play, Pile(tuple(lying.items()), hands), item.event, opened)
        except RuleError as error:
            self._find("A25", item.seq, DEALER, f"What the dealer said at entry {item.seq} is false: {error.sentence}")
            return None
        except KeyError:
            self._find("A25", item.seq, DEALER, f"At entry {item.seq} the dealer did not show what it has to.")
            return None
        self.proved["looks"] += opened is not None and bool(self._table.game.boxes(item.event))
        return "What the dealer showed equals what it committed to at the deal." if opened or self._public else ""

    # cards are neither made nor lost

    def _stock(self, item: Admitted, opened: Opened | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the cards that lay with the dealer before an entry and after it, where they are known."""
        pile, game = self._pile, self._table.game
        if pile is None or item.before is None or not game.boxes(item.event):
            return (), ()
        lay = game.lying(item.before.play, pile)
        try:
            self._pile = game.stock(pile, item.before.play, item.after.play, item.author, item.event, opened)
            return lay, game.lying(item.after.play, self._pile)
        except CORE_FAULTS:
            # A card stowed in a bad box lies at a place that nobody can tell of; the box is a finding already.
            return (), ()

    def _check_conserved(
        self, item: Admitted, hands: Mapping[int, Hand | None], *, lay: tuple[int, ...], lies: tuple[int, ...]
    ) -> None:
        """Find (A26) cards that came from nowhere, or went without being played before everybody's eyes."""
        if self._pile is None and any(DEALER in (item.author, to) for to, _ in self._table.game.boxes(item.event)):
            return
        assert item.before is not None
        before, after = Counter(lay), Counter(lies)
        for seat, old in hands.items():
            new = self._hands[seat]
            if old is None or new is None:
                return
            if old is not new:
                before.update(self._table.game.held(item.before.play, old))
                after.update(self._table.game.held(item.after.play, new))
        spent = Counter(kind for kind, _ in self._table.game.seals(item.event))
        if after - before or before - after - spent:
            self._find("A26", item.seq, item.author, f"At entry {item.seq} the cards in the hands do not add up.")

    # the evidence of a receiver

    def _bad(self, item: Admitted, event: Bad) -> None:
        openings = [opening for (seq, to), opening in self._openings.items() if (seq, to) == (event.ref, item.author)]
        if not openings:
            sentence = f"Entry {event.ref} holds no box that {self._called(item.author)} could reject."
            self._find("A27", item.seq, item.author, sentence)
        elif not openings[0].decided:
            sentence = f"Whether the box of entry {event.ref} was bad cannot be told: neither end has opened it."
            self.unproved.append(Unproved("A27", item.seq, sentence))
        elif not any(found.entry == event.ref for found in self.findings):
            sentence = (
                f"{who(self._table, item.author)} rejected the box of entry {event.ref}, which is as it should be."
            )
            self._find("A27", item.seq, item.author, sentence)

    # what all of it rests on

    def _open(self, item: Admitted, to: Role, box: bytes) -> Opening:
        opening = self._secrets.open_entry(item, self._admitted, to=to, box=box)
        self._openings[item.seq, to] = opening
        if not opening.fault:
            self._seals.update((card.value, card.seal) for card in opening.opened or () if card.seal is not None)
        return opening

    def _learn(self, item: Admitted, seat: int, opened: Opened | None) -> bool:
        """Take an entry into a hand; return False where the hand cannot follow it, since its seat was found lying."""
        hand = self._hands[seat]
        if hand is None:
            return True
        before = None if isinstance(item.event, Deal) or item.before is None else item.before.play
        try:
            learned = self._table.game.learn(hand, before, item.after.play, item.author, item.event, opened)
        except CORE_FAULTS:
            # A card that the hand never held cannot leave it; the false statement itself is a finding already.
            # A trade is one exchange in two entries: whoever makes the second, honestly, does not answer for the first.
            self._hands[seat] = hand if opened is not None or self._table.game.seals(item.event) else None
            return not any(found.culprit == seat_role(seat) for found in self.findings)
        self._hands[seat] = learned
        return True

    def _act(self, item: Admitted) -> str:
        assert item.before is not None
        return next((due.act for due in self._table.game.due(item.before.play) if due.who == item.author), "")

    def _called(self, role: Role) -> str:
        return called(self._table, role)

    def _find(self, check: str, entry: int, culprit: Role, sentence: str) -> None:
        self.findings.append(Finding(check, entry, culprit, sentence))


def handed_over(admitted: tuple[Admitted, ...]) -> dict[int, Admitted]:
    """Return, for each entry that offered a box and was taken up on it, the entry that handed that box over."""
    found: dict[int, Admitted] = {}
    for item in admitted:
        if item.before is not None and item.before.phase is Phase.PLAY and not isinstance(item.event, Deal):
            offered = item.after.game.offered(item.before.play, item.event)
            if offered is not None:
                found[offered[0]] = item
    return found
