"""MS: How to Play. Whole games: the invariants that hold at every entry, and figures of the simulator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.missing_suspect.detective import Detective
from tests.missing_suspect.town import EDITION, GAME, NAMES, WITNESS, Town, setup
from tests.support.chance import Chance
from tests.support.small_views import assert_views_small

from chambers.rules.missing_suspect.edition import case_kind, solution
from chambers.rules.missing_suspect.play import NOBODY, TOPS
from chambers.rules.roles import seat_of, seat_role
from chambers.rules.simulator import Told, nonce, simulate
from chambers.rules.terms import PUBLIC, Disclosed, Viewer

TABLES: list[tuple[int, dict[str, str]]] = [
    (2, {}),
    (3, {"retrace": "dot", "open_cases": "yes", "turn_limit": "5"}),
    (4, {"empty_ask": "free", "answer_limit": "5"}),
    (5, {"show_values": "no", "turn_limit": "5", "answer_limit": "9"}),
    (6, {}),
]
DECK = Counter({**dict.fromkeys(range(24), 1), WITNESS: 4, **{case_kind(EDITION, case): 1 for case in range(8)}})


def _steps(seats: int, values: dict[str, str], *, seed: int, drops: bool, wild: float) -> Iterator[Town]:
    """Play a game with lapses and drops thrown in, and yield the table after every entry."""
    table = Town(GAME, setup(seats, None, **values), NAMES[:seats], draw=Chance(seed))
    dice, player, chance = Chance(seed + 1), Detective(seed + 2, wild=wild), random.Random(seed + 3)
    yield table
    for _ in range(900):
        dues = GAME.due(table.play)
        if not dues:
            return
        live = [seat for seat in range(seats) if seat not in table.play.dropped]
        if drops and len(live) > 1 and chance.random() < 0.01:
            table.drop(chance.choice(live))
        elif dues[0].until is not None and not dues[0].lapsed and chance.random() < 0.05:
            table.lapse(dues[0])
        elif dues[0].lapsed:
            seat = seat_of(dues[0].who)
            assert seat is not None
            table.choose(seat, GAME.fallback(table.play, table.hands[seat]))
        else:
            table.step(dice, player)
        yield table


def _assert_cards_conserved(table: Town) -> None:
    held = Counter(GAME.lying(table.play, table.pile))
    for hand in table.hands:
        held.update(GAME.held(table.play, hand))
    assert held == DECK
    for seat, hand in enumerate(table.hands):
        assert table.play.counts[seat] == len(hand.cards)
        assert table.play.cased[seat] == (hand.case >= 0)


def _assert_prompts_match_dues(table: Town, seats: int) -> None:
    owing = {seat_of(due.who) for due in GAME.due(table.play)} - {None}
    for seat in range(seats):
        hand = table.hands[seat]
        prompt, own = table.prompt(seat), GAME.automatic(table.play, hand)
        assert (prompt is not None) + (own is not None) == (seat in owing)
        if prompt is None:
            continue
        assert prompt.options
        assert len({option.id for option in prompt.options}) == len(prompt.options)
        assert GAME.fallback(table.play, hand) in prompt.options
        for option in prompt.options:
            _assert_option_sound(table, seat, option)


def _assert_option_sound(table: Town, seat: int, option: Any) -> None:
    place = getattr(option.event, "place", None)
    opened = None if option.card is None else (Disclosed(value=option.card, place=place, nonce=nonce(place or 0)),)
    GAME.vouch(table.play, table.hands[seat], option.event, opened)
    if option.card is None:
        GAME.check(table.play, seat_role(seat), option.event, ts=table.ts)


def _assert_knowledge_true(table: Town) -> None:
    for seat, hand in enumerate(table.hands):
        for suspect, number in enumerate(hand.numbers):
            assert number in (0, table.pile.value(TOPS + suspect))
            assert bool(number) == bool(table.play.known[seat] >> suspect & 1)
        if table.play.carried[seat] != NOBODY and not table.play.stale[seat] and len(hand.cards) == 3:
            number = hand.numbers[table.play.carried[seat]]
            assert solution(EDITION, hand.case, hand.cards) == number


def _assert_board_sound(table: Town) -> None:
    play = table.play
    resting = [car for car in play.cars if car >= 0 and table.city.is_dot(car) and car not in table.city.tunnels]
    assert len(set(resting)) == len(resting)
    carried = [suspect for suspect in play.carried if suspect != NOBODY]
    assert len(set(carried)) == len(carried)


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("wild", [0.05, 1.0])
@pytest.mark.parametrize(("seats", "values"), TABLES)
def test_every_entry_of_a_game_keeps_the_invariants(
    seats: int, values: dict[str, str], wild: float, drops: bool
) -> None:
    """MS: How to Play. MS-45: cards conserved, prompts complete and legal, knowledge true, cars apart, views small."""
    entries = 0
    for seed in range(2):
        for table in _steps(seats, values, seed=seed, drops=drops, wild=wild):
            entries += 1
            _assert_cards_conserved(table)
            _assert_prompts_match_dues(table, seats)
            _assert_knowledge_true(table)
            _assert_board_sound(table)
            if entries % 20 == 0:
                assert_views_small(GAME, table.play, table.hands)
    assert entries > 50


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_games_are_played_to_a_trial(seats: int) -> None:
    """MS: How to Play, MS: Winner. Players who drive to what they need bring a suspect to trial."""
    played = [
        simulate(
            GAME,
            setup(seats),
            NAMES[:seats],
            draw=Chance(seed),
            dice=Chance(100 + seed),
            choose=Detective(seed),
            most=20_000,
        )
        for seed in range(8)
    ]
    winners = [game.result.winner for game in played if game.result is not None]
    assert len(winners) == 8
    assert None not in winners
    assert 8 <= sorted(game.rounds for game in played)[4] <= 60


def test_the_simulator_stops_at_its_bound() -> None:
    """MS: How to Play. Random players may never finish; the bound on entries stops them."""
    chance = random.Random(1)
    played = simulate(
        GAME,
        setup(2),
        NAMES[:2],
        draw=Chance(1),
        dice=Chance(2),
        choose=lambda seat, play, hand, prompt: chance.choice(prompt.options),
        most=400,
    )
    assert 400 <= played.entries <= 402


def test_every_chart_result_and_every_event_comes_up() -> None:
    """MS: How to Play. The games of these tests leave no event of the game unsaid."""
    tags: Counter[str] = Counter()

    def watch(told: Told) -> None:
        tags[type(told.event).__name__] += 1

    for seed, (seats, values) in enumerate(TABLES):
        simulate(
            GAME,
            setup(seats, None, **values),
            NAMES[:seats],
            draw=Chance(seed),
            dice=Chance(seed + 50),
            choose=Detective(seed, wild=0.3),
            most=6000,
            watch=watch,
        )
    assert {event.__name__ for event in GAME.EVENTS} - set(tags) <= {"OpenCards", "Have", "Pass"}
    assert tags["Claim"] > 0


def test_nobody_reads_what_only_another_may_see() -> None:
    """MS: How to Play. MS-37: what third seats and everybody read is the same with and without a box."""
    judged = 0

    def watch(told: Told) -> None:
        nonlocal judged
        for viewer in (PUBLIC, *(Viewer(seat_role(seat)) for seat in range(4))):
            opened = told.seen_by(viewer)
            sentence = GAME.narrate(told.before, told.after, told.author, told.event, opened, viewer)
            assert sentence
            if opened is None and told.opened is not None:
                judged += 1
                assert sentence == GAME.narrate(told.before, told.after, told.author, told.event, None, viewer)
                value = told.opened[0].value
                if value >= 24:
                    continue
                for one in EDITION.cards[value]:
                    assert EDITION.clues[one].name not in sentence or "for " in sentence

    simulate(
        GAME,
        setup(4),
        NAMES[:4],
        draw=Chance(3),
        dice=Chance(4),
        choose=Detective(5, wild=0.2),
        most=3000,
        watch=watch,
    )
    assert judged > 200
