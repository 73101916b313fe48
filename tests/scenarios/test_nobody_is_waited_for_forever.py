"""Somebody has gone home: the table says whom it waits for, makes the safe choice, and goes on without them."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import msgspec
import pytest
from tests.scenarios.evening import docket_of, entries_of, right_accusation, scenes_of, stop_user, wander
from tests.support.tabletop import NAMES, TABLE, Tabletop
from tests.support.virtual_time import run

from chambers import audit
from chambers.protocol import subjects
from chambers.protocol.client import Over
from chambers.protocol.messages import Accepted, CloseRequest, LobbyAnswer, encode
from chambers.rules.events import Drop, Lapse, Ok, Reveal, Roll
from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.events import Accuse, Ask, NoCard, Pass, Play, Show

LIMITS = (("answer_limit", "20"), ("object_window", "10"), ("turn_limit", "30"))
SHORT = (*LIMITS, ("stall_s", "5"))


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_a_player_who_went_home_holds_up_neither_turn_nor_answer_nor_window(seats: int, tmp_path: Path) -> None:
    """The last seat's player never touches anything: every choice of theirs lapses and is made for them, safely."""
    gone = seats - 1

    async def play() -> None:
        async with Tabletop(tmp_path, seats=seats, options=LIMITS) as table:
            await wander(table, random.Random(3), until=lambda: table.log.size > 200, gone=[gone])
            entries = entries_of(table)
            mine = [entry for entry in entries if entry.author == seat_role(gone) and entry.after.play is not None]
            kinds = {type(entry.event).__name__ for entry in mine}
            acts = [entry for entry in mine if type(entry.event).__name__ not in ("Mix", "Commit")]
            lapsed = {entry.event.ref for entry in entries if isinstance(entry.event, Lapse)}

            assert {"Go", "EndTurn"} <= kinds
            assert kinds & {"NoCard", "Show", "Pass"}
            assert not any(isinstance(entry.event, Ask | Accuse | Play | Ok) for entry in mine)
            assert all(entry.before is not None and entry.before.play.since in lapsed for entry in acts)
            waits = [b.ts - a.ts for a, b in itertools.pairwise(entries) if a.after.play is not None]
            assert max(waits) < 31_000

    run(play())


def test_it_is_said_who_is_waited_for_and_since_when(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            await wander(table, random.Random(3), until=lambda: table.chairs[2].prompt != "", gone=[2])
            await table.look_on()
            await table.until(lambda: scenes_of(table)[-1].sequence == table.log.size - 1)
            said = [scenes_of(table)[-1].waiting, *(chair.last.waiting for chair in table.chairs if chair.last)]
            assert set(said) == {(NAMES[2],)}

    run(play())


def test_a_seat_that_was_dropped_is_waited_for_in_no_later_round(tmp_path: Path) -> None:
    """Vault and all are gone. Once it is dropped nobody waits for it again: no turn, no share of a roll, no reveal."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=4, options=SHORT) as table:
            chance = random.Random(5)
            await wander(table, chance, until=lambda: table.log.size > 50)
            await stop_user(table, "seat2")
            await wander(table, chance, accuse=0.02, gone=[2])
            await table.until(lambda: table.log.table.phase == "closed")

            entries = entries_of(table)
            at = next(entry.seq for entry in entries if isinstance(entry.event, Drop))
            after = [entry for entry in entries if entry.seq > at]
            rounds = {entry.after.play.round for entry in after}
            assert len(rounds) > 2
            assert not any(entry.author == seat_role(2) for entry in after)
            assert all(seat_role(2) not in dict(e.event.shares) for e in after if isinstance(e.event, Roll))
            assert {entry.author for entry in after if isinstance(entry.event, Reveal)} == {
                "dice", "dealer", "seat0", "seat1", "seat3",
            }  # fmt: skip
            waiting = [scene.waiting for scene in scenes_of(table) if scene.sequence > at]
            assert waiting
            assert not any(NAMES[2] in names for names in waiting)
            assert not any(isinstance(e.event, Ask) and e.event.target == 2 for e in after)
            answered = [e.event for e in after if isinstance(e.event, NoCard | Show | Pass)]
            assert answered
            assert audit.audit(docket_of(table)).findings == ()

    run(play())


def test_whoever_leaves_before_the_last_goodbye_keeps_nobody_from_learning_how_it_ended(tmp_path: Path) -> None:
    """A vault is gone when the winning accusation is made, so it will never say goodbye: the others get their end."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=4, options=SHORT) as table:
            able = [chair for chair in table.chairs if chair.seat != 2]
            win, chance = right_accusation(4), random.Random(2)
            await wander(table, chance, until=lambda: any(win in chair.asked for chair in able))
            await stop_user(table, "seat2")
            await table.choose(next(chair.seat for chair in able if win in chair.asked), win)
            await table.until(lambda: all(any(isinstance(m, Over) for m in chair.heard) for chair in able))

            over = [m for chair in able for m in chair.heard if isinstance(m, Over)]
            assert len({(m.winner, m.text, m.root) for m in over}) == 1
            report = audit.audit(docket_of(table))
            assert report.findings == ()

    run(play())


def test_a_table_of_two_whose_other_vault_is_gone_can_be_closed_by_the_host_and_audited(tmp_path: Path) -> None:
    """Of two, neither can outvote the other, so the host ends it; what was played is proved as far as it is opened."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2, options=SHORT) as table:
            await wander(table, random.Random(3), until=lambda: table.log.size > 60)
            await stop_user(table, "seat1")
            host = table.server.connect("host")
            request = encode(CloseRequest(table=TABLE, why="Bo went home"))
            raw = await host.request(subjects.lobby("close", "host"), request)
            assert isinstance(msgspec.msgpack.decode(raw, type=LobbyAnswer), Accepted)
            report = audit.audit(docket_of(table))
            assert report.ending == "aborted: Bo went home"
            assert report.findings == ()

    run(play())
