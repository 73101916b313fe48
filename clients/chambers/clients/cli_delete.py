"""`chambers delete`: to be rid of a table, as the admin of the log of record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.exits import REFUSED, could_not, one_sentence
from chambers.clients.pipes import tell
from chambers.clients.running import run
from chambers.clients.shelf import shelve

if TYPE_CHECKING:
    from pathlib import Path

    from chambers.bus.stream import StreamLog
    from chambers.protocol.log import Log

app = typer.Typer()
_COPIES: Final = "Roles keep their copies of it for 90 days, or until you delete them: copies/{table}.* in each volume."


@app.command(epilog="Example: chambers delete 5d0a9e1ac2f84b7796e0b1d3c4a5f607 --home /srv/chambers")
def delete(
    table: arguments.TableName,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Also a table that has not closed, or that cannot be read here.")
    ] = False,
    server: arguments.Server = None,
    home: arguments.Home = None,
    edition: arguments.OwnEditions = None,
) -> None:
    """Delete a table from the log of record, with the admin's key.

    Nobody can export or audit it there afterwards: export it first if anybody may want it. Exit code 1 for a table that
    has not closed, unless told --unfinished.
    """
    digits = arguments.table_digits(table)
    with one_sentence():
        shelve(edition)
        where, folder = surroundings.server(server), surroundings.home(home)
        named, what, deleted = run(_delete(where, folder, digits, unfinished=unfinished))
    if not deleted:
        tell(f"This table has not closed: {what}. To delete it all the same, say --unfinished.", err=True)
        raise typer.Exit(REFUSED)
    tell(f"Deleted table {named.hex()}: {what}.")
    tell(_COPIES.format(table=named.hex()), err=True)


async def _delete(server: str, home: Path, digits: str, *, unfinished: bool) -> tuple[bytes, str, bool]:
    """Return the table, what it was, and whether it is deleted now; ends the command if there is no such table."""
    from chambers.bus.deployment import Deployment
    from chambers.bus.permissions import ADMIN
    from chambers.bus.run import Settings, connect
    from chambers.bus.stream import StreamLog, delete_table
    from chambers.clients.table_names import one_of
    from chambers.rules import Phase

    bus = await connect(Settings(user=ADMIN, home=Deployment(home).role_home(ADMIN), server=server))
    try:
        store = StreamLog(bus)
        table = one_of(digits, await store.tables(), "in the store")
        log, entries, why = await _read(store, table)
        if entries == 0:
            could_not("There is no such table.")
        closed = not why and log.table.phase is Phase.CLOSED
        what = _what(log, entries, why)
        if closed or unfinished:
            await delete_table(bus, table.hex())
        return table, what, closed or unfinished
    finally:
        await bus.drain()


async def _read(store: StreamLog, table: bytes) -> tuple[Log, int, str]:
    """Return the table's log as far as it can be read here, how many entries are stored, and why not all were read."""
    from chambers.fairness.errors import FairnessError
    from chambers.protocol.errors import ProtocolError
    from chambers.protocol.log import Log
    from chambers.rules import RuleError

    log, entries, why = Log(table), 0, ""
    async for _, raw in store.read(table.hex()):
        entries += 1
        try:
            if not why:
                # Whether it is over is all that is asked, and not who said so: signatures are the audit's affair.
                log.admit(raw, signatures=False)
        except (ProtocolError, RuleError, FairnessError) as error:
            why = error.sentence
    return log, entries, why


def _what(log: Log, entries: int, why: str) -> str:
    if not log.opened:
        return f"{entries} entries, which cannot be read here ({why.rstrip('.')})"
    opening = log.table.setup.opening
    unread = f", of which those from {log.size} on cannot be read here ({why.rstrip('.')})" if why else ""
    return f"{opening.game} {opening.edition}, {log.table.phase}, {entries} entries{unread}"
