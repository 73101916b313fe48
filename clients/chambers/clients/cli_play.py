"""`chambers play`, `join`, `bot` and `watch`: to sit at a table, or to look on."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.exits import COULD_NOT, REFUSED, could_not, one_sentence
from chambers.clients.in_game import HELP
from chambers.clients.pipes import say, tell
from chambers.clients.running import Stopped, run
from chambers.clients.shelf import shelve, table_of

if TYPE_CHECKING:
    from chambers.clients.luck import OwnLuck
    from chambers.clients.standing import Standing
    from chambers.protocol.client import Over
    from chambers.protocol.tickets import Ticket, VaultTicket

app = typer.Typer()


@app.command(epilog=f"{HELP}\n\nExample: chambers play --game missing-suspect --seats 4")
def play(
    game: arguments.Game = None,
    edition: arguments.EditionName = None,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="How many sit at the table.", metavar="N")] = 4,
    bots: Annotated[str, typer.Option("--bots", help="How the bots play: random or rules.", metavar="LEVEL")] = "rules",
    watch: Annotated[bool, typer.Option("--watch", help="Bots play every seat, and you look on.")] = False,
    seed: Annotated[
        str, typer.Option("--seed", help="The bots' own chance; the cards' is nobody's choice.", metavar="TEXT")
    ] = "",
    option: arguments.OptionPairs = None,
    name: Annotated[str | None, typer.Option("--name", help="What you are called.", metavar="NAME")] = None,
    keep: Annotated[Path | None, typer.Option("--keep", help="Keep the server's folder here.", metavar="DIR")] = None,
    plain: arguments.Plain = False,
    as_json: arguments.Json = False,
    seq: arguments.Numbered = False,
    hold: arguments.Hold = False,
) -> None:
    """Play against bots on this machine, then audit the game.

    A private server and every service run as long as the game does; nothing else is needed.

    Without a terminal, bots play every seat: --watch --plain.
    """
    level, pairs = arguments.bot_level(bots), arguments.option_pairs(option)
    called = arguments.player_name(name)
    named = arguments.game_name(game)
    looks_on = watch or not (surroundings.on_terminal() or as_json)
    from chambers.clients.playing import Plan, fresh_seed
    from chambers.clients.playing import play as play_it

    with one_sentence():
        played, box = table_of(named, edition)
        plan = Plan(
            game=played,
            edition=box,
            seats=seats,
            level=level,
            seed=seed or fresh_seed(),
            options=pairs,
            name=called,
            watch=looks_on,
            as_json=as_json,
            numbered=seq,
            hold=hold,
            keep=keep,
            dockets=surroundings.home() / "dockets",
        )
        raise typer.Exit(run(play_it(plan)))


@app.command(
    epilog=f"{HELP}\n\nExample: chambers join chambers1.lq9uYXRz... --name Ada\n\nExample: chambers join 2-kqx-7rt"
)
def join(
    ticket: arguments.TicketOrCode = None,
    name: Annotated[
        str | None, typer.Option("--name", help="What you are called at the table.", metavar="NAME")
    ] = None,
    server: arguments.Server = None,
    plain: arguments.Plain = False,
    as_json: arguments.Json = False,
    seq: arguments.Numbered = False,
    hold: arguments.Hold = False,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="Take the seat from another window without asking.")
    ] = False,
    edition: arguments.OwnEditions = None,
    table: arguments.TableOfCode = None,
    hold_luck: Annotated[
        bool, typer.Option("--hold-luck", help="Keep your luck here to the end: every roll then waits for you.")
    ] = False,
    no_luck: Annotated[bool, typer.Option("--no-luck", help="Leave the luck of your seat to its vault.")] = False,
) -> None:
    """Sit down with a ticket. Leaving keeps the seat; the same ticket brings you back.

    In the host's network a seat's short code does as well, until somebody has taken the seat: without a server to ask
    (--server or CHAMBERS_SERVER), tables are looked for by mDNS. The ticket behind it is printed, to come back.

    You bring your own luck: what your seat adds to shuffle and dice is made here, so nobody can have chosen it for you.
    """
    if hold_luck and no_luck:
        raise typer.BadParameter(
            "Luck that is not brought cannot be held: choose one of the two.", param_hint="--no-luck"
        )
    called = arguments.player_name(name)
    named = None if table is None else arguments.table_digits(table)
    with one_sentence():
        shelve(edition)
        admitted = _admitted(ticket, server, named)
        there = _check_standing(admitted, server)
        if name is not None and there is not None:
            say_old_name(admitted, there, called)
        with _says_how_to_come_back():
            luck = _luck(admitted, hold_luck, no_luck)
            own = there is not None and there.own_vault(admitted)
            over = run(sit(admitted, called, server, as_json, seq, hold, take_over, luck, own=own))
    if over is not None and over.receipt:
        keep_receipt(admitted, over, server)


@app.command(epilog="Example: chambers bot chambers1.lq9uYXRz... --level rules")
def bot(
    ticket: arguments.TicketLine,
    level: arguments.Level = "rules",
    seed: Annotated[
        str, typer.Option("--seed", help="The bot's own chance, for the same game again.", metavar="TEXT")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="What the bot is called at the table.", metavar="NAME")] = "",
    longest: Annotated[
        float, typer.Option("--pause", min=0, help="The longest pause before a choice, s.", metavar="S")
    ] = 1.5,
    server: arguments.Server = None,
    edition: arguments.OwnEditions = None,
) -> None:
    """Let a bot play a seat. It is a client like any other: it sees what its seat sees, and keeps the receipt.

    It takes the seat from whoever plays there, without asking.
    """
    level = arguments.bot_level(level)
    name = arguments.player_name(name) if name else ""
    with one_sentence():
        shelve(edition)
        admitted = _ticket(ticket)
        there = _check_standing(admitted, server)
        if name and there is not None:
            say_old_name(admitted, there, name)
        with _says_how_to_come_back():
            over = run(_bot(admitted, level, seed, name=name, longest=longest, server=server))
    if over is None:
        could_not("Another window has this seat; the bot has left.")
    tell(over.text)
    if over.receipt:
        keep_receipt(admitted, over, server)


@app.command(epilog="Example: chambers watch 5d0a9e1ac2f84b7796e0b1d3c4a5f607")
def watch(
    table: arguments.TableName,
    server: arguments.Server = None,
    plain: arguments.Plain = False,
    as_json: arguments.Json = False,
    seq: arguments.Numbered = False,
    edition: arguments.OwnEditions = None,
) -> None:
    """Look on at a table: what everybody may see.

    It tells nothing else, and goes on until the table closes.
    """
    digits = arguments.table_digits(table)
    with one_sentence():
        shelve(edition)
        from chambers.clients.table_names import on_server

        where = surroundings.server(server)
        run(_watch(where, on_server(digits, where), as_json=as_json, seq=seq))


@contextlib.contextmanager
def _says_how_to_come_back() -> Iterator[None]:
    try:
        yield
    except Stopped:
        typer.echo("Your seat stays as it is; the same ticket brings you back.", err=True)
        raise


def _admitted(given: str | None, server: str | None, table: str | None) -> Ticket:
    from chambers.protocol.codes import read_code

    code = None if given is None else read_code(given)
    if given is not None and code is None:
        if given[:1].isdecimal():
            could_not("This is no code: a code is a seat's digit and six signs, like 2-kqx-7rt.")
        return _ticket(given)
    from chambers.clients.finding import find_ticket

    found = find_ticket(code, server, table)
    typer.echo(f"You have seat {found.seat}. To come back to it: chambers join {found.text()}", err=True)
    return found


def say_old_name(ticket: Ticket | VaultTicket, there: Standing, name: str) -> None:
    """Say that a seat which has been taken keeps the name it was taken with, if that is another one."""
    old = there.name_of(ticket)
    if old not in ("", name):
        tell(f"Whoever took this seat was called {old}, and that name stays.", err=True)


def _check_standing(ticket: Ticket, server: str | None) -> Standing | None:
    """Return how things stand, None if nobody says so; say it if the services are another release.

    It ends the command with one sentence for a ticket that is of no use.
    """
    from chambers.clients.connecting import last_word
    from chambers.clients.standing import check_admitted, standing
    from chambers.protocol.versions import remark

    there = run(standing(ticket, server))
    if there is None:
        return None
    if told := remark(there.version):
        tell(told, err=True)
    run(check_admitted(ticket, there, server))
    if there.finished:
        over = run(last_word(ticket, server))
        if over is not None and over.receipt and not surroundings.receipt(ticket.table.hex()).exists():
            keep_receipt(ticket, over, server)
        how = f" {over.text}" if over is not None else ""
        could_not(f"This table has closed.{how} Read it with: chambers log {ticket.table.hex()}{_at(ticket, server)}")
    return there


def _ticket(given: str) -> Ticket:
    from chambers.protocol.tickets import read_ticket

    return read_ticket(arguments.ticket_line(given))


async def sit(
    ticket: Ticket,
    name: str,
    server: str | None,
    as_json: bool,
    seq: bool,
    hold: bool,
    take_over: bool,
    luck: OwnLuck | None = None,
    *,
    own: bool = False,
) -> Over | None:
    """Return how the table closed, or None if the player left first; BusError if the ticket is not admitted.

    `own` tells that the seat's vault is the player's, and runs in another window.

    It ends the command with exit code 2 if the ticket was voided meanwhile, 1 if the vault is not what it should be.
    """
    from chambers.clients.connecting import take_seat
    from chambers.clients.seating import play_json, play_lines
    from chambers.clients.session import SeatSession

    session = SeatSession(ticket, name, take_over=take_over, luck=luck)
    await take_seat(ticket, session, server=server)
    try:
        if as_json:
            over = await play_json(session, sys.stdin)
        else:
            over = await play_lines(session, sys.stdin, numbered=seq, hold=hold, own=own)
    finally:
        await session.close()
    if session.betrayed:  # why has been said
        raise typer.Exit(REFUSED)
    if session.why_shut_out:
        raise typer.Exit(COULD_NOT)
    return over


def _luck(ticket: Ticket, hold: bool, none: bool) -> OwnLuck | None:
    from chambers.clients.luck import OwnLuck
    from chambers.clients.luck_shelf import LuckShelf

    if none:
        return None
    shelf = LuckShelf(surroundings.home(), table=ticket.table, seat=ticket.seat)
    return OwnLuck(shelf, table=ticket.table, seat=ticket.seat, hold=hold)


async def _bot(ticket: Ticket, level: str, seed: str, *, name: str, longest: float, server: str | None) -> Over | None:
    import secrets

    from chambers.clients.bot_runner import BotRunner
    from chambers.clients.bots import bot_for, pauses
    from chambers.clients.connecting import take_seat
    from chambers.clients.session import SeatSession

    chance = seed or secrets.token_hex(8)
    # A bot that was started again is the one that counts; the one it replaces does not come back.
    session = SeatSession(ticket, name or f"Bot {ticket.seat}", take_over=True)
    await take_seat(ticket, session, server=server)
    tell(
        f"A bot ({level}) sits at seat {ticket.seat} of table {ticket.table.hex()}, until it closes or Ctrl-C.",
        err=True,
    )
    try:
        pause = pauses(ticket.seat, seed=chance, longest=longest)
        over = await BotRunner(session, bot_for(level, seed=chance), pause=pause).play()
    finally:
        await session.close()
    if session.why_shut_out:
        could_not(session.why_shut_out)
    return over


async def _watch(server: str, table: bytes, *, as_json: bool, seq: bool) -> None:
    from chambers.clients.connecting import as_spectator
    from chambers.clients.seating import sights_of
    from chambers.clients.seen import flat
    from chambers.clients.speech import SceneSpeech

    spectator = await as_spectator(server, table, known=arguments.known_servers(), tell=partial(tell, err=True))
    speech = SceneSpeech(as_json=as_json, numbered=seq)
    try:
        async for scene in spectator.scenes():
            say(speech.lines(scene))
            if scene.over and not as_json:
                say(f"END {text}" for text in (scene.over, *sights_of(scene.edition).solution(flat(scene.view))))
                return
    finally:
        await spectator.leave()


def keep_receipt(ticket: Ticket | VaultTicket, over: Over, server: str | None) -> None:
    """Keep a player's receipt in the folder of receipts, and say where it is and what to do with it."""
    from chambers.clients.exits import write_text
    from chambers.clients.luck_shelf import pin_path

    path = surroundings.receipt(ticket.table.hex())
    write_text(path, over.receipt, make_folder=True)
    pinned = pin_path(surroundings.receipts(), ticket.table)
    notes = " ".join(f"--receipt {shlex.quote(str(note))}" for note in (path, pinned) if note == path or note.exists())
    command = f"chambers audit {ticket.table.hex()} {notes}{_at(ticket, server)}"
    typer.echo(f"Your receipt is in {path}; hold the record against it with: {command}", err=True)


def _at(ticket: Ticket | VaultTicket, server: str | None) -> str:
    """Return the option that names the ticket's server, empty where a command asks that one anyway."""
    from chambers.clients.addresses import Address

    return surroundings.server_option(server or Address(ticket.server, ticket.fingerprint).text())
