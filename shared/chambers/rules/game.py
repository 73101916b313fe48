"""The door that the rules package of each game has. Services, audit and bots know a game by this door only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from chambers.rules.events import TableEvent
from chambers.rules.roles import Role
from chambers.rules.terms import Binding, Draw, Due, Opened, Option, OptionSpec, Pile, Prompt, Result, Setup, Viewer

Play = Any
"""A game's own public state; it has no field that could hold a secret."""

Hand = Any
"""What one seat privately holds and knows; it never leaves its vault."""


class Game(Protocol):
    """One game's rules. Pure functions; `seq` is the entry's number in the log, `ts` its time in ms."""

    NAME: str
    RULES: str
    CHAIN: int
    EVENTS: tuple[type[TableEvent], ...]
    OPTIONS: tuple[OptionSpec, ...]

    @property
    def Edition(self) -> type:
        """Return the type that this game's editions are loaded as."""

    # the public half

    def check_setup(self, setup: Setup, /) -> None:
        """Refuse (RuleError) a setup that this game or its edition cannot be played with."""

    def kinds(self, setup: Setup, /) -> int:
        """Return the number of card kinds; kinds are 0..n-1 and each gets one seal."""

    def places(self, setup: Setup, /) -> tuple[int, ...]:
        """Return the places whose values the dealer commits to, in the order of `Deal.places`."""

    def place_name(self, setup: Setup, place: int, /) -> str:
        """Return what players call what lies at a place that somebody has committed to."""

    def new_play(self, setup: Setup, names: tuple[str, ...], /, *, seq: int, ts: int) -> Play:
        """Return the public state right after the deal, which is entry `seq`."""

    def check(self, play: Play, author: Role, event: TableEvent, /, *, ts: int) -> None:
        """Refuse (RuleError) an event that is not legal for its author now."""

    def evolve(self, play: Play, author: Role, event: TableEvent, /, *, seq: int, ts: int) -> Play:
        """Return the state after a checked event of the game, or a Roll, Ok, Lapse or Drop; total for checked ones."""

    def due(self, play: Play, /) -> tuple[Due, ...]:
        """Return who owes what now; empty only when there is a result."""

    def result(self, play: Play, /) -> Result | None:
        """Return how the game ended, or None while it goes on."""

    def may_say(self, play: Play, seat: int, /) -> None:
        """Refuse (RuleError) table talk to a seat that may not talk."""

    # what a statement carries

    def seals(self, event: TableEvent, /) -> tuple[tuple[int, bytes], ...]:
        """Return the (kind, seal) pairs that the event opens to everybody."""

    def openings(self, event: TableEvent, /) -> tuple[tuple[int, int, bytes], ...]:
        """Return the (place, value, nonce) triples that the event opens to everybody."""

    def boxes(self, event: TableEvent, /) -> tuple[tuple[Role, bytes], ...]:
        """Return the (receiver, box) pairs that the event carries."""

    def accept(self, play: Play, event: TableEvent, opened: Opened, /) -> None:
        """Refuse (RuleError) a box that does not hold what the event, made at `play`, must hold for its receiver."""

    def offer(self, event: TableEvent, /) -> tuple[Role, bytes] | None:
        """Return whom an event offers a box to and the hash it binds its author to, or None.

        What the box holds is known to its author alone until it is handed over.
        """

    def offered(self, play: Play, event: TableEvent, /) -> tuple[int, bytes] | None:
        """Return the entry that offered the event's box before, and the hash it must have; else None.

        `play` is the state before the event. The box was made for the statement of that entry, not for this one.
        """

    def commitments(self, play: Play, /) -> tuple[tuple[int, bytes], ...]:
        """Return the (place, commitment) pairs that seats have added to those of the deal, as far as they count now."""

    # the private half of a seat

    def new_hand(self, seat: int, /) -> Hand:
        """Return the hand of a seat that knows nothing yet."""

    def learn(
        self, hand: Hand, before: Play | None, after: Play, author: Role, event: TableEvent, opened: Opened | None, /
    ) -> Hand:
        """Return the hand after an event; `opened` is the box to or from this seat, if there is one.

        `before` is None for the deal, whose box holds the first cards.
        """

    def prompt(self, play: Play, hand: Hand, /) -> Prompt | None:
        """Return what this seat is asked now, with every legal option and nothing else; None if it owes nothing."""

    def automatic(self, play: Play, hand: Hand, /) -> Option | None:
        """Return what this seat's vault states now by itself, its player having no choice; else None.

        Where it returns an option, `prompt` returns None.
        """

    def held(self, play: Play, hand: Hand, /) -> tuple[int, ...]:
        """Return the kinds of all cards in the hand."""

    def fallback(self, play: Play, hand: Hand, /) -> Option:
        """Return the safe option that a vault takes when the limit of its seat's choice has passed."""

    def vouch(self, play: Play, hand: Hand, event: TableEvent, opened: Opened | None, /) -> None:
        """Refuse (RuleError) a statement of this seat that its own hand contradicts."""

    def complete(
        self,
        option: Option,
        /,
        *,
        seal: Callable[[int], bytes],
        box: Callable[[Role, Opened], bytes],
        binds: Binding | None = None,
    ) -> TableEvent:
        """Return the option's event with the seal, box or opening that only the vault can add.

        Games in which seats stow, offer or tell need `binds` for that: ValueError without.
        """

    # the private half of the dealer

    def deal(self, setup: Setup, draw: Draw, /) -> Pile:
        """Return where every card lies: a pure function of the draw, and of nothing else but the setup."""

    def dealer_act(
        self,
        play: Play,
        pile: Pile,
        due: Due,
        /,
        *,
        seal: Callable[[int], bytes],
        nonce: Callable[[int], bytes],
        box: Callable[[Role, Opened], bytes],
    ) -> TableEvent:
        """Return the event with which the dealer does what it owes."""

    def vouch_dealer(self, play: Play, pile: Pile, event: TableEvent, opened: Opened | None, /) -> None:
        """Refuse (RuleError) a dealer's statement that the pile contradicts."""

    def stock(
        self, pile: Pile, before: Play, after: Play, author: Role, event: TableEvent, opened: Opened | None, /
    ) -> Pile:
        """Return the pile after an event; ValueError if a box to the dealer comes without its opening."""

    def lying(self, play: Play, pile: Pile, /) -> tuple[int, ...]:
        """Return the kinds of the cards that the dealer keeps now."""

    # words and views

    def narrate(
        self,
        before: Play | None,
        after: Play,
        author: Role,
        event: TableEvent,
        opened: Opened | None,
        viewer: Viewer,
        /,
    ) -> str:
        """Return the one sentence that `viewer` may read about the event; `opened` only if the viewer may see it."""

    def public_view(self, play: Play, /) -> dict[str, Any]:
        """Return what everybody may see, as plain JSON values."""

    def private_view(self, play: Play, hand: Hand, /) -> dict[str, Any]:
        """Return what this seat sees beyond that: `{"hand": ..., "sheet": ...}`, as plain JSON values."""
