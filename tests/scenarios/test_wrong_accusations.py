"""An accusation is a choice of one suspect by name, a wrong one ends nobody else's game, and a right one is proved."""

from __future__ import annotations

import io
import random
from pathlib import Path

import msgspec
import pytest
from tests.clients.vault_end import TICKET, Vault
from tests.scenarios.evening import (
    docket_of,
    entries_of,
    insider,
    right_accusation,
    until_asked,
    wander,
    wrong_accusations,
)
from tests.support.tabletop import Tabletop
from tests.support.virtual_time import run

from chambers import audit
from chambers.clients.line_mode import LineMode
from chambers.clients.session import SeatSession
from chambers.clients.sights import Sights
from chambers.clients.speech import Speech
from chambers.clients.typed import Chosen, read_line
from chambers.protocol.client import Ask, Choice, ChoiceAccepted, Choose, Over, Update
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Admitted
from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.events import Accuse, NoCard, Pass, Show


@pytest.mark.parametrize(
    "event",
    [
        Accuse(-1),
        Accuse(99),
        msgspec.msgpack.encode(["accuse"]),
        msgspec.msgpack.encode(["accuse", None]),
        msgspec.msgpack.encode(["accuse", ""]),
        msgspec.msgpack.encode(["accuse", True]),
        msgspec.msgpack.encode(["accuse", 0, 1, 2, 3]),
    ],
    ids=["nobody", "no such suspect", "left out", "null", "empty", "true", "everybody"],
)
def test_an_accusation_that_names_nobody_in_particular_is_refused_and_costs_nothing(
    event: Accuse | bytes, tmp_path: Path
) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            seat, _ = await until_asked(table, {f"accuse.{letter}" for letter in "ABCD"}, random.Random(3))
            size = table.log.size
            cheat = await insider(table, f"seat{seat}")
            answer = await cheat.submit(cheat.statement(event))
            assert isinstance(answer, Refusal)
            assert answer.code.startswith(("rule/", "protocol/"))
            assert table.log.size == size
            assert not table.log.table.play.out

    run(play())


def test_only_the_suspect_on_the_stand_can_be_accused_whatever_a_default_would_say(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            seat, _ = await until_asked(table, {"accuse.B", "accuse.C", "accuse.D"}, random.Random(3))
            witness = table.log.table.play.witness
            cheat = await insider(table, f"seat{seat}")
            for suspect in {0, 1, 2, 3} - {witness}:
                answer = await cheat.submit(cheat.statement(Accuse(suspect)))
                assert isinstance(answer, Refusal)
                assert answer.code.startswith("rule/")
            assert not table.log.table.play.out

    run(play())


ON_THE_STAND = Ask(
    "5.1", "end", "End it?", (Choice("accuse.B", "Accuse Bea Ash", {}), Choice("end", "End the turn", {}))
)
NOT_BEA = ("", "   ", "accuse A", "accuse C", "accuse Cy", "a", "b", "A", "0", "-1", "accuse nobody", "accuse end")


@pytest.mark.parametrize("line", NOT_BEA)
def test_no_line_accuses_anybody_but_the_one_it_names(line: str) -> None:
    """Bea, suspect B, is on the Stand: neither Enter nor a single letter nor another suspect's letter accuses her."""
    assert not isinstance(read_line(line, ON_THE_STAND), Chosen)


@pytest.mark.parametrize("line", ["accuse", "accuse B", "accuse bea", "accuse.B", "Accuse Bea Ash", "1"])
def test_a_line_that_names_her_does(line: str) -> None:
    said = read_line(line, ON_THE_STAND)
    assert isinstance(said, Chosen)
    assert said.option.id == "accuse.B"


async def test_enter_alone_never_accuses_anybody(capsys: pytest.CaptureFixture[str]) -> None:
    vault, session = Vault(), SeatSession(TICKET, "Bo")
    await session.start(vault)
    await session.deliver(vault.welcome())
    await session.deliver(vault.say(Update(5, "play", {"public": {}}, (), ON_THE_STAND)))

    typed = io.StringIO("".join(f"{line}\n" for line in NOT_BEA))
    await LineMode(session, Speech(lambda name, _hash: Sights(None, name=name)), patient=True).run(typed)
    await session.close()

    assert not any(isinstance(message, Choose) for message in vault.said)
    assert capsys.readouterr().out.count("ERR") == len(NOT_BEA) - 2


def test_of_two_players_one_is_out_and_the_other_plays_on_to_a_win(tmp_path: Path) -> None:
    """The one who is out still owes every answer, is asked nothing else, and the game reaches its end."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            chance = random.Random(5)
            seat, option = await until_asked(table, wrong_accusations(2), chance)
            assert isinstance(await table.choose(seat, option), ChoiceAccepted)
            accused = table.log.size
            await wander(table, chance, until=lambda: len(_by(table, seat, accused)) > 4)
            winner, right = await until_asked(table, {right_accusation(2)}, chance)
            await table.choose(winner, right)
            await table.until(lambda: table.over and table.log.table.phase == "closed")

            assert winner == 1 - seat
            assert {type(entry.event) for entry in _by(table, seat, accused)} <= {NoCard, Show, Pass}
            for chair in table.chairs:
                (over,) = [message for message in chair.heard if isinstance(message, Over)]
                assert over.winner == winner
            assert audit.audit(docket_of(table)).exit_code == 0

    run(play())


def _by(table: Tabletop, seat: int, since: int) -> list[Admitted]:
    return [
        entry
        for entry in entries_of(table)[since:]
        if entry.author == seat_role(seat) and entry.before is not None and entry.before.phase == "play"
    ]


@pytest.mark.parametrize("seats", [2, 3])
def test_when_all_have_accused_wrongly_the_table_ends_by_itself(seats: int, tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=seats) as table:
            chance = random.Random(2)
            for number in range(1, seats + 1):
                await table.choose(*await until_asked(table, wrong_accusations(seats), chance))
                await table.until(lambda n=number: len(table.log.table.play.out) == n)  # type: ignore[misc]
            await table.until(lambda: table.over and table.log.table.phase == "closed")
            over = next(message for message in table.chairs[0].heard if isinstance(message, Over))
            assert over.winner is None
            assert audit.audit(docket_of(table)).exit_code == 0

    run(play())
