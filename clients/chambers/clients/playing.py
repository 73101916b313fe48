"""`chambers play`: a private server, every service, bots, and a person at seat 0 or everybody's eyes on the table."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shlex
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import msgspec

from chambers.audit import Report, audit
from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import bot_for, pauses
from chambers.clients.connecting import as_host, as_spectator, take_seat
from chambers.clients.exits import write_text
from chambers.clients.hosting import Host
from chambers.clients.json_mode import json_line
from chambers.clients.pipes import say
from chambers.clients.seating import play_json, play_lines, sights_of
from chambers.clients.seen import flat
from chambers.clients.session import SeatSession
from chambers.clients.spectating import Spectator
from chambers.clients.speech import SceneSpeech
from chambers.clients.verdicts import report_fields, report_lines, verdict_line
from chambers.protocol.docket import Docket, dump
from chambers.protocol.tickets import Ticket
from chambers.rules import game as rules_of
from chambers.services.stack import Stack
from chambers.services.upkeep import Upkeep, unless

NAMES: Final = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo")
BOTS_ONLY: Final = (("answer_floor_ms", "0"), ("object_window", "none"))
WITH_A_PERSON: Final = (("answer_floor_ms", "600"), ("object_window", "none"))
_PAUSE_S: Final = 0.8
_LEAVE_S: Final = 10.0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is played, by whom, and how it is shown. `seed`: the bots' chance; the cards' own is nobody's choice."""

    game: str
    edition: str
    seats: int
    level: str
    seed: str
    options: tuple[tuple[str, str], ...]
    name: str
    watch: bool
    as_json: bool
    numbered: bool
    hold: bool
    keep: Path | None
    dockets: Path


async def play(plan: Plan) -> int:
    """Return the exit code: 0 when the game was played and its audit is clean, or when the person left."""
    async with _home(plan) as home, Stack(home, seats=plan.seats) as stack:
        host = await as_host(stack.url, home)
        try:
            return await unless(_at_a_table(plan, host), stack.trouble(), Upkeep(stack).watch())
        finally:
            await host.leave()


@contextlib.asynccontextmanager
async def _home(plan: Plan) -> AsyncIterator[Path]:
    if plan.keep is not None:
        yield plan.keep
        return
    with tempfile.TemporaryDirectory(prefix="chambers-", ignore_cleanup_errors=True) as name:
        yield Path(name)


async def _at_a_table(plan: Plan, host: Host) -> int:
    bots = tuple(plan.watch or seat > 0 for seat in range(plan.seats))
    options = agreed(plan.game, BOTS_ONLY if plan.watch else WITH_A_PERSON, plan.options)
    table = await host.open_table(plan.game, plan.edition, options=options, bots=bots)
    spectator = await as_spectator(host.server, table)
    playing: list[asyncio.Task[object]] = []
    sessions: list[SeatSession] = []
    try:
        tickets = await asyncio.gather(*(host.ticket(table, seat, issue=0) for seat in range(plan.seats)))
        for seat in range(0 if plan.watch else 1, plan.seats):
            session, runner = _bot(plan, tickets[seat])
            sessions.append(session)
            await take_seat(tickets[seat], session)
            playing.append(asyncio.create_task(runner.play()))
        if plan.watch:
            await _watch(plan, spectator)
            return await _prove(plan, spectator)
        return await _sit(plan, tickets[0], spectator)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await asyncio.gather(*(session.close() for session in sessions), return_exceptions=True)
        await spectator.leave()


def _bot(plan: Plan, ticket: Ticket) -> tuple[SeatSession, BotRunner]:
    session = SeatSession(ticket, NAMES[ticket.seat])
    longest = 0.0 if plan.watch else _PAUSE_S
    runner = BotRunner(
        session,
        bot_for(plan.level, seed=plan.seed),
        pause=pauses(ticket.seat, seed=plan.seed, longest=longest),
    )
    return session, runner


async def _watch(plan: Plan, spectator: Spectator) -> None:
    speech = SceneSpeech(as_json=plan.as_json, numbered=plan.numbered, brief=True)
    sights = sights_of(plan.edition)
    told = False
    async for scene in spectator.scenes():
        say(speech.lines(scene))
        if scene.over and not told and not plan.as_json:
            told = True
            say(f"END {text}" for text in (scene.over, *sights.solution(flat(scene.view))))


async def _sit(plan: Plan, ticket: Ticket, spectator: Spectator) -> int:
    session = SeatSession(ticket, plan.name)
    await take_seat(ticket, session)
    try:
        if plan.as_json:
            over = await play_json(session, sys.stdin)
        else:
            leave = "you leave, and this private table ends."
            over = await play_lines(session, sys.stdin, numbered=plan.numbered, hold=plan.hold, farewell=leave)
    finally:
        await session.close()
    if over is None:
        return 0
    # The last secrets are opened after the close; without them there is nothing to audit yet.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LEAVE_S):
            async for _ in spectator.scenes():
                continue
    return await _prove(plan, spectator, over.receipt)


async def _prove(plan: Plan, spectator: Spectator, receipt: str = "") -> int:
    docket = await spectator.docket()
    path = (plan.keep or plan.dockets) / f"{spectator.table.hex()}.docket"
    write_text(path, dump(docket), make_folder=True)
    command = f"chambers audit {shlex.quote(str(path))}"
    if receipt:
        note = path.with_suffix(".note")
        write_text(note, receipt, make_folder=True)
        command += f" --receipt {shlex.quote(str(note))}"
    print(f"The docket is in {path}; audit it again with: {command}", file=sys.stderr)
    report = await asyncio.to_thread(_audited, docket, (receipt,) if receipt else ())
    if plan.as_json:
        say((json_line({"type": "audit", **report_fields(report)}),))
    else:
        say((verdict_line(report),) if report.exit_code == 0 else tuple(report_lines(report)))
    return report.exit_code


def _audited(docket: Docket, receipts: tuple[str, ...]) -> Report:
    return audit(docket, receipts=receipts, workers=1)


def agreed(
    game: str, usual: tuple[tuple[str, str], ...], given: tuple[tuple[str, str], ...] = ()
) -> tuple[tuple[str, str], ...]:
    """Return the table options given, and of the usual ones those that the game has and nobody gave."""
    known = {spec.name for spec in rules_of(game).OPTIONS}
    return tuple({**{name: value for name, value in usual if name in known}, **dict(given)}.items())


def fresh_seed() -> str:
    """Return a seed for the bots, 16 hex digits, where the player named none."""
    return secrets.token_hex(8)
