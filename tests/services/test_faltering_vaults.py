"""A vault in which something fails once: the seat speaks again by itself, and what it refused it does not say."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from tests.scenarios.evening import pass_time, wander
from tests.support.tabletop import TABLE, Tabletop
from tests.support.virtual_time import moment, run

from chambers.protocol import subjects
from chambers.protocol.client import ChoiceRefused, Choose, Resync
from chambers.protocol.messages import OpenRequest, encode
from chambers.rules import Phase
from chambers.rules.roles import seat_role
from chambers.services.intents import Intent
from chambers.services.pen import MakeEvent, Pen
from chambers.services.vault_table import VaultTable

LAST = seat_role(2)
PATIENT = (("stall_s", "600"),)


class LastToMix:
    """Seat 2 owes its mix last: no entry of anybody else comes that would wake it. It fails once, there or then."""

    def __init__(self, patch: pytest.MonkeyPatch, *, writing: bool) -> None:
        self.failed = False
        duty, write = VaultTable._duty, Pen.write

        def owed(table: VaultTable) -> Intent | None:
            if table.role != LAST or table.log.table.phase is not Phase.MIX:
                return duty(table)
            if len(table.log.table.mixes) < 2:
                return None
            self._fail(now=not writing)
            return duty(table)

        def written(pen: Pen, make: MakeEvent) -> bytes:
            self._fail(now=writing and pen._role == LAST and pen._log.table.phase is Phase.MIX)
            return write(pen, make)

        patch.setattr(VaultTable, "_duty", owed)
        patch.setattr(Pen, "write", written)

    def _fail(self, *, now: bool) -> None:
        if now and not self.failed:
            self.failed = True
            raise ValueError("as a disk that fails")


@pytest.mark.parametrize("writing", [False, True])
def test_a_seat_that_failed_once_at_what_it_owes_says_it_a_moment_later(
    writing: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = LastToMix(monkeypatch, writing=writing)

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            await table.until(lambda: table.log.table.phase is Phase.PLAY)

            assert last.failed
            assert table.log.table.attempt == 1

    run(play())


def test_a_vault_that_has_stopped_does_not_say_what_was_chosen_before(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:

            def answering() -> int | None:
                asked = ((chair.seat, chair.last.prompt) for chair in table.chairs if chair.last is not None)
                return next((seat for seat, ask in asked if ask is not None and ask.kind == "answer"), None)

            await wander(table, random.Random("stopped"), until=lambda: answering() is not None)
            seat = answering()
            assert seat is not None
            chair, size = table.chairs[seat], table.log.size
            prompt = chair.prompt
            await chair.say(Choose(prompt, chair.asked[0]))
            await moment()  # it waits for its time now, so that its speed tells nothing
            vault = table.vaults[seat]
            await vault._stop_playing(vault._tables[TABLE], "its log is not the one that it was.")

            await pass_time(5)

            told = [(one.prompt, one.code) for one in chair.heard if isinstance(one, ChoiceRefused)]
            assert told == [("", "vault/stopped"), (prompt, "vault/stopped")]
            assert table.log.size == size

    run(play())


def test_a_vault_whose_log_is_broken_asks_nothing_any_more(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            await table.until(lambda: any(chair.asked for chair in table.chairs))
            chair = next(chair for chair in table.chairs if chair.asked)
            vault = table.vaults[chair.seat]

            await vault._on_broken(vault._tables[TABLE].log, "it is not the one that it was.")
            await moment()
            told = chair.asked
            chair.last = None
            await chair.say(Resync())
            await moment()

            assert chair.last is not None
            assert (told, chair.asked) == ((), ())

    run(play())


@pytest.mark.parametrize("act", ["stop", "start"])
def test_a_vault_starts_and_stops_while_a_table_is_opened(
    act: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3, options=PATIENT) as table:
            other = msgspec.structs.replace(_opening(table), table=bytes(range(1, 17)))

            async def opened_meanwhile(_: object) -> None:
                await table.server.connect("host").request(subjects.lobby("open", "host"), encode(other))
                await pass_time(0.5)

            vault = table.vaults[1]
            with monkeypatch.context() as patch:
                if act == "stop":
                    patch.setattr(VaultTable, "stop", opened_meanwhile)
                    await vault.stop()
                else:
                    patch.setattr(type(vault._tables[TABLE].client), "who", opened_meanwhile)
                    await vault._greet()

            assert len(vault._tables) == 2

    run(play())


def _opening(table: Tabletop) -> OpenRequest:
    opening = table.log.table.setup.opening
    return OpenRequest(
        table=TABLE, game=opening.game, edition=opening.edition, options=opening.options, bots=(False,) * 3
    )
