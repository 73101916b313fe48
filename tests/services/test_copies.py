"""A role's copy of a log: whole after every stop, one for all replicas, held against what the game master shows."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.audit.honest_game import PlayedGame, play_game
from tests.support.memory_bus import MemoryServer

from chambers.fairness.errors import FairnessError
from chambers.protocol.copies import load
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.rules.events import Bye, Say
from chambers.rules.roles import DEALER, DICE, Role
from chambers.services.copies import KEPT_DAYS, Copies
from chambers.services.pen import Pen

ROLE = Role("seat1")
DAY_S = 86_400


@pytest.fixture(scope="module")
def played() -> PlayedGame:
    """Return a short whole game."""
    return play_game(seats=2, seed=3, most=60)


def copies(folder: Path) -> Copies:
    return Copies(folder / "copies", role=ROLE)


def file_of(folder: Path, played: PlayedGame) -> Path:
    return folder / "copies" / f"{played.id.hex()}.seat1.copy"


def followed(played: PlayedGame, size: int, *, by: Copies | None = None) -> Log:
    """Return the log of the first `size` entries, each of which was kept as it came."""
    log = Log(played.id, edition_of=lambda _: played.edition)
    follow(log, played.log.leaves[:size], by=by)
    return log


def follow(log: Log, leaves: list[bytes], *, by: Copies | None) -> None:
    for raw in leaves:
        log.admit(raw)
        if by is not None:
            by.keep(log)


def kept(folder: Path, played: PlayedGame) -> Docket:
    return load(file_of(folder, played).read_bytes()).docket()


def test_a_copy_is_the_docket_of_what_was_followed(played: PlayedGame, tmp_path: Path) -> None:
    mine = copies(tmp_path)
    log = followed(played, 40, by=mine)
    log.note = played.note_over(log.leaves)
    mine.keep(log)

    assert kept(tmp_path, played) == played.record(log.leaves)
    assert stat.S_IMODE(file_of(tmp_path, played).stat().st_mode) == 0o600


def test_only_the_tables_of_a_role_are_kept(played: PlayedGame, tmp_path: Path) -> None:
    mine = Copies(tmp_path / "copies", role=ROLE, keeps=lambda _: False)

    followed(played, 10, by=mine)

    assert not (tmp_path / "copies").exists()


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_a_line_that_was_never_finished_is_cut_off_and_written_anew(
    played: PlayedGame, tmp_path: Path, cut: int
) -> None:
    followed(played, 20, by=copies(tmp_path))
    path = file_of(tmp_path, played)
    path.write_bytes(path.read_bytes()[:-cut])

    again = copies(tmp_path)
    assert again.size(played.id) == 19
    followed(played, 25, by=again)

    assert kept(tmp_path, played).leaves == tuple(played.log.leaves[:25])


def test_a_table_that_was_followed_unseen_is_copied_whole_when_it_is_kept_at_last(
    played: PlayedGame, tmp_path: Path
) -> None:
    copies(tmp_path).keep(followed(played, 30))

    assert kept(tmp_path, played).leaves == tuple(played.log.leaves[:30])


def test_replicas_that_share_a_volume_write_each_entry_once(played: PlayedGame, tmp_path: Path) -> None:
    one, other = copies(tmp_path), copies(tmp_path)
    logs = [Log(played.id, edition_of=lambda _: played.edition) for _ in range(2)]

    for raw in played.log.leaves[:30]:
        for log, by in zip(logs, (one, other), strict=True):
            log.admit(raw)
            by.keep(log)

    assert kept(tmp_path, played).leaves == tuple(played.log.leaves[:30])


@pytest.mark.parametrize("changed", [{"seed": 4}, {"seed": 3, "talk": 1.0}])
def test_a_log_that_contradicts_the_copy_is_found_and_nothing_more_is_said_on_it(
    played: PlayedGame, tmp_path: Path, changed: dict[str, float]
) -> None:
    followed(played, 20, by=copies(tmp_path))
    other = play_game(seats=2, most=60, table=played.id, **changed)  # type: ignore[arg-type]
    log, again = Log(played.id, edition_of=lambda _: played.edition), copies(tmp_path)

    with pytest.raises(FairnessError, match="fairness/copy"):
        follow(log, other.log.leaves, by=again)

    with pytest.raises(FairnessError, match="fairness/behind"):
        pen(played, log).write(lambda _: Bye())


def test_nothing_is_said_on_a_log_that_is_shorter_than_the_copy(played: PlayedGame, tmp_path: Path) -> None:
    followed(played, 20, by=copies(tmp_path))
    log = followed(played, 19)
    log.kept = copies(tmp_path).size(played.id)

    with pytest.raises(FairnessError, match="fairness/behind"):
        pen(played, log).write(lambda _: Bye())

    log.admit(played.log.leaves[19])
    assert pen(played, log).write(lambda _: Bye())


def test_a_damaged_copy_is_laid_aside_and_begun_anew(played: PlayedGame, tmp_path: Path) -> None:
    followed(played, 20, by=copies(tmp_path))
    path = file_of(tmp_path, played)
    damaged = path.read_bytes().replace(b"\n", b"\n!", 3)
    path.write_bytes(damaged)

    followed(played, 22, by=copies(tmp_path))

    assert kept(tmp_path, played).leaves == tuple(played.log.leaves[:22])
    assert path.with_name(path.name + ".damaged").read_bytes() == damaged


def test_no_link_in_a_role_s_volume_leads_to_a_file_that_is_written(played: PlayedGame, tmp_path: Path) -> None:
    path, other = file_of(tmp_path, played), tmp_path / "another's"
    other.write_text("untouched")
    path.parent.mkdir()
    path.symlink_to(other)

    assert followed(played, 5, by=copies(tmp_path)).size == 5

    path.unlink()
    path.write_text("no copy\nat all\n")
    path.with_name(path.name + ".damaged").symlink_to(other)
    followed(played, 5, by=copies(tmp_path))
    assert other.read_text() == "untouched"
    assert kept(tmp_path, played).leaves == tuple(played.log.leaves[:5])


def test_a_copy_that_was_deleted_while_its_table_is_played_is_made_again(played: PlayedGame, tmp_path: Path) -> None:
    mine = copies(tmp_path)
    log = followed(played, 10, by=mine)
    file_of(tmp_path, played).unlink()

    log.admit(played.log.leaves[10])
    mine.keep(log)

    assert kept(tmp_path, played).leaves == tuple(played.log.leaves[:11])


def test_a_disk_that_takes_no_copy_does_not_stop_the_table(played: PlayedGame, tmp_path: Path) -> None:
    (tmp_path / "copies").write_text("a file where the folder should be")

    assert followed(played, 10, by=copies(tmp_path)).size == 10


def test_a_copy_goes_ninety_days_after_its_last_entry(played: PlayedGame, tmp_path: Path) -> None:
    mine = copies(tmp_path)
    followed(played, 10, by=mine)
    path = file_of(tmp_path, played)
    os.utime(path, (0, 0))

    mine.sweep(KEPT_DAYS * DAY_S)
    assert path.exists()

    mine.sweep(KEPT_DAYS * DAY_S + 1)
    assert not path.exists()
    assert not path.with_suffix(".handed-in").exists()


def test_a_copy_in_which_its_role_has_opened_its_secrets_leaves_a_mark(played: PlayedGame, tmp_path: Path) -> None:
    mine, mark = copies(tmp_path), file_of(tmp_path, played).with_suffix(".handed-in")
    followed(played, len(played.log.leaves), by=mine)
    os.utime(file_of(tmp_path, played), (0, 0))

    mine.sweep(KEPT_DAYS * DAY_S + 1)

    assert not file_of(tmp_path, played).exists()
    assert mark.exists()


def test_the_mark_of_what_was_handed_in_outlives_its_copy(played: PlayedGame, tmp_path: Path) -> None:
    mine = copies(tmp_path)
    log = followed(played, 10, by=mine)
    mark = file_of(tmp_path, played).with_suffix(".handed-in")
    mark.touch()
    os.utime(mark, (0, 0))

    mine.sweep(10 * KEPT_DAYS * DAY_S)
    follow(log, played.log.leaves[10:12], by=mine)

    assert log.handed_in()


@pytest.mark.parametrize("role", [ROLE, DEALER, DICE])
def test_nothing_but_goodbye_is_said_from_the_moment_at_which_the_reveal_was_handed_in(
    played: PlayedGame, tmp_path: Path, role: Role
) -> None:
    log = followed(played, 20, by=Copies(tmp_path / "copies", role=role))
    assert pen(played, log, role=role).write(lambda _: Say("Hello."))

    (tmp_path / "copies" / f"{played.id.hex()}.{role}.handed-in").touch()

    with pytest.raises(FairnessError, match="fairness/handed-in"):
        pen(played, log, role=role).write(lambda _: Say("Hello again."))
    assert pen(played, log, role=role).write(lambda _: Bye())


def test_a_file_that_is_no_copy_is_refused(played: PlayedGame) -> None:
    with pytest.raises(ProtocolError, match="docket/copy"):
        load(b"docket/1\n{}\n")


def pen(played: PlayedGame, log: Log, *, role: Role = ROLE) -> Pen:
    made = Pen(MemoryServer().connect(role), log, role=role, key=played.roles[role].signing_key)
    made.check = lambda event: None  # type: ignore[method-assign]  # whether it is a role's turn is not asked here
    return made
