"""Two deals that one seat cannot tell apart, and one public course that is legal in both of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec
from tests.support.chance import Chance
from tests.support.tabletop import CHAIN, NAMES, rolls

from chambers import editions
from chambers.rules import RuleError, complete_options, witness_stand
from chambers.rules.events import Deal, Open, SeatPlan
from chambers.rules.game import Game
from chambers.rules.roles import DEALER, DICE, seat_of, seat_role
from chambers.rules.simulator import Simulator, Told, nonce, seal
from chambers.rules.terms import Disclosed, Option, Pile, Setup
from chambers.rules.witness_stand.edition import (
    DISMISSED,
    EXCLUDED,
    OBJECT,
    OVERRULED,
    is_answer,
    is_starred,
    suspect_of,
)
from chambers.rules.witness_stand.events import Accuse, Ask, Pass
from chambers.rules.witness_stand.play import Asked, Stage

GAME: Final[Game] = witness_stand
OBSERVER: Final = 0
HOLDER: Final = 1
EDITION: Final = "tandem-target"
_ACTIONS: Final = {"objection": OBJECT, "overruled": OVERRULED, "excluded": EXCLUDED, "dismissed": DISMISSED}
CHANGES: Final = (*_ACTIONS, "answers", "envelope", "everything")
"""What is otherwise in the second world: cards of one kind that the holder lacks there, answers, the envelope."""


class Step(NamedTuple):
    """One choice of the course: the seat, and the ids of the option it takes in either world."""

    seat: int
    options: tuple[str, str]
    kind: str


class Course(NamedTuple):
    """A public course of play and the two deals it was played on; `prompted` says who was asked what."""

    game: str
    edition: str
    seats: int
    options: tuple[tuple[str, str], ...]
    piles: tuple[Pile, Pile]
    steps: tuple[Step, ...]
    prompted: frozenset[tuple[int, str]]


def setup_of(seats: int, options: tuple[tuple[str, str], ...] = ()) -> Setup:
    """Return the setup of a table of so many seats, without the keys of a real one."""
    opening = Open(
        v=1,
        game=GAME.NAME,
        rules=GAME.RULES,
        edition=EDITION,
        edition_hash=bytes(32),
        options=complete_options(GAME, options),
        seats=(SeatPlan("host", False),) * seats,
        chain=CHAIN,
        log_key=bytes(32),
        reveal="public",
        auditor_key=None,
        spectators=True,
    )
    return Setup(opening, editions.load(EDITION))


def deal(seats: int, seed: int) -> Pile:
    """Return a deal."""
    return GAME.deal(setup_of(seats), Chance(seed))


def held(pile: Pile, seat: int) -> dict[int, int]:
    """Return the places of a seat's cards with their kinds."""
    values = dict(pile.values)
    return {place: values[place] for place in pile.hands[seat]}


def swapped(pile: Pile, one: int, other: int) -> Pile:
    """Return the pile with the cards at two places exchanged."""
    values = dict(pile.values)
    values[one], values[other] = values[other], values[one]
    return msgspec.structs.replace(pile, values=tuple(values.items()))


def other_world(pile: Pile, change: str, chance: random.Random) -> Pile | None:
    """Return the deal with one thing otherwise that the observer cannot know, or None if this deal has no such thing.

    For a kind of action card the holder has some in one world and none in the other.
    """
    if change == "everything":
        for part in ("objection", "excluded", "answers", "envelope"):
            changed = other_world(pile, part, chance)
            if changed is None:
                return None
            pile = changed
        return pile
    others = [seat for seat in range(len(pile.hands)) if seat != OBSERVER]
    if change in _ACTIONS:
        kind = _ACTIONS[change]
        mine = [place for place, card in held(pile, HOLDER).items() if card == kind]
        theirs = [place for place, card in held(pile, others[-1]).items() if is_answer(card)]
        pairs = list(zip(mine, chance.sample(theirs, min(len(mine), len(theirs))), strict=False))
    elif change == "answers":
        mine = [place for place, card in held(pile, HOLDER).items() if is_answer(card)]
        theirs = [place for place, card in held(pile, others[-1]).items() if is_answer(card)]
        moved = min(3, len(mine), len(theirs))
        pairs = list(zip(chance.sample(mine, moved), chance.sample(theirs, moved), strict=True))
    else:
        values = dict(pile.values)
        pairs = [
            (hidden, place)
            for hidden in (0, 1, 2)
            for place, card in held(pile, HOLDER).items()
            if is_starred(card) and suspect_of(card) == suspect_of(values[hidden])
        ][:1]
    if not pairs:
        return None
    for one, other in pairs:
        pile = swapped(pile, one, other)
    return pile


def simulator(pile: Pile, setup: Setup, *, watch: Callable[[Told], None] | None = None) -> Simulator:
    """Return a table in one process on which the given cards were dealt."""
    table = Simulator(GAME, setup, NAMES[: setup.seats], draw=Chance(0), watch=watch)
    table.pile = pile
    for seat in range(setup.seats):
        cards = tuple(
            Disclosed(value=card, seal=seal(card), place=place, nonce=nonce(place))
            for place, card in held(pile, seat).items()
        )
        event = Deal(seals=(), places=(), boxes=())
        table.hands[seat] = GAME.learn(GAME.new_hand(seat), None, table.play, DEALER, event, cards)
    return table


def in_public(seat: int, option: Option) -> tuple[Any, ...]:
    """Return what everybody and the observer see of an option that is taken."""
    event = option.event
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    shown = tuple((name, value) for name, value in fields.items() if not isinstance(value, bytes))
    seen = not isinstance(event, Pass) or OBSERVER in (seat, seat_of(event.to))
    return (type(event).__name__, shown, option.card if seen else None)


class Lockstep:
    """The same public course on two tables that were dealt differently."""

    def __init__(
        self, piles: tuple[Pile, Pile], setup: Setup, *, seed: int, watch: Callable[[Told, Told], None] | None = None
    ) -> None:
        self._told: list[Told] = []
        self._watch = watch
        self.tables = tuple(simulator(pile, setup, watch=self._told.append) for pile in piles)
        self.steps: list[Step] = []
        self.prompted: set[tuple[int, str]] = set()
        self._random = random.Random(seed)
        self._value = rolls(setup.seats)
        self._accused = False

    def common(self, seat: int) -> list[tuple[Option, Option]]:
        """Return the pairs of a seat's options that look the same in public, and that can be answered the same way."""
        here, there = (table.prompt(seat) for table in self.tables)
        assert here is not None
        assert there is not None
        self.prompted.add((seat, here.kind))
        second = {in_public(seat, option): option for option in there.options}
        pairs = [(option, second.get(in_public(seat, option))) for option in here.options]
        return [(one, other) for one, other in pairs if other is not None and self._leads_on(seat, one)]

    def _leads_on(self, seat: int, option: Option) -> bool:
        event = option.event
        if isinstance(event, Accuse):
            innocent = {suspect_of(value) for place, value in self.tables[0].pile.values if place < 3}
            return seat != OBSERVER and not self._accused and event.suspect in innocent
        if not isinstance(event, Ask):
            return True
        asked = Asked(ref=0, target=event.target, question=event.question, public=event.public)
        answers = []
        for table in self.tables:
            play = msgspec.structs.replace(table.play, stage=Stage.ANSWER, asked=asked)
            prompt = GAME.prompt(play, table.hands[event.target])
            assert prompt is not None
            answers.append({in_public(event.target, answer) for answer in prompt.options})
        return bool(answers[0] & answers[1])

    def _choice(self, pairs: list[tuple[Option, Option]]) -> tuple[Option, Option]:
        quiet = [pair for pair in pairs if pair[0].id in ("ok", "go", "end")]
        if quiet and self._random.random() < 0.6:
            return quiet[0]
        return self._random.choice(pairs)

    def step(self) -> bool:
        """Do the first thing that is due in both worlds; return False where nothing can be done alike."""
        dues = GAME.due(self.tables[0].play)
        if not dues:
            return False
        due = dues[0]
        seat = seat_of(due.who)
        if seat is not None:
            pairs = self.common(seat)
            if not pairs:
                return False
            chosen = self._choice(pairs)
            self._accused |= isinstance(chosen[0].event, Accuse)
            prompt = self.tables[0].prompt(seat)
            assert prompt is not None
            self.steps.append(Step(seat, (chosen[0].id, chosen[1].id), prompt.kind))
            for table, option in zip(self.tables, chosen, strict=True):
                table.choose(seat, option)
        elif due.who == DICE:
            value = self._value(self.tables[0].rolls + 1)
            for table in self.tables:
                table.roll(value)
        else:
            for table in self.tables:
                table.dealer(due)
        if self._watch is not None:
            one, other = self._told
            self._watch(one, other)
        self._told.clear()
        return True


def find_course(
    seats: int,
    change: str,
    *,
    seed: int,
    entries: int = 90,
    wanted: str = "",
    options: tuple[tuple[str, str], ...] = (),
) -> Course:
    """Return a course of at least `entries` entries on two deals, in which the holder was asked what is `wanted`."""
    setup = setup_of(seats, options)
    for attempt in range(200):
        chance = random.Random(1000 * seed + attempt)
        pile = deal(seats, 1000 * seed + attempt)
        other = other_world(pile, change, chance)
        if other is None:
            continue
        both = Lockstep((pile, other), setup, seed=1000 * seed + attempt)
        while both.tables[0].seq < entries and both.step():
            pass
        asked = not wanted or (HOLDER, wanted) in both.prompted
        if both.tables[0].seq >= entries and asked:
            return Course(
                GAME.NAME, EDITION, seats, options, (pile, other), tuple(both.steps), frozenset(both.prompted)
            )
    raise AssertionError("no course was found that is legal in both worlds")


def observed(table: Simulator) -> tuple[Any, ...]:
    """Return all that the observer is shown of a table, and all that is public."""
    play, hand = table.play, table.hands[OBSERVER]
    return (
        play,
        GAME.due(play),
        hand,
        GAME.public_view(play),
        GAME.private_view(play, hand),
        _whole(GAME.prompt(play, hand)),
    )


def _whole(prompt: Any) -> Any:
    return None if prompt is None else msgspec.to_builtins(prompt)


def what_check_says(table: Simulator, seat: int, option: Option) -> str:
    """Return the code with which the public rules refuse an option's event, or `accepted`."""
    try:
        GAME.check(table.play, seat_role(seat), option.event, ts=table.ts)
    except RuleError as error:
        return f"{error.code}: {error.sentence}"
    return "accepted"
