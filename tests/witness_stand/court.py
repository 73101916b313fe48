"""A synthetic edition and an in-process table for the tests of the witness-stand rules."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.support.chance import Chance

from chambers.rules import witness_stand
from chambers.rules.errors import RuleError
from chambers.rules.events import Deal, Drop, Open, SeatPlan, TableEvent
from chambers.rules.game import Game
from chambers.rules.roles import DEALER, GM, Role, seat_role
from chambers.rules.simulator import Simulator
from chambers.rules.simulator import seal as seal_of
from chambers.rules.terms import Disclosed, Opened, Option, Prompt, Setup
from chambers.rules.witness_stand.edition import (
    DISMISSED,
    EXCLUDED,
    OBJECT,
    OVERRULED,
    ActionCard,
    Edition,
    Question,
    Space,
    SpaceKind,
    Suspect,
    answer,
)
from chambers.rules.witness_stand.events import Ask
from chambers.rules.witness_stand.hand import Hand
from chambers.rules.witness_stand.play import Play, Stage
from chambers.rules.witness_stand.turn import At, begin_turn

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo")
GAME: Game = witness_stand

# Where things are on the test board.
PERRY, CALL_A, CHAMBERS_C, DRAKE, CALL_B, BURGER, CHAMBERS_D, DELLA, FIFTH, ANY_CORNER = 0, 1, 2, 3, 4, 5, 6, 7, 17, 20
CALL_D = 11
CORNER_PERRY, CORNER_DELLA, CORNER_DRAKE, CORNER_FIFTH = 0, 7, 14, 21
A, B, C, D = range(4)

_BOARD = (
    "perry* callA confC drake callB burger confD della* callC confA perry callD confB burger "
    "drake* callB confD fifth callA confC any_corner fifth* callD confB della callC confA burger"
)


def _space(index: int, word: str) -> Space:
    name = word.rstrip("*")
    called = name[:-1] in ("call", "conf")
    return Space(
        kind=SpaceKind.CALL if called else SpaceKind(name),
        col=min(index, 7),
        row=index // 7,
        corner=word.endswith("*"),
        suspect="ABCD".index(name[-1]) if called else None,
        confidential=called and name.startswith("conf"),
    )


def _suspect(letter: str, name: str) -> Suspect:
    questions = tuple(
        Question(
            text=f"Where were you at {n} o'clock on the night in question, witness {letter}?",
            plain=f"plain words {letter}{n}",
            starred=f"starred words {letter}{n}",
        )
        for n in range(1, 6)
    )
    return Suspect(name=name, about=f"about {name}", questions=questions)


def edition(**changes: object) -> Edition:
    """Return a synthetic case on the usual board, with fields changed."""
    fields: dict[str, object] = {
        "name": "test-case",
        "game": "witness-stand",
        "title": "A case for tests",
        "story": "Nothing happened.",
        "reconstruction": True,
        "suspects": tuple(
            _suspect(letter, name)
            for letter, name in zip("ABCD", ("Ann Ash", "Ben Birch", "Cat Cedar", "Dan Dogwood"), strict=True)
        ),
        "objection": ActionCard(name="I Object!", count=8, count_small=8),
        "overruled": ActionCard(name="Objection Overruled!", count=5, count_small=5),
        "excluded": ActionCard(name="Evidence Excluded!", count=4, count_small=3),
        "dismissed": ActionCard(name="Witness Dismissed", count=4, count_small=4),
        "space_names": {
            SpaceKind.CALL: "Call Witness",
            SpaceKind.PERRY: "Perry Mason",
            SpaceKind.DELLA: "Della Street",
            SpaceKind.DRAKE: "Paul Drake",
            SpaceKind.BURGER: "Hamilton Burger",
            SpaceKind.ANY_CORNER: "Go to Any Corner",
            SpaceKind.FIFTH: "Take the Fifth",
        },
        "board": tuple(_space(index, word) for index, word in enumerate(_BOARD.split())),
    }
    return Edition(**(fields | changes))  # type: ignore[arg-type]


def options(**values: str) -> tuple[tuple[str, str], ...]:
    """Return complete options, sorted by name: the defaults with some values changed."""
    given = {spec.name: spec.default for spec in witness_stand.OPTIONS} | values
    return tuple(sorted(given.items()))


def setup(seats: int = 4, case: Edition | None = None, **values: str) -> Setup:
    """Return a setup with this many seats and these options."""
    opening = Open(
        v=1,
        game=witness_stand.NAME,
        rules=witness_stand.RULES,
        edition="test-case",
        edition_hash=bytes(32),
        options=options(**values),
        seats=(SeatPlan(vault="host", bot=True),) * seats,
        chain=1024,
        log_key=bytes(32),
        reveal="public",
        auditor_key=None,
        spectators=True,
    )
    return Setup(opening=opening, edition=case or edition())


def plain(suspect: int, number: int) -> int:
    """Return the kind of the unstarred answer to question `number` (1..5)."""
    return answer(suspect, number - 1, starred=False)


def starred(suspect: int, number: int) -> int:
    """Return the kind of the starred answer to question `number` (1..5)."""
    return answer(suspect, number - 1, starred=True)


class Court(Simulator):
    """A table with known hands, for one rule at a time: sentences to make it go on."""

    def at(self, stage: Stage) -> bool:
        """Return whether the table waits for this."""
        return bool(self.play.stage is stage)

    def ids(self, seat: int) -> list[str]:
        """Return the ids of a seat's options, empty if it is not asked."""
        asked = self.prompt(seat)
        return [] if asked is None else [option.id for option in asked.options]

    def asked(self, seat: int) -> Prompt:
        """Return the prompt of a seat that must have one."""
        asked = self.prompt(seat)
        assert asked is not None
        return asked

    def option(self, seat: int, ident: str) -> Option:
        """Return one option of a seat, by its id."""
        return next(option for option in self.asked(seat).options if option.id == ident)

    def take(self, seat: int, *idents: str) -> None:
        """Let a seat take options by their ids, one after another."""
        for ident in idents:
            self.choose(seat, self.option(seat, ident))

    def ok(self, seat: int) -> None:
        """Let a seat pass the window that is open."""
        self.take(seat, "ok")

    def pass_all(self) -> None:
        """Let every seat that a window waits for pass."""
        for due in self.game.due(self.play):
            self.say(due.who, self.option(int(due.who[-1]), "ok").event)

    def question(self, target: int, code: str) -> None:
        """Let the turn seat ask, and everybody let it pass."""
        self.take(self.play.turn, f"ask.{target}.{code}")
        if self.play.stage is Stage.WINDOW:
            self.pass_all()

    def drop(self, seat: int) -> None:
        """Let the game master drop a seat."""
        self.say(GM, Drop(seat=seat))

    def accuse(self, letter: str) -> None:
        """Let the turn seat accuse, and the dealer do all that it owes for it."""
        self.take(self.play.turn, f"accuse.{letter}")
        while self.play.stage in (Stage.LOOK, Stage.OPENCARDS):
            self.dealer(self.game.due(self.play)[0])

    def move_to(self, space: int) -> None:
        """Roll so that the turn seat lands on a space: its pawn is first lifted to the space before."""
        self.put(self.play.turn, space - 1)
        self.roll(1)

    def put(self, seat: int, space: int) -> None:
        """Put a pawn somewhere without a landing."""
        spaces = list(self.play.spaces)
        spaces[seat] = space % len(self.play.court.edition.board)
        self.change(spaces=tuple(spaces))

    def change(self, **fields: object) -> None:
        """Arrange the public state by hand."""
        self.play = replace(self.play, **fields)

    def refused(self, author: Role | int, event: TableEvent) -> RuleError:
        """Return the refusal of an event by a role or seat; the test fails if it is accepted."""
        role = seat_role(author) if isinstance(author, int) else author
        with pytest.raises(RuleError) as caught:
            self.game.check(self.play, role, event, ts=self.ts)
        return caught.value

    def refused_by_vault(self, seat: int, event: TableEvent, *cards: int) -> RuleError:
        """Return the refusal of a seat's own vault."""
        opened: Opened | None = tuple(Disclosed(value=card, seal=seal_of(card)) for card in cards) or None
        with pytest.raises(RuleError) as caught:
            self.game.vouch(self.play, self.hands[seat], event, opened)
        return caught.value


_ENVELOPE = (starred(A, 1), starred(B, 1), starred(C, 1))


def _hands(seats: int, given: dict[int, list[int]]) -> list[tuple[int, ...]]:
    """Return hands with the given cards at the given seats and no others but filler of suspect D."""
    filler = [plain(D, 5), starred(D, 5), plain(D, 4), starred(D, 4), plain(C, 5), plain(C, 4)]
    return [tuple(sorted(given.get(seat, [filler[seat]]))) for seat in range(seats)]


def court(
    seats: int = 3,
    *,
    hands: dict[int, list[int]] | None = None,
    witness: int = A,
    chambers: bool = False,
    turn: int = 0,
    case: Edition | None = None,
    **values: str,
) -> Court:
    """Return a table at the start of seat 0's turn, every pawn on the Drake corner, with these hands.

    Seats without given cards hold one card of no importance; the envelope clears A, B and C, so D did it.
    """
    table = Court(GAME, setup(seats, case, **values), NAMES[:seats], draw=Chance(1))
    cards = _hands(seats, hands or {})
    for seat in range(seats):
        hand: Hand = GAME.new_hand(seat)
        table.hands[seat] = GAME.learn(
            hand,
            None,
            table.play,
            DEALER,
            Deal(seals=(), places=(), boxes=()),
            tuple(Disclosed(value=card, seal=seal_of(card)) for card in cards[seat]),
        )
    table.change(
        counts=tuple(len(hand) for hand in cards),
        spaces=(CORNER_DRAKE,) * seats,
        order=tuple((turn + step) % seats for step in range(seats)),
        round=1,
        witness=witness,
        chambers=chambers,
    )
    values_now = dict(table.pile.values) | dict(enumerate(_ENVELOPE))
    table.pile = replace(table.pile, values=tuple(values_now.items()))
    play: Play = table.play
    table.play = begin_turn(play, turn, at=At(0, 0))
    return table


def ask(target: int, code: str, *, public: bool = True) -> Ask:
    """Return the question of a code such as `A3`."""
    return Ask(target=target, question="ABCD".index(code[0]) * 5 + int(code[1]) - 1, public=public)


__all__ = [
    "ANY_CORNER",
    "BURGER",
    "CALL_A",
    "CALL_B",
    "CALL_D",
    "CHAMBERS_C",
    "CHAMBERS_D",
    "CORNER_DELLA",
    "CORNER_DRAKE",
    "CORNER_FIFTH",
    "CORNER_PERRY",
    "DELLA",
    "DISMISSED",
    "DRAKE",
    "EXCLUDED",
    "FIFTH",
    "GAME",
    "NAMES",
    "OBJECT",
    "OVERRULED",
    "PERRY",
    "A",
    "B",
    "C",
    "Chance",
    "Court",
    "D",
    "ask",
    "court",
    "edition",
    "options",
    "plain",
    "setup",
    "starred",
]
