"""The private replay: every seat's hand from the deal to the end, and every hidden statement held against it."""

from __future__ import annotations

from collections import Counter
from typing import Final

from chambers.audit.faults import CORE_FAULTS
from chambers.audit.findings import Counts, Finding, Unproved
from chambers.audit.secrets import Opening, Secrets, counter_of
from chambers.fairness.commitments import place_commitment, seal_commitment
from chambers.fairness.draw import Draw
from chambers.fairness.keys import card_seal, place_nonce
from chambers.protocol.log import Admitted, Log
from chambers.rules.errors import RuleError
from chambers.rules.events import Bad, Deal, TableEvent
from chambers.rules.game import Hand
from chambers.rules.narrate import who
from chambers.rules.roles import DEALER, Role, seat_of, seat_role
from chambers.rules.table import Phase
from chambers.rules.terms import Disclosed, Opened, Pile

_NONE_TAGS: Final = frozenset({"none", "claim"})


class Replay:
    """Follows every hand through a log; `findings`, `unproved` and `counts` say what came of it."""

    def __init__(self, secrets: Secrets, log: Log, admitted: tuple[Admitted, ...]) -> None:
        self.findings: list[Finding] = []
        self.unproved: list[Unproved] = []
        self.proved: Counter[str] = Counter()
        self._secrets = secrets
        self._table = table = log.table
        self._admitted = admitted
        self._leaves = log.leaves
        self._pile = secrets.pile()
        self._hands: dict[int, Hand | None] = {seat: table.game.new_hand(seat) for seat in range(table.seats)}
        self._openings: dict[tuple[int, Role], Opening] = {}
        self._public: dict[int, int] = {}

    def run(self) -> None:
        """Take every entry in order: what it hides is opened and judged, and the hands go on."""
        for item in self._admitted:
            self._public.update((place, value) for place, value, _ in self._table.game.openings(item.event))
        for item in self._admitted:
            try:
                self._follow(item)
            except CORE_FAULTS:
                sentence = f"What entry {item.seq} hides is something that these rules cannot follow."
                self.unproved.append(Unproved("A13", item.seq, sentence))
                return

    def _follow(self, item: Admitted) -> None:
        match item.event:
            case Deal():
                self._deal(item, item.event)
            case Bad():
                self._bad(item, item.event)
            case _ if item.before is not None and item.before.phase is Phase.PLAY:
                self._statement(item)

    def counts(self) -> Counts:
        """Return how many hidden statements of each kind were proved."""
        return Counts(**self.proved)

    # the deal

    def _deal(self, item: Admitted, event: Deal) -> None:
        if self._pile is None:
            sentence = "Without the dealer's secret the shuffle cannot be drawn again."
            self.unproved.append(Unproved("A21", item.seq, sentence))
        else:
            self._check_shuffle(item.seq, event, self._pile)
        for seat, (role, box) in enumerate(event.boxes):
            self._dealt(item, seat, opening=self._open(item, role, box))
        self._check_manifest(item.seq)
        if self._pile is not None and not self.findings:
            self.proved["deals"] += 1

    def _check_shuffle(self, seq: int, event: Deal, pile: Pile) -> None:
        secret, table_id, game = self._secrets.dealer, self._secrets.id, self._table.game
        assert secret is not None
        values = dict(pile.values)
        wrong = [
            place
            for place, committed in zip(game.places(self._table.setup), event.places, strict=True)
            if place_commitment(place_nonce(secret, place), table_id, place=place, value=values[place]) != committed
        ]
        if wrong:
            count = f"{len(wrong)} of {len(values)} places hold another card"
            self._find("A21", seq, DEALER, f"The deal is not the committed shuffle: {count} than it put there.")
        seals = enumerate(event.seals)
        if any(seal_commitment(card_seal(secret, kind), table_id, kind=kind) != seal for kind, seal in seals):
            self._find("A21", seq, DEALER, "The dealer committed to seals that are not made from its secret.")

    def _dealt(self, item: Admitted, seat: int, *, opening: Opening) -> None:
        expected = self._expected(seat)
        opened = opening.opened
        if opening.fault:
            self._find("A22", item.seq, DEALER, f"The cards dealt to seat {seat}: {opening.fault}")
        elif opened is not None and not self._is_deal(opened, seat, expected):
            self._find("A22", item.seq, DEALER, f"The cards dealt to seat {seat} are not those of the shuffle.")
        elif opened is None:
            self._lose(seat, item.seq, "A22", f"Nobody has opened the cards dealt to seat {seat}.")
        self._learn(item, seat, expected if opened is None or (opening.fault and expected is not None) else opened)

    def _expected(self, seat: int) -> Opened | None:
        secret, pile = self._secrets.dealer, self._pile
        if secret is None or pile is None:
            return None
        values = dict(pile.values)
        return tuple(
            Disclosed(values[place], card_seal(secret, values[place]), place, place_nonce(secret, place))
            for place in pile.hands[seat]
        )

    def _is_deal(self, opened: Opened, seat: int, expected: Opened | None) -> bool:
        if expected is not None:
            return opened == expected
        # Which places a seat gets does not depend on the shuffle, so any draw tells them.
        game = self._table.game
        places = game.deal(self._table.setup, Draw(bytes(32), game.RULES)).hands[seat]
        return all(card.seal is not None for card in opened) and tuple(card.place for card in opened) == places

    def _check_manifest(self, seq: int) -> None:
        game = self._table.game
        deck = Counter(value for _, value in game.deal(self._table.setup, Draw(bytes(32), game.RULES)).values)
        dealt = Counter(card for hand in self._hands.values() if hand is not None for card in hand.cards)
        if dealt - deck:
            self._find("A26", seq, DEALER, "More cards of one kind were dealt than there are in the game.")

    # play

    def _statement(self, item: Admitted) -> None:
        assert item.before is not None
        game, event = self._table.game, item.event
        opening: Opening | None = None
        ends: tuple[Role, ...] = ()
        for to, box in game.boxes(event):
            opening, ends = self._open(item, to, box), (item.author, to)
            self._judge_box(item, to, opening)
        opened = opening.opened if opening is not None else None
        seat = seat_of(item.author)
        moves = opening is not None or bool(game.seals(event))
        # A box that is bad is a finding already, and one that nobody opened is a note already.
        honest = opening is None or (opening.decided and not opening.fault)
        if honest and item.author == DEALER:
            honest = self._vouch_dealer(item, opened)
        elif honest and seat is not None:
            honest = self._vouch(item, seat, opened, moves=moves)
        before = dict(self._hands) if moves else {}
        for other in self._hands:
            mine = seat_role(other) in ends
            if mine and opened is None:
                self._hands[other] = None
            self._learn(item, other, opened if mine else None)
        if honest and moves:
            self._check_conserved(item, before)

    def _judge_box(self, item: Admitted, to: Role, opening: Opening) -> None:
        check = "A25" if item.author == DEALER else "A23"
        if opening.fault:
            sentence = f"What {self._who(item.author)} gave {self._who(to)} at entry {item.seq} is bad: {opening.fault}"
            self._find(check, item.seq, item.author, sentence)
        elif not opening.decided:
            names = f"Neither {self._who(item.author)} nor {self._who(to)}"
            sentence = f"{names} has revealed what opens the box of entry {item.seq}."
            self.unproved.append(Unproved(check, item.seq, sentence))
        elif item.author != DEALER and any(card.seal is None for card in opening.opened or ()):
            sentence = f"At entry {item.seq}, {self._who(item.author)} gave a card without its seal."
            self._find(check, item.seq, item.author, sentence)

    def _vouch(self, item: Admitted, seat: int, opened: Opened | None, *, moves: bool) -> bool:
        assert item.before is not None
        hand = self._hands[seat]
        act = self._act(item) if moves or _is_none(item.event) else ""
        if hand is None:
            if act == "answer":
                sentence = f"Nothing tells whether {self._who(item.author)} answered truly: some cards are unknown."
                self.unproved.append(Unproved("A24", item.seq, sentence))
            return False
        try:
            self._table.game.vouch(item.before.play, hand, item.event, opened)
        except RuleError as error:
            check = "A24" if _is_none(item.event) else "A23"
            sentence = f"What {self._who(item.author)} did at entry {item.seq} is false: {error.sentence}"
            self._find(check, item.seq, item.author, sentence)
            return False
        self._prove(item, act)
        return True

    def _prove(self, item: Admitted, act: str) -> None:
        game = self._table.game
        if act == "answer":
            self.proved["answers"] += 1
        if game.boxes(item.event):
            self.proved["passes"] += 1
        elif act != "answer" and game.seals(item.event):
            self.proved["plays"] += 1

    def _vouch_dealer(self, item: Admitted, opened: Opened | None) -> bool:
        assert item.before is not None
        pile = self._pile
        if pile is None:
            # The places are committed to, so what was opened of them is what lies there, and enough to judge by.
            if opened is None and not self._public:
                return False
            shown = {card.place: card.value for card in opened or () if card.place is not None}
            pile = Pile(tuple({**self._public, **shown}.items()), ())
        try:
            self._table.game.vouch_dealer(item.before.play, pile, item.event, opened)
        except RuleError as error:
            self._find("A25", item.seq, DEALER, f"What the dealer said at entry {item.seq} is false: {error.sentence}")
            return False
        except KeyError:
            self._find("A25", item.seq, DEALER, f"At entry {item.seq} the dealer did not show what it has to.")
            return False
        self.proved["looks"] += bool(self._table.game.boxes(item.event))
        return True

    def _check_conserved(self, item: Admitted, hands: dict[int, Hand | None]) -> None:
        """Find (A26) cards that came from nowhere, or went without being played before everybody's eyes."""
        before: Counter[int] = Counter()
        after: Counter[int] = Counter()
        for seat, old in hands.items():
            new = self._hands[seat]
            if old is None or new is None:
                return
            if old.cards != new.cards:
                before.update(old.cards)
                after.update(new.cards)
        spent = Counter(kind for kind, _ in self._table.game.seals(item.event))
        if after - before or before - after - spent:
            self._find("A26", item.seq, item.author, f"At entry {item.seq} the cards in the hands do not add up.")

    # the evidence of a receiver

    def _bad(self, item: Admitted, event: Bad) -> None:
        openings = [opening for (seq, to), opening in self._openings.items() if (seq, to) == (event.ref, item.author)]
        if not openings:
            sentence = f"Entry {event.ref} holds no box that {self._who(item.author)} could reject."
            self._find("A27", item.seq, item.author, sentence)
        elif not openings[0].decided:
            sentence = f"Whether the box of entry {event.ref} was bad cannot be told: neither end has opened it."
            self.unproved.append(Unproved("A27", item.seq, sentence))
        elif not any(found.entry == event.ref for found in self.findings):
            sentence = f"{self._who(item.author)} rejected the box of entry {event.ref}, which is as it should be."
            self._find("A27", item.seq, item.author, sentence)

    # what all of it rests on

    def _open(self, item: Admitted, to: Role, box: bytes) -> Opening:
        opening = self._secrets.open(item.author, counter_of(self._leaves[item.seq]), to=to, box=box)
        self._openings[item.seq, to] = opening
        return opening

    def _learn(self, item: Admitted, seat: int, opened: Opened | None) -> None:
        hand = self._hands[seat]
        if hand is None:
            return
        before = None if isinstance(item.event, Deal) or item.before is None else item.before.play
        try:
            learned = self._table.game.learn(hand, before, item.after.play, item.author, item.event, opened)
        except CORE_FAULTS:
            # A card that the hand never held cannot leave it; the false statement itself is a finding already.
            self._hands[seat] = hand if opened is not None or self._table.game.seals(item.event) else None
            return
        self._hands[seat] = learned

    def _lose(self, seat: int, seq: int, check: str, sentence: str) -> None:
        if self._expected(seat) is None:
            self.unproved.append(Unproved(check, seq, sentence))
            self._hands[seat] = None

    def _act(self, item: Admitted) -> str:
        assert item.before is not None
        return next((due.act for due in self._table.game.due(item.before.play) if due.who == item.author), "")

    def _who(self, role: Role) -> str:
        return who(self._table, role) if seat_of(role) is not None else f"the {role}"

    def _find(self, check: str, entry: int, culprit: Role, sentence: str) -> None:
        self.findings.append(Finding(check, entry, culprit, sentence))


def _is_none(event: TableEvent) -> bool:
    return event.__struct_config__.tag in _NONE_TAGS
