"""An evening on the LAN: the host serves over TLS, players sit in networks of their own, and one of them types."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.lan.network import HOST, Network
from tests.support.commands import Command, table_of, tickets

from chambers.audit import Report, audit
from chambers.protocol.docket import load

URL = f"nats://{HOST}:4222"


class Evening:
    """A table that is open, the tickets of its seats, and what runs at it."""

    def __init__(self, home: Path, lan: Network, serve: Command, opened: list[str]) -> None:
        self.home = home
        self.lan = lan
        self.serve = serve
        self.table, self.server = table_of(opened)
        self.tickets = tickets(opened)
        self.running: list[Command] = []

    async def run(self, who: str, *arguments: str, typed: str | None = None) -> Command:
        """Start a command in somebody's network."""
        command = await Command.start(*arguments, home=self.home, within=self.lan.within(who), typed=typed)
        self.running.append(command)
        return command

    async def restart(self) -> None:
        """End the server and every service as Ctrl-C does, and start them again."""
        await self.serve.stop()
        self.serve = await _serve(self.home, self.lan)

    async def bot(self, who: str, seat: int, *, pause: float) -> Command:
        """Start a bot at a seat."""
        return await self.run(who, "bot", "-", "--pause", str(pause), typed=f"{self.tickets[seat]}\n")

    async def person(self, who: str, seat: int) -> tuple[Command, asyncio.Task[None]]:
        """Start the line mode at a seat, and somebody who types the first choice whenever asked."""
        command = await self.run(who, "join", "-", "--name", "Ada", "--seq", typed=f"{self.tickets[seat]}\n")
        return command, asyncio.create_task(_types(command))

    async def report(self) -> Report:
        """Return the audit of the record, fetched over the network; the record is kept at home as `game.docket`."""
        export = await self.run("host", "export", self.table, "--server", self.server)
        assert await export.ended() == 0
        record = "\n".join(export.lines) + "\n"
        (self.home / "game.docket").write_text(record)
        return await asyncio.to_thread(audit, load(record), workers=1)

    async def seen_by(self, seat: int) -> list[str]:
        """Return what the record told a seat, entry by entry, as `chambers replay` tells it: number and sentence."""
        replay = await self.run("host", "replay", "game.docket", "--as", f"seat{seat}")
        assert await replay.ended() == 0
        return replay.lines


async def _types(command: Command) -> None:
    answered = 0

    def asked() -> bool:
        return sum(line.startswith("ASK ") for line in command.lines) > answered

    while True:
        await command.until(asked, limit=300)
        answered = sum(line.startswith("ASK ") for line in command.lines)
        command.type("1\n")


async def _serve(home: Path, lan: Network) -> Command:
    serve = await Command.start(
        "serve", "--listen", f"{HOST}:4222", "--data", "data", "--tls", home=home, within=lan.within("host")
    )
    await serve.says("Serving at")
    return serve


@asynccontextmanager
async def evening(home: Path, lan: Network, *, seats: int, game: str = "witness-stand") -> AsyncIterator[Evening]:
    """Serve, and open a table; everything that runs is ended afterwards."""
    serve = await _serve(home, lan)
    there: Evening | None = None
    try:
        window = ("--option", "object_window=skip") if game == "witness-stand" else ()
        host = await Command.start(
            "host", "--server", URL, "--home", "data", "--game", game, "--seats", str(seats),
            "--option", "answer_floor_ms=0", *window, home=home, within=lan.within("host"),
        )  # fmt: skip
        assert await host.ended() == 0, host.errors
        there = Evening(home, lan, serve, host.lines)
        yield there
    finally:
        for command in (*there.running, there.serve) if there is not None else (serve,):
            await command.stop()
