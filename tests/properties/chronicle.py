"""A table of any game, driven through the rules' own door without keys: every hand, every entry, and what must hold."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, NamedTuple, get_origin

import msgspec
from tests.missing_suspect.detective import Detective
from tests.support.chance import Chance

from chambers import editions
from chambers.protocol.views import ask_of, seat_view
from chambers.rules import GAMES, Phase, RuleError, Table, check, complete_options, due, evolve, narrate, new_table
from chambers.rules import rollers as rollers_of
from chambers.rules.due import AUTOMATIC, stall_ms
from chambers.rules.events import (
    Bye,
    Close,
    Commit,
    Deal,
    Drop,
    Lapse,
    Mix,
    Ok,
    Open,
    Reveal,
    Roll,
    Say,
    SeatPlan,
    Stall,
    TableEvent,
    Ticket,
)
from chambers.rules.game import Game, Hand, Play
from chambers.rules.roles import DEALER, DICE, GM, Role, contributors, seat_of, seat_role
from chambers.rules.simulator import Bound, nonce, seal
from chambers.rules.terms import PUBLIC, Disclosed, Due, Opened, Option, OptionSpec, Prompt, Setup, Viewer

NAMES: Final = tuple(f"Bartholomew Quimby {n}" for n in range(6))
PLAYERS: Final = {"missing-suspect": Detective}
"""Who plays long stretches of the games that players who choose at random practically never finish."""
VIEW_BYTES: Final = 6 * 1024
_WILD: Final = 0.2
Player = Callable[[int, Play, Hand, Prompt], Option]
_K: Final = bytes(32)
_STEP_MS: Final = 10
_CANDIDATES: Final = 40


class Told(NamedTuple):
    """One entry: who said what and when, and what a box of it opens to its two ends."""

    author: Role
    event: TableEvent
    ts: int
    opened: Opened | None
    to: Role | None

    def seen_by(self, role: Role) -> Opened | None:
        """Return what a role may see of the box."""
        return self.opened if role in (self.author, self.to) else None


def values_of(spec: OptionSpec) -> tuple[str, ...]:
    """Return values that an option takes, one of each kind."""
    return tuple(word.replace("seconds", "7") for word in spec.allowed)


def setup_of(game: Game, *, seats: int, options: tuple[tuple[str, str], ...] = ()) -> Setup:
    """Return a setup of a game on the first edition that comes with it."""
    edition = next(name for of, name in editions.names() if of == game.NAME)
    opening = Open(
        v=1,
        game=game.NAME,
        rules=game.RULES,
        edition=edition,
        edition_hash=_K,
        options=complete_options(game, options),
        seats=(SeatPlan("host", False),) * seats,
        chain=game.CHAIN,
        log_key=_K,
        reveal="public",
        auditor_key=None,
        spectators=True,
    )
    return Setup(opening, editions.load(edition))


class _Sent:
    """Takes in what a statement boxes, and to whom."""

    def __init__(self) -> None:
        self.to: Role | None = None
        self.opened: Opened | None = None

    def box(self, to: Role, opened: Opened) -> bytes:
        """Return a stand-in for the box."""
        self.to, self.opened = to, opened
        return b"box"


class Chronicle:
    """A table from its open event on. Every event is checked before it is folded, and every seat learns from it."""

    def __init__(
        self, setup: Setup, *, seed: int, names: tuple[str, ...] = NAMES, player: Player | None = None
    ) -> None:
        self.setup = setup
        self.game: Game = GAMES[setup.opening.game]
        self.random = random.Random(seed)
        usual = PLAYERS.get(self.game.NAME)
        self._player = player or (None if usual is None else usual(seed, wild=_WILD))
        self.ts = 1_800_000_000_000
        self.table: Table = new_table(setup, ts=self.ts)
        self.start = self.ts
        self.told: list[Told] = []
        self.hands: list[Hand] = [None] * setup.seats
        self.pile = self.game.deal(setup, Chance(seed))
        dealt = {place for places in self.pile.hands for place in places}
        self.hidden = Counter(self.game.lying(self.game.new_play(setup, names[: setup.seats], seq=0, ts=0), self.pile))
        self.manifest = self.hidden + Counter(value for place, value in self.pile.values if place in dealt)
        self.spent: Counter[int] = Counter()
        for role in contributors(setup.seats):
            sits = seat_of(role)
            self.say(role, Commit(_K, "" if sits is None else names[sits], _K, _K, _K, _K, _K))
        for seat in range(setup.seats):
            self.say(seat_role(seat), Mix(_K))
        seals, places = (_K,) * self.game.kinds(setup), (_K,) * len(self.game.places(setup))
        self.say(DEALER, Deal(seals, places, tuple((seat_role(seat), b"") for seat in range(setup.seats))))

    @property
    def playing(self) -> bool:
        """Return whether the game goes on."""
        return self.table.phase is Phase.PLAY and not self.table.stopped and bool(self.game.due(self.table.play))

    def dealt(self, seat: int) -> Opened:
        """Return what the deal's box to a seat opens."""
        values = dict(self.pile.values)
        return tuple(Disclosed(values[p], seal(values[p]), p, nonce(p)) for p in self.pile.hands[seat])

    def say(self, author: Role, event: TableEvent, *, opened: Opened | None = None, to: Role | None = None) -> None:
        """Check an event, fold it, let every seat learn from it, and see that nothing is lost or told."""
        self.ts += _STEP_MS
        check(self.table, author, event, ts=self.ts)
        told = Told(author, event, self.ts, opened, to)
        before, held = self.table, self._held()
        self.table = evolve(before, author, event, ts=self.ts)
        self.told.append(told)
        if before.play is not None:
            boxed = opened if DEALER in (author, to) else None
            self.pile = self.game.stock(self.pile, before.play, self.table.play, author, event, boxed)
        self.hands = learnt(self, before, self.table, told)
        self._see_cards(told, held)
        see_narration(self, before, told)

    def _held(self) -> Counter[int]:
        play = self.table.play
        return Counter(card for hand in self.hands if hand is not None for card in self.game.held(play, hand))

    def _see_cards(self, told: Told, held: Counter[int]) -> None:
        """Cards leave the hands only into the open or to the dealer, and come only from the dealer's boxes."""
        now = self._held()
        gone, come = held - now, now - held
        kinds = Counter(item.value for item in told.opened or () if item.seal is not None)
        if isinstance(told.event, Deal):
            kinds = Counter(card.value for seat in range(self.setup.seats) for card in self.dealt(seat))
        assert not come - (kinds if told.author == DEALER else Counter())
        shown = Counter(kind for kind, _ in self.game.seals(told.event))
        assert not gone - shown - (kinds if told.to == DEALER else Counter())
        (self.hidden if told.to == DEALER else self.spent).update(gone)
        self.hidden.subtract(come if not isinstance(told.event, Deal) else {})
        assert not now - self.manifest

    # what may happen

    def prompt(self, seat: int) -> Prompt | None:
        """Return what a seat is asked."""
        prompt: Prompt | None = self.game.prompt(self.table.play, self.hands[seat])
        return prompt

    def choose(self, seat: int, option: Option) -> None:
        """Say a seat's option as its vault would."""
        sent = _Sent()
        event = self.game.complete(option, seal=seal, box=sent.box, binds=Bound(sent.box))
        self.game.vouch(self.table.play, self.hands[seat], event, sent.opened)
        to = None if self.game.offer(event) else sent.to
        self.say(seat_role(seat), event, opened=sent.opened, to=to)

    def own(self, seat: int) -> Option | None:
        """Return what a seat's vault says now by itself."""
        return self.game.automatic(self.table.play, self.hands[seat])

    def roll(self, owed: Due) -> None:
        """Say a roll with a share of everybody who has one."""
        value = self.random.randint(1, 6)
        self.say(DICE, Roll(owed.k, tuple((role, _K) for role in rollers_of(self.table)), value))

    def deal_with(self, owed: Due) -> None:
        """Have the dealer do what it owes."""
        sent = _Sent()
        event = self.game.dealer_act(self.table.play, self.pile, owed, seal=seal, nonce=nonce, box=sent.box)
        self.game.vouch_dealer(self.table.play, self.pile, event, sent.opened)
        self.say(DEALER, event, opened=sent.opened, to=sent.to)

    def lapse(self) -> bool:
        """Let the first limit pass that there is; return False if there is none."""
        for owed in due(self.table):
            if owed.until is not None and not owed.lapsed:
                self.ts = max(self.ts, owed.until)
                self.say(GM, Lapse(owed.since))
                return True
        return False

    def drop(self, seat: int) -> bool:
        """Drop a seat by the word of all others while a roll is due; return False where that cannot be."""
        owed = next((item for item in due(self.table) if item.act == "roll"), None)
        live = [n for n in range(self.setup.seats) if n not in self.table.dropped]
        if owed is None or seat not in live or len(live) < 3:
            return False
        self.ts += stall_ms(self.table)
        for other in live:
            if other != seat:
                self.say(seat_role(other), Stall(seat_role(seat), owed.since))
        self.say(GM, Drop(seat))
        return True

    def step(self) -> None:
        """Do one of the things that are due, at random; a lapsed choice is the vault's."""
        owed = self.random.choice(due(self.table))
        seat = seat_of(owed.who)
        if owed.who == DICE:
            self.roll(owed)
        elif owed.who == DEALER:
            self.deal_with(owed)
        elif seat is None:
            assert self.lapse()
        elif (own := self.own(seat)) is not None:
            self.choose(seat, own)
        elif owed.lapsed:
            self.choose(seat, self.game.fallback(self.table.play, self.hands[seat]))
        elif owed.act in AUTOMATIC:
            option = self.game.automatic(self.table.play, self.hands[seat])
            assert option is not None
            self.choose(seat, option)
        else:
            prompt = self.prompt(seat)
            assert prompt is not None
            self.choose(seat, self._some(seat, prompt))

    def _some(self, seat: int, prompt: Prompt) -> Option:
        if self._player is not None:
            return self._player(seat, self.table.play, self.hands[seat], prompt)
        # Taken as often as the others, what may end a game would end each before anything has happened in it.
        calm = [option for option in prompt.options if not option.id.startswith("accuse")]
        return self.random.choice(calm if self.random.random() < 0.95 else prompt.options)

    def talk(self, seat: int) -> None:
        """Add entries that have nothing to do with the game; whoever may not talk leaves a ticket voided."""
        seat %= self.setup.seats
        self.say(GM, Ticket(seat, self.table.issues[seat] + 1))
        with contextlib.suppress(RuleError):
            self.say(seat_role(seat), Say("I have nothing to hide."))

    def finish(self) -> None:
        """Close the table and have everybody leave."""
        if self.table.phase is Phase.PLAY:
            over = self.game.result(self.table.play) is not None
            self.say(GM, Close("over" if over else f"aborted: {self.table.stopped or 'enough'}"))
        while self.table.phase is not Phase.CLOSED:
            owed = due(self.table)[0]
            leaving = Bye() if owed.act == "bye" else Reveal(_K, _K, bytes(72))
            self.say(owed.who, leaving)


def learnt(chronicle: Chronicle, before: Table, after: Table, told: Told) -> list[Hand]:
    """Return every hand after an entry, by what its seat may see of it."""
    game, hands = chronicle.game, list(chronicle.hands)
    if after.play is None:
        return hands
    for seat, hand in enumerate(hands):
        if isinstance(told.event, Deal):
            new = game.new_hand(seat)
            hands[seat] = game.learn(new, None, after.play, told.author, told.event, chronicle.dealt(seat))
        else:
            opened = told.seen_by(seat_role(seat))
            hands[seat] = game.learn(hand, before.play, after.play, told.author, told.event, opened)
    return hands


# what must hold


def see_narration(chronicle: Chronicle, before: Table, told: Told) -> None:
    """Every viewer reads one line, and the codes that a box opens to its ends are in nobody else's."""
    after, author, event = chronicle.table, told.author, told.event
    viewers = (PUBLIC, *(Viewer(seat_role(seat)) for seat in range(chronicle.setup.seats)))
    lines = {v: narrate(before, after, author, event, told.seen_by(Role(v)), v) for v in viewers}
    assert all(line and line.isprintable() for line in lines.values())
    if told.opened is None:
        return
    for end in viewers:
        if told.seen_by(Role(end)) is not None:
            blind = narrate(before, after, author, event, None, end)
            codes = {word for word in lines[end].split() if any(c.isdigit() for c in word)} - set(blind.split())
            others = [lines[v].split() for v in viewers if told.seen_by(Role(v)) is None]
            assert not any(codes & set(words) for words in others)


def see_asked(chronicle: Chronicle) -> None:
    """Whoever owes a choice is asked it with every option, nobody else is asked, and the fallback is an option."""
    game, table = chronicle.game, chronicle.table
    said = {seat_role(n) for n, hand in enumerate(chronicle.hands) if game.automatic(table.play, hand) is not None}
    assert said <= {owed.who for owed in due(table)} or table.stopped
    owing = {owed.who: owed for owed in due(table) if owed.act not in AUTOMATIC and owed.who not in said}
    assert bool(game.due(table.play)) == (game.result(table.play) is None)
    for seat, hand in enumerate(chronicle.hands):
        prompt, owed = chronicle.prompt(seat), owing.get(seat_role(seat))
        assert (prompt is None) == (owed is None or bool(table.stopped))
        if prompt is None or owed is None:
            continue
        ids = [option.id for option in prompt.options]
        assert ids
        assert len(ids) == len(set(ids))
        assert (prompt.since, prompt.until) == (owed.since, owed.until)
        assert prompt == game.prompt(table.play, hand)
        assert game.fallback(table.play, hand) in prompt.options


def see_views(chronicle: Chronicle) -> None:
    """No view grows beyond its bound, and the public half counts the cards that the hands hold."""
    game, table = chronicle.game, chronicle.table
    public = game.public_view(table.play)
    assert [seat["cards"] for seat in public["seats"]] == [len(hand.cards) for hand in chronicle.hands]
    for seat, hand in enumerate(chronicle.hands):
        view = seat_view(table, hand, notes="")
        assert len(msgspec.msgpack.encode(view)) < VIEW_BYTES
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(view)) == view
        prompt = chronicle.prompt(seat)
        assert prompt is None or len(msgspec.msgpack.encode(ask_of(prompt))) < VIEW_BYTES


def see_cards(chronicle: Chronicle) -> None:
    """Hands, what the dealer still has and what was spent are together the manifest."""
    held = Counter(card for hand in chronicle.hands for card in chronicle.game.held(chronicle.table.play, hand))
    held.update(chronicle.hidden)
    held.update(chronicle.spent)
    assert held == chronicle.manifest
    assert Counter(chronicle.game.lying(chronicle.table.play, chronicle.pile)) == +chronicle.hidden


def candidates(chronicle: Chronicle) -> list[tuple[int, TableEvent, Opened | None]]:
    """Return moves to try, by seat: what is listed for anybody, near misses of it, and moves made up from the types."""
    chance, table, seats = chronicle.random, chronicle.table, range(chronicle.setup.seats)
    prompts = [prompt for seat in seats if (prompt := chronicle.prompt(seat)) is not None]
    listed = [option for prompt in prompts for option in prompt.options]
    refs = sorted({owed.since for owed in due(table)} | {0, table.size - 1} | {_ref(option.event) for option in listed})
    made = [_whole(chronicle.game, option) for option in chance.sample(listed, min(12, len(listed)))]
    made += [_near(event, refs, chance) for event in tuple(made)]
    events: tuple[type[TableEvent], ...] = (*chronicle.game.EVENTS, Ok)
    kinds = [kind for kind in events if kind.__name__ not in ("Look", "OpenCards")]
    made += [_made(chance.choice(kinds), refs, chance) for _ in range(_CANDIDATES)]
    found = []
    for event, seat in itertools.product(made, seats):
        opened: Opened | None = None
        if chronicle.game.boxes(event):
            kind = chance.choice(
                [*chronicle.hands[seat].cards, chance.randrange(chronicle.game.kinds(chronicle.setup))]
            )
            place = getattr(event, "place", None)
            opened = (Disclosed(kind, seal(kind), place, None if place is None else _K),)
        found.append((int(seat), event, opened))
    return found


def _whole(game: Game, option: Option) -> TableEvent:
    sent = _Sent()
    return game.complete(option, seal=seal, box=sent.box, binds=Bound(sent.box))


def _ref(event: TableEvent) -> int:
    return int(getattr(event, "ref", 0))


def _value(field: msgspec.structs.FieldInfo, refs: list[int], chance: random.Random) -> Any:
    if field.name == "ref":
        return chance.choice(refs)
    if field.type is bool:
        return chance.random() < 0.5
    if field.type is int:
        return chance.randrange(-1, 46)
    if isinstance(field.type, type) and issubclass(field.type, StrEnum):
        return chance.choice(list(field.type))
    if get_origin(field.type) is tuple:
        return tuple(chance.randrange(-1, 46) for _ in range(chance.randrange(4)))
    return _K if field.type is bytes else seat_role(chance.randrange(6))


def _made(kind: type[TableEvent], refs: list[int], chance: random.Random) -> TableEvent:
    return kind(*(_value(field, refs, chance) for field in msgspec.structs.fields(kind)))


def _near(event: TableEvent, refs: list[int], chance: random.Random) -> TableEvent:
    fields = msgspec.structs.fields(event)
    if not fields:
        return event
    field = chance.choice(fields)
    return msgspec.structs.replace(event, **{field.name: _value(field, refs, chance)})


def is_listed(chronicle: Chronicle, seat: int, event: TableEvent, opened: Opened | None) -> bool:
    """Return whether a move is one of the seat's options, apart from what only its vault can add."""
    prompt, own = chronicle.prompt(seat), chronicle.own(seat)
    options = (*(prompt.options if prompt is not None else ()), *((own,) if own is not None else ()))
    # What binds a seat is part of its move; the seals and boxes around it are not.
    names = [one.name for one in msgspec.structs.fields(event) if one.type is not bytes or one.name == "offer"]
    return any(
        type(option.event) is type(event)
        and all(getattr(_whole(chronicle.game, option), name) == getattr(event, name) for name in names)
        and (opened is None or option.card == opened[0].value)
        for option in options
    )


def refusal_of(chronicle: Chronicle, seat: int, event: TableEvent, opened: Opened | None) -> RuleError | None:
    """Return with what the rules or the seat's own vault refuse a move, or None if they take it."""
    try:
        check(chronicle.table, seat_role(seat), event, ts=chronicle.ts)
        chronicle.game.vouch(chronicle.table.play, chronicle.hands[seat], event, opened)
    except RuleError as error:
        return error
    return None


def see_moves(chronicle: Chronicle) -> None:
    """A move is taken exactly if it is listed; what is refused is refused with a code, a sentence and a rule."""
    for seat, event, opened in candidates(chronicle):
        refused = refusal_of(chronicle, seat, event, opened)
        assert (refused is None) == is_listed(chronicle, seat, event, opened), (seat, event, refused)
        if refused is not None and not chronicle.table.stopped:
            assert refused.code.startswith("rule/")
            assert refused.sentence.endswith((".", "?"))
            assert refused.sentence.isprintable()
            assert refused.section or refused.ruling, refused


def see_all(chronicle: Chronicle) -> None:
    """Everything that must hold after any entry of the play."""
    see_cards(chronicle)
    see_asked(chronicle)
    see_views(chronicle)


def see_replay(chronicle: Chronicle) -> None:
    """The told entries fold to the same table and the same hands again."""
    again = Chronicle.__new__(Chronicle)
    again.setup, again.game, again.pile = chronicle.setup, chronicle.game, chronicle.pile
    again.hands = [None] * chronicle.setup.seats
    table = new_table(chronicle.setup, ts=chronicle.start)
    for told in chronicle.told:
        before, table = table, evolve(table, told.author, told.event, ts=told.ts)
        again.hands = learnt(again, before, table, told)
    assert table == chronicle.table
    assert again.hands == chronicle.hands
