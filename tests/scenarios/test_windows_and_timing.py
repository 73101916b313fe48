"""What the time of an answer, of a window or of a limit may tell, and whom a passed limit costs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.scenarios.evening import Window, entries_of, pass_time, reopen, restart, start_user, stop_user, wander
from tests.support.tabletop import Chair, Tabletop
from tests.support.virtual_time import run
from tests.worlds.city_worlds import find_city_course

from chambers.protocol.client import Choose, Replaced
from chambers.rules.events import Drop, Lapse, Ok, Stall
from chambers.rules.missing_suspect.events import Offer, Swap
from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.events import Ask, Corner, EndTurn, Go, NoCard, Pass, Play, Show
from chambers.rules.witness_stand.play import Stage

FLOOR_MS = 1500
CHOICES = (Ask, Corner, EndTurn, Go)


@pytest.mark.parametrize("thinks", [0.0, 0.4, 1.2])
def test_no_answer_comes_sooner_than_any_other_however_fast_its_player_is(thinks: float, tmp_path: Path) -> None:
    """A `no` that a player without a choice gives at once arrives no sooner than an answer that was thought over."""

    async def play() -> list[tuple[type, int]]:
        async with Tabletop(tmp_path, seats=3, options=(("object_window", "skip"),)) as table:
            chance = random.Random(2)
            while table.log.size < 160:
                await wander(table, chance, until=lambda: any(_asked(chair) for chair in table.chairs))
                seat = next(chair.seat for chair in table.chairs if _asked(chair))
                await pass_time(thinks)
                await table.choose(seat, table.chairs[seat].asked[0])
            entries = entries_of(table)
            return [
                (type(entry.event), entry.ts - entries[entry.before.play.since].ts)
                for entry in entries
                if isinstance(entry.event, NoCard | Show | Pass)
                and entry.before is not None
                and entry.before.play.stage is Stage.ANSWER
            ]

    answers = run(play())
    assert {kind for kind, _ in answers} == {NoCard, Show, Pass}
    assert {waited // 100 for _, waited in answers} == {FLOOR_MS // 100}


def _asked(chair: Chair) -> bool:
    last = chair.last
    return last is not None and last.prompt is not None and last.prompt.kind == "answer"


def test_no_trade_comes_sooner_than_any_other_however_many_cards_would_do(tmp_path: Path) -> None:
    """Who has one card to give, and is done at once, is waited for as long as who has several to choose from."""

    async def play(seed: int, thinks: float) -> list[tuple[int, int]]:
        course = find_city_course(3, "pile", seed=seed, entries=80, wanted=frozenset({Offer, Swap}))
        options: dict[int, int] = {}
        async with Tabletop(
            tmp_path / str(seed), seats=3, game=course.game, edition=course.edition, pile=course.piles[0]
        ) as table:
            for step in course.steps:
                chair = table.chairs[step.seat]
                await table.until(lambda chair=chair, step=step: step.options[0] in chair.asked)  # type: ignore[misc]
                if step.kind == "answer":
                    options[table.log.size] = len(chair.asked)
                    await pass_time(thinks)
                await table.choose(step.seat, step.options[0])
            entries = entries_of(table)
            return [(many, entries[at].ts - entries[at - 1].ts) for at, many in options.items()]

    trades = [trade for seed, thinks in enumerate((0.0, 0.4, 1.2, 0.0)) for trade in run(play(seed, thinks))]
    assert {many for many, _ in trades} >= {1, 2}
    assert {waited // 100 for _, waited in trades} == {FLOOR_MS // 100}


def test_no_vault_lets_a_window_pass_by_itself_with_or_without_the_card(tmp_path: Path) -> None:
    """While nobody presses anything the window stands, for every seat alike, until its time has passed."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=4, options=(("object_window", "10"),)) as table:
            chance = random.Random(3)
            for _ in range(6):
                await wander(table, chance, until=lambda: entries_of(table)[-1].after.play is not None
                             and entries_of(table)[-1].after.play.stage is Stage.WINDOW
                             and isinstance(entries_of(table)[-1].event, Ask))  # fmt: skip
                opened = entries_of(table)[-1]
                size = table.log.size
                waited_for = {chair.seat for chair in table.chairs if chair.asked}
                assert waited_for == set(opened.after.play.waiting)
                await pass_time(9)
                assert table.log.size == size
                await table.until(lambda size=size: table.log.size > size)  # type: ignore[misc]
                assert isinstance(entries_of(table)[size].event, Lapse)
                assert 10_000 <= entries_of(table)[size].ts - opened.ts < 10_600

    run(play())


def test_a_window_that_everybody_passes_is_passed_by_the_hand_of_each(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=4, options=(("object_window", "none"),)) as table:
            await wander(table, random.Random(3), until=lambda: table.log.size > 140)
            entries = entries_of(table)
            pressed = {seat: _presses(table, seat) for seat in range(4)}
            passed = [entry for entry in entries if isinstance(entry.event, Ok | Play)]
            assert len(passed) > 20
            for seat in range(4):
                mine = [entry for entry in passed if entry.author == seat_role(seat)]
                assert len(mine) <= pressed[seat]
            assert not any(isinstance(entry.event, Lapse) for entry in entries)

    run(play())


def _presses(table: Tabletop, seat: int) -> int:
    return len([m for m in table.chairs[seat].heard if type(m).__name__ == "ChoiceAccepted"])


LIMITS = (("answer_limit", "20"), ("object_window", "10"), ("turn_limit", "30"))


@pytest.mark.parametrize("kind", ["ask", "answer", "object", "end"])
def test_a_limit_that_passes_while_the_game_master_is_away_costs_only_whoever_owed(kind: str, tmp_path: Path) -> None:
    """The game master is down for longer than the limit; back again, it names what had lapsed and nothing else."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=LIMITS) as table:
            await wander(table, random.Random(5), until=lambda: any(_kind(chair) == kind for chair in table.chairs))
            owing = {seat_role(chair.seat) for chair in table.chairs if chair.asked}
            due_since, size = entries_of(table)[-1].after.play.since, table.log.size
            await stop_user(table, "gm")
            await pass_time(90)
            await start_user(table, "gm", tmp_path)
            await pass_time(9)

            fresh = entries_of(table)[size:]
            assert fresh[0].event == Lapse(due_since)
            assert [entry for entry in fresh if isinstance(entry.event, Lapse)] == fresh[:1]
            if kind != "object":
                assert {fresh[1].author} == owing
            assert not any(isinstance(entry.event, Drop | Stall) for entry in fresh)
            assert all(not seat["out"] and not seat["dropped"] for seat in _seats(table))

    run(play())


def _kind(chair: object) -> str:
    last = chair.last  # type: ignore[attr-defined]
    return "" if last is None or last.prompt is None else str(last.prompt.kind)


def _seats(table: Tabletop) -> list[dict[str, bool]]:
    last = table.chairs[0].last
    assert last is not None
    seats: list[dict[str, bool]] = last.view["public"]["seats"]
    return seats


def test_a_choice_made_in_time_counts_although_the_game_master_was_away_for_a_while(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=LIMITS) as table:
            await wander(table, random.Random(5), until=lambda: any(_kind(chair) == "end" for chair in table.chairs))
            chair = next(chair for chair in table.chairs if chair.asked)
            size = table.log.size
            await stop_user(table, "gm")
            await chair.say(Choose(chair.prompt, "end"))
            await pass_time(3)
            await start_user(table, "gm", tmp_path)
            await table.until(lambda: table.log.size > size)

            assert isinstance(entries_of(table)[size].event, EndTurn)
            assert not any(isinstance(entry.event, Lapse) for entry in entries_of(table)[size:])

    run(play())


@pytest.mark.parametrize("user", ["gm", "dealer", "dice", "seat0", "seat1"])
def test_nobody_who_is_there_is_told_to_have_left_because_a_service_was_started_anew(user: str, tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=(("stall_s", "5"),)) as table:
            windows: list[Window] = [await reopen(table, seat) for seat in range(3)]
            chance = random.Random(7)
            for size in range(30, 130, 25):
                await wander(table, chance, until=lambda size=size: table.log.size > size)  # type: ignore[misc]
                await restart(table, user, tmp_path)
                await pass_time(12)

            told = [*(m for window in windows for m in window.heard), *(m for one in table.chairs for m in one.heard)]
            others = [window for window in windows if f"seat{window.seat}" != user]
            assert not any(isinstance(m, Replaced) for window in others for m in window.heard)
            assert not any(isinstance(entry.event, Drop | Stall) for entry in entries_of(table))
            assert told
            assert all(not seat["dropped"] for seat in _seats(table))

    run(play())
