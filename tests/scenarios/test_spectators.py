"""A spectator looks on: nothing that a spectator sends moves a table, and nothing fetched opens a card."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.scenarios.evening import docket_of, pass_time, scenes_of, wander
from tests.support.house import house
from tests.support.insider import Insider
from tests.support.tabletop import SPECTATOR, TABLE, Tabletop
from tests.support.virtual_time import moment, run

from chambers.audit import replay
from chambers.bus.login import WATCH, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.protocol import subjects
from chambers.protocol.client import Begin, Choose, Resync, Talk
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import encode
from chambers.protocol.watching import Entries, Fetch, FromGallery, Leave, NotShown, Scene, Watch
from chambers.rules.roles import seat_role
from chambers.rules.terms import Viewer
from chambers.rules.witness_stand.events import Corner, Go
from chambers.services import gallery


async def test_a_spectator_on_a_real_server_can_move_nothing(tmp_path: Path) -> None:
    """It sends a player's frames, a role's statements and a host's orders, everywhere it can think of."""
    async with house(tmp_path, seats=2) as here:
        table = await here.open(2)
        players = [await here.sit(table, seat) for seat in range(2)]
        name = table.hex()
        spy = await NatsBus.connect(here.stack.url, visitor_login(WATCH))
        heard: list[bytes] = []

        async def take(_: str, data: bytes) -> None:
            heard.append(data)

        player = await Insider.enter(here.stack, table, seat_role(0))
        statement = player.statement(Go())
        reached = [
            subjects.seat_up(name, 0), subjects.inbound(name, seat_role(0)), subjects.feed(name), subjects.log(name),
            subjects.watch_down(name, spy.user), subjects.seat_down(name, 1), subjects.lobby("close", "host"),
        ]  # fmt: skip
        watcher = await Insider.enter(here.stack, table, seat_role(1))
        await watcher.bus.subscribe(subjects.feed(name), take)
        for subject in reached:
            await spy.publish(subject, statement)
        for message in (Choose("2.0", "corner.0"), Begin(take_over=True), Talk("boo"), Resync()):
            await spy.publish(subjects.watch_up(name, spy.user), encode(message))
        await player.read()
        while player.log.table.phase != "closed":
            await player.read()
        for task in players:
            task.cancel()
        for bus in (spy, player.bus, watcher.bus):
            await bus.close()

    assert statement not in heard
    assert not any(b"boo" in raw for raw in player.log.leaves)


def test_what_a_spectator_may_send_is_to_watch_to_fetch_and_to_leave(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await wander(table, random.Random(1), until=lambda: table.log.size > 40)
            size, shown = table.log.size, len(table.scenes)
            watch = table.server.connect("watch")
            up = subjects.watch_up(TABLE.hex(), SPECTATOR)
            for message in (Choose("2.0", "corner.0"), Begin(take_over=True), Talk("boo"), Resync(), Corner(0)):
                await watch.publish(up, encode(message))
            await moment()
            answers = [msgspec.msgpack.decode(data, type=FromGallery) for data in table.scenes[shown:]]
            assert table.log.size == size
            assert [type(answer) for answer in answers] == [NotShown] * 5
            await watch.publish(up, encode(Watch()))
            await moment()
            assert len(table.scenes) == shown + 6

    run(play())


@pytest.mark.parametrize("viewer", ["seat0", "seat1", "seat2", "all"])
def test_whoever_fetches_the_log_in_the_middle_of_a_game_can_open_no_eyes_but_the_publics(
    viewer: str, tmp_path: Path
) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            await wander(table, random.Random(1), until=lambda: table.log.size > 90)
            with pytest.raises(ProtocolError) as refused:
                list(replay(docket_of(table), Viewer(viewer)))
            assert refused.value.code == "replay/not-revealed"

    run(play())


def test_a_fetched_log_holds_the_same_bytes_that_every_role_has(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await wander(table, random.Random(1), until=lambda: table.log.size > 60)
            fetched: list[bytes] = []
            while len(fetched) < table.log.size:
                await table.server.connect("watch").publish(
                    subjects.watch_up(TABLE.hex(), SPECTATOR), encode(Fetch(start=len(fetched)))
                )
                await moment()
                part = msgspec.msgpack.decode(table.scenes.pop(), type=Entries)
                fetched.extend(part.entries)
            assert fetched == list(table.log.leaves)

    run(play())


def test_of_spectators_without_end_those_who_asked_last_are_sent_the_scenes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "WATCHERS", 3)

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            watch, heard = table.server.connect("watch"), set[str]()

            async def take(subject: str, _: bytes) -> None:
                heard.add(subject.split(".")[3])

            await watch.subscribe(subjects.watch_down(TABLE.hex(), "*"), take)
            for watcher in ("one", "two", "three", "one", "four", "five"):
                await watch.publish(subjects.watch_up(TABLE.hex(), watcher), encode(Watch()))
            await pass_time(0.1)
            heard.clear()
            size = table.log.size
            await wander(table, random.Random(1), until=lambda: table.log.size > size)
            assert heard - {SPECTATOR} == {"one", "four", "five"}

    run(play())


def test_a_spectator_who_leaves_late_takes_no_other_spectator_along(tmp_path: Path) -> None:
    """The same person with a new window: the farewell of the old one arrives after the new one has begun."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            watch, heard = table.server.connect("watch"), []

            async def take(_: str, data: bytes) -> None:
                heard.append(data)

            await watch.subscribe(subjects.watch_down(TABLE.hex(), "new"), take)
            await watch.publish(subjects.watch_up(TABLE.hex(), "old"), encode(Watch()))
            await watch.publish(subjects.watch_up(TABLE.hex(), "new"), encode(Watch()))
            await watch.publish(subjects.watch_up(TABLE.hex(), "old"), encode(Leave()))
            await pass_time(0.1)
            before = len(heard)
            await wander(table, random.Random(1), until=lambda: table.log.size > 40)
            scenes = [msgspec.msgpack.decode(raw, type=Scene) for raw in heard[before:]]
            assert [scene.sequence for scene in scenes][-1] == table.log.size - 1
            assert len(scenes_of(table)) > len(scenes) > 10

    run(play())
