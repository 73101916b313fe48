"""Every kind of bad statement is refused with a code and a sentence, and the table goes on as if it had not come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
from tests.support.house import NAMES, House, house
from tests.support.insider import Insider

from chambers import audit
from chambers.bus.errors import BusError
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.protocol import subjects
from chambers.protocol.client import Update
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import Accepted
from chambers.protocol.statements import Entry, pack, read_leaf
from chambers.rules.check import SAYS
from chambers.rules.events import Commit, Ok, Open, Roll, Say, TableEvent
from chambers.rules.roles import seat_role
from chambers.rules.witness_stand.events import Corner, EndTurn, Look, NoCard


class Ask2(TableEvent, frozen=True, tag="ask/2"):
    """An event of a version to come."""

    target: int


@pytest.fixture
async def quiet(tmp_path: Path) -> AsyncIterator[tuple[House, bytes]]:
    """A table of three at which everybody has sat down and seat 0 owes its corner; nobody answers."""
    async with house(tmp_path, seats=3) as here:
        table = await here.open(3)
        sessions = []
        for seat in range(3):
            session = SeatSession(await here.host.ticket(table, seat), NAMES[seat])
            await take_seat(session.ticket, session)
            sessions.append(session)
        async with asyncio.timeout(60):
            async for heard in sessions[0].messages():
                if isinstance(heard, Update) and heard.prompt is not None:
                    break
        for session in sessions:
            await session.close()
        yield here, table


def _first_of(insider: Insider) -> Entry:
    return next(entry for entry in map(read_leaf, insider.log.leaves) if b"seat0" in entry.stmt[:40])


BAD = [
    ("out of turn", "seat1", Corner(0), {}, "rule/"),
    ("illegal", "seat0", Corner(1), {}, "rule/"),
    ("no such space", "seat0", Corner(400), {}, "rule/"),
    ("not at this point", "seat0", EndTurn(), {}, "rule/"),
    ("an answer nobody asked for", "seat0", NoCard(3), {}, "rule/"),
    ("a window that is not open", "seat0", Ok(2), {}, "rule/"),
    (
        "opened twice",
        "seat0",
        Open(1, "witness-stand", "", "", b"", (), (), 16, b"", "public", None, True),
        {},
        "rule/",
    ),
    ("committed to another key", "seat0", Commit(bytes(32), "Ada", *(bytes(32),) * 5), {}, "log/other-key"),
    ("the dice's own", "seat0", Roll(1, (), 6), {}, "rule/"),
    ("the dealer's own", "seat0", Look(1, (0, 1, 2), seat_role(0), False, b""), {}, "rule/"),
    ("talk that is too long", "seat0", Say("x" * 201), {}, "rule/say"),
    ("talk with a line break", "seat0", Say("a\nb"), {}, "rule/say"),
    ("stale", "seat0", Corner(0), {"size": 1, "root": None}, "log/head"),
    ("another head", "seat0", Corner(0), {"root": bytes(32)}, "log/head"),
    ("from the future", "seat0", Corner(0), {"size": 900}, "log/ahead"),
    ("a counter skipped", "seat0", Corner(0), {"n": 7}, "log/counter"),
    ("a counter used", "seat0", Corner(0), {"n": 0}, "log/counter"),
    ("another table's", "seat0", Corner(0), {"table": bytes(16)}, "log/other-table"),
    ("forged author", "seat0", Corner(0), {"author": "seat1"}, "gm/wrong-author"),
    ("nobody's", "seat0", Corner(0), {"author": "queen"}, "gm/wrong-author"),
    ("a version to come", "seat0", Ask2(1), {}, "protocol/unknown-event"),
]


@pytest.mark.parametrize(("role", "event", "changed", "code"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
async def test_a_bad_statement_is_refused_in_words(
    quiet: tuple[House, bytes], role: str, event: TableEvent, changed: dict[str, object], code: str
) -> None:
    here, table = quiet
    insider = await Insider.enter(here.stack, table, seat_role(int(role[4:])))
    size = insider.log.size
    if changed.get("root", b"") is None:
        changed = {**changed, "root": insider.log.tree.root_at(1)}

    answer = await insider.submit(insider.statement(event, **changed))
    await insider.read()

    assert isinstance(answer, Refusal)
    assert answer.code.startswith(code)
    assert len(answer.text) > 10
    assert answer.text[-1] in ".:"
    assert insider.log.size == size
    await insider.bus.close()


async def test_malformed_oversized_and_forged_bytes_are_refused_and_the_table_is_played_to_its_end(
    quiet: tuple[House, bytes],
) -> None:
    here, table = quiet
    insider = await Insider.enter(here.stack, table, seat_role(0))
    good = insider.statement(Corner(0))
    statement = msgspec.msgpack.decode(good[64:])

    async def code(submission: bytes) -> str:
        answer = await insider.submit(submission)
        assert isinstance(answer, Refusal)
        return answer.code

    assert await code(b"") == "protocol/malformed"
    assert await code(b"x" * 64) == "protocol/malformed"
    assert await code(b"x" * 200) == "protocol/malformed"
    assert await code(b"x" * 60_000) == "protocol/too-big"
    assert await code(good[:-1]) == "protocol/malformed"
    assert await code(good[:64] + msgspec.msgpack.encode([*statement, 1])) == "protocol/not-canonical"
    assert await code(bytes(64) + good[64:]) == "fairness/signature"
    other = await Insider.enter(here.stack, table, seat_role(1))
    forged = other.statement(Corner(0), author="seat0", n=insider.log.counter(seat_role(0)))
    assert await code(forged) == "fairness/signature"
    with pytest.raises(BusError) as too_big:
        await insider.submit(b"x" * 70_000)
    assert too_big.value.code == "bus/too-big"
    with pytest.raises(BusError):
        await insider.submit(good, subject=subjects.inbound(table.hex(), seat_role(1)), timeout=2.0)

    first = _first_of(insider)
    again = await insider.submit(pack(first.sig, first.stmt))
    assert isinstance(again, Accepted)
    assert again.sequence == first.seq

    spectator = await as_spectator(here.stack.url, table)
    players = [await here.sit(table, seat) for seat in range(3)]
    async with asyncio.timeout(60):
        async for _ in spectator.scenes():
            pass
    report = audit.audit(await spectator.docket())
    for player in players:
        player.cancel()
    assert (report.exit_code, report.findings) == (0, ())
    for bus in (insider.bus, other.bus):
        await bus.close()
    await spectator.leave()


async def test_an_event_sent_twice_is_one_entry_with_one_answer(quiet: tuple[House, bytes]) -> None:
    here, table = quiet
    insider = await Insider.enter(here.stack, table, seat_role(0))
    submission = insider.statement(Corner(0))

    first, second = await asyncio.gather(insider.submit(submission), insider.submit(submission))
    third = await insider.submit(submission)
    await insider.read()

    assert isinstance(first, Accepted)
    assert isinstance(second, Accepted)
    assert isinstance(third, Accepted)
    assert first.sequence == second.sequence == third.sequence
    assert [read_leaf(raw).stmt for raw in insider.log.leaves].count(submission[64:]) == 1
    await insider.bus.close()


async def test_an_answer_to_what_the_log_has_gone_past_is_stale(quiet: tuple[House, bytes]) -> None:
    here, table = quiet
    insider = await Insider.enter(here.stack, table, seat_role(0))
    other = await Insider.enter(here.stack, table, seat_role(1))
    early = other.statement(Corner(7))  # made before seat 0 has chosen, to be sent afterwards
    accepted = await insider.submit(insider.statement(Corner(0)))

    answer = await other.submit(early)

    assert isinstance(accepted, Accepted)
    assert isinstance(answer, Refusal)
    assert answer.code == "protocol/stale"
    for bus in (insider.bus, other.bus):
        await bus.close()


async def test_a_vault_that_talks_without_end_is_refused_once_it_has_said_enough(quiet: tuple[House, bytes]) -> None:
    here, table = quiet
    insider, other = [await Insider.enter(here.stack, table, seat_role(n)) for n in range(2)]

    for number in range(SAYS):
        answer = await insider.submit(insider.statement(Say(f"word {number}")))
        assert isinstance(answer, Accepted)
        await insider.read()
    refused = await insider.submit(insider.statement(Say("one more")))
    await other.read()
    unharmed = await other.submit(other.statement(Say("I have said nothing yet")))

    assert isinstance(refused, Refusal)
    assert (refused.code, refused.section) == ("rule/said-enough", "Play")
    assert isinstance(unharmed, Accepted)
    for bus in (insider.bus, other.bus):
        await bus.close()
