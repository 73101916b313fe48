"""An in-process table with known cards, numbers and places for the tests of the missing-suspect rules."""

from __future__ import annotations

from typing import cast

import pytest
from msgspec.structs import replace
from tests.support.chance import Chance

from chambers import editions
from chambers.rules import missing_suspect
from chambers.rules.errors import RuleError
from chambers.rules.events import Drop, Open, SeatPlan, TableEvent
from chambers.rules.game import Game
from chambers.rules.missing_suspect.city import City
from chambers.rules.missing_suspect.edition import CLUE_CARDS, ChartResult, Edition, case_kind, witness_kind
from chambers.rules.missing_suspect.events import Move
from chambers.rules.missing_suspect.hand import Hand
from chambers.rules.missing_suspect.play import CASES_AT, TOPS, Stage
from chambers.rules.missing_suspect.turn import At, begin_turn
from chambers.rules.roles import DICE, GM, Role, seat_of, seat_role
from chambers.rules.simulator import Simulator
from chambers.rules.simulator import seal as seal_of
from chambers.rules.terms import Disclosed, Opened, Option, Prompt, Setup

GAME: Game = missing_suspect
NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo")
EDITION = cast(Edition, editions.load("missing-suspect"))
NUMBERS = (7, 3, 4, 5, 6, 8, 9)
"""The number under each suspect, red (7) first as in the printed example."""
SPOTS = ("b2", "c4", "c6", "f8", "h2", "k4", "k6")
"""Where the suspects stand, in printed order; l8 is the S spot that stays uncovered."""
RED, BLUE, GREEN, YELLOW, WHITE, PINK, BLACK = range(7)
WITNESS = witness_kind(EDITION)
CANARY = ("Overnight Case", "Missing Gems", "Face at the Window")


def setup(seats: int = 3, box: Edition | None = None, **values: str) -> Setup:
    """Return a setup with this many seats and these options."""
    given = {spec.name: spec.default for spec in missing_suspect.OPTIONS} | values
    opening = Open(
        v=1,
        game=missing_suspect.NAME,
        rules=missing_suspect.RULES,
        edition="missing-suspect",
        edition_hash=bytes(32),
        options=tuple(sorted(given.items())),
        seats=(SeatPlan(vault="host", bot=True),) * seats,
        chain=missing_suspect.CHAIN,
        log_key=bytes(32),
        reveal="public",
        auditor_key=None,
        spectators=True,
    )
    return Setup(opening=opening, edition=box or EDITION)


def clue(name: str) -> int:
    """Return a clue's number by its name."""
    return next(number for number, one in enumerate(EDITION.clues) if one.name == name)


def card(*names: str) -> int:
    """Return the first card that carries these clues, or Question Witness for no clue."""
    wanted = {clue(name) for name in names}
    if not wanted:
        return WITNESS
    return next(kind for kind, pair in enumerate(EDITION.cards) if wanted <= set(pair))


def cards(*names: str) -> tuple[int, ...]:
    """Return one card for each clue named."""
    return tuple(card(name) for name in names)


class Town(Simulator):
    """A table for one rule at a time: sentences to make it go on."""

    @property
    def city(self) -> City:
        """Return the city."""
        found: City = self.play.town.city
        return found

    def node(self, address: str) -> int:
        """Return a node by its address."""
        return self.city.addresses.index(address)

    def car(self, seat: int) -> str:
        """Return the address of a seat's car."""
        return str(self.city.addresses[self.play.cars[seat]])

    def at(self, stage: Stage) -> bool:
        """Return whether the table waits for this."""
        return bool(self.play.stage is stage)

    def hand(self, seat: int) -> Hand:
        """Return a seat's hand."""
        found: Hand = self.hands[seat]
        return found

    def asked(self, seat: int) -> Prompt:
        """Return the prompt of a seat that must have one."""
        asked = self.prompt(seat)
        assert asked is not None
        return asked

    def ids(self, seat: int) -> list[str]:
        """Return the ids of a seat's options, empty if it is not asked."""
        asked = self.prompt(seat)
        return [] if asked is None else [option.id for option in asked.options]

    def option(self, seat: int, ident: str) -> Option:
        """Return one option of a seat, by its id."""
        return next(option for option in self.asked(seat).options if option.id == ident)

    def take(self, seat: int, *idents: str) -> None:
        """Let a seat take options by their ids, one after another."""
        for ident in idents:
            self.choose(seat, self.option(seat, ident))
            self.run()

    def run(self) -> None:
        """Let the dealer and the vaults do what they owe by themselves."""
        while True:
            due = next(iter(self.game.due(self.play)), None)
            seat = None if due is None else seat_of(due.who)
            if due is None or due.who == DICE:
                return
            if seat is None:
                self.dealer(due)
                continue
            own = self.game.automatic(self.play, self.hands[seat])
            if own is None:
                return
            self._state(seat, own)

    def step_own(self) -> str:
        """Do one thing that dealer or vault owes by itself, and return its event's tag."""
        due = self.game.due(self.play)[0]
        seat = seat_of(due.who)
        if seat is None:
            self.dealer(due)
            return due.act
        own = self.game.automatic(self.play, self.hands[seat])
        assert own is not None
        self._state(seat, own)
        return str(own.event.__struct_config__.tag)

    def throw(self, value: int) -> None:
        """Throw the die, and let everything follow that follows by itself."""
        self.roll(value)
        self.run()

    def drive(self, address: str, *, count: int = 1) -> None:
        """Let the turn seat throw `count` and drive to a place."""
        self.roll(count)
        self.take(self.play.turn, f"move.{address}")

    def put(self, seat: int, address: str) -> None:
        """Put a car somewhere."""
        cars = list(self.play.cars)
        cars[seat] = self.node(address)
        self.change(cars=tuple(cars))

    def begin(self, seat: int) -> None:
        """Begin a seat's turn, with what its vault owes for that."""
        self.play = begin_turn(self.play, seat, at=At(self.seq, self.ts))
        self.run()

    def result(self, found: ChartResult) -> None:
        """Let the turn seat question witnesses on the Inquest i8 with this result of the chart."""
        seat = self.play.turn
        self.put(seat, "i9")
        column = EDITION.chart[self.hand(seat).case]
        self.drive("i8")
        self.throw(column.index(found) + 1)

    def path(self, *addresses: str) -> Move:
        """Return the move along these places."""
        return Move(path=tuple(self.node(address) for address in addresses))

    def drop(self, seat: int) -> None:
        """Let the game master drop a seat."""
        self.say(GM, Drop(seat=seat))

    def change(self, **fields: object) -> None:
        """Arrange the public state by hand."""
        self.play = replace(self.play, **fields)

    def know(self, seat: int, *suspects: int) -> None:
        """Let a seat have looked under these suspects."""
        numbers, known = list(self.hand(seat).numbers), list(self.play.known)
        source = list(self.hand(seat).source)
        for suspect in suspects:
            numbers[suspect] = self.pile.value(TOPS + suspect)
            source[suspect] = seat
            known[seat] |= 1 << suspect
        self.hands[seat] = replace(self.hand(seat), numbers=tuple(numbers), source=tuple(source))
        self.change(known=tuple(known))

    def carry(self, seat: int, suspect: int) -> None:
        """Let a seat have captured a suspect."""
        self.know(seat, suspect)
        carried = list(self.play.carried)
        carried[seat] = suspect
        self.change(carried=tuple(carried))

    def refused(self, author: Role | int, event: TableEvent) -> RuleError:
        """Return the refusal of an event by a role or seat; the test fails if it is accepted."""
        role = seat_role(author) if isinstance(author, int) else author
        with pytest.raises(RuleError) as caught:
            self.game.check(self.play, role, event, ts=self.ts)
        return caught.value

    def refused_by_vault(self, seat: int, event: TableEvent, *opened: Disclosed) -> RuleError:
        """Return the refusal of a seat's own vault."""
        boxed: Opened | None = opened or None
        with pytest.raises(RuleError) as caught:
            self.game.vouch(self.play, self.hands[seat], event, boxed)
        return caught.value


def shown(kind: int, place: int | None = None) -> Disclosed:
    """Return a card as a box holds it."""
    return Disclosed(
        value=kind, seal=seal_of(kind), place=place, nonce=None if place is None else place.to_bytes(4, "big") * 8
    )


def town(
    seats: int = 3,
    *,
    held: dict[int, tuple[int, ...]] | None = None,
    cases: dict[int, str] | None = None,
    top: tuple[int, ...] = (),
    next_case: str = "",
    turn: int = 0,
    box: Edition | None = None,
    **values: str,
) -> Town:
    """Return a table at the start of seat 0's turn: cars at the Courthouse, suspects placed, red is number 7.

    `held` are the clue cards of seats, `cases` the letters of their cases; `top` lies on the clue pile.
    """
    held, cases = held or {}, cases or {}
    table = Town(GAME, setup(seats, box, **values), NAMES[:seats], draw=Chance(1))
    edition: Edition = table.play.town.edition
    taken = [kind for hand in held.values() for kind in hand]
    deck = list(range(len(edition.cards))) + [WITNESS] * edition.question_witness
    for kind in (*taken, *top):
        deck.remove(kind)
    pile = [*top, *deck]
    letters = [
        *next_case,
        *(letter for letter in "ABCDEFGH" if letter not in next_case and letter not in cases.values()),
    ]
    where = dict(enumerate(pile + taken)) | {TOPS + n: number for n, number in enumerate(NUMBERS)}
    where |= {CASES_AT + n: case_kind(edition, "ABCDEFGH".index(one)) for n, one in enumerate(letters)}
    table.pile = replace(table.pile, values=tuple(where.items()))
    for seat in range(seats):
        kinds, letter = held.get(seat, ()), cases.get(seat)
        case = -1 if letter is None else "ABCDEFGH".index(letter)
        table.hands[seat] = replace(table.hands[seat], cards=tuple(kinds), case=case)
    table.change(
        counts=tuple(len(held.get(seat, ())) for seat in range(seats)),
        cased=tuple(seat in cases for seat in range(seats)),
        homes=tuple(table.node(spot) for spot in SPOTS),
        clues=tuple(range(CLUE_CARDS - len(taken))),
        cases=tuple(range(CASES_AT, CASES_AT + len(letters))),
        order=tuple((turn + step) % seats for step in range(seats)),
        round=1,
        throwing=(),
    )
    table.play = begin_turn(table.play, turn, at=At(0, 0))
    return table
