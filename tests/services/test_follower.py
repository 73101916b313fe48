"""A follower's copy gets a checkpoint over its end also while the feed is busy, and none that is not of its log."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game
from tests.support.memory_bus import MemoryServer

from chambers.protocol import docket, subjects
from chambers.protocol.copies import load
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Admitted, Log
from chambers.protocol.messages import TableList, TailReply, TailRequest, encode
from chambers.rules.roles import Role
from chambers.services.copies import Copies
from chambers.services.follower import Follower
from chambers.services.lobby import describe

ROLE = Role("seat1")
SEEN = 12


@pytest.fixture(scope="module")
def played() -> PlayedGame:
    """Return a short whole game."""
    return play_game(seats=2, seed=3, most=60)


async def busy(played: PlayedGame, folder: Path, *, note: str) -> Follower:
    """Return a follower that has just heard every entry so far on the feed; `note` is what the tail comes with."""
    server = MemoryServer()
    gm = server.connect("gm")

    async def tail(_: str, data: bytes) -> bytes:
        start = msgspec.msgpack.decode(data, type=TailRequest).start
        return encode(TailReply(start, tuple(played.log.leaves[start:SEEN]), SEEN, note))

    async def heard(_log: Log, _entry: Admitted) -> None:
        pass

    await gm.serve(subjects.tail(subjects.ANY, ROLE), tail, asker=ROLE)
    follower = Follower(
        server.connect(ROLE), on_entry=heard, copies=Copies(folder, role=ROLE), edition_of=lambda _: played.edition
    )
    log = follower.logs[played.id] = Log(played.id, edition_of=lambda _: played.edition)
    for raw in played.log.leaves[:SEEN]:
        await follower._on_feed(subjects.feed(played.id.hex()), raw)
    assert log.size == SEEN
    return follower


async def test_an_own_vault_takes_no_record_without_end_onto_its_player_s_disk(
    played: PlayedGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docket, "MOST_ENTRIES", 5)
    told: list[str] = []

    async def heard(_log: Log, _entry: Admitted) -> None:
        pass

    async def broken(_log: Log, sentence: str) -> None:
        told.append(sentence)

    follower = Follower(
        MemoryServer().connect(ROLE), on_entry=heard, on_broken=broken, copies=Copies(tmp_path, role=ROLE),
        edition_of=lambda _: played.edition, only=played.id,
    )  # fmt: skip
    log = follower.logs[played.id] = Log(played.id, edition_of=lambda _: played.edition)
    for raw in played.log.leaves:
        await follower._on_feed(subjects.feed(played.id.hex()), raw)

    assert log.size == 5
    assert ["This record has no end" in sentence for sentence in told] == [True]


def kept(folder: Path, played: PlayedGame) -> str:
    return load((folder / f"{played.id.hex()}.{ROLE}.copy").read_bytes()).note


async def test_a_copy_of_a_busy_table_gets_a_checkpoint_over_its_end(played: PlayedGame, tmp_path: Path) -> None:
    covers = played.note_over(played.log.leaves[:SEEN])
    follower = await busy(played, tmp_path, note=covers)
    before = kept(tmp_path, played)

    await follower._watch_silence()

    assert (before, kept(tmp_path, played)) == ("", covers)


@pytest.mark.parametrize("wrong", ["of less", "of another log", "of nothing"])
async def test_a_note_that_is_not_over_the_end_of_the_log_is_not_kept(
    played: PlayedGame, tmp_path: Path, wrong: str
) -> None:
    leaves = played.log.leaves
    notes = {
        "of less": played.note_over(leaves[: SEEN - 1]),
        "of another log": played.note_over([*leaves[: SEEN - 1], leaves[0]]),
        "of nothing": "",
    }
    follower = await busy(played, tmp_path, note=notes[wrong])

    await follower._watch_silence()

    assert kept(tmp_path, played) == ""


async def test_a_lobby_that_is_not_there_at_the_start_or_does_not_know_all_tables_is_asked_again(
    played: PlayedGame,
) -> None:
    """Services that are started together come up in any order."""
    server, heard = MemoryServer(), []
    gm = server.connect("gm")
    here = msgspec.structs.replace(describe(played.log), phase="play")
    answers = [TableList((), reading=True), TableList((here,))]

    async def tail(_: str, data: bytes) -> bytes:
        start = msgspec.msgpack.decode(data, type=TailRequest).start
        return encode(TailReply(start, tuple(played.log.leaves[start:SEEN]), SEEN, ""))

    async def lists(_subject: str, _data: bytes) -> bytes:
        return encode(answers.pop(0))

    async def hears(_log: Log, entry: Admitted) -> None:
        heard.append(entry.seq)

    follower = Follower(server.connect(ROLE), on_entry=hears, edition_of=lambda _: played.edition)
    await follower.start()
    await gm.serve(subjects.tail(subjects.ANY, ROLE), tail, asker=ROLE)
    await gm.serve(subjects.lobby("list", ROLE), lists, asker=ROLE)

    await follower._watch_silence()
    await follower._watch_silence()
    await follower._watch_silence()

    await follower.stop()
    assert heard == list(range(SEEN))
    assert answers == []


async def test_a_table_that_cannot_be_taken_up_keeps_no_role_from_starting_nor_from_another_table(
    played: PlayedGame, tmp_path: Path
) -> None:
    server, heard = MemoryServer(), []
    gm = server.connect("gm")
    infos = [describe(played.log), msgspec.structs.replace(describe(played.log), table=bytes(16))]

    async def tail(subject: str, data: bytes) -> bytes:
        start = msgspec.msgpack.decode(data, type=TailRequest).start
        leaves = played.log.leaves[start:SEEN]
        return encode(TailReply(start, tuple(leaves), SEEN, ""))

    async def lists(_subject: str, _data: bytes) -> bytes:
        return encode(TableList(tuple(msgspec.structs.replace(one, phase="play") for one in infos)))

    async def fails(log: Log, entry: Admitted) -> None:
        heard.append(entry.seq)
        if entry.seq == 3:
            raise ValueError("what a stranger said")

    await gm.serve(subjects.tail(subjects.ANY, ROLE), tail, asker=ROLE)
    await gm.serve(subjects.lobby("list", ROLE), lists, asker=ROLE)
    follower = Follower(server.connect(ROLE), on_entry=fails, edition_of=lambda _: played.edition)

    await follower.adopt()

    assert set(follower.logs) == {played.id, bytes(16)}
    assert heard == [0, 1, 2, 3]


async def test_a_table_that_is_opened_while_two_ask_for_it_is_followed_in_one_log(played: PlayedGame) -> None:
    server, heard = MemoryServer(), []
    gm, no = server.connect("gm"), [Refusal("gm/no-table", "There is no such table.")]

    async def tail(_: str, data: bytes) -> bytes:
        if no:
            return encode(no.pop())
        start = msgspec.msgpack.decode(data, type=TailRequest).start
        return encode(TailReply(start, tuple(played.log.leaves[start:SEEN]), SEEN, ""))

    async def hears(log: Log, entry: Admitted) -> None:
        heard.append((log is follower.logs.get(played.id), entry.seq))

    await gm.serve(subjects.tail(subjects.ANY, ROLE), tail, asker=ROLE)
    follower = Follower(server.connect(ROLE), on_entry=hears, edition_of=lambda _: played.edition)

    await asyncio.gather(follower.log(played.id), follower.log(played.id))
    await follower.log(played.id)

    assert heard == [(True, seq) for seq in range(SEEN)]
