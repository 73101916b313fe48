"""MS: Moves on the Board. Driving dot by dot, tunnels, and where a car may rest."""

from __future__ import annotations

import msgspec
import pytest
from tests.missing_suspect.town import EDITION, GAME, Town, setup, town
from tests.support.chance import Chance

from chambers.rules.missing_suspect.city import City, city_of, expected_turns, reach
from chambers.rules.missing_suspect.edition import Board, Node, NodeKind
from chambers.rules.missing_suspect.play import Stage
from chambers.rules.roles import seat_role

CITY = city_of(EDITION.board)
ALL = [(start, throw) for start in range(len(CITY.kinds)) for throw in range(1, 7)]


def _board(art: tuple[str, ...]) -> Board:
    """Return a board of lower-case dots, with lines between neighbours that are drawn."""
    kinds = {"o": "dot", "C": "courthouse", "S": "suspect", "T": "tunnel", "I": "inquest", "r": "red"}
    at = {
        (c // 4, r // 2): art[r][c]
        for r in range(0, len(art), 2)
        for c in range(0, len(art[r]), 4)
        if art[r][c] in kinds
    }
    order = sorted(at, key=lambda place: (place[1], place[0]))
    nodes = tuple(
        Node(address=f"{'abcdefghijkl'[c]}{r + 1}", kind=NodeKind(kinds[at[c, r]]), col=c, row=r) for c, r in order
    )
    across = [((c, r), (c + 1, r)) for c, r in order if art[2 * r][4 * c + 1 : 4 * c + 4] == "---"]
    down = [((c, r), (c, r + 1)) for c, r in order if 2 * r + 1 < len(art) and art[2 * r + 1][4 * c : 4 * c + 1] == "|"]
    lines = tuple((order.index(one), order.index(other)) for one, other in across + down)
    return Board(art=art, nodes=nodes, lines=lines)


EIGHT = _board(
    (
        "o---o---o   C",
        "|   |   |   |",
        "o---o---o---o",
    )
)
"""Two squares that share a line, so that a dot can be crossed twice without driving a line twice."""


def _at(address: str, *, carrying: bool = False) -> Town:
    table = town()
    table.put(0, address)
    if carrying:
        table.carry(0, 0)
    return table


def _ends(table: Town, throw: int) -> list[str]:
    table.roll(throw)
    return [ident.removeprefix("move.") for ident in table.ids(0)]


def _walk(city: City, start: int, throw: int, *, dot: bool) -> set[int]:
    """Return the ends of a throw by plain enumeration of every path, as the rulebook words it."""
    ends: set[int] = set()
    paths: list[tuple[int, tuple[int, ...], tuple[int, ...], int]] = [(start, (), (start,), 0)]
    while paths:
        here, lines, dots, count = paths.pop()
        for ahead, line in city.near[here]:
            if line in lines or (dot and ahead in dots):
                continue
            kind = city.kinds[ahead]
            if kind is NodeKind.TUNNEL:
                ends.update(tunnel for tunnel in city.tunnels if tunnel != ahead)
            if kind is NodeKind.COURTHOUSE:
                ends.update({ahead} if count + 1 == throw and ahead != start else ())
            elif kind in (NodeKind.SUSPECT, NodeKind.OFFICE, NodeKind.INQUEST) or count + 1 == throw:
                ends.add(ahead)
            else:
                paths.append((ahead, (*lines, line), (*dots, ahead), count + 1))
    return ends


def test_the_ends_of_every_throw_are_those_of_a_plain_enumeration() -> None:
    """MS: Moves on the Board. MS-2: every legal end and no other, from every place, for every throw."""
    for start, throw in ALL:
        assert {found.end for found in reach(CITY, start, throw, False)} == _walk(CITY, start, throw, dot=False)


def test_every_path_that_is_offered_is_accepted() -> None:
    """MS: Moves on the Board. MS-2: each option is a legal move, from every place, for every throw."""
    table = town()
    table.carry(0, 0)
    offered = 0
    for start, throw in ALL:
        table.change(stage=Stage.MOVE, cars=(start, *table.play.cars[1:]), roll=throw)
        for option in table.asked(0).options:
            offered += 1
            GAME.check(table.play, seat_role(0), option.event, ts=0)
    assert offered > 5000


def test_no_throw_is_a_dead_end_anywhere() -> None:
    """MS-2, MS-6: with no other car about there is a move from every place for every throw."""
    assert all(reach(CITY, start, throw, False) for start, throw in ALL if start != CITY.courthouse)
    assert all(len(reach(CITY, CITY.courthouse, throw, False)) > 3 for throw in range(1, 7))


def test_the_whole_throw_is_driven() -> None:
    """MS-2: a dot is reached by exactly as many dots as the die shows; fewer or more are refused."""
    table = _at("a3")
    assert "a1" not in _ends(table, 1)
    assert table.refused(0, table.path("a2", "a1")).ruling == "MS-2"
    table = _at("e9")
    table.roll(3)
    assert table.refused(0, table.path("d9", "c9")).code == "rule/wrong-count"
    table.take(0, "move.b9")
    assert table.car(0) == "b9"


def test_a_spot_may_be_entered_with_dots_left() -> None:
    """MS-2: a shorter move is one that enters an Office, an Inquest or an S spot."""
    assert {"f8", "i8"} <= set(_ends(_at("g9"), 6))


def test_only_a_shorter_move_left_must_be_taken() -> None:
    """MS-2: if only shorter moves are legal, one of them must be taken."""
    table = _at("f9")
    table.put(1, "e9")
    table.put(2, "g9")
    table.roll(1)
    assert table.ids(0) == ["move.f8"]
    assert table.refused(0, table.path()).ruling == "MS-6"


def test_no_line_is_driven_twice_in_a_turn() -> None:
    """MS-3: a car may not re-trace its path on the same turn."""
    table = _at("e9")
    table.roll(2)
    assert table.refused(0, table.path("f9", "e9")).ruling == "MS-3"


def test_a_dot_may_be_crossed_again_by_another_line() -> None:
    """MS-3: two lines into one dot are two lines; with `retrace` dot the dot counts."""
    city = City(EIGHT)
    start, far = city.addresses.index("c1"), city.addresses.index("c2")
    by_line = {found.end: found.path for found in reach(city, start, 6, False)}
    by_dot = {found.end for found in reach(city, start, 6, True)}
    assert by_line.keys() - by_dot
    assert {found.end for found in reach(city, start, 6, False)} == _walk(city, start, 6, dot=False)
    assert by_dot == _walk(city, start, 6, dot=True)
    assert far in _walk(city, start, 1, dot=True)


def test_both_readings_of_retrace_agree_on_our_board() -> None:
    """MS-3: they differ on no throw of our board."""
    for start, throw in ALL:
        line = {found.end for found in reach(CITY, start, throw, False)}
        assert line == {found.end for found in reach(CITY, start, throw, True)}


def test_the_retrace_option_is_enforced_on_a_path() -> None:
    """MS-3: with `retrace` dot a dot is not crossed twice."""
    spots = tuple(
        Node(address=f"{letter}9", kind=NodeKind.SUSPECT, col=col, row=8) for col, letter in enumerate("abcdefgh")
    )
    board = Board(art=EIGHT.art, nodes=EIGHT.nodes + spots, lines=EIGHT.lines)
    box = msgspec.structs.replace(EDITION, board=board)
    path = ("a1", "a2", "b2", "b1", "c1")
    tables = {}
    for retrace in ("line", "dot"):
        tables[retrace] = table = Town(GAME, setup(2, box, retrace=retrace), ("Ada", "Bo"), draw=Chance(1))
        cars = (table.node("b1"), table.node("d1"))
        table.change(stage=Stage.MOVE, order=(0, 1), round=1, cars=cars, roll=5)
    GAME.check(tables["line"].play, seat_role(0), tables["line"].path(*path), ts=0)
    assert tables["dot"].refused(0, tables["dot"].path(*path)).ruling == "MS-3"


def test_other_cars_may_be_passed() -> None:
    """MS-4: only resting on an occupied dot is banned."""
    table = _at("e9")
    table.put(1, "d9")
    assert "c9" in _ends(table, 2)


def test_no_two_cars_rest_on_one_dot() -> None:
    """MS-4: the end of a move is free, and a move to an occupied dot is refused."""
    table = _at("e9")
    table.put(1, "c9")
    table.roll(2)
    assert "move.c9" not in table.ids(0)
    refusal = table.refused(0, table.path("d9", "c9"))
    assert (refusal.code, refusal.ruling) == ("rule/occupied", "MS-4")


def test_a_car_that_cannot_end_anywhere_stays_and_does_not_draw_again() -> None:
    """MS-5: every end occupied: the car stays, the turn ends, and the red dot it stood on gives nothing."""
    table = _at("k1")
    table.put(1, "j1")
    table.put(2, "l1")
    table.roll(1)
    assert (table.play.turn, table.car(0), table.play.stage) == (1, "k1", Stage.ROLL)


def test_moving_is_compulsory() -> None:
    """MS-6: there is no option to stay."""
    table = _at("e9")
    table.roll(2)
    assert all(ident.startswith("move.") for ident in table.ids(0))


def test_two_cars_may_share_a_spot_or_a_tunnel_dot() -> None:
    """MS-7: the ban is for dots; Tunnel Dots are excepted by the rulebook."""
    table = _at("b1")
    table.put(1, "b2")
    table.put(2, "a1")
    assert {"b2", "a1"} <= set(_ends(table, 1))


def test_a_tunnel_dot_entered_at_any_count_may_be_jumped_from() -> None:
    """MS-8: entering is enough, the jump is optional, and the dots left are lost."""
    table = _at("b1")
    ends = _ends(table, 3)
    assert {"a9", "m1", "m9", "d5", "j5"} <= set(ends)
    assert "a3" in ends
    table.take(0, "move.m9")
    assert (table.car(0), table.play.turn) == ("m9", 1)


def test_starting_on_a_tunnel_dot_is_not_entering_it() -> None:
    """MS-8: no jump from where the turn starts."""
    table = _at("m9")
    table.roll(1)
    assert table.ids(0) == ["move.l9", "move.m8"]
    assert table.refused(0, table.path("a1")).ruling == "MS-42"


def test_nothing_is_driven_after_a_jump() -> None:
    """MS-8: the car remains on the second Tunnel Dot until its next turn."""
    table = _at("b1")
    table.roll(3)
    assert table.refused(0, table.path("a1", "m9", "l9")).ruling == "MS-8"


def test_entering_a_spot_ends_the_move() -> None:
    """MS-9: spots are not passable."""
    spots = [
        node for node, kind in enumerate(CITY.kinds) if kind in (NodeKind.SUSPECT, NodeKind.OFFICE, NodeKind.INQUEST)
    ]
    for start, throw in ALL:
        assert not any(set(found.path[:-1]) & set(spots) for found in reach(CITY, start, throw, False))
    table = _at("g6")
    table.roll(3)
    assert table.refused(0, table.path("g5", "g4", "g3")).ruling == "MS-9"


def test_the_courthouse_is_closed_without_a_captured_suspect() -> None:
    """MS-10: no early re-entry, and no driving through."""
    table = _at("g6")
    assert "g5" not in _ends(table, 1)
    assert table.refused(0, table.path("g5")).ruling == "MS-10"


def test_a_trial_needs_the_exact_count() -> None:
    """MS-11: the Courthouse counts as the last space; short or over, the car is driven elsewhere."""
    assert "g5" in _ends(_at("g6", carrying=True), 1)
    assert "g5" in _ends(_at("g6", carrying=True), 5)
    table = _at("g6", carrying=True)
    table.roll(2)
    assert "move.g5" not in table.ids(0)
    assert table.refused(0, table.path("g5")).ruling == "MS-11"


def test_the_courthouse_has_four_exits_and_the_first_dot_counts_one() -> None:
    """MS-42: a car leaves any spot by its lines; the first dot counts 1."""
    assert _ends(_at("g5"), 1) == ["f5", "g4", "g6", "h5"]
    assert _ends(_at("e2"), 1) == ["e1"]


def test_a_car_may_come_back_to_its_own_dot_by_a_round() -> None:
    """MS-3: his own car does not occupy its dot."""
    city = City(EIGHT)
    start = city.addresses.index("a1")
    assert start in {found.end for found in reach(city, start, 4, False)}
    assert start not in {found.end for found in reach(city, start, 4, True)}


def test_a_step_without_a_line_is_refused() -> None:
    """MS: Moves on the Board. He must follow the connecting lines, and not jump over houses or parks."""
    table = _at("e9")
    table.roll(2)
    assert table.refused(0, table.path("f9", "h9")).code == "rule/no-line"
    assert table.refused(0, msgspec.structs.replace(table.path("f9"), path=(999,))).code == "rule/no-such-place"


def test_expected_turns_to_trial_are_those_of_the_exact_solution() -> None:
    """MS: Moves on the Board, MS: Winner. With best play 3.15 turns from an S spot to the Courthouse by exact count."""
    turns = expected_turns(CITY, CITY.courthouse)
    mean = sum(turns[spot] for spot in CITY.spots) / len(CITY.spots)
    assert mean == pytest.approx(3.15, abs=0.005)
    assert turns[CITY.courthouse] == 0


def test_an_office_is_about_two_turns_from_the_courthouse() -> None:
    """MS: Picking Up a Detective Case. MS-12: any Office will do, and one is near."""
    near = min(expected_turns(CITY, office)[CITY.courthouse] for office in CITY.of(NodeKind.OFFICE))
    assert 1.5 < near < 2.5


def test_ends_are_worked_out_once() -> None:
    """MS: Moves on the Board. A second question about the same throw is answered with the same object."""
    start = CITY.addresses.index("g6")
    assert reach(CITY, start, 6, False) is reach(CITY, start, 6, False)
    assert city_of(msgspec.structs.replace(EDITION.board)) is CITY
