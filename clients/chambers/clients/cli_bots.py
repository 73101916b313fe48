"""`chambers bots`: a house of bots for a host, which lays their tickets into its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chambers.clients import arguments
from chambers.clients.exits import could_not, one_sentence
from chambers.clients.running import run
from chambers.clients.shelf import shelve

app = typer.Typer()


@app.command(epilog="Example: chambers bots ./bots --server nats://127.0.0.1:4222")
def bots(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the host lays tickets for bots.")],
    level: arguments.Level = "rules",
    longest: Annotated[
        float, typer.Option("--pause", min=0, help="The longest pause before a choice, s.", metavar="S")
    ] = 1.5,
    server: arguments.Server = None,
    alive: Annotated[
        Path | None, typer.Option("--alive", help="A file to touch every second while it runs.", metavar="FILE")
    ] = None,
    edition: arguments.OwnEditions = None,
) -> None:
    """Play every seat whose ticket lies in a folder.

    It goes on until it is told to stop. When a table is over its tickets are gone, and its receipt is there as
    TABLE.note.
    """
    chosen = arguments.bot_level(level)
    if not folder.is_dir():
        could_not(f"There is no folder {folder}. Make it, or have it made: chambers host --bots-into {folder}")
    with one_sentence():
        shelve(edition)
        from chambers.clients.bot_house import BotHouse

        run(BotHouse(folder, level=chosen, longest=longest, server=server).run(alive))
