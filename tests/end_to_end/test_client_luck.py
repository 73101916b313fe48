"""Players who bring their own luck: whole games through the services, restarts, and a client that is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.house import BOT_TABLE, House, house

from chambers.audit import Verdict, audit
from chambers.audit.reveals import revealed
from chambers.clients.connecting import as_spectator
from chambers.clients.luck import Answer, OfVault, OwnLuck
from chambers.clients.luck_shelf import LuckShelf
from chambers.clients.spectating import Spectator
from chambers.fairness.keys import brought_luck
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.client import Bindings, GiveMix, GiveShare, OfLuck, Over, ReadOn
from chambers.protocol.docket import Docket
from chambers.protocol.log import Log
from chambers.protocol.statements import read_event, read_leaf, read_statement
from chambers.protocol.watching import Scene
from chambers.rules import game as rules_of
from chambers.rules.events import Again, Drop, Reveal
from chambers.rules.roles import seat_role
from chambers.rules.witness_stand import CHAIN

UNATTENDED = (("answer_floor_ms", "0"), ("object_window", "skip"), ("turn_limit", "1"), ("answer_limit", "1"))
"""Options with which a table goes on where a player is away."""

AUDITOR = AuditorKey(bytes(range(1, 33)))


def _luck(home: Path, table: bytes, seat: int, *, hold: bool = False) -> OwnLuck:
    return OwnLuck(LuckShelf(home, table=table, seat=seat), table=table, seat=seat, hold=hold)


class _Listening(OwnLuck):
    """A client's luck that keeps all it said to the vault."""

    said: tuple[OfLuck, ...] = ()

    def hear(self, message: OfVault) -> Answer:
        answer = super().hear(message)
        self.said += answer.say
        return answer


def _made(home: Path, table: bytes, seat: int, game: str = "witness-stand") -> bytes:
    key = LuckShelf(home, table=table, seat=seat).key()
    return brought_luck(key, table, role=seat_role(seat), attempt=1, chain=rules_of(game).CHAIN)


def _revealed(docket: Docket, game: str = "witness-stand") -> dict[str, bytes]:
    said = [read_statement(read_leaf(raw).stmt) for raw in docket.leaves[1:]]
    events = [(one.author, read_event(bytes(one.ev), game)) for one in said]
    return {author: event.luck for author, event in events if isinstance(event, Reveal)}


def _attempts(docket: Docket) -> int:
    said = [read_statement(read_leaf(raw).stmt) for raw in docket.leaves[1:]]
    return 1 + sum(isinstance(read_event(bytes(one.ev), "witness-stand"), Again) for one in said)


def _kept(home: Path) -> list[Path]:
    return list(home.rglob("*.luck"))


async def _erased(home: Path) -> None:
    """Return once no vault keeps any luck; one may have read less of the log than a spectator."""
    async with asyncio.timeout(30):
        while _kept(home):  # noqa: ASYNC110 - its folder is all that a vault shows of it
            await asyncio.sleep(0.02)


async def _leave(*players: asyncio.Task[Over | None]) -> None:
    for player in players:
        player.cancel()
    await asyncio.gather(*players, return_exceptions=True)


class _Table:
    """A table at which what has happened can be waited for."""

    def __init__(self, spectator: Spectator) -> None:
        self._spectator = spectator
        self._scenes = spectator.scenes()
        self.lines: list[str] = []

    async def until(self, so: Callable[[Scene], bool], *, limit: float = 60.0) -> Scene:
        """Return the first scene from now on of which something is so."""
        async with asyncio.timeout(limit):
            async for scene in self._scenes:
                self.lines += [line.text for line in scene.lines]
                if so(scene):
                    return scene
        raise AssertionError("the table ended before")

    async def docket(self, *, limit: float = 100.0) -> Docket:
        """Return the record once the table has closed."""
        async with asyncio.timeout(limit):
            async for scene in self._scenes:
                self.lines += [line.text for line in scene.lines]
            return await self._spectator.docket()

    async def leave(self) -> None:
        await self._spectator.leave()


def _rolled(scene: Scene) -> bool:
    return any(" rolls " in line.text for line in scene.lines)


def _named(name: str) -> Callable[[Scene], bool]:
    return lambda scene: scene.phase == "play" and name in scene.waiting


@asynccontextmanager
async def _watched(here: House, table: bytes) -> AsyncIterator[_Table]:
    watched = _Table(await as_spectator(here.stack.url, table))
    try:
        yield watched
    finally:
        await watched.leave()


@pytest.mark.parametrize("game", ["witness-stand", "missing-suspect"])
async def test_a_seat_whose_player_brings_luck_and_one_that_holds_it_play_a_clean_game(
    tmp_path: Path, game: str
) -> None:
    homes = [tmp_path / "ada", tmp_path / "bo"]
    async with house(tmp_path / "house", seats=3) as here:
        table = await here.open(3, game=game)
        async with _watched(here, table) as watched:
            players = [
                await here.sit(table, 0, level="rules", luck=_luck(homes[0], table, 0)),
                await here.sit(table, 1, level="rules", luck=_luck(homes[1], table, 1, hold=True)),
                await here.sit(table, 2, level="rules"),
            ]
            docket = await watched.docket()
            await _leave(*players)
        await _erased(tmp_path / "house")

    pins = [LuckShelf(home, table=table, seat=0).pinned() for home in homes]
    revealed = _revealed(docket, game)
    assert audit(docket, receipts=pins).verdict is Verdict.CLEAN
    assert [revealed[f"seat{n}"] for n in (0, 1)] == [_made(home, table, n, game) for n, home in enumerate(homes)]


async def test_luck_that_was_brought_is_opened_to_the_auditor_alone_where_there_is_one(tmp_path: Path) -> None:
    homes = [tmp_path / "ada", tmp_path / "bo"]
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2, reveal="auditor", auditor_key=AUDITOR.public)
        async with _watched(here, table) as watched:
            players = [
                await here.sit(table, 0, level="rules", luck=_luck(homes[0], table, 0)),
                await here.sit(table, 1, level="rules", luck=_luck(homes[1], table, 1, hold=True)),
            ]
            docket = await watched.docket()
            await _leave(*players)
        await _erased(tmp_path / "house")

    made = [_made(home, table, seat) for seat, home in enumerate(homes)]
    fold = Log(table)
    opened = revealed(table, tuple(fold.admit(raw) for raw in docket.leaves), key=AUDITOR)
    assert [opened[seat_role(seat)].luck for seat in range(2)] == made
    assert audit(docket, auditor=AUDITOR).verdict is Verdict.CLEAN


async def test_a_luck_that_is_held_stays_with_its_player_where_nothing_is_opened(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2, reveal="none")
        luck = _Listening(LuckShelf(tmp_path, table=table, seat=0), table=table, seat=0, hold=True)
        async with _watched(here, table) as watched:
            players = [
                await here.sit(table, 0, level="rules", luck=luck),
                await here.sit(table, 1, level="rules"),
            ]
            docket = await watched.docket()
            await _leave(*players)

    report = audit(docket)
    assert (report.findings, len(report.unproved)) == ((), 1)
    assert {type(one) for one in luck.said} == {Bindings, ReadOn, GiveMix, GiveShare}


async def test_a_vault_that_was_given_the_luck_goes_on_with_it_after_a_restart_without_the_client(
    tmp_path: Path,
) -> None:
    async with house(tmp_path / "house", seats=3) as here:
        table = await here.open(3, options=UNATTENDED)
        async with _watched(here, table) as watched:
            ada = await here.sit(table, 0, level="rules", luck=_luck(tmp_path, table, 0))
            others = [await here.sit(table, seat, level="rules") for seat in (1, 2)]
            await watched.until(_rolled)
            await _leave(ada)
            kept = _kept(tmp_path / "house")
            modes = [path.stat().st_mode & 0o777 for path in kept]
            raw = b"".join(path.read_bytes() for path in kept)
            await here.restart("seat0")
            await watched.until(_rolled)
            await watched.until(_rolled)
            again = await here.sit(table, 0, level="rules")
            docket = await watched.docket()
            await _leave(again, *others)

    made = _made(tmp_path, table, 0)
    assert (len(kept), modes) == (1, [0o600])
    assert made not in raw
    assert _revealed(docket)["seat0"] == made
    assert audit(docket).verdict is Verdict.CLEAN


async def test_what_a_vault_kept_of_a_table_that_ended_without_it_is_erased_when_it_is_started_again(
    tmp_path: Path,
) -> None:
    async with house(tmp_path / "house", seats=3) as here:
        table = await here.open(3, options=(*UNATTENDED, ("stall_s", "1")))
        async with _watched(here, table) as watched:
            players = [await here.sit(table, 0, level="rules", luck=_luck(tmp_path, table, 0))]
            players += [await here.sit(table, seat, level="rules") for seat in (1, 2)]
            await watched.until(_rolled)
            await here.stack.kill("seat0")
            await here.close(table, "the evening is over")
            docket = await watched.docket()
            before = len(_kept(tmp_path / "house"))
            await here.stack.start("seat0")
            await _leave(*players)

    assert audit(docket).findings == ()
    assert before == 1
    assert _kept(tmp_path / "house") == []


async def test_a_client_that_holds_its_luck_is_waited_for_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=3) as here:
        table = await here.open(3, options=(*BOT_TABLE, ("stall_s", "6")))
        async with _watched(here, table) as watched:
            ada = await here.sit(table, 0, level="rules", luck=_luck(tmp_path, table, 0, hold=True))
            others = [await here.sit(table, seat, level="rules") for seat in (1, 2)]
            await watched.until(_rolled)
            await _leave(ada)
            away = await here.sit(table, 0, level="rules")  # another machine with the same ticket plays on
            await watched.until(_named("Ada"))
            await _leave(away)
            back = await here.sit(table, 0, level="rules", luck=_luck(tmp_path, table, 0))
            docket = await watched.docket()
            await _leave(back, *others)

    pinned = LuckShelf(tmp_path, table=table, seat=0).pinned()
    assert _revealed(docket)["seat0"] == _made(tmp_path, table, 0)
    assert audit(docket, receipts=[pinned]).verdict is Verdict.CLEAN


async def test_a_client_that_takes_its_luck_away_for_good_is_dropped(tmp_path: Path) -> None:
    async with house(tmp_path / "house", seats=3) as here:
        table = await here.open(3, options=(*BOT_TABLE, ("stall_s", "1")))
        async with _watched(here, table) as watched:
            ada = await here.sit(table, 0, level="rules", luck=_luck(tmp_path, table, 0, hold=True))
            others = [await here.sit(table, seat, level="rules") for seat in (1, 2)]
            await watched.until(_rolled)
            await _leave(ada)
            away = await here.sit(table, 0, level="rules")
            await watched.until(lambda scene: scene.view["dropped"] == [0])
            await here.close(table, "the evening is over")
            docket = await watched.docket()
            await _leave(away, *others)

    events = [read_event(bytes(read_statement(read_leaf(raw).stmt).ev), "witness-stand") for raw in docket.leaves[1:]]
    assert [event.seat for event in events if isinstance(event, Drop)] == [0]
    assert audit(docket).findings == ()


async def test_a_player_who_leaves_before_everybody_is_bound_brings_new_luck_to_the_next_attempt(
    tmp_path: Path,
) -> None:
    async with house(tmp_path / "house", seats=2) as here:
        table = await here.open(2, options=(*BOT_TABLE, ("stall_s", "3")))
        async with _watched(here, table) as watched:
            ada = await here.sit(table, 0, luck=_luck(tmp_path, table, 0))
            await watched.until(lambda scene: any("Ada sits down" in line.text for line in scene.lines))
            await _leave(ada)
            bo = await here.sit(table, 1)
            await watched.until(lambda scene: "attempt 2" in " ".join(line.text for line in scene.lines))
            back = await here.sit(table, 0, luck=_luck(tmp_path, table, 0))
            docket = await watched.docket()
            await _leave(back, bo)

    key = LuckShelf(tmp_path, table=table, seat=0).key()
    pinned = LuckShelf(tmp_path, table=table, seat=0).pinned()
    attempt = _attempts(docket)  # a slow machine may need one more
    assert attempt > 1
    assert _revealed(docket)["seat0"] == brought_luck(key, table, role="seat0", attempt=attempt, chain=CHAIN)
    assert audit(docket, receipts=[pinned]).verdict is Verdict.CLEAN
