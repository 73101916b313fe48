"""Line mode in the city: places by address, the map, the case, the check list; golden lines, and one whole game."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from tests.clients.city_table import EDITION, GAME, WELCOME, CityTable, city_box, city_speech

from chambers.clients import typed
from chambers.clients.city_map import city_map
from chambers.clients.city_sights import CitySights
from chambers.clients.rulings import RULINGS, ruling_text
from chambers.clients.seating import sights_of
from chambers.clients.sights import Sights
from chambers.clients.speech import FIRST_WORDS, Speech, prompt_lines
from chambers.clients.typed import Sight, read_line
from chambers.protocol.client import Ask, Choice, Line, Over, Update

BOX = city_box()
SIGHTS = sights_of(EDITION)
COLOURS = ("red", "blue", "green", "yellow", "white", "pink", "black")
SPOTS = ("b2", "c4", "c6", "f8", "k4", "k6", "l8")
CANARY = {
    "letter": "H",
    "title": "Canary Diamonds",
    "clues": [["H1", "Overnight Case"], ["H2", "Hidden Gun"], ["H3", "Missing Gems"], ["H4", "Face at the Window"]],
}
GUN = {"kind": 3, "code": "A1-H2", "clues": [["A1", "Shorthand Pad", 1], ["H2", "Hidden Gun", 2]]}
KEY = {"kind": 15, "code": "D1-H4", "clues": [["D1", "Old Key", 1], ["H4", "Face at the Window", 3]]}
KITTEN = {"kind": 4, "code": "B3-E1", "clues": [["B3", "Saucer of Milk", 3], ["E1", "Black Veil", 1]]}


def seat(name: str, car: str | None = "g5", **more: Any) -> dict[str, Any]:
    state: dict[str, Any] = {
        "cards": 2,
        "case": True,
        "open_case": None,
        "carries": None,
        "knows": [],
        "dropped": False,
    }
    return {"name": name, "car": car, **state, **more}


def view(**more: Any) -> dict[str, Any]:
    """Return the flat view of seat 0 in round 12; b is in Cy's car, and c's number was told by Bo."""
    suspects = [
        {"letter": letter, "colour": colour, "shape": "", "spot": spot, "carried_by": 2 if letter == "b" else None}
        for letter, colour, spot in zip("abcdefg", COLOURS, SPOTS, strict=True)
    ]
    numbers: dict[str, Any] = dict.fromkeys("abcdefg")
    numbers["c"] = {"number": 4, "since": 9, "told_by": 1}
    numbers["e"] = {"number": 7, "since": 3, "told_by": None}
    return {
        "turn": {"seat": 0, "round": 12, "stage": "move"},
        "seats": [
            seat("Ada", "f5", knows=["c", "e"]),
            seat("Bo", "c4", cards=1, case=False),
            seat("Cy", "k6", carries="b"),
        ],
        "suspects": suspects,
        "piles": {"clues": 20, "cases": 5},
        "asked": None,
        "result": None,
        "seat": 0,
        "hand": {"case": CANARY, "cards": [GUN, KITTEN], "solved": None},
        "sheet": {"numbers": numbers, "values": {"A1": 1, "B3": 3, "E1": 1, "H2": 2}},
        **more,
    }


def asked(kind: str, *options: tuple[str, str], text: str = "What now?", ruling: str = "MS-2") -> Ask:
    return Ask("40.0", kind, text, tuple(Choice(ident, label, {}) for ident, label in options), ruling)


MOVE = asked(
    "move",
    ("move.a1", "a1 Quarry Tunnel, by tunnel"),
    ("move.b6", "b6 Mission Office"),
    ("move.c6", "c6 S spot Old Cannery, green suspect C"),
    ("move.d5", "d5 Mission Tunnel"),
    ("move.e7", "e7 red dot"),
    ("move.g5", "g5 Courthouse"),
    ("move.g9", "g9 dot"),
    ("move.h2", "h2 S spot Orpheum Theater"),
    ("move.h4", "h4 dot"),
    ("move.i3", "i3 red dot"),
    ("move.i4", "i4 East Inquest"),
    ("move.k4", "k4 S spot Hotel Alcazar, white suspect E"),
    ("move.l8", "l8 S spot Gas Works, black suspect G"),
    ("move.m9", "m9 Harbor Tunnel, by tunnel"),
    text="You threw 5. Your car is at f5. Where do you drive?",
)


def test_places_stand_together_by_what_they_are() -> None:
    assert prompt_lines(MOVE, SIGHTS, view()) == [
        "ASK You threw 5. Your car is at f5. Where do you drive?",
        "CHOICE 6 g5 Courthouse, the trial",
        "CHOICE 3 c6 S spot Old Cannery, green suspect C, number 4 known",
        "CHOICE 8 h2 S spot Orpheum Theater, nobody there",
        "CHOICE 12 k4 S spot Hotel Alcazar, white suspect E, number 7 known",
        "CHOICE 13 l8 S spot Gas Works, black suspect G, number not known",
        "CHOICE 2 b6 Mission Office, may take a new case",
        "CHOICE 11 i4 East Inquest, questions a witness",
        "CHOICE 5 e7, 10 i3: red dot, a clue card may be drawn",
        "CHOICE 4 d5: Tunnel Dot",
        "CHOICE 1 a1, 14 m9: Tunnel Dot, by tunnel",
        "CHOICE 7 g9, 9 h4: plain dot",
    ]


def test_without_a_case_an_office_draws_one_and_an_inquest_gives_nothing() -> None:
    new = view(seats=[seat("Ada", case=False), seat("Bo"), seat("Cy")])

    assert [line for line in prompt_lines(MOVE, SIGHTS, new) if "Office" in line or "Inquest" in line] == [
        "CHOICE 2 b6 Mission Office, draws a case",
        "CHOICE 11 i4 East Inquest, no result without a case",
    ]


@pytest.mark.parametrize("line", ["e7", "E7", "move e7", "move.e7", "5", "e7 red dot"])
def test_a_place_is_chosen_by_its_address(line: str) -> None:
    got = read_line(line, MOVE)

    assert isinstance(got, typed.Chosen)
    assert got.option.id == "move.e7"


@pytest.mark.parametrize(("line", "place"), [("alcazar", "k4"), ("suspect c", "c6"), ("courthouse", "g5")])
def test_a_place_is_chosen_by_its_name_or_its_suspect(line: str, place: str) -> None:
    got = read_line(line, MOVE)

    assert isinstance(got, typed.Chosen)
    assert got.option.id == f"move.{place}"


@pytest.mark.parametrize("line", ["e8", "z99", "move", "red dot"])
def test_a_place_that_is_no_choice_is_not_guessed_at(line: str) -> None:
    assert isinstance(read_line(line, MOVE), typed.Unclear)


def test_clues_to_ask_for_stand_together_by_case_with_the_own_one_first() -> None:
    ask = asked(
        "ask",
        ("ask.A1", "Shorthand Pad"),
        ("ask.A2", "Carbon Copy"),
        ("ask.H1", "Overnight Case"),
        ("ask.H3", "Missing Gems"),
        ("no", "Ask nothing"),
        text="Which clue do you ask Bo for?",
    )

    assert prompt_lines(ask, SIGHTS, view()) == [
        "ASK Which clue do you ask Bo for?",
        "CHOICE 3 Overnight Case, 4 Missing Gems: case H, Canary Diamonds (yours)",
        "CHOICE 1 Shorthand Pad, 2 Carbon Copy: case A, Stuttering Stenographer",
        "CHOICE 5 Ask nothing",
    ]


def test_players_to_turn_to_stand_together_by_the_card_that_is_given() -> None:
    ask = asked(
        "offer",
        ("offer.1.A1-H2", "Bo, for Shorthand Pad / Hidden Gun"),
        ("offer.1.B3-E1", "Bo, for Saucer of Milk / Black Veil"),
        ("offer.2.A1-H2", "Cy, for Shorthand Pad / Hidden Gun"),
        ("offer.2.B3-E1", "Cy, for Saucer of Milk / Black Veil"),
        ("no", "Ask nobody"),
    )

    assert prompt_lines(ask, SIGHTS, view())[1:] == [
        "CHOICE 1 Bo, 3 Cy: give Shorthand Pad / Hidden Gun (of your case: Hidden Gun)",
        "CHOICE 2 Bo, 4 Cy: give Saucer of Milk / Black Veil",
        "CHOICE 5 Ask nobody",
    ]


def test_numbers_to_ask_for_stand_together_by_suspect_with_who_knows_them() -> None:
    ask = asked(
        "point",
        ("point.1.a", "Ask Bo about the red suspect A"),
        ("point.1.c", "Ask Bo about the green suspect C"),
        ("point.2.a", "Ask Cy about the red suspect A"),
        ("no", "Ask nobody"),
    )
    shown = view(seats=[seat("Ada"), seat("Bo", knows=["a"]), seat("Cy")])

    assert prompt_lines(ask, SIGHTS, shown)[1:] == [
        "CHOICE 1 Bo (knows it), 3 Cy: about the red suspect A",
        "CHOICE 2 Bo: about the green suspect C",
        "CHOICE 4 Ask nobody",
    ]


@pytest.mark.parametrize("kind", ["discard", "answer"])
def test_cards_to_part_with_say_what_of_the_case_is_on_them(kind: str) -> None:
    ask = asked(kind, ("x.A1-H2", "Give Shorthand Pad / Hidden Gun"), ("x.B3-E1", "Give Saucer of Milk / Black Veil"))

    assert prompt_lines(ask, SIGHTS, view())[1:] == [
        "CHOICE 1 Give Shorthand Pad / Hidden Gun (of your case: Hidden Gun)",
        "CHOICE 2 Give Saucer of Milk / Black Veil",
    ]


def test_the_board_is_the_map_with_cars_and_suspects_and_then_words() -> None:
    board = SIGHTS.board(view())

    assert board[:7] == [
        "     a   b   c   d   e   f   g   h   i   j   k   l   m",
        "  1  T---o---o---r---o---o---o---r---o---o---r---o---T",
        "     |   |       |   |       |   |       |           |",
        "  2  o   a       o   I       r   S       o           r",
        "     |           |           |           |           |",
        "  3  r           r---o---o---o---o---r---o---o---o---o",
        "     |           |   |       |       |   |   |       |",
    ]
    assert board[7] == "  4  o       S1  o   O   o---o---o   I   r   e   O   o"
    assert board[9] == "  5  o---r---o---T---o---r0--C---r---o---T---o---r---o"
    assert board[11] == "  6  o   O   c   r   I   o---o---o   O   o   f2      o"
    assert board[18].startswith("On the map: ")
    assert board[19:] == [
        "red suspect A: at b2 S spot Rowing Club.",
        "blue suspect B: with Cy, captured at c4 S spot Chinatown Laundry.",
        "green suspect C: at c6 S spot Old Cannery, number 4.",
        "yellow suspect D: at f8 S spot Flower Market.",
        "white suspect E: at k4 S spot Hotel Alcazar, number 7.",
        "pink suspect F: at k6 S spot Union Depot.",
        "black suspect G: at l8 S spot Gas Works.",
        "Ada (you), seat 0: car at f5 red dot, 2 clue cards, a case; knows the number of C, E.",
        "Bo, seat 1: car at c4 S spot Chinatown Laundry, 1 clue card, no case.",
        "Cy, seat 2: car at k6 S spot Union Depot, 2 clue cards, a case, carries the blue suspect B.",
        "The piles hold 20 clue cards and 5 cases.",
    ]


def test_six_cars_on_the_courthouse_hide_no_place() -> None:
    drawn = city_map(BOX.board, cars=dict.fromkeys(range(6), "g5"), suspects={})
    empty = city_map(BOX.board, cars={}, suspects={})

    assert "C01+r" in drawn[9]
    assert [number for number, (one, other) in enumerate(zip(drawn, empty, strict=True)) if one != other] == [9]


def test_a_car_in_the_last_column_is_drawn() -> None:
    assert city_map(BOX.board, cars={4: "m9"}, suspects={})[17].endswith("T4")


def test_who_has_left_and_what_is_not_placed_is_said() -> None:
    suspects = [{**top, "spot": None, "carried_by": None} for top in view()["suspects"]]
    board = SIGHTS.board(view(suspects=suspects, seats=[seat("Ada", None), seat("Bo", None, dropped=True), seat("Cy")]))

    assert "red suspect A: not placed yet." in board
    assert "Ada (you), seat 0: no car on the board, 2 clue cards, a case." in board
    assert "Bo, seat 1: dropped." in board


def test_the_hand_is_the_case_with_its_clues_and_the_cards() -> None:
    assert SIGHTS.hand(view()) == [
        "your case is H, Canary Diamonds. Three of its four clues solve it.",
        "case clue Overnight Case: missing.",
        "case clue Hidden Gun 2: held.",
        "case clue Missing Gems: missing.",
        "case clue Face at the Window: missing.",
        "you hold 2 clue cards; three is the limit.",
        "Shorthand Pad 1 (case A) / Hidden Gun 2 (case H)",
        "Saucer of Milk 3 (case B) / Black Veil 1 (case E)",
    ]


def test_a_solved_case_names_its_number() -> None:
    solved = view(hand={"case": CANARY, "cards": [GUN, KEY], "solved": 8})

    assert SIGHTS.hand(solved)[-1] == "your case is solved: your suspect is number 8."


def test_the_sheet_is_the_check_list() -> None:
    assert SIGHTS.sheet(view()) == [
        "check list red suspect A: not checked.",
        "check list blue suspect B: not checked.",
        "check list green suspect C: number 4, told by Bo in round 9.",
        "check list yellow suspect D: not checked.",
        "check list white suspect E: number 7, looked at in round 3.",
        "check list pink suspect F: not checked.",
        "check list black suspect G: not checked.",
        "check list: numbers not seen yet: 3, 5, 6, 8, 9.",
        "numbers of the clues you have held: Shorthand Pad 1, Saucer of Milk 3, Black Veil 1, Hidden Gun 2.",
    ]


def test_a_changed_hand_names_the_cards_and_the_case() -> None:
    before = SIGHTS.codes(view(hand={"case": None, "cards": [GUN], "solved": None}))
    after = SIGHTS.codes(view(hand={"case": CANARY, "cards": [KITTEN], "solved": None}))
    assert before is not None
    assert after is not None

    assert SIGHTS.changed(before, after) == [
        "you now hold case H, Canary Diamonds",
        "you now hold Saucer of Milk 3 (case B) / Black Veil 1 (case E)",
        "you no longer hold Shorthand Pad 1 (case A) / Hidden Gun 2 (case H)",
    ]


def test_the_turn_says_where_the_car_is_and_whom_it_carries() -> None:
    shown = view(turn={"seat": 2, "round": 12, "stage": "roll"})

    assert SIGHTS.turn_text(view()) == "12 Ada (you), car at f5 red dot."
    assert SIGHTS.turn_text(shown) == "12 Cy, car at k6 S spot Union Depot, with the blue suspect B."


def test_the_end_names_the_suspect_and_adds_up_the_own_case() -> None:
    hand = {"case": CANARY, "cards": [GUN, KEY, KITTEN], "solved": None}
    ended = view(result={"winner": 2, "text": "Cy wins: the blue suspect B is brought to trial."}, hand=hand)

    assert SIGHTS.solution(ended) == [
        "Cy brought the blue suspect B, found at c4 S spot Chinatown Laundry.",
        "Your case was H, Canary Diamonds. You held Hidden Gun 2, Face at the Window 3.",
    ]
    assert SIGHTS.solution(view(result={"winner": None, "text": "Nobody wins."})) == []
    assert SIGHTS.solution(view()) == []


def test_a_spectator_is_told_nothing_of_a_hand() -> None:
    shown = {name: value for name, value in view().items() if name not in ("seat", "hand", "sheet")}

    told = [*SIGHTS.board(shown), SIGHTS.turn_text(shown), *SIGHTS.hand(shown), *SIGHTS.sheet(shown)]

    assert SIGHTS.codes(shown) is None
    assert not any("number 4" in line or "(you)" in line for line in told)


def test_addresses_and_codes_stand_alone_where_the_edition_is_not_here() -> None:
    speech = Speech(lambda name, _hash: Sights(None, name=name))
    (welcome,) = speech.lines(WELCOME)
    shown = view()
    private = {name: shown.pop(name) for name in ("seat", "hand", "sheet")}

    got = speech.lines(Update(40, "play", {"public": shown, **private}, (), MOVE))

    assert welcome.endswith("seat 0 of 3, edition missing-suspect, whose texts are not on this machine.")
    assert "TURN 12 Ada (you), car at f5." in got
    assert "CHOICE 3 c6 S spot Old Cannery, green suspect C" in got
    assert speech.look(Sight.BOARD)[0] == "BOARD red suspect A: at b2."
    assert speech.look(Sight.SHEET)[-1] == "HAND numbers of the clues you have held: A1 1, B3 3, E1 1, H2 2."


def test_before_the_deal_the_city_has_nothing_to_look_at() -> None:
    speech = city_speech()
    speech.lines(Update(sequence=0, phase="commit", view={"public": {}}, lines=(), prompt=None))

    for sight in Sight:
        assert len(speech.look(sight)) == 1


def test_the_rule_behind_a_move_can_be_asked_for() -> None:
    speech = city_speech()
    speech.lines(Update(40, "play", {"public": view()}, (), MOVE))

    assert speech.rule()[0].startswith("ASK the rule: MS-2, Moves on the Board: ")


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_every_event_prompt_and_sight_of_a_whole_game_is_one_plain_line(seed: str) -> None:
    table, speech = CityTable(seed), city_speech()
    told: list[str] = []
    prompts: set[str] = set()
    for number, update in enumerate(table.updates()):
        told += speech.lines(update)
        if update.prompt is not None:
            prompts.add(update.prompt.kind)
            told += speech.rule()
        if number % 25 == 0:
            told += itertools.chain.from_iterable(speech.look(sight) for sight in Sight)
    result = table.simulator.summary().result
    assert result is not None
    told += speech.lines(Over(result.winner, result.text, 400, "ab" * 32))

    assert {line.split()[0] for line in told} <= set(FIRST_WORDS)
    assert all("\n" not in line and line.isprintable() and line.isascii() for line in told)
    assert not any("None" in line or "{" in line or "[" in line for line in told)
    assert {"move", "red"} <= prompts
    assert f"END {result.text}" in told[-5:]


def test_every_choice_of_a_whole_game_stands_in_a_line_with_its_number() -> None:
    table = CityTable("numbers")
    seen: set[str] = set()
    for update in itertools.chain.from_iterable(table_updates(table)):
        ask = update.prompt
        if ask is None:
            continue
        seen.add(ask.kind)
        text = " ".join(prompt_lines(ask, SIGHTS, {**update.view, **update.view["public"]})[1:])
        assert all(f" {number} " in f" {text} " for number in range(1, len(ask.options) + 1))

    assert {"place", "move", "red", "capture"} <= seen


def table_updates(table: CityTable) -> Any:
    while table.step():
        yield [table.update(seat) for seat in range(3)]


def test_every_prompt_of_whole_games_stands_on_a_ruling_that_is_explained() -> None:
    rulings: set[str] = set()
    for seed in ("a", "b", "c", "d"):
        for update in CityTable(seed).updates():
            if update.prompt is not None:
                rulings.add(update.prompt.ruling)

    assert len(rulings) > 4
    assert rulings <= set(RULINGS)
    assert all(ruling_text(ruling).startswith(f"{ruling}, ") for ruling in rulings)


def test_a_log_line_is_told_to_the_player_as_his_own() -> None:
    speech = city_speech()
    line = Line(40, "You drive to e7 red dot.")

    assert speech.lines(Update(40, "play", {"public": {}}, (line,), None)) == ("YOU drive to e7 red dot.",)


def test_the_words_for_an_edition_are_those_of_its_game() -> None:
    assert isinstance(sights_of("missing-suspect-sparse"), CitySights)
    assert isinstance(sights_of("tandem-target"), Sights)
    assert sights_of(EDITION).title == "The Case of the Missing Suspect (a reconstruction)"
    assert sights_of(EDITION, bytes(32)).title == "edition missing-suspect, whose texts are not on this machine"
    assert CitySights.game == GAME.NAME
