"""`chambers init`, `stream`, `serve`, `host` and `void`: to run a server, and to open tables on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from chambers.clients import arguments, surroundings
from chambers.clients.cli_auditor import public_of
from chambers.clients.exits import one_sentence
from chambers.clients.host_lines import Plan, table_json, table_lines, ticket_lines
from chambers.clients.running import run
from chambers.clients.shelf import shelve, table_of

if TYPE_CHECKING:
    from chambers.clients.hosting import Host
    from chambers.protocol.tickets import Ticket, VaultTicket

app = typer.Typer()
_TYPE: Final = "they type the whole line with the ticket, or a code with --server"
LIMITS = (("answer_limit", "120"), ("turn_limit", "300"))
_Public = Annotated[
    str | None,
    typer.Option("--public-server", help="The URL for tickets; lan: this machine's own address.", metavar="URL"),
]
_Listen = Annotated[str, typer.Option("--listen", help="Where the server listens.", metavar="HOST:PORT")]


@app.command(epilog="Example: chambers init /srv/chambers --listen 0.0.0.0:4222")
def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the deployment.")],
    listen: _Listen = "127.0.0.1:4222",
    store: Annotated[str, typer.Option("--store", help="Where the server keeps its store.", metavar="DIR")] = "",
    tls: Annotated[bool, typer.Option("--tls/--no-tls", help="Whether the server uses TLS.")] = True,
    for_groups: Annotated[
        bool, typer.Option("--for-groups", help="Let each key be read by the group that its folder belongs to.")
    ] = False,
) -> None:
    """Make keys, certificate and configuration of a deployment.

    Keys that are there stay.
    """
    host, port = _address(listen)
    with one_sentence():
        from chambers.bus import deployment
        from chambers.bus.server_config import ServerOptions

        where = store or str(folder.resolve() / "nats" / "store")
        options = ServerOptions(store=where, host=host, port=port)
        made = deployment.init(folder, options, tls=tls, for_groups=for_groups)
    typer.echo(made.config)
    typer.echo(f"Keys are below {folder / 'roles'}, one folder a role; give each role its own only.", err=True)


@app.command(epilog="Example: chambers stream --server nats://127.0.0.1:4222 --home /srv/chambers")
def stream(
    server: arguments.Server = None,
    home: arguments.Home = None,
    replicas: Annotated[
        int, typer.Option("--replicas", min=1, max=5, help="On how many nodes each entry is.", metavar="N")
    ] = 1,
    wait: Annotated[
        float, typer.Option("--wait", min=0, help="How long to wait for the server to start, s.", metavar="S")
    ] = 0.0,
) -> None:
    """Make the log of record on a running server.

    Making it again changes nothing.
    """
    with one_sentence():
        run(_stream(surroundings.server(server), surroundings.home(home), replicas=replicas, wait=wait))


@app.command(epilog="Example: chambers serve --listen 0.0.0.0:4222 --data ./tables")
def serve(
    listen: _Listen = "127.0.0.1:4222",
    data: Annotated[Path | None, typer.Option("--data", help="Where everything is kept.", metavar="DIR")] = None,
    tls: Annotated[bool, typer.Option("--tls", help="Use TLS; tickets name the certificate.")] = False,
    edition: arguments.OwnEditions = None,
) -> None:
    """Run the server and every service in one process until Ctrl-C."""
    host, port = _address(listen)
    with one_sentence():
        shelve(edition)
        run(_serve(host, port, surroundings.home(data), tls=tls))


@app.command(epilog="Example: chambers host --seats 4 --bots 2 --option object_window=20")
def host(
    game: arguments.Game = None,
    edition: arguments.EditionName = None,
    seats: Annotated[int, typer.Option("--seats", min=2, max=6, help="How many sit at the table.", metavar="N")] = 4,
    bots: Annotated[
        int, typer.Option("--bots", min=0, max=6, help="How many of them, the last, are for bots.", metavar="N")
    ] = 0,
    own: Annotated[
        str, typer.Option("--own", help="Seats whose players keep their vaults themselves.", metavar="SEAT[,SEAT]")
    ] = "",
    option: arguments.OptionPairs = None,
    closed_doors: Annotated[bool, typer.Option("--closed-doors", help="No spectators while it is played.")] = False,
    reveal: Annotated[
        str,
        typer.Option("--reveal", help="Who may open the hands afterwards: public, auditor or none.", metavar="WHOM"),
    ] = "public",
    auditor_key: Annotated[
        str | None, typer.Option("--auditor-key", help="The auditor's public key, or its file.", metavar="FILE|HEX")
    ] = None,
    server: arguments.Server = None,
    public_server: _Public = None,
    bots_into: Annotated[
        Path | None, typer.Option("--bots-into", help="Lay the bots' tickets here, for: chambers bots", metavar="DIR")
    ] = None,
    home: arguments.Home = None,
    as_json: arguments.Json = False,
) -> None:
    """Open a table and print one ticket a seat.

    Hand each ticket to its player and to nobody else.

    The code beside a ticket is for people in one room: it opens the seat until somebody has taken it, for 12 hours. The
    long one does too, and is taken at any time, however many codes somebody else has tried there.

    A player who is away does not hold up the others: after 300 s (answers: 120 s) his vault makes the safe choice, and
    the table says so. Other limits: --option turn_limit=60, or =none to wait for ever.

    With --own 2 the player of seat 2 gets a line for chambers vault instead, and this server never holds a card of his.
    """
    named = arguments.game_name(game)
    if bots > seats:
        raise typer.BadParameter(f"There are {seats} seats.", param_hint="--bots")
    limits = LIMITS if bots < seats else ()
    if (reveal == "auditor") != (auditor_key is not None):
        told = "--reveal auditor and --auditor-key KEY go together; chambers auditor FILE makes a key."
        raise typer.BadParameter(told, param_hint="--reveal")
    options = tuple(dict((*limits, *arguments.option_pairs(option))).items())
    for_bots = tuple(seat >= seats - bots for seat in range(seats))
    themselves = _own_seats(own, for_bots)
    folder = surroundings.bots_folder(bots_into)
    with one_sentence():
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)  # before there is a table whose tickets would be lost
        from chambers.clients.addresses import public_url
        from chambers.clients.bot_house import lay
        from chambers.protocol.tickets import Ticket

        auditor = None if auditor_key is None else public_of(auditor_key)
        played, box = table_of(named, edition)
        where, url = surroundings.home(home), surroundings.server(server)
        public = public_url(url, surroundings.public_server(public_server))
        plan = Plan(options, for_bots, themselves, not closed_doors, reveal, auditor)
        table, tickets = run(_host(url, where, played, box, plan=plan, public=public))
        if folder is not None:
            lay(folder, (one for one in tickets if for_bots[one.seat] and isinstance(one, Ticket)))
    if as_json:
        typer.echo(table_json(table, tickets, plan))
        return
    for line in table_lines(table, tickets, plan, laid=folder is not None):
        typer.echo(line)


@app.command(epilog="Example: chambers void 5d0a9e1ac2f84b7796e0b1d3c4a5f607 2")
def void(
    table: arguments.TableName,
    seat: Annotated[int, typer.Argument(metavar="SEAT", min=0, max=5, help="The seat, 0 to 5.")],
    server: arguments.Server = None,
    public_server: _Public = None,
    home: arguments.Home = None,
) -> None:
    """Void a seat's ticket and print the one that counts now.

    Its codes too, if nobody has taken the seat yet.

    Where the player keeps the vault himself, both its ticket and the client's are void: start it anew with the new one.
    """
    digits = arguments.table_digits(table)
    with one_sentence():
        from chambers.clients.addresses import public_url

        url = surroundings.server(server)
        public = public_url(url, surroundings.public_server(public_server))
        ticket, bot, coded = run(_void(url, surroundings.home(home), digits, seat, public=public))
    for line in ticket_lines(ticket, bot=bot, coded=coded):
        typer.echo(line)


def _own_seats(given: str, plan: tuple[bool, ...]) -> tuple[int, ...]:
    """Return the seats that are named with commas between; a usage error for one that no player sits at."""
    seats = [text.strip() for text in given.split(",")] if given.strip() else []
    for text in seats:
        if not text.isdecimal() or int(text) >= len(plan) or plan[int(text)]:
            raise typer.BadParameter(f"'{text}' is no player's seat; seats are counted from 0.", param_hint="--own")
    return tuple(sorted({int(text) for text in seats}))


def _address(listen: str) -> tuple[str, int]:
    host, colon, port = listen.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise typer.BadParameter(f"'{listen}' is not HOST:PORT.", param_hint="--listen")
    return host.strip("[]"), int(port)


async def _stream(server: str, home: Path, *, replicas: int, wait: float) -> None:
    from chambers.bus.deployment import Deployment
    from chambers.bus.permissions import ADMIN
    from chambers.bus.run import Settings, connect_patiently
    from chambers.bus.stream import create_stream

    role_home = Deployment(home).role_home(ADMIN)
    bus = await connect_patiently(Settings(user=ADMIN, home=role_home, server=server, patience=wait))
    try:
        await create_stream(bus, replicas=replicas, patience=wait)
    finally:
        await bus.drain()


async def _serve(host: str, port: int, data: Path, *, tls: bool) -> None:
    from chambers.clients.interfaces import lan_addresses
    from chambers.services.stack import Stack
    from chambers.services.upkeep import Upkeep, unless

    async with Stack(data, (host, port), tls=tls) as stack:
        if stack.server.replaced is not None:
            told = f"Ended the nats-server (process {stack.server.replaced}) that a run which was killed had left here."
            print(told, file=sys.stderr)
        # the host's commands come from this machine, players' need not: tickets name its address in the network
        others = any(address not in stack.url for address in lan_addresses(host))
        print(f"Serving at {stack.url}; Ctrl-C ends it. Open a table with:", file=sys.stderr)
        line = f"  chambers host --server {stack.url} --home {data}{' --public-server lan' if others else ''}"
        print(line, file=sys.stderr, flush=True)
        upkeep = Upkeep(stack, lambda told: print(told, file=sys.stderr, flush=True))
        await unless(_show_tables(stack.url, data, (host, port), tls=tls), upkeep.watch())


async def _show_tables(url: str, data: Path, listen: tuple[str, int], *, tls: bool) -> None:
    """Show the open tables in the network until cancelled, and say first whether others can find them."""
    from chambers.clients.connecting import as_host
    from chambers.clients.discovery import Shown, advertise, shown_of
    from chambers.clients.interfaces import lan_addresses, shut_in

    host = await as_host(url, data)

    async def shown() -> tuple[Shown, ...]:
        return shown_of(await host.tables(), tls=tls)

    within, addresses = shut_in(), lan_addresses(listen[0])
    if within:
        print(f"Others may not find tables, for mDNS may not leave {within}: {_TYPE}.", file=sys.stderr, flush=True)
    elif addresses:
        where = ", ".join(addresses)
        print(f"Tables are shown in the network of {where}: chambers join finds them.", file=sys.stderr, flush=True)
    else:
        open_to_all = f"--listen 0.0.0.0:{listen[1]}"
        print(f"Only this machine reaches {listen[0]}; for a network: {open_to_all}", file=sys.stderr, flush=True)
    try:
        await advertise(shown, listen[1], listen=listen[0])
    finally:
        await host.leave()


async def _host(
    url: str,
    home: Path,
    game: str,
    edition: str,
    *,
    plan: Plan,
    public: str,
) -> tuple[bytes, list[Ticket | VaultTicket]]:
    from chambers.clients.connecting import as_host

    host = await as_host(url, home, public=public)
    try:
        table = await host.open_table(game, edition, **plan._asdict())
        seats = range(len(plan.bots))
        return table, [await _ticket(host, table, seat, issue=0, own=seat in plan.own) for seat in seats]
    finally:
        await host.leave()


async def _ticket(host: Host, table: bytes, seat: int, *, issue: int | None, own: bool) -> Ticket | VaultTicket:
    made = host.vault_ticket if own else host.ticket
    return await made(table, seat, issue=issue)


async def _void(
    url: str, home: Path, digits: str, seat: int, *, public: str
) -> tuple[Ticket | VaultTicket, bool, bool]:
    """Return the new ticket, whether it is a bot's, and whether codes open the seat."""
    from chambers.clients.connecting import as_host
    from chambers.clients.table_names import one_of

    host = await as_host(url, home, public=public)
    try:
        table = one_of(digits, [one.table.hex() for one in await host.tables()], f"at {url}")
        info = await host.table(table)
        own = seat in info.own
        issue = (await _ticket(host, table, seat, issue=None, own=own)).issue
        await host.void(table, seat)
        ticket = await _ticket(host, table, seat, issue=issue + 1, own=own)
        return ticket, info.bots[seat], not (info.bots[seat] or info.taken[seat])
    finally:
        await host.leave()
