"""A reveal beside the log: both forms of its file are read; what it opens is used, what it does not convicts nobody."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import Verdict, audit
from chambers.clients.auditing import handed_in
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import ShareReply
from chambers.protocol.reveals import HandedIn, dump_reveal, load_reveal
from chambers.rules.events import Mix, Reveal, Share
from chambers.rules.roles import DEALER, Role

TABLE = bytes(range(16))
ONE = HandedIn(TABLE, Role("seat1"), bytes(32), b"\x01" * 32)


@pytest.fixture(scope="module")
def dead() -> PlayedGame:
    """Return a table whose game master died before anybody said goodbye."""
    return play_game(seats=3, seed=21, boldness=0.0, most=200)


def played_part(dead: PlayedGame) -> list[bytes]:
    return dead.log.leaves[:180]


def opened(dead: PlayedGame) -> list[HandedIn]:
    return [HandedIn(dead.id, role, own.secret, own.luck) for role, own in dead.roles.items()]


def test_a_reveal_is_read_as_it_was_written() -> None:
    assert load_reveal(dump_reveal(ONE)) == ONE


def test_a_reveal_may_be_messagepack() -> None:
    fields = {"format": "reveal/1", "table": TABLE.hex(), "role": "seat1", "secret": "00" * 32, "luck": "01" * 32}

    assert load_reveal(msgspec.msgpack.encode(fields)) == ONE


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\x80",
        b"\xff" * 40,
        dump_reveal(HandedIn(TABLE, Role("gm"), bytes(32))),
        dump_reveal(HandedIn(TABLE, Role("seat9"), bytes(32))),
        dump_reveal(HandedIn(TABLE, DEALER, bytes(31))),
        dump_reveal(HandedIn(TABLE[:15], DEALER, bytes(32))),
        dump_reveal(ONE).replace(b"reveal/1", b"reveal/2"),
        dump_reveal(ONE).replace(b'"role"', b'"rank"'),
        dump_reveal(ONE).replace(b"01", b"0x"),
    ],
)
def test_a_file_that_holds_no_reveal_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError, match="reveal/unreadable"):
        load_reveal(data)


def test_a_reveal_shows_nothing_of_itself() -> None:
    assert repr(ONE) == "HandedIn(seat1)"
    assert repr(Reveal(ONE.secret, ONE.luck, bytes(72))) == "Reveal(...)"


def test_neither_does_other_luck_that_the_log_is_yet_to_have() -> None:
    shown = [repr(one) for one in (Mix(ONE.luck), Share(3, ONE.luck), ShareReply(3, ONE.luck))]

    assert shown == ["Mix(...)", "Share(3)", "ShareReply(3)"]


def test_a_folder_of_reveals_proves_what_a_dead_table_said(dead: PlayedGame, tmp_path: Path) -> None:
    for one in opened(dead):
        (tmp_path / f"{one.role}.json").write_bytes(dump_reveal(one))

    report = audit(dead.record(played_part(dead)), reveals=handed_in(tmp_path))

    assert (report.findings, report.counts.deals) == ((), 1)
    assert report.counts.answers > 10
    assert {item.check for item in report.unproved} == {"A08"}


def test_without_one_roles_reveal_everything_else_is_still_decided(dead: PlayedGame) -> None:
    kept = [one for one in opened(dead) if one.role != "seat1"]

    report = audit(dead.record(played_part(dead)), reveals=kept)

    assert (report.findings, report.counts.deals) == ((), 1)
    assert {item.check for item in report.unproved} == {"A08"}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda one: msgspec.structs.replace(one, secret=bytes(32)),
        lambda one: msgspec.structs.replace(one, luck=bytes(32)),
        lambda one: msgspec.structs.replace(one, table=bytes(16)),
        lambda one: msgspec.structs.replace(one, role=Role("seat5")),
    ],
)
def test_a_reveal_that_opens_nothing_is_left_aside_and_convicts_nobody(dead: PlayedGame, wrong: object) -> None:
    assert callable(wrong)
    reveals = [wrong(one) if one.role == "seat1" else one for one in opened(dead)]

    report = audit(dead.record(played_part(dead)), reveals=reveals)

    assert report.findings == ()
    assert report.verdict is Verdict.UNVERIFIED
    assert {item.check for item in report.unproved} >= {"A08", "A20"}


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="reveal/no-folder"):
        handed_in(tmp_path / "nowhere")


def test_a_file_in_the_folder_that_is_no_reveal_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk, eggs")

    with pytest.raises(ProtocolError, match=r"notes\.txt"):
        handed_in(tmp_path)
