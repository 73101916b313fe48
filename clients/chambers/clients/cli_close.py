"""`chambers close`: the host ends a table in the middle of its game, and everybody opens what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.exits import one_sentence
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
    """End a table that will not be played on: nobody wins, and its record can be audited like any other.

    Exit code 1 if its game has ended already.
    """
    digits = arguments.table_digits(table)
    with one_sentence():
        named = run(_close(surroundings.server(server), surroundings.home(home), digits, why=why.strip()))
    tell(f"Closed table {named.hex()}: {why.strip()}")
    tell(f"Once everybody has opened what they held, anybody can check it: chambers audit {named.hex()}", err=True)


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
