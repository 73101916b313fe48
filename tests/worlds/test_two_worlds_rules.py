"""Two deals that a seat cannot tell apart stay the same to it, to everybody and to the game master, entry by entry."""

from __future__ import annotations

import contextlib
import random

import pytest
from tests.missing_suspect.town import GAME as CITY
from tests.missing_suspect.town import setup as city_setup
from tests.support.chance import Chance
from tests.worlds.city_worlds import drawn_by, exchanged, played_first, played_second
from tests.worlds.two_worlds import (
    CHANGES,
    GAME,
    HOLDER,
    OBSERVER,
    Lockstep,
    deal,
    observed,
    other_world,
    setup_of,
    what_check_says,
)

from chambers.rules import RuleError
from chambers.rules.roles import seat_role
from chambers.rules.simulator import Told
from chambers.rules.terms import PUBLIC, Viewer

_ME = seat_role(OBSERVER)


def _read(told: Told, viewer: str) -> str:
    opened = told.seen_by(viewer)
    return GAME.narrate(told.before, told.after, told.author, told.event, opened, Viewer(viewer))


def _play_in_both(seats: int, change: str, *, seed: int, entries: int = 150) -> Lockstep | None:
    pile = deal(seats, seed)
    other = other_world(pile, change, random.Random(seed))
    if other is None:
        return None

    def compare(one: Told, two: Told) -> None:
        assert one.before == two.before
        assert one.after == two.after
        assert _read(one, PUBLIC) == _read(two, PUBLIC)
        assert _read(one, _ME) == _read(two, _ME)

    both = Lockstep((pile, other), setup_of(seats), seed=seed, watch=compare)
    while both.tables[0].seq < entries and both.step():
        here, there = both.tables
        assert observed(here) == observed(there)
    return both


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_the_observer_the_public_and_the_game_master_see_one_course_in_both_worlds(seats: int, change: str) -> None:
    played = [both for seed in range(12) if (both := _play_in_both(seats, change, seed=seed)) is not None]
    assert sum(both.tables[0].seq for both in played) > 200
    assert any(both.tables[0].hands[HOLDER] != both.tables[1].hands[HOLDER] for both in played)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_two_worlds_stay_one_over_many_deals(seats: int, change: str) -> None:
    played = [both for seed in range(100, 300) if (both := _play_in_both(seats, change, seed=seed)) is not None]
    assert len(played) > 50


@pytest.mark.parametrize("change", ["objection", "overruled", "excluded", "dismissed"])
def test_the_public_rules_judge_a_card_alike_whether_or_not_the_seat_holds_it(change: str) -> None:
    """Only the seat's own vault refuses a card that is not held: the game master could not know."""
    judged = 0
    for seed in range(12):
        pile = deal(4, seed)
        other = other_world(pile, change, random.Random(seed))
        if other is None:
            continue
        both = Lockstep((pile, other), setup_of(4), seed=seed)
        while both.tables[0].seq < 100 and both.step():
            here, there = both.tables
            prompt = here.prompt(HOLDER)
            for option in () if prompt is None else prompt.options:
                judged += 1
                assert what_check_says(here, HOLDER, option) == what_check_says(there, HOLDER, option) == "accepted"
    assert judged > 100


def test_the_courses_hide_what_could_be_seen() -> None:
    """In the two worlds other cards are passed, another envelope is looked at, and other options are open."""
    otherwise: set[str] = set()

    def compare(one: Told, two: Told) -> None:
        if one.opened is not None and two.opened is not None:
            values = [[item.value for item in told.opened or ()] for told in (one, two)]
            otherwise.update({type(one.event).__name__} if values[0] != values[1] else ())

    for seed in range(40):
        pile = deal(4, seed)
        other = other_world(pile, "everything", random.Random(seed))
        if other is None:
            continue
        both = Lockstep((pile, other), setup_of(4), seed=seed, watch=compare)
        while both.tables[0].seq < 150 and both.step():
            asked = [table.prompt(HOLDER) for table in both.tables]
            if asked[0] is not None and asked[1] is not None and asked[0].options != asked[1].options:
                otherwise.add(asked[0].kind)
    assert {"Pass", "Look", "object", "answer", "give"} <= otherwise


def test_worlds_that_differ_in_the_observers_own_hand_are_told_apart() -> None:
    pile = deal(4, 1)
    mine, theirs = pile.hands[OBSERVER][0], pile.hands[HOLDER][0]
    values = dict(pile.values)
    assert values[mine] != values[theirs]
    values[mine], values[theirs] = values[theirs], values[mine]
    other = type(pile)(values=tuple(values.items()), hands=pile.hands)
    both = Lockstep((pile, other), setup_of(4), seed=1)
    assert observed(both.tables[0]) != observed(both.tables[1])


def test_a_deal_of_the_city_with_another_card_for_the_observer_is_told_apart() -> None:
    """What finds two worlds of the city for the services to play must not take what somebody would notice."""
    agreed = city_setup(3)
    pile = CITY.deal(agreed, Chance(5))
    world = played_first(pile, agreed, seed=5, entries=120, value=lambda k: 1 + 5 * k % 6)
    drawn = drawn_by(world)
    mine = [place for place, seat in drawn.items() if seat == OBSERVER]
    theirs = [place for place, seat in drawn.items() if seat != OBSERVER]
    noticed = 0
    for one in mine:
        for other in theirs:
            if (one < 28) is (other < 28) and dict(pile.values)[one] != dict(pile.values)[other]:
                noticed += 1
                with contextlib.suppress(RuleError, ValueError):
                    assert played_second(world, exchanged(pile, one, other), agreed) is None
    assert noticed > 5
