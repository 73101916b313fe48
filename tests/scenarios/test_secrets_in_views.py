"""What a player or spectator is sent holds nothing that is not theirs: the first message, and every later one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import pytest
from tests.scenarios.evening import lines_of, public_lines, reopen, scenes_of, wander
from tests.support.canaries import named, write_edition
from tests.support.tabletop import NAMES, TABLE, Tabletop, secrets_of
from tests.support.virtual_time import run
from tests.worlds.two_worlds import GAME, HOLDER, OBSERVER, Course, Lockstep, deal, find_course, observed, other_world
from tests.worlds.two_worlds import setup_of as setup_without_keys

from chambers.fairness.boxes import box_public
from chambers.protocol.boxes import open_disclosures
from chambers.protocol.client import ChoiceAccepted, FromVault, Update, Welcome
from chambers.protocol.log import Admitted
from chambers.protocol.views import public_view
from chambers.rules import narrate
from chambers.rules.events import TableEvent
from chambers.rules.roles import seat_of, seat_role
from chambers.rules.simulator import Told
from chambers.rules.terms import PUBLIC, Pile, Viewer
from chambers.rules.witness_stand.edition import is_answer, question_name, question_of, suspect_of
from chambers.rules.witness_stand.events import Look, Pass, Show
from chambers.rules.witness_stand.play import Stage

SEATS = 4


class Evening(NamedTuple):
    """A whole game with card names that occur nowhere else: its record, and what each seat and a spectator read."""

    entries: tuple[Admitted, ...]
    lines: tuple[dict[int, str], ...]
    public: dict[int, str]
    scenes: tuple[Any, ...]
    shown_too_early: tuple[str, ...]
    hidden: dict[int, frozenset[int]]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """A game of four in which cards are shown, passed face down and given away, and somebody accuses wrongly."""
    return run(_play(tmp_path_factory.mktemp("evening")))


async def _play(home: Path) -> Evening:
    async with Tabletop(home / "vaults", seats=SEATS, edition=str(write_edition(home / "edition"))) as table:
        await wander(table, random.Random(4), accuse=0.1)
        await table.until(lambda: table.log.table.phase == "closed")
    hidden = {entry.seq: _in_the_box(entry) for entry in table.read if isinstance(entry.event, Pass | Look)}
    early = []
    for chair in table.chairs:
        for at, message in chair.opened:
            stored = sum(passed.subject.endswith(".log") for passed in table.server.wire[:at])
            if isinstance(message, Update) and message.sequence >= stored:
                early.append(f"seat {chair.seat} saw entry {message.sequence} of {stored}")
    return Evening(
        entries=tuple(table.read),
        lines=tuple(lines_of(table, seat) for seat in range(SEATS)),
        public=public_lines(table),
        scenes=tuple(scenes_of(table)),
        shown_too_early=tuple(early),
        hidden=hidden,
    )


def _in_the_box(entry: Admitted) -> frozenset[int]:
    event = entry.event
    assert isinstance(event, Pass | Look)
    opened = open_disclosures(
        secrets_of(event.to).box_private,
        box_public(secrets_of(entry.author).box_private),
        table=TABLE,
        author=entry.author,
        n=entry.n,
        to=event.to,
        box=event.box,
    )
    return frozenset(card.value for card in opened)


_Event = TypeVar("_Event", bound=TableEvent)


def _of(evening: Evening, kind: type[_Event]) -> list[tuple[Admitted, _Event]]:
    """Return the entries of one kind of event, each with that event."""
    return [(entry, entry.event) for entry in evening.entries if isinstance(entry.event, kind)]


def _cards(text: str) -> set[int]:
    return named(text.encode(), codes=True)


def _stage(entry: Admitted) -> Stage:
    assert entry.before is not None
    stage: Stage = entry.before.play.stage
    return stage


# what the log says of a move


def test_a_card_shown_in_public_is_told_to_all_and_one_passed_face_down_to_its_two_ends(evening: Evening) -> None:
    """The same act, an answer, is told in two ways, and which of them hangs on how the question was asked."""
    shown, passed = _of(evening, Show), _of(evening, Pass)
    assert shown
    assert {Stage.ANSWER, Stage.GIVE} <= {_stage(entry) for entry, _ in passed}
    for entry, show in shown:
        assert all(show.card in _cards(lines[entry.seq]) for lines in (*evening.lines, evening.public))
    for entry, handed in passed:
        ends = {seat_of(entry.author), seat_of(handed.to)}
        for seat, lines in enumerate(evening.lines):
            assert _cards(lines[entry.seq]) == (evening.hidden[entry.seq] if seat in ends else set())
        assert _cards(evening.public[entry.seq]) == set()


def test_only_the_accuser_reads_what_the_envelope_holds(evening: Evening) -> None:
    looks = [(entry, look) for entry, look in _of(evening, Look) if not look.verdict]
    assert looks
    for entry, look in looks:
        accuser = seat_of(look.to)
        told = [len(_cards(lines[entry.seq])) for lines in evening.lines]
        assert [count > 0 for count in told] == [seat == accuser for seat in range(SEATS)]
        assert _cards(evening.public[entry.seq]) == set()


def _worn_down(text: str) -> str:
    names = "|".join(map(re.escape, NAMES))
    return re.sub(r"[A-D][1-5]", "Q", re.sub(rf"\b({names})\b", "N", text))


def test_what_others_read_of_a_hidden_card_is_one_sentence_whatever_the_card(evening: Evening) -> None:
    """No kind, no star, no reminder: but for the names and the question, outsiders read the same words each time."""
    for stage in (Stage.ANSWER, Stage.GIVE):
        passed = [entry for entry, _ in _of(evening, Pass) if _stage(entry) is stage]
        assert len({evening.hidden[entry.seq] for entry in passed}) > 1
        assert len({_worn_down(evening.public[entry.seq]) for entry in passed}) == 1


def test_nobody_is_shown_an_entry_before_the_log_has_it(evening: Evening) -> None:
    assert evening.shown_too_early == ()


# spectators


def _to_a_stranger(entry: Admitted) -> str:
    return narrate(entry.before, entry.after, entry.author, entry.event, None, PUBLIC)


def test_a_spectator_never_sees_more_than_a_stranger_makes_of_the_public_log(evening: Evening) -> None:
    """At every entry, so that nothing is to be seen while a card moves from one place to another."""
    made = {entry.seq: entry for entry in evening.entries}
    assert len({scene.sequence for scene in evening.scenes}) == len(evening.entries) - evening.scenes[0].sequence
    for scene in evening.scenes:
        assert scene.view == public_view(made[scene.sequence].after)
        assert all(line.text == _to_a_stranger(made[line.sequence]) for line in scene.lines)


# marks by which a card could be followed


def _windows(data: bytes, width: int = 8) -> set[bytes]:
    return {data[at : at + width] for at in range(len(data) - width + 1)}


def test_no_card_carries_a_mark_by_which_it_can_be_followed(evening: Evening) -> None:
    """A card that is handed on twice leaves two boxes of one size that have nothing in common."""
    passed = _of(evening, Pass)
    kinds = [kind for entry, _ in passed for kind in evening.hidden[entry.seq]]
    assert len(kinds) > len(set(kinds)), "no card was handed on twice in this game"
    assert {type(handed).__struct_fields__ for _, handed in passed} == {("ref", "to", "box")}
    assert len({len(handed.box) for _, handed in passed}) == 1
    seen: set[bytes] = set()
    for _, handed in passed:
        mine = _windows(handed.box)
        assert not mine & seen
        seen |= mine


# windows that open late, in two worlds that their seat cannot tell apart


def _bytes(message: FromVault) -> bytes:
    if isinstance(message, Welcome):
        message = msgspec.structs.replace(message, session=b"")
    return msgspec.msgpack.encode(message)


async def _windows_opened(course: Course, world: int, home: Path) -> dict[int, list[list[bytes]]]:
    """Play one world and open new windows all the way; return what each was sent first, by seat."""
    told: dict[int, list[list[bytes]]] = {OBSERVER: [], HOLDER: []}
    async with Tabletop(
        home, seats=course.seats, options=course.options, pile=course.piles[world], salt=f"world {world}"
    ) as table:
        for number, step in enumerate(course.steps):
            for seat in told if number % 6 == 0 else ():
                window = await reopen(table, seat)
                told[seat].append([_bytes(message) for message in window.heard])
            assert isinstance(await table.choose(step.seat, step.options[world]), ChoiceAccepted)
    assert not table.faults
    return told


def test_a_window_that_opens_late_is_sent_only_what_its_seat_can_know(tmp_path: Path) -> None:
    """The first messages, all their fields, after every reopening: the same bytes, though the hidden cards differ."""
    course = find_course(4, "everything", seed=7)
    here = run(_windows_opened(course, 0, tmp_path / "one"))
    there = run(_windows_opened(course, 1, tmp_path / "two"))
    assert len(here[OBSERVER]) > 8
    assert here[OBSERVER] == there[OBSERVER]
    assert here[HOLDER] != there[HOLDER]


def test_the_greeting_of_a_window_does_not_change_with_what_was_dealt(tmp_path: Path) -> None:
    async def greetings() -> list[Welcome]:
        async with Tabletop(tmp_path, seats=3) as table:
            before = table.chairs[1].heard[0]
            await wander(table, random.Random(1), until=lambda: table.log.size > 40)
            after = (await reopen(table, 1)).heard[0]
        assert isinstance(before, Welcome)
        assert isinstance(after, Welcome)
        return [msgspec.structs.replace(one, session=b"", occupied=False) for one in (before, after)]

    before, after = run(greetings())
    assert before == after


@pytest.mark.parametrize("in_public", [True, False])
def test_a_card_that_was_shown_is_still_known_to_whoever_saw_it_after_all_have_reopened(
    in_public: bool, tmp_path: Path
) -> None:
    def happened(entry: Admitted) -> bool:
        if not isinstance(entry.event, Show if in_public else Pass) or _stage(entry) is not Stage.ANSWER:
            return False
        return all(map(is_answer, {entry.event.card} if isinstance(entry.event, Show) else _in_the_box(entry)))

    async def play() -> tuple[Admitted, list[dict[str, Any]], list[str]]:
        async with Tabletop(tmp_path, seats=SEATS, edition=str(write_edition(tmp_path / "edition"))) as table:
            await wander(table, random.Random(11), until=lambda: table.log.size > 0 and happened(table.read[-1]))
            windows = [await reopen(table, seat) for seat in range(SEATS)]
            lines = [lines_of(table, seat)[table.read[-1].seq] for seat in range(SEATS)]
            return table.read[-1], [window.last.view for window in windows if window.last is not None], lines

    entry, views, lines = run(play())
    assert entry.before is not None
    giver, asker, question = seat_of(entry.author), entry.before.play.turn, entry.before.play.asked.question
    knowing = set(range(SEATS)) if in_public else {giver, asker}
    for seat, view in enumerate(views):
        row = view["sheet"][question_name(question)]
        holders = [known["holder"] for known in (row["starred"], row["plain"]) if known is not None]
        assert (asker in holders) == (seat in knowing)
    assert {seat for seat, line in enumerate(lines) if _cards(line)} == knowing


# every phase


def _guilty(pile: Pile) -> int:
    values = dict(pile.values)
    return next(suspect for suspect in range(4) if suspect not in {suspect_of(values[place]) for place in range(3)})


def _read(told: Told) -> str:
    me = seat_role(OBSERVER)
    return GAME.narrate(told.before, told.after, told.author, told.event, told.seen_by(me), Viewer(me))


def _both_games(seats: int, change: str, seed: int) -> Iterator[Stage]:
    """Play a game to its end in two worlds; yield each stage at which the observer has been compared."""
    pile = deal(seats, seed)
    other = other_world(pile, change, random.Random(seed))
    if other is None:
        return
    told: list[tuple[Told, Told]] = []
    both = Lockstep((pile, other), setup_without_keys(seats), seed=seed, watch=lambda one, two: told.append((one, two)))
    here, there = both.tables
    accusation = f"accuse.{'ABCD'[_guilty(pile)]}"
    while here.seq < 400:
        assert observed(here) == observed(there)
        assert [_read(one) for one, _ in told] == [_read(two) for _, two in told]
        told.clear()
        yield here.play.stage
        prompt = here.prompt(here.play.turn)
        end = next((o for o in prompt.options if o.id == accusation), None) if prompt is not None else None
        if end is not None and here.seq > 250 and here.play.turn != OBSERVER and here.play.stage is Stage.END:
            for table in both.tables:
                table.choose(here.play.turn if table is here else there.play.turn, end)
        elif here.play.stage is Stage.OPENCARDS or (here.play.stage is Stage.LOOK and here.seq > 250):
            for table in both.tables:
                table.dealer(GAME.due(table.play)[0])
        elif not both.step():
            return


def test_in_no_phase_of_a_game_does_a_view_hang_on_what_its_seat_cannot_know() -> None:
    stages: set[Stage] = set()
    for seed in range(40):
        for change in ("answers", "objection", "excluded"):
            stages |= set(_both_games(3, change, seed))
        if stages == set(Stage):
            break
    assert stages == set(Stage)


def test_the_shown_card_of_this_file_is_an_answer_somebody_asked_for(evening: Evening) -> None:
    """The fixture's own check: what is told in public is what was asked, so that the tests above compare real cards."""
    for entry, show in _of(evening, Show):
        assert entry.before is not None
        card = show.card
        assert not is_answer(card) or question_of(card) == entry.before.play.asked.question
