"""Two deals that a seat cannot tell apart, played by the real services: its frames, the scenes and the wire are one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from tests.support.memory_bus import Passed
from tests.support.tabletop import Chair, Tabletop
from tests.support.virtual_time import moment, run
from tests.worlds.city_worlds import CITY_CHANGES, OCCASIONS, SAID_ALL_OVER, course_to, find_city_course
from tests.worlds.two_worlds import CHANGES, HOLDER, OBSERVER, Course, find_course, held
from tests.worlds.wire import without_ciphers

from chambers.protocol.client import ChoiceAccepted, Choose, FromVault, Over, Ping, Resync, Welcome
from chambers.rules.missing_suspect import EVENTS as CITY_EVENTS
from chambers.rules.terms import Pile


class Seen(NamedTuple):
    """What one world showed: frames opened by seat, scenes, everything on the wire, and the hands at the end."""

    frames: tuple[tuple[bytes, ...], ...]
    scenes: tuple[bytes, ...]
    wire: tuple[Passed, ...]
    hands: tuple[bytes, ...]


def _bytes(message: FromVault) -> bytes:
    if isinstance(message, Welcome):
        message = msgspec.structs.replace(message, session=bytes(len(message.session)))
    if isinstance(message, Over):  # the root covers boxes, and who was right is no secret any more
        message = msgspec.structs.replace(message, root=f"{len(message.root)}", receipt=f"{len(message.receipt)}")
    return msgspec.msgpack.encode(message)


def _hand(chair: Chair) -> bytes:
    assert chair.last is not None
    return msgspec.msgpack.encode((chair.last.view["hand"], chair.last.view["sheet"]))


async def _play(course: Course, world: int, home: Path, *, pile: Pile | None = None) -> Seen:
    async with Tabletop(
        home,
        seats=course.seats,
        game=course.game,
        edition=course.edition,
        options=course.options,
        pile=pile or course.piles[world],
        salt=f"world {world}",
    ) as table:
        for step in course.steps:
            answer = await table.choose(step.seat, step.options[world])
            assert isinstance(answer, ChoiceAccepted), answer
        for again in (Resync(), Resync(before=40), Ping(), Choose("1.0", "ok")):
            await table.chairs[OBSERVER].say(again)
            await moment()
    assert not table.faults
    return Seen(
        frames=tuple(tuple(_bytes(message) for message in chair.heard) for chair in table.chairs),
        scenes=tuple(table.scenes),
        wire=tuple(table.server.wire),
        hands=tuple(_hand(chair) for chair in table.chairs),
    )


def _both(course: Course, home: Path) -> tuple[Seen, Seen]:
    return run(_play(course, 0, home / "one")), run(_play(course, 1, home / "two"))


def _assert_one(here: Seen, there: Seen) -> None:
    assert here.frames[OBSERVER] == there.frames[OBSERVER]
    assert here.scenes == there.scenes
    assert [without_ciphers(one) for one in here.wire] == [without_ciphers(one) for one in there.wire]


@pytest.mark.parametrize("change", CHANGES)
def test_one_seat_every_spectator_and_the_wire_cannot_tell_two_worlds_apart(change: str, tmp_path: Path) -> None:
    course = find_course(4, change, seed=CHANGES.index(change))
    here, there = _both(course, tmp_path)
    assert len(here.frames[OBSERVER]) > 100
    assert len(here.scenes) > 90
    assert here.hands[OBSERVER] == there.hands[OBSERVER]
    assert here.frames[HOLDER] != there.frames[HOLDER]
    _assert_one(here, there)


@pytest.mark.parametrize("change", CITY_CHANGES)
def test_nobody_else_can_tell_where_the_cards_cases_and_numbers_of_the_city_are(change: str, tmp_path: Path) -> None:
    course = find_city_course(3, change, seed=CITY_CHANGES.index(change), entries=90)
    here, there = _both(course, tmp_path)
    assert len(here.frames[OBSERVER]) > 90
    assert here.hands[OBSERVER] == there.hands[OBSERVER]
    assert (here.hands != there.hands) == (change != "pile")
    _assert_one(here, there)


@pytest.mark.parametrize("name", OCCASIONS)
def test_every_question_and_answer_of_the_city_looks_the_same_in_both_worlds(name: str, tmp_path: Path) -> None:
    """What is asked, offered, given, put back, looked at, told, claimed and proved: who, when, how large, not what."""
    here, there = _both(course_to(name), tmp_path)
    assert here.hands != there.hands
    _assert_one(here, there)


def test_no_kind_of_statement_of_the_city_is_left_out() -> None:
    compared = frozenset[type]().union(*(one.said for one in OCCASIONS.values()))
    assert compared | SAID_ALL_OVER == set(CITY_EVENTS)


@pytest.mark.parametrize(
    ("change", "kind"),
    [("objection", "object"), ("overruled", "overrule"), ("excluded", "answer"), ("answers", "answer")],
)
def test_a_prompt_looks_the_same_on_the_wire_whether_or_not_the_card_is_held(
    change: str, kind: str, tmp_path: Path
) -> None:
    """The window and the question come to every seat that may act, in one order, in frames of one size."""
    course = find_course(3, change, seed=20, entries=70, wanted=kind)
    here, there = _both(course, tmp_path)
    sizes = [[(one.subject, len(one.data)) for one in seen.wire] for seen in (here, there)]
    assert here.frames[HOLDER] != there.frames[HOLDER]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("seats", [3, 5, 6])
def test_two_worlds_are_one_at_tables_of_any_size(seats: int, tmp_path: Path) -> None:
    here, there = _both(find_course(seats, "everything", seed=seats, entries=60), tmp_path)
    _assert_one(here, there)


def test_the_comparison_sees_a_world_that_the_observer_can_tell_apart(tmp_path: Path) -> None:
    """The observer's own hand differs: its frames must differ, and nobody else's view may."""
    course = find_course(3, "answers", seed=3, entries=30)
    pile = course.piles[0]
    setup_only = course._replace(steps=course.steps[:3])
    mine, theirs = next(iter(held(pile, OBSERVER))), next(iter(held(pile, HOLDER)))
    values = dict(pile.values)
    values[mine], values[theirs] = values[theirs], values[mine]
    other = msgspec.structs.replace(pile, values=tuple(values.items()))
    here = run(_play(setup_only, 0, tmp_path / "one"))
    there = run(_play(setup_only, 0, tmp_path / "two", pile=other))
    assert here.frames[OBSERVER] != there.frames[OBSERVER]
    assert here.frames[2] == there.frames[2]
    assert here.scenes == there.scenes


def test_the_comparison_sees_a_single_different_choice(tmp_path: Path) -> None:
    course = find_course(3, "answers", seed=3, entries=30)
    corner = course.steps[0].options[0]
    another = next(f"corner.{space}" for space in (0, 7, 14, 21) if f"corner.{space}" != corner)
    first = course.steps[0]._replace(options=(another, another))
    here = run(_play(course._replace(steps=course.steps[:3]), 0, tmp_path / "one"))
    there = run(_play(course._replace(steps=(first, *course.steps[1:3])), 0, tmp_path / "two"))
    assert here.scenes != there.scenes
    assert [without_ciphers(one) for one in here.wire] != [without_ciphers(one) for one in there.wire]
