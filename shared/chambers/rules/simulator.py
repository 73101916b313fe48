"""Whole games in one process, through a game's door: every statement is checked, folded and learnt, none encrypted.

Chance is passed in: one draw for the deal, one for the dice.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from chambers.rules.events import Deal, Lapse, Roll, TableEvent
from chambers.rules.game import Game, Hand, Play
from chambers.rules.roles import DEALER, DICE, GM, Role, seat_of, seat_role
from chambers.rules.terms import Disclosed, Draw, Due, Opened, Option, Pile, Prompt, Result, Setup

Choose = Callable[[int, Play, Hand, Prompt], Option]
"""A player: given its seat, the public state, its hand and its prompt, the option it takes."""

_STEP_MS = 10
_MOST = 100_000


class Told(msgspec.Struct, frozen=True):
    """One entry as the simulator plays it: who said what, the states around it, and what a box opened to whom."""

    seq: int
    author: Role
    event: TableEvent
    before: Play
    after: Play
    opened: Opened | None
    to: Role | None

    def __repr__(self) -> str:
        return f"Told({self.seq}, {self.author})"

    def seen_by(self, role: str) -> Opened | None:
        """Return what a role may see of the box: all of it for its two ends, nothing for the others."""
        return self.opened if role in (self.author, self.to) else None


class Played(msgspec.Struct, frozen=True):
    """A game that was played to its end: the choices made, rolls, rounds and entries it took, and the last state."""

    moves: int
    rolls: int
    rounds: int
    entries: int
    result: Result | None
    play: Play
    hands: tuple[Hand, ...]
    pile: Pile

    def __repr__(self) -> str:
        return f"Played(moves={self.moves}, rolls={self.rolls}, rounds={self.rounds}, entries={self.entries})"


def seal(kind: int) -> bytes:
    """Return the stand-in for a kind's seal: 32 equal bytes."""
    return bytes((kind,)) * 32


def nonce(place: int) -> bytes:
    """Return the stand-in for a place's nonce: its number eight times over."""
    return place.to_bytes(4, "big") * 8


class Bound:
    """The stand-ins for what a vault binds itself to; they say nothing of the value behind them."""

    def __init__(self, box: Callable[[Role, Opened], bytes]) -> None:
        self._box = box

    def nonce(self, place: int, /) -> bytes:
        """Return the place's nonce."""
        return nonce(place)

    def stow(self, place: int, kind: int, /) -> tuple[bytes, bytes]:
        """Return the place's nonce, and again as its commitment."""
        return nonce(place), nonce(place)

    def offer(self, box: bytes, /) -> bytes:
        """Return 32 zero bytes, whatever the box."""
        return seal(0)

    def offered(self, to: Role, opened: Opened, /) -> bytes:
        """Return the box, made anew."""
        return self._box(to, opened)


class Simulator:
    """One table in one process: it holds every hand and the pile, and says each statement to everybody."""

    def __init__(
        self,
        game: Game,
        setup: Setup,
        names: tuple[str, ...],
        *,
        draw: Draw,
        watch: Callable[[Told], None] | None = None,
    ) -> None:
        game.check_setup(setup)
        self.game = game
        self.watch = watch
        self.seq = 0
        self.ts = 0
        self.moves = 0
        self.rolls = 0
        self.pile = game.deal(setup, draw)
        self.play: Play = game.new_play(setup, names, seq=0, ts=0)
        self.hands: list[Hand] = [game.new_hand(seat) for seat in range(setup.seats)]
        event = Deal(seals=(), places=(), boxes=())
        for seat, places in enumerate(self.pile.hands):
            cards = self._dealt(places)
            self.hands[seat] = game.learn(self.hands[seat], None, self.play, DEALER, event, cards)

    def _dealt(self, places: tuple[int, ...]) -> Opened:
        values = dict(self.pile.values)
        return tuple(
            Disclosed(value=values[place], seal=seal(values[place]), place=place, nonce=nonce(place))
            for place in places
        )

    def say(self, author: Role, event: TableEvent, *, opened: Opened | None = None, to: Role | None = None) -> None:
        """Check an event, fold it, and let every seat learn from it; RuleError if it is refused."""
        game, before = self.game, self.play
        self.ts += _STEP_MS
        game.check(before, author, event, ts=self.ts)
        self.seq += 1
        after = game.evolve(before, author, event, seq=self.seq, ts=self.ts)
        self.play = after
        ends = (author, to)
        self.pile = game.stock(self.pile, before, after, author, event, opened if DEALER in ends else None)
        for seat, hand in enumerate(self.hands):
            shown = opened if opened is not None and seat_role(seat) in ends else None
            self.hands[seat] = game.learn(hand, before, after, author, event, shown)
        if self.watch is not None:
            self.watch(Told(seq=self.seq, author=author, event=event, before=before, after=after, opened=opened, to=to))

    def choose(self, seat: int, option: Option) -> None:
        """Say a seat's option as its vault would: vouched for, completed, and checked."""
        self.moves += 1
        self._state(seat, option)

    def _state(self, seat: int, option: Option) -> None:
        sent: list[tuple[Role, Opened]] = []

        def box(to: Role, opened: Opened) -> bytes:
            sent.append((to, opened))
            return b""

        event = self.game.complete(option, seal=seal, box=box, binds=Bound(box))
        to, opened = sent[0] if sent else (None, None)
        self.game.vouch(self.play, self.hands[seat], event, opened)
        # What is offered stays face down until it is handed over.
        self.say(seat_role(seat), event, opened=opened, to=None if self.game.offer(event) else to)

    def roll(self, value: int) -> None:
        """Say the value of the roll that is due."""
        self.rolls += 1
        self.say(DICE, Roll(k=self.rolls, shares=(), value=value))

    def dealer(self, due: Due) -> None:
        """Do what the dealer owes."""
        sent: list[tuple[Role, Opened]] = []

        def box(to: Role, opened: Opened) -> bytes:
            sent.append((to, opened))
            return b""

        event = self.game.dealer_act(self.play, self.pile, due, seal=seal, nonce=nonce, box=box)
        to, opened = sent[0] if sent else (None, None)
        self.game.vouch_dealer(self.play, self.pile, event, opened)
        self.say(DEALER, event, opened=opened, to=to)

    def lapse(self, due: Due) -> None:
        """Let the limit of what is due pass."""
        self.ts = max(self.ts, due.until or 0)
        self.say(GM, Lapse(ref=due.since))

    def prompt(self, seat: int) -> Prompt | None:
        """Return what a seat is asked now."""
        return self.game.prompt(self.play, self.hands[seat])

    def step(self, dice: Draw, choose: Choose) -> bool:
        """Do the first thing that is due; return False when nothing is."""
        dues = self.game.due(self.play)
        if not dues:
            return False
        due = dues[0]
        seat = seat_of(due.who)
        own = None if seat is None else self.game.automatic(self.play, self.hands[seat])
        if seat is not None and own is not None:
            self._state(seat, own)
        elif seat is not None:
            asked = self.game.prompt(self.play, self.hands[seat])
            if asked is None:
                raise RuntimeError(f"{due.who} owes {due.act} but is not asked")
            self.choose(seat, choose(seat, self.play, self.hands[seat], asked))
        elif due.who == DICE:
            self.roll(1 + dice.uniform(6))
        elif due.who == DEALER:
            self.dealer(due)
        else:
            self.lapse(due)
        return True

    def summary(self) -> Played:
        """Return the figures of the game so far, and its state."""
        view = self.game.public_view(self.play)
        return Played(
            moves=self.moves,
            rolls=self.rolls,
            rounds=view["turn"]["round"],
            entries=self.seq + 1,
            result=self.game.result(self.play),
            play=self.play,
            hands=tuple(self.hands),
            pile=self.pile,
        )


def simulate(
    game: Game,
    setup: Setup,
    names: tuple[str, ...],
    *,
    draw: Draw,
    dice: Draw,
    choose: Choose,
    most: int = _MOST,
    watch: Callable[[Told], None] | None = None,
) -> Played:
    """Return a whole game, played until nothing is due or `most` entries are said; `watch` sees every entry."""
    table = Simulator(game, setup, names, draw=draw, watch=watch)
    while table.seq < most and table.step(dice, choose):
        pass
    return table.summary()
