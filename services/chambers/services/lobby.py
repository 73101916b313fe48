"""The lobby: opening, listing and closing tables, and voiding tickets.

chambers-lobby.open.host     OpenRequest  -> Accepted | Refusal
chambers-lobby.close.host    CloseRequest -> Accepted | Refusal
chambers-lobby.void.host     VoidRequest  -> Accepted | Refusal
chambers-lobby.list.<user>   (empty)      -> TableList, the open tables first, as many as fit
chambers-lobby.list.<user>   table's id   -> TableList of that table alone, or of none
chambers-lobby.tables.<id>   (ignored)    -> TableList for a guest, half a second old at most
chambers-lobby.issues.gate   table's id   -> TableIssues | Refusal
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from chambers import editions
from chambers.fairness.boxes import check_box_key
from chambers.fairness.errors import FairnessError
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.protocol.messages import OpenRequest, TableInfo, TableList, encode
from chambers.protocol.versions import PROTOCOL, release
from chambers.rules import Phase, complete_options, game, new_table
from chambers.rules.events import Open, SeatPlan
from chambers.rules.opening import VERSION
from chambers.rules.roles import seat_role
from chambers.rules.table import Table
from chambers.rules.terms import Setup

TELL: Final = "Start them with its file: --edition FILE"
LIST_BYTES: Final = 48 * 1024


def opening(request: OpenRequest, log_key: bytes) -> Open:
    """Return the open event that a request asks for; ProtocolError or RuleError for one that cannot be played."""
    if len(request.table) != 16:
        raise ProtocolError("lobby/table", "A table's id is 16 random bytes.")
    if not set(request.own) <= set(range(len(request.bots))):
        raise ProtocolError("lobby/no-seat", "A vault of a player's own is for a seat of the table.")
    rules = game(request.game)
    try:
        edition = editions.named(request.edition)
    except editions.EditionError:
        raise ProtocolError(
            "lobby/edition", f"The services do not know the edition {request.edition}. {TELL}"
        ) from None
    if request.edition_hash not in (b"", editions.edition_hash(edition)):
        raise ProtocolError("lobby/edition", f"The services know another edition {request.edition}. {TELL}")
    if not isinstance(edition, rules.Edition):
        raise ProtocolError("lobby/edition", f"The edition {request.edition} is not one of the game {request.game}.")
    event = Open(
        v=VERSION,
        game=rules.NAME,
        rules=rules.RULES,
        edition=request.edition,
        edition_hash=editions.edition_hash(edition),
        options=complete_options(rules, request.options),
        seats=tuple(SeatPlan("own" if n in request.own else "host", bot) for n, bot in enumerate(request.bots)),
        chain=rules.CHAIN,
        log_key=log_key,
        reveal=request.reveal,
        auditor_key=request.auditor_key,
        spectators=request.spectators,
    )
    new_table(Setup(event, edition))
    try:
        if event.auditor_key is not None:
            check_box_key(event.auditor_key)
    except FairnessError as error:
        raise ProtocolError("lobby/auditor-key", f"That is no auditor's key. {error.sentence}") from error
    return event


def listed(logs: Iterable[Log], rested: Iterable[TableInfo] = (), *, reading: bool = False) -> TableList:
    """Return the list of tables that fits into one message: the open ones first, then the newest, then the `rested`."""
    order = sorted(logs, key=lambda log: (log.table.phase is Phase.CLOSED, -log.table.ts))
    infos: list[TableInfo] = []
    room = LIST_BYTES
    for info in (*map(describe, order), *reversed(tuple(rested))):
        room -= len(encode(info))
        if room < 0:
            break
        infos.append(info)
    return table_list(tuple(infos), reading=reading)


def table_list(infos: tuple[TableInfo, ...], *, reading: bool = False) -> TableList:
    """Return the answer that lists these tables; `reading` tells that there may be more."""
    return TableList(infos, PROTOCOL, release(), time.time_ns() // 1_000_000, reading)


def describe(log: Log) -> TableInfo:
    """Return what anybody may know of a table before sitting down."""
    table = log.table
    plan = table.setup.opening
    return TableInfo(
        table=log.id,
        game=plan.game,
        edition=plan.edition,
        phase=str(table.phase),
        size=log.size,
        names=table.names,
        taken=tuple(table.committed(seat_role(n)) is not None for n in range(table.seats)),
        bots=tuple(seat.bot for seat in plan.seats),
        issues=table.issues,
        spectators=plan.spectators,
        own=own_seats(table),
        reveal=plan.reveal,
    )


def own_seats(table: Table) -> tuple[int, ...]:
    """Return the seats whose players keep their vaults themselves."""
    return tuple(n for n, seat in enumerate(table.setup.opening.seats) if seat.vault == "own")
