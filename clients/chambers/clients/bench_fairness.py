"""What fairness costs: processor time of each role a move, and bytes of the record, over whole games of bots."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, Final

import msgspec

from chambers.audit import audit
from chambers.clients.bench_bus import bots_of, play_game, private_stack
from chambers.clients.bench_docket import DocketFigures, docket_figures
from chambers.clients.bench_meter import Meter, Part, acting, metered
from chambers.clients.bots import Bot
from chambers.clients.playing import BOTS_ONLY
from chambers.protocol.client import Ask
from chambers.protocol.docket import Docket
from chambers.rules.roles import DEALER, DICE, GM, seat_role
from chambers.services.stack import Stack

HONEST: Final = (Part.SIGNING, Part.CHECKS, Part.BOXES, Part.HASHES, Part.RECORD)
"""What nobody would have to do at a table where everybody believes the game master."""

COLUMNS: Final = (*HONEST, Part.FRAMES)
TABLE: Final = "the table"
CLIENT: Final = "client"
_NS_A_MS: Final = 1_000_000


class Cost(msgspec.Struct, frozen=True):
    """Milliseconds of processor time a move that one role spends: in all, on each part, and on the rest."""

    role: str
    whole: float
    parts: dict[str, float]
    rest: float


class FairnessFigures(msgspec.Struct, frozen=True):
    """What whole games cost: `moves` are choices of players, `loop` and `server` ms a move that are of no one role.

    `fairness` is the part of the whole table's time that goes to it (0 to 1), `unclean` the games whose audit is not.
    """

    game: str
    seats: int
    games: int
    moves: int
    entries: int
    costs: tuple[Cost, ...]
    fairness: float
    loop: float
    server: float
    docket: DocketFigures
    unclean: int


class _Counted:
    """A bot whose choices are counted, and whose thinking is kept apart from its client's work."""

    def __init__(self, bot: Bot, meter: Meter, counted: list[int]) -> None:
        self._choose = meter.behind(Part.BOTS, bot.choose)
        self._counted = counted

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        """Return the bot's choice."""
        self._counted[0] += 1
        return str(self._choose(view, ask))


class RoleStack(Stack):
    """The whole stack, each service of which is known to the meter by its user."""

    async def start(self, user: str) -> None:
        """Start the service of a user."""
        with acting(user):
            await super().start(user)


async def measure_fairness(games: int, *, game: str, seats: int, edition: str) -> FairnessFigures:
    """Return what `games` whole games cost each role; EditionError for an edition that is not here."""
    counted = [0]
    dockets: list[Docket] = []
    async with private_stack(seats, "always", kind=RoleStack) as (stack, host):
        before = _server_ns(stack.server.pid)
        with metered() as meter:
            for number in range(games):
                seed = str(number)
                bots = [_Counted(bot, meter, counted) for bot in bots_of("rules", seats, edition=edition, seed=seed)]
                dockets.append(await play_game(host, bots, edition=edition, options=dict(BOTS_ONLY), as_client=_client))
        server = _server_ns(stack.server.pid) - before
    moves = counted[0]
    costs = _costs(meter, seats, moves)
    return FairnessFigures(
        game=game,
        seats=seats,
        games=games,
        moves=moves,
        entries=sum(len(docket.leaves) for docket in dockets),
        costs=costs,
        fairness=sum(costs[-1].parts[part] for part in HONEST) / costs[-1].whole,
        loop=(meter.whole - meter.handled) / moves / _NS_A_MS,
        server=server / moves / _NS_A_MS,
        docket=docket_figures(dockets),
        unclean=sum(audit(docket, workers=0).exit_code != 0 for docket in dockets),
    )


def _client() -> contextlib.AbstractContextManager[None]:
    return acting(CLIENT)


def _costs(meter: Meter, seats: int, moves: int) -> tuple[Cost, ...]:
    vaults = [str(seat_role(seat)) for seat in range(seats)]
    rows: dict[str, tuple[list[str], int]] = {
        "game master": ([str(GM)], 1),
        "dealer": ([str(DEALER)], 1),
        "dice": ([str(DICE)], 1),
        "each vault": (vaults, seats),
        "each client": ([CLIENT], seats),
        "gallery": (["gallery"], 1),
    }
    everybody = [role for roles, _ in rows.values() for role in roles]
    rows[TABLE] = (everybody, 1)
    return tuple(_cost(meter, name, roles, count * moves * _NS_A_MS) for name, (roles, count) in rows.items())


def _cost(meter: Meter, name: str, roles: list[str], unit: int) -> Cost:
    parts = {part: sum(meter.part(role, part) for role in roles) / unit for part in COLUMNS}
    thinking = sum(meter.part(role, Part.BOTS) for role in roles) / unit
    whole = sum(meter.of(role) for role in roles) / unit - thinking
    return Cost(name, whole, {str(part): spent for part, spent in parts.items()}, whole - sum(parts.values()))


def _server_ns(process: int | None) -> int:
    """Return the processor time of a process so far, in ns; 0 where the system does not tell."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        # what stands before the last bracket is the program's name, which may hold anything
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    return 0


def fairness_lines(found: FairnessFigures) -> list[str]:
    """Return the figures as text: a table of roles, then what the record weighs."""
    docket = found.docket
    lines = [
        f"{found.game}, {found.seats} seats, {found.games} games, {found.moves} moves, {found.entries} entries;"
        " processor time a move, ms",
        _row("", "all", *COLUMNS, "rest"),
        *(_row(one.role, *(f"{ms:.2f}" for ms in (one.whole, *one.parts.values(), one.rest))) for one in found.costs),
        f"fairness ({', '.join(HONEST)}) is {found.fairness:.0%} of it",
        f"beside it, ms a move: the event loop that all share here {found.loop:.2f}, nats-server {found.server:.2f}",
        f"a docket: median {docket.entries[0]:.0f} entries, {docket.text[0] / 1024:.0f} KiB;"
        f" most {docket.entries[1]} entries, {docket.text[1] / 1024:.0f} KiB",
        f"an entry: {docket.an_entry:.0f} bytes; "
        + ", ".join(f"{part} {share:.0%}" for part, share in docket.shares.items()),
    ]
    if found.unclean:
        lines.append(f"NOT CLEAN: {found.unclean} of these games")
    return lines


def _row(name: str, *columns: str) -> str:
    return f"{name:<12}" + "".join(f"{column:>8}" for column in columns)
