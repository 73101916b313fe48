"""`chambers close`: the host ends a table in the middle of its game, and everybody opens what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.exits import could_not, one_sentence
from chambers.clients.pipes import tell
from chambers.clients.running import run

if TYPE_CHECKING:
    from pathlib import Path

app = typer.Typer()


@app.command(epilog='Example: chambers close 5d0a9e1ac2f84b7796e0b1d3c4a5f607 --why "We go on next week."')
def close(
    table: arguments.TableName,
    why: Annotated[str, typer.Option("--why", help="What everybody reads, also in the record.", metavar="TEXT")],
    server: arguments.Server = None,
    home: arguments.Home = None,
) -> None:
    """End a table that will not be played on.

    Nobody wins, and its record can be audited like any other. Exit code 1 if its game has ended already.
    """
    digits, told = arguments.table_digits(table), _told(why)
    at = surroundings.server(server)
    with one_sentence():
        named = run(_close(at, surroundings.home(home), digits, why=told))
    tell(f"Closed table {named.hex()}: {told}")
    audit = f"chambers audit {named.hex()}{surroundings.server_option(at)}"
    tell(f"Once everybody has opened what they held, anybody can check it: {audit}", err=True)


def _told(why: str) -> str:
    """Return the reason that everybody will read; ends the command if nobody could, before anybody is asked."""
    from chambers.rules.check import WHY_LENGTH

    told = why.strip()
    if not 1 <= len(told) <= WHY_LENGTH or not told.isprintable():
        could_not(f"--why takes one line of 1 to {WHY_LENGTH} printable characters, like: --why 'We go on next week.'")
    return told


async def _close(server: str, home: Path, digits: str, *, why: str) -> bytes:
    """Return the table that was closed."""
    from chambers.clients.connecting import as_host
    from chambers.clients.table_names import one_of

    host = await as_host(server, home)
    try:
        table = one_of(digits, [one.table.hex() for one in await host.tables()], f"at {server}")
        await host.table(table)
        await host.close(table, why)
        return table
    finally:
        await host.leave()
