"""Two deals of the missing-suspect game that one seat cannot tell apart, found by playing one and trying the other."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace
from tests.missing_suspect.detective import Detective
from tests.missing_suspect.town import EDITION, GAME, setup
from tests.support.chance import Chance
from tests.support.tabletop import NAMES, rolls
from tests.worlds.two_worlds import OBSERVER, Course, Step

from chambers.rules import RuleError
from chambers.rules.missing_suspect.edition import case_of, column_of, is_clue_card
from chambers.rules.missing_suspect.events import (
    Ask,
    Chart,
    Check,
    Claim,
    DontKnow,
    Draw,
    EndTurn,
    Have,
    Look,
    Move,
    NoCard,
    Offer,
    OpenCards,
    Pass,
    Place,
    Play,
    Point,
    Show,
    Stow,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.play import CASES_AT, TOPS
from chambers.rules.roles import DICE, seat_of, seat_role
from chambers.rules.simulator import Simulator, Told
from chambers.rules.terms import PUBLIC, Option, Pile, Prompt, Setup, Viewer

CITY_CHANGES: Final = ("clues", "traded", "stowed", "case", "numbers", "pile", "everything")
"""What is otherwise in the second world: clue cards of two other seats, one of them traded or put under the pile
again; the case of another seat, within its half of the chart; numbers that the observer has not seen; what lies unseen
in the piles; and all of it."""
_ME: Final = seat_role(OBSERVER)
_WILD: Final = 0.2
_TRIED: Final = 40


class _Taken(NamedTuple):
    seat: int
    option: Option
    kind: str


class _World(NamedTuple):
    """A course on one deal: the table at its end, every entry, and every choice among them."""

    table: Simulator
    told: list[Told]
    taken: list[_Taken]


class _Otherwise(NamedTuple):
    """Another deal, and which kinds of cards stand for which there."""

    pile: Pile
    kinds: dict[int, int]


def _table(pile: Pile, agreed: Setup, told: list[Told]) -> Simulator:
    table = Simulator(GAME, agreed, NAMES[: agreed.seats], draw=Chance(0), watch=told.append)
    table.pile = pile
    return table


def played_first(
    pile: Pile, agreed: Setup, *, seed: int, entries: int, value: Callable[[int], int], wild: float = _WILD
) -> _World:
    """Return a course that detectives play on a deal, with the dice that the services of these tests throw."""
    told: list[Told] = []
    taken: list[_Taken] = []
    table, player = _table(pile, agreed, told), Detective(seed, wild=wild)

    def choose(seat: int, play: object, hand: object, prompt: Prompt) -> Option:
        option = player(seat, table.play, table.hands[seat], prompt)
        taken.append(_Taken(seat, option, prompt.kind))
        return option

    class Dice:
        def uniform(self, n: int, /) -> int:
            return value(table.rolls + 1) - 1

        def shuffle(self, items: list[int], /) -> list[int]:
            raise NotImplementedError

    while table.seq < entries and table.step(Dice(), choose):
        pass
    return _World(table, told, taken)


def played_second(first: _World, other: _Otherwise, agreed: Setup) -> _World | None:
    """Return the same public course on another deal, or None if somebody would notice there."""
    told: list[Told] = []
    taken: list[_Taken] = []
    table, left = _table(other.pile, agreed, told), iter(first.taken)
    for one in first.told:
        due = GAME.due(table.play)[0]
        seat = seat_of(due.who)
        own = None if seat is None else GAME.automatic(table.play, table.hands[seat])
        if due.who == DICE:
            table.roll(one.event.value)  # type: ignore[attr-defined]
        elif seat is None:
            table.dealer(due)
        elif own is not None:
            table._state(seat, own)
        else:
            option = _same(table, next(left, None), other.kinds)
            if option is None:
                return None
            taken.append(option)
            table.choose(seat, option.option)
        if not _alike(one, told[-1]):
            return None
    return _World(table, told, taken) if _seen(first.table) == _seen(table) else None


def _same(table: Simulator, taken: _Taken | None, kinds: dict[int, int]) -> _Taken | None:
    asked = None if taken is None else table.prompt(taken.seat)
    if taken is None or asked is None:
        return None
    card = None if taken.option.card is None else kinds.get(taken.option.card, taken.option.card)
    for option in asked.options:
        if (option.event, option.card) == (taken.option.event, card):
            return _Taken(taken.seat, option, asked.kind)
    return None


def _alike(one: Told, two: Told) -> bool:
    """Return whether everybody and the observer see the same happen; the stand-ins for boxes and hashes are equal."""
    same = (one.author, one.event, one.after) == (two.author, two.event, two.after)
    return same and all(_read(one, viewer) == _read(two, viewer) for viewer in (PUBLIC, Viewer(_ME)))


def _read(told: Told, viewer: Viewer) -> str:
    opened = told.seen_by(viewer)
    return GAME.narrate(told.before, told.after, told.author, told.event, opened, viewer)


def _seen(table: Simulator) -> tuple[object, ...]:
    hand = table.hands[OBSERVER]
    return hand, GAME.private_view(table.play, hand), GAME.prompt(table.play, hand)


# what may be otherwise


def exchanged(pile: Pile, one: int, other: int) -> _Otherwise:
    values = dict(pile.values)
    values[one], values[other] = values[other], values[one]
    kinds = {values[one]: values[other], values[other]: values[one]} if one < TOPS or one >= CASES_AT else {}
    return _Otherwise(replace(pile, values=tuple(values.items())), kinds)


def drawn_by(first: _World) -> dict[int, int]:
    """Return who drew from each place that was dealt there before the game."""
    draws = [(one.event.place, seat_of(one.event.to)) for one in first.told if isinstance(one.event, Draw)]
    return {place: seat for place, seat in draws if seat is not None}


def _clues(first: _World, *, among: Callable[[Told], bool] | None = None) -> Iterator[_Otherwise]:
    pile = first.table.pile
    values, drawn = dict(pile.values), drawn_by(first)
    wanted = {item.value for one in first.told if among is not None and among(one) for item in one.opened or ()}
    theirs = [
        place for place in range(28) if drawn.get(place, OBSERVER) != OBSERVER and is_clue_card(EDITION, values[place])
    ]
    for one, other in itertools.permutations(theirs, 2):
        if drawn[one] != drawn[other] and (among is None or values[one] in wanted):
            yield exchanged(pile, one, other)


def _case(first: _World) -> Iterator[_Otherwise]:
    pile = first.table.pile
    values, drawn = dict(pile.values), drawn_by(first)
    places = range(CASES_AT, CASES_AT + 8)
    for one, other in itertools.permutations(places, 2):
        halves = [column_of(EDITION, case_of(EDITION, values[place]) or 0) for place in (one, other)]
        if halves[0] == halves[1] and drawn.get(one, OBSERVER) != OBSERVER and drawn.get(other) != OBSERVER:
            yield exchanged(pile, one, other)


def _numbers(first: _World) -> Iterator[_Otherwise]:
    looks = [(one.event.places[0], seat_of(one.event.to)) for one in first.told if isinstance(one.event, Look)]
    for one, other in itertools.permutations(range(TOPS, TOPS + 7), 2):
        if any(place == one for place, _ in looks) and not {(one, OBSERVER), (other, OBSERVER)} & set(looks):
            yield exchanged(first.table.pile, one, other)


def _unseen(first: _World, chance: random.Random) -> Iterator[_Otherwise]:
    pile, drawn = first.table.pile, drawn_by(first)
    values = dict(pile.values)
    for start, many in ((0, 28), (CASES_AT, 8)):
        places = [place for place in range(start, start + many) if place not in drawn]
        values |= dict(zip(places, chance.sample([values[place] for place in places], len(places)), strict=True))
    yield _Otherwise(replace(pile, values=tuple(values.items())), {})


def _changes(change: str, first: _World, chance: random.Random) -> Iterator[_Otherwise]:
    match change:
        case "clues":
            yield from _clues(first)
        case "traded":
            yield from _clues(first, among=lambda one: isinstance(one.event, Swap) and one.seen_by(_ME) is None)
        case "stowed":
            yield from _clues(first, among=lambda one: isinstance(one.event, Stow) and one.author != _ME)
        case "case":
            yield from _case(first)
        case "numbers":
            yield from _numbers(first)
        case _:
            yield from _unseen(first, chance)


def _legal(first: _World, change: str, chance: random.Random, agreed: Setup) -> tuple[_Otherwise, _World] | None:
    """Return a deal with one thing otherwise on which the whole course can be played unnoticed, and its course."""
    tried = list(_changes(change, first, chance))
    for other in chance.sample(tried, min(_TRIED, len(tried))):
        try:
            second = played_second(first, other, agreed)
        except (RuleError, ValueError):
            continue  # a card that a seat gave away is not there
        if second is not None and (change == "pile" or first.table.hands != second.table.hands):
            return other, second
    return None


def find_city_course(
    seats: int,
    change: str,
    *,
    seed: int,
    entries: int = 110,
    wanted: frozenset[type] = frozenset(),
    options: tuple[tuple[str, str], ...] = (),
    wild: float = _WILD,
) -> Course:
    """Return a course of at least `entries` entries on two deals; AssertionError if none is found.

    Events of all the `wanted` types are said in it; `wild` is the share of choices that are random.
    """
    agreed = setup(seats, None, **dict(options))
    value = functools.cache(rolls(seats, chain=GAME.CHAIN))
    parts = ("clues", "case", "numbers", "pile") if change == "everything" else (change,)
    for attempt in range(400):
        number = 1000 * seed + attempt
        chance = random.Random(number)
        dealt = GAME.deal(agreed, Chance(number))
        world = first = played_first(dealt, agreed, seed=number, entries=entries, value=value, wild=wild)
        if first.table.seq < entries or not wanted <= {type(one.event) for one in first.told}:
            continue
        pile = dealt
        for part in parts:
            found = _legal(world._replace(table=_with_pile(world.table, pile)), part, chance, agreed)
            if found is None:
                break
            pile, world = found[0].pile, found[1]
        else:
            steps = zip(first.taken, world.taken, strict=True)
            return Course(
                game=GAME.NAME,
                edition="missing-suspect",
                seats=seats,
                options=options,
                piles=(dealt, pile),
                steps=tuple(Step(one.seat, (one.option.id, two.option.id), one.kind) for one, two in steps),
                prompted=frozenset((one.seat, one.kind) for one in first.taken),
            )
    raise AssertionError("no course was found that is legal in both worlds")


def _with_pile(table: Simulator, pile: Pile) -> Simulator:
    """Return the table with its pile as it was dealt."""
    table.pile = pile
    return table


class Occasion(NamedTuple):
    """A part of the game at which something could be told: who must say what at it, and how a course to it is found."""

    seats: int
    change: str
    said: frozenset[type]
    options: tuple[tuple[str, str], ...] = ()
    entries: int = 110
    wild: float = _WILD


OCCASIONS: Final = {
    "a clue asked for and not held": Occasion(3, "clues", frozenset({Ask, NoCard})),
    "a clue asked for and traded": Occasion(3, "traded", frozenset({Offer, Ask, Swap})),
    "a clue asked for without a card to offer": Occasion(3, "clues", frozenset({Have})),
    "a clue asked for and given for nothing": Occasion(3, "clues", frozenset({Pass}), (("empty_ask", "free"),)),
    "a card put back under the pile": Occasion(3, "stowed", frozenset({Draw, Stow})),
    "a number that was asked for and told": Occasion(3, "numbers", frozenset({Point, Tell})),
    "a number that was asked for and not known": Occasion(3, "numbers", frozenset({Point, DontKnow})),
    "a suspect driven to and looked at": Occasion(3, "numbers", frozenset({Check, Look})),
    "Question Witness and the chart": Occasion(3, "case", frozenset({Play, Chart})),
    "a new case that everybody sees": Occasion(3, "clues", frozenset({Show}), (("open_cases", "yes"),)),
    "a carried suspect and a case that may be solved no more": Occasion(3, "clues", frozenset({Claim}), (), 200, 0.35),
    "the proof at trial": Occasion(2, "case", frozenset({OpenCards}), (), 300),
    "trades at a table of five": Occasion(5, "everything", frozenset({Offer, Swap, Stow})),
}
"""Every question of the game with every kind of answer, each in two worlds that differ in what lies behind it."""
SAID_ALL_OVER: Final = frozenset({Place, Move, Take, EndTurn})
"""What there is in any course beside."""


def course_to(name: str) -> Course:
    """Return the course to an occasion."""
    one = OCCASIONS[name]
    return find_city_course(
        one.seats, one.change, seed=7, entries=one.entries, wanted=one.said, options=one.options, wild=one.wild
    )
