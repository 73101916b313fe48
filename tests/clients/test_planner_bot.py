"""The planning bot of the missing-suspect game: whole games to the trial, from its view alone, by exact distances."""

from __future__ import annotations

import random
import statistics
from typing import Any

import pytest
from tests.clients.city_table import EDITION, CityTable, city_box

from chambers import editions
from chambers.clients.bench import run_games
from chambers.clients.bots import LEVELS, RandomBot, bot_for, make_bot
from chambers.clients.casebook import Casebook
from chambers.clients.planner_bot import PlannerBot
from chambers.clients.sheet_bot import SheetBot
from chambers.clients.trips import turns_to_any
from chambers.protocol.client import Ask, Choice, Welcome
from chambers.rules.missing_suspect.city import city_of, expected_turns
from chambers.rules.missing_suspect.edition import NodeKind

BOX = city_box()
CITY = city_of(BOX.board)
CASES = {case.letter: case.title for case in BOX.cases}


def card(kind: int) -> dict[str, Any]:
    codes = {clue.name: f"{LETTER[clue.case]}{place}" for clue, place in _placed()}
    clues = [BOX.clues[clue] for clue in BOX.cards[kind]]
    return {
        "kind": kind,
        "code": "-".join(codes[clue.name] for clue in clues),
        "clues": [[codes[clue.name], clue.name, clue.value] for clue in clues],
    }


LETTER = [case.letter for case in BOX.cases]


def _placed() -> list[tuple[Any, int]]:
    return [(clue, 1 + sum(other.case == clue.case for other in BOX.clues[:n])) for n, clue in enumerate(BOX.clues)]


def view(
    *,
    car: str = "g4",
    case: str | None = "H",
    cards: tuple[int, ...] = (),
    solved: int | None = None,
    carries: str | None = None,
    numbers: dict[str, int] | None = None,
    taken: dict[str, int] | None = None,
    knows: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return seat 0's view at a table of three; suspects a to g stand on the S spots by address, h2 stays empty."""
    spots = dict(zip("abcdefg", ("b2", "c4", "c6", "f8", "k4", "k6", "l8"), strict=True))
    rival = next((letter for letter, by in (taken or {}).items() if by == 1), None)
    seats = [
        {"name": "Ada", "car": car, "cards": len(cards), "case": case is not None, "carries": carries, "knows": []},
        {"name": "Bo", "car": "a5", "cards": 3, "case": True, "carries": rival, "knows": list(knows)},
        {"name": "Cy", "car": "a7", "cards": 2, "case": True, "carries": None, "knows": []},
    ]
    suspects = [
        {"letter": letter, "colour": "any", "spot": spot, "carried_by": (taken or {}).get(letter)}
        for letter, spot in spots.items()
    ]
    known = {
        letter: {"number": number, "since": 2, "told_by": None} if number else None
        for letter, number in ((letter, (numbers or {}).get(letter)) for letter in spots)
    }
    titled = None if case is None else {"letter": case, "title": CASES[case], "clues": []}
    return {
        "public": {"seats": seats, "suspects": suspects},
        "seat": 0,
        "hand": {"case": titled, "cards": [card(kind) for kind in cards], "solved": solved},
        "sheet": {"numbers": known, "values": {}},
    }


def asked(kind: str, *options: str, ruling: str = "") -> Ask:
    return Ask("9.0", kind, "?", tuple(Choice(one, one, {}) for one in options), ruling)


def chosen(seen: dict[str, Any], ask: Ask) -> str:
    """Return the choice, the same one whatever chance says: where chance decides, the test fails."""
    bots = [PlannerBot(0, random.Random(seed), edition=BOX) for seed in range(6)]
    found = {bot.choose(seen, ask) for bot in bots}
    assert len(found) == 1, found
    return found.pop()


# Cards of the edition by what is on them: two clues of case H, one of them twice, and cards without any.
GUN, GEMS, GEMS_AGAIN, OVERNIGHT, FACE = 3, 7, 21, 11, 15
NO_USE, NO_USE_EITHER = 0, 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_planner_bots_bring_every_game_to_a_trial(seats: int) -> None:
    done = run_games(("rules",) * seats, 6, edition=EDITION, seed="whole")

    assert done.unfinished == 0
    assert sum(done.wins) == 6


def test_four_planner_bots_take_about_as_many_rounds_as_people_would_sit_for() -> None:
    rounds = [run_games(("rules",) * 4, 1, edition=EDITION, seed=str(seed)).rounds for seed in range(20)]

    assert 18 <= statistics.median(rounds) <= 32


def test_planner_bots_finish_with_few_clue_cards_too() -> None:
    done = run_games(("rules",) * 5, 2, edition="missing-suspect-sparse", seed="sparse")

    assert done.unfinished == 0


def test_a_planner_bot_wins_against_random_ones() -> None:
    first = run_games(("rules", "random"), 5, edition=EDITION, seed="first", most=4000)
    second = run_games(("random", "rules"), 5, edition=EDITION, seed="second", most=4000)

    assert (first.wins[0], second.wins[1]) == (5, 5)


def test_random_bots_are_cut_off() -> None:
    done = run_games(("random",) * 3, 2, edition=EDITION, seed="long", most=400)

    assert (done.unfinished, done.entries) == (2, 2 * 401)


@pytest.mark.parametrize("level", sorted(LEVELS["missing-suspect"]))
def test_the_same_seed_plays_the_same_investigation(level: str) -> None:
    one, other = (run_games((level,) * 3, 1, edition=EDITION, seed="7", most=900) for _ in range(2))

    assert (one.entries, one.rolls, one.wins) == (other.entries, other.rolls, other.wins)


def test_a_welcome_says_which_bot_a_seat_needs() -> None:
    def welcome(game: str, edition: str) -> Welcome:
        return Welcome("5d" * 16, game, edition, bytes(32), 1, 3, (), False, b"")

    make = bot_for("rules", seed="x")

    assert isinstance(make(welcome("missing-suspect", "missing-suspect-sparse")), PlannerBot)
    assert isinstance(make(welcome("witness-stand", "tandem-target")), SheetBot)
    assert isinstance(bot_for("random", seed="x")(welcome("missing-suspect", "nowhere")), RandomBot)


@pytest.mark.parametrize("edition", ["nowhere", "tandem-target"])
def test_a_planner_without_its_edition_is_refused(edition: str) -> None:
    with pytest.raises(editions.EditionError, match=edition):
        make_bot("rules", 0, seed="x", game="missing-suspect", edition=edition)


def test_distances_to_one_place_are_those_of_the_rules() -> None:
    for target in (CITY.courthouse, CITY.spots[2], CITY.of(NodeKind.RED)[5]):
        assert turns_to_any(CITY, (target,)) == pytest.approx(expected_turns(CITY, target), abs=1e-6)


def test_several_places_are_nearer_than_the_nearest_of_them() -> None:
    reds = CITY.of(NodeKind.RED)
    any_red, one_each = turns_to_any(CITY, reds), [expected_turns(CITY, red) for red in reds]

    assert all(any_red[node] <= min(turns[node] for turns in one_each) + 1e-6 for node in range(len(CITY.kinds)))
    assert any_red[CITY.courthouse] < min(turns[CITY.courthouse] for turns in one_each) - 0.5


def test_the_way_home_from_the_spots_takes_the_turns_that_the_exact_solution_says() -> None:
    home = turns_to_any(CITY, (CITY.courthouse,))

    assert statistics.mean(home[spot] for spot in CITY.spots) == pytest.approx(3.15, abs=0.01)


# what it decides


def test_without_a_case_it_drives_to_an_office() -> None:
    assert chosen(view(case=None), asked("move", "move.f5", "move.i6", "move.k4")) == "move.i6"


def test_with_a_case_it_drives_to_red_dots() -> None:
    assert chosen(view(cards=(GUN,)), asked("move", "move.i6", "move.e7", "move.c5")) == "move.e7"


def test_with_a_number_it_drives_to_that_suspect_and_to_no_other() -> None:
    seen = view(cards=(GUN, GEMS, FACE), solved=8, numbers={"d": 8, "e": 7})

    assert chosen(seen, asked("move", "move.k4", "move.f8", "move.e7")) == "move.f8"


def test_with_a_number_nobody_is_known_to_have_it_looks_under_suspects_it_does_not_know() -> None:
    seen = view(cards=(GUN, GEMS, FACE), solved=8, numbers={"e": 7})

    assert chosen(seen, asked("move", "move.k4", "move.k6", "move.e7")) == "move.k6"


def test_six_known_numbers_tell_the_seventh() -> None:
    numbers = {"a": 3, "b": 4, "c": 5, "e": 6, "f": 7, "g": 9}
    seen = view(cards=(GUN, GEMS, FACE), solved=8, numbers=numbers)

    assert Casebook(BOX, seen).holder(8) == 3
    assert chosen(seen, asked("move", "move.k4", "move.f8", "move.k6")) == "move.f8"


def test_with_its_suspect_in_another_car_it_goes_for_another_clue() -> None:
    seen = view(cards=(GUN, GEMS, FACE), solved=8, numbers={"d": 8}, taken={"d": 1})

    assert chosen(seen, asked("move", "move.f8", "move.e7", "move.c5")) == "move.e7"


def test_with_a_suspect_it_drives_home() -> None:
    seen = view(cards=(GUN, GEMS, FACE), solved=8, carries="d", numbers={"d": 8}, taken={"d": 0})

    assert chosen(seen, asked("move", "move.f5", "move.g5", "move.e7")) == "move.g5"


def test_a_clue_card_is_drawn_but_not_on_the_way_to_a_suspect() -> None:
    on_the_way = view(cards=(GUN, GEMS, FACE), solved=8, numbers={"d": 8})

    assert chosen(view(cards=(GUN,)), asked("red", "yes", "no")) == "yes"
    assert chosen(on_the_way, asked("red", "yes", "no")) == "no"


def test_the_right_suspect_is_captured_and_the_wrong_one_left() -> None:
    assert chosen(view(), asked("capture", "yes", "no")) == "yes"
    assert chosen(view(), asked("capture", "no")) == "no"


def test_the_card_of_no_use_is_discarded() -> None:
    seen = view(cards=(GUN, GEMS, NO_USE, FACE))
    options = [f"discard.{card(kind)['code']}" for kind in (GUN, GEMS, NO_USE, FACE)]

    assert chosen(seen, asked("discard", *options)) == options[2]


def test_a_second_copy_of_a_clue_is_of_no_use() -> None:
    seen = view(cards=(GUN, GEMS, GEMS_AGAIN))
    give = {kind: f"give.{card(kind)['code']}" for kind in (GUN, GEMS, GEMS_AGAIN)}
    bots = [PlannerBot(0, random.Random(seed), edition=BOX) for seed in range(12)]

    given = {bot.choose(seen, asked("answer", *give.values())) for bot in bots}

    assert given == {give[GEMS], give[GEMS_AGAIN]}


def test_of_four_clues_those_are_kept_that_lead_to_a_suspect_on_the_board() -> None:
    """Of 2, 3, 3 and 1 the sums are 8, 7, 6 and 6; with 8 and 7 taken, one of the threes must go."""
    cards = (GUN, GEMS, FACE, OVERNIGHT)
    seen = view(cards=cards, numbers={"a": 8, "b": 7, "c": 6}, taken={"a": 1, "b": 2})
    options = {f"discard.{card(kind)['code']}": kind for kind in cards}
    bots = [PlannerBot(0, random.Random(seed), edition=BOX) for seed in range(12)]

    assert {options[bot.choose(seen, asked("discard", *options))] for bot in bots} == {GEMS, FACE}


def test_a_new_case_is_taken_only_where_the_old_one_is_no_good() -> None:
    taken = {"a": 1, "b": 2, "c": 2}
    stuck = view(cards=(GUN,), numbers={"a": 8, "b": 7, "c": 6}, taken=taken)

    assert chosen(view(cards=(GUN,)), asked("office", "yes", "no")) == "no"
    assert chosen(view(cards=(NO_USE, NO_USE_EITHER)), asked("office", "yes", "no")) == "yes"
    assert chosen(stuck, asked("office", "yes", "no")) == "yes"


def test_check_suspect_takes_it_to_the_suspect_of_its_number() -> None:
    seen = view(cards=(GUN, GEMS, FACE), solved=8, numbers={"g": 8, "e": 7})

    assert chosen(seen, asked("check", *(f"check.{letter}" for letter in "abcdefg"))) == "check.g"


def test_check_suspect_looks_under_one_that_it_does_not_know() -> None:
    seen = view(numbers={"a": 3, "b": 4, "c": 5, "d": 9, "e": 7})

    assert chosen(seen, asked("check", "check.a", "check.e", "check.f")) == "check.f"


def test_a_missing_clue_is_asked_for_with_a_card_of_no_use() -> None:
    seen = view(cards=(GUN, NO_USE))
    options = [f"offer.{seat}.{card(kind)['code']}" for seat in (1, 2) for kind in (GUN, NO_USE)]
    code = chosen(seen, asked("offer", *options, "no", ruling="MS-24"))

    assert code == f"offer.1.{card(NO_USE)['code']}"
    assert chosen(seen, asked("ask", "ask.A1", "ask.H2", "ask.H3", "ask.H4", "no")) in ("ask.H3", "ask.H4")


def test_nothing_is_offered_that_the_case_needs() -> None:
    seen = view(cards=(GUN, FACE))
    options = [f"offer.{seat}.{card(kind)['code']}" for seat in (1, 2) for kind in (GUN, FACE)]

    assert chosen(seen, asked("offer", *options, "no", ruling="MS-24")) == "no"


def test_a_trade_is_offered_to_whoever_carries_a_suspect() -> None:
    seen = view(cards=(GUN, NO_USE), taken={"a": 1})
    options = [f"offer.{seat}.{card(kind)['code']}" for seat in (2, 1) for kind in (GUN, NO_USE)]

    assert chosen(seen, asked("offer", *options, "no", ruling="MS-26")) == f"offer.1.{card(NO_USE)['code']}"


def test_a_number_is_asked_of_a_player_who_has_looked() -> None:
    seen = view(numbers={"b": 4}, knows=("b", "f"))
    options = [f"point.{seat}.{letter}" for seat in (1, 2) for letter in "abcdefg"]

    assert chosen(seen, asked("point", *options, "no")) == "point.1.f"
    assert chosen(view(), asked("point", *options, "no")) == "no"


def test_a_casebook_shows_nothing_of_itself() -> None:
    assert repr(Casebook(BOX, view(cards=(GUN,)))) == "Casebook(seat=0, ...)"


def test_numbers_that_a_casebook_calls_certain_are_true_at_every_choice() -> None:
    table = CityTable("certain", seats=4)
    checked = 0
    while table.step():
        truth = {place - 1000: number for place, number in table.simulator.pile.values if 1000 <= place < 1007}
        for seat in range(4):
            book = Casebook(BOX, table.view(seat))
            checked += len(book.numbers)
            assert all(truth[suspect] == number for suspect, number in book.numbers.items())

    assert checked > 1000
