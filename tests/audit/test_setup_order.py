"""The setup binds everybody before anybody opens anything: whoever is ahead of his turn is refused, and found."""

from __future__ import annotations

import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import Verdict, audit
from chambers.rules.events import Again, Commit, Deal, Mix, TableEvent
from chambers.rules.roles import DEALER, DICE, GM, Role, seat_role

BOTH = (seat_role(0), seat_role(1))


def found(played: PlayedGame) -> list[tuple[str, int | None, str]]:
    report = audit(played.docket())
    assert report.verdict is Verdict.CHEATED
    return [(item.check, item.entry, item.culprit) for item in report.findings]


@pytest.mark.parametrize("late", [DICE, DEALER, seat_role(2)])
def test_a_mix_before_everybody_is_bound_is_refused_whoever_is_late(late: Role) -> None:
    """Whoever commits after it has seen a mix could choose its own secret to suit it."""

    def early(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if role == late and isinstance(event, Commit) and len(game.table.commits) < 4:
            return None
        if role == late:
            game.say(BOTH[0], Mix(game.roles[BOTH[0]].mix))
            return None
        return event

    played = play_game(seats=3, seed=5, event=early)

    assert played.table.committed(late) is None
    assert found(played) == [("A10", played.log.size, BOTH[0])]


def test_a_deal_before_every_mix_is_refused() -> None:
    def early(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Mix) and len(game.table.mixes) == 2:
            game.say(DEALER, Deal((), (), ()))
            return None
        return event

    played = play_game(seats=3, seed=5, event=early)

    assert found(played) == [("A10", played.log.size, DEALER)]


@pytest.mark.parametrize("again", ["another commit", "another mix"])
def test_nobody_commits_or_mixes_twice(again: str) -> None:
    """A second commit after the others' would be one that was chosen to suit theirs."""

    def twice(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        mine, phase = game.table.committed(BOTH[0]), str(game.table.phase)
        if again == "another commit" and mine is not None and phase == "commit":
            game.say(BOTH[0], mine)
            return None
        if again == "another mix" and BOTH[0] in dict(game.table.mixes) and phase == "mix":
            game.say(BOTH[0], Mix(game.roles[BOTH[0]].mix))
            return None
        return event

    played = play_game(seats=3, seed=5, event=twice)

    assert found(played) == [("A10", played.log.size, BOTH[0])]


def test_a_setup_is_tried_three_times_and_no_more() -> None:
    def stalls(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Mix) and role == BOTH[1]:
            game.again(role)
            return None
        return event

    played = play_game(seats=3, seed=6, event=stalls)

    assert played.table.attempt == 3
    assert found(played) == [("A10", played.log.size, GM)]


def test_no_setup_is_broken_off_before_somebody_has_let_his_time_pass() -> None:
    """Otherwise whoever has the game master would draw again until a shuffle suits him."""

    def at_once(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Deal):
            game.say(GM, Again(game.table.attempt + 1, DEALER))
            return None
        return event

    played = play_game(seats=3, seed=6, event=at_once)

    assert played.table.attempt == 1
    assert found(played) == [("A10", played.log.size, GM)]
