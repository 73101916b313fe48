"""Texts that are meant for the reader's terminal, or to pass for another's word: refused, or printed harmlessly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from tests.attacks.crooked_house import COURT_TABLE, crooked_house, open_table
from tests.attacks.malformed import ESCAPES
from tests.attacks.test_attacks_by_clients import Thief, leave
from tests.audit.honest_game import PlayedGame, play_game
from tests.support.commands import Command
from tests.support.house import House, house
from tests.support.insider import Insider
from typer.testing import CliRunner

from chambers.audit import audit
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings
from chambers.clients import pipes
from chambers.clients.cli import app
from chambers.clients.connecting import as_spectator
from chambers.clients.hosting import Refused
from chambers.clients.verdicts import report_lines
from chambers.protocol import subjects
from chambers.protocol.docket import Docket, dump
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import encode
from chambers.protocol.statements import read_leaf, read_statement, sign
from chambers.protocol.watching import Entries, Scene
from chambers.rules.events import Bad, Close, Commit, Open, Say, Stall, TableEvent
from chambers.rules.roles import GM, Role, seat_role
from chambers.services.gallery import Gallery


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, seats=3) as running:
        yield running


@pytest.mark.parametrize(
    "event",
    [Bad(3, ESCAPES), Say(ESCAPES), Stall(Role(ESCAPES), 3), Stall(Role("x" * 9000), 3)],
    ids=["bad", "say", "stall", "long stall"],
)
async def test_no_vault_gets_signs_that_a_terminal_obeys_into_the_log(here: House, event: TableEvent) -> None:
    table = await open_table(here, options=COURT_TABLE)
    thieves = [await Thief.sit(await here.host.ticket(table, seat)) for seat in range(3)]
    await thieves[0].asked()
    insider = await Insider.enter(here.stack, table, seat_role(1))

    answer = await insider.submit(insider.statement(event))

    assert isinstance(answer, Refusal)
    assert answer.code.startswith("rule/")
    assert answer.text.isprintable()
    assert len(answer.text) < 200
    await insider.bus.close()
    await leave(thieves)


async def test_no_host_closes_a_table_with_a_reason_that_a_terminal_obeys(here: House) -> None:
    table = await open_table(here, options=COURT_TABLE)

    with pytest.raises(Refused) as refused:
        await here.host.close(table, ESCAPES)

    assert refused.value.refusal.code == "rule/close-reason"


async def test_nobody_sits_down_under_the_name_of_a_service(here: House) -> None:
    table = await open_table(here, options=COURT_TABLE)
    spectator = await as_spectator(here.stack.url, table)
    ticket = await here.host.ticket(table, 0)

    thief = await Thief.sit(ticket, name="The DEALER")
    async with asyncio.timeout(60):
        async for scene in spectator.scenes():
            if any(name.startswith("The DEALER") for name in scene.view["names"]):
                break

    assert scene.view["names"][0] == "The DEALER 2"
    await spectator.leave()
    await leave([thief])


def test_what_a_vault_or_a_server_says_is_printed_as_one_line_that_no_terminal_obeys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipes.say([f"EVENT {ESCAPES}\nEND you have won", "EVENT Zoë plays Ä!"])
    pipes.tell(f"It is over: {ESCAPES}", err=True)

    heard = capsys.readouterr()
    assert heard.out.splitlines()[1:] == ["EVENT Zoë plays Ä!"]
    assert all(line.isprintable() for line in (*heard.out.splitlines(), *heard.err.splitlines()))
    assert heard.out.startswith("EVENT ?[2J?]0;owned??")


def _strangers(played: PlayedGame) -> dict[str, bytes]:
    """Return last entries of a record that its maker, who has every key, fills with what a terminal obeys."""
    opening = played.setup.opening
    key, n = played.log_key, played.log.counter(GM)
    size, root = played.log.head()
    _, stmt = sign(key, table=played.id, author=Role(ESCAPES), n=0, size=size, root=root, event=Say("x"))
    last = msgspec.msgpack.decode(played.leaf_of(GM, Close("over")))
    return {
        "author": msgspec.msgpack.encode([last[0], last[1], stmt, bytes(64)]),
        "stall": played.leaf_of(seat_role(0), Stall(Role(ESCAPES), 3)),
        "bad": played.leaf_of(seat_role(0), Bad(3, ESCAPES)),
        "close": played.leaf_of(GM, Close(f"aborted: {ESCAPES}"), n=n),
        "name": played.leaf_of(seat_role(0), Commit(bytes(32), ESCAPES, *(bytes(32),) * 5)),
        "open": played.leaf_of(GM, msgspec.structs.replace(opening, edition=f"{ESCAPES}/x.toml")),
    }


@pytest.mark.parametrize("kind", ["author", "stall", "bad", "close", "name", "open"])
def test_a_strangers_record_says_nothing_to_the_terminal_of_who_audits_it(kind: str, tmp_path: Path) -> None:
    played = play_game(seats=3, seed=8, most=60)
    docket = played.record([*played.log.leaves, _strangers(played)[kind]])
    path = tmp_path / "strange.docket"
    path.write_text(dump(docket))

    said = [CliRunner().invoke(app, [command, str(path)]) for command in ("audit", "replay", "log")]

    assert said[0].exit_code == 1
    assert all(line.isprintable() for one in said for line in one.output.splitlines())
    assert all(line.isprintable() for line in report_lines(audit(docket)))


@pytest.mark.parametrize("field", ["game", "rules", "edition", "reveal", "options"])
def test_a_strangers_opening_says_nothing_to_the_terminal(field: str, tmp_path: Path) -> None:
    played = play_game(seats=3, seed=8, most=60)
    value = ((ESCAPES, ESCAPES),) if field == "options" else f"{ESCAPES}/x.toml"
    opening: Open = msgspec.structs.replace(played.setup.opening, **{field: value})
    entry = read_leaf(played.log.leaves[0])
    root = read_statement(entry.stmt).root
    sig, stmt = sign(played.log_key, table=played.id, author=GM, n=0, size=0, root=root, event=opening)
    first = msgspec.msgpack.encode([0, entry.ts, stmt, sig])
    path = tmp_path / "strange.docket"
    path.write_text(dump(Docket(played.docket().edition, (first,), played.note_over([first]))))

    said = [CliRunner().invoke(app, [command, str(path)]) for command in ("audit", "replay", "log")]

    assert all(one.exit_code in (0, 1, 2) for one in said)
    assert all(line.isprintable() for one in said for line in one.output.splitlines())


class ShowsNonsense(Gallery):
    """A gallery that shows a view of nothing that a client knows."""

    async def _on_up(self, subject: str, data: bytes) -> None:
        scene = Scene(3, "play", "witness-stand", "tandem-target", {"result": 7, "accused": ESCAPES}, (), over="x")
        down = subjects.watch_down(subjects.table_id(subject).hex(), subject.split(".")[3])
        await self._bus.publish(down, encode(scene))


async def test_what_a_client_cannot_make_out_ends_in_one_sentence(tmp_path: Path) -> None:
    async def make(bus: NatsBus, settings: Settings) -> Gallery:
        return ShowsNonsense(bus)

    async with crooked_house(tmp_path, {"gallery": make}) as here:
        table = await open_table(here)
        watching = await Command.start("watch", table.hex(), "--server", here.stack.url, home=tmp_path)
        code = await watching.ended()

    assert code == 2
    assert len(watching.errors) == 1
    assert watching.errors[0].endswith("Try: chambers doctor")


@pytest.mark.parametrize(("edition", "code"), [(b"\xff\xfe", 2), (b"{}\n{}", 2), (b"{}", 0)])
async def test_a_record_of_anything_is_exported_as_lines_that_no_terminal_obeys_or_not_at_all(
    edition: bytes, code: int, tmp_path: Path
) -> None:
    class ShowsAnything(Gallery):
        async def _on_up(self, subject: str, data: bytes) -> None:
            record = Entries(start=0, entries=(b"x",), size=1, note=ESCAPES, edition=edition)
            down = subjects.watch_down(subjects.table_id(subject).hex(), subject.split(".")[3])
            await self._bus.publish(down, encode(record))

    async def make(bus: NatsBus, settings: Settings) -> Gallery:
        return ShowsAnything(bus)

    async with crooked_house(tmp_path, {"gallery": make}) as here:
        table = await open_table(here)
        exporting = await Command.start("export", table.hex(), "--server", here.stack.url, home=tmp_path)
        ended = await exporting.ended()

    assert (ended, len(exporting.errors)) == (code, 1 if code else 0)
    assert all(line.isprintable() for line in (*exporting.lines, *exporting.errors))
