"""What a volume hands in beside a record: a reveal that the record lacks, and none that it has."""

from __future__ import annotations

from pathlib import Path

from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import Verdict, audit
from chambers.fairness.hashing import digest
from chambers.rules.events import Roll, TableEvent
from chambers.rules.roles import Role, seat_role
from chambers.services.copies import Copies
from chambers.services.handing_in import Left, left_in, reveal

SEED = 6


def closed_without_seat2() -> PlayedGame:
    """Return a game that went on to its end when seat 2 had been dropped."""

    def drop(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Roll) and event.k == 9 and not game.table.dropped:
            game.drop(2)
            return None
        return event

    return play_game(seats=4, seed=SEED, event=drop)


def left_by(played: PlayedGame, role: Role, volume: Path) -> Left:
    """Return what a role's volume has of a game that it has followed."""
    copies = Copies(volume / "copies", role=role)
    played.log.note = played.note_over(played.log.leaves)
    copies.keep(played.log)
    copies.close()
    (volume / "master.key").write_bytes(digest("m", role, str(SEED)))
    (found,) = left_in(volume, played.id)
    return found


def test_a_seat_that_was_dropped_can_still_hand_its_reveal_in_once_the_table_has_closed(tmp_path: Path) -> None:
    played = closed_without_seat2()
    left = left_by(played, seat_role(2), tmp_path)

    assert (left.opens, left.goes_on) == (True, False)
    assert audit(left.docket, reveals=[reveal(left, played.id)]).verdict is Verdict.CLEAN


def test_whoever_has_revealed_in_the_log_has_nothing_to_hand_in(tmp_path: Path) -> None:
    assert not left_by(closed_without_seat2(), seat_role(1), tmp_path).opens
