"""A house in which one service is not what it should be, and an evening at which its trick is played and then judged.

A trick is a function `(at, event, n)`: `event` is what the honest role would state as its number `n`, `at` what it has
at that table (`at.me`, `at.log`; for a vault its hand and seals too). It returns what is stated instead, or None.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from tests.support.house import BOT_TABLE, NAMES, AnyHouse, House, house

from chambers.audit import Report
from chambers.bus.deployment import Deployment, master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Make, Settings
from chambers.clients.bot_runner import BotRunner
from chambers.clients.bots import View, bot_for
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.protocol.client import Ask, ChoiceRefused, Over, Update, Welcome
from chambers.protocol.docket import Docket
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Admitted, Log
from chambers.protocol.messages import Accepted
from chambers.protocol.statements import read_event, read_leaf, read_statement
from chambers.rules import Phase
from chambers.rules.events import TableEvent
from chambers.rules.roles import GM, Role, contributors
from chambers.rules.terms import Due, Opened, Pile
from chambers.services.contributor import Contributor
from chambers.services.dealer import Dealer, DealerTable
from chambers.services.dice import Dice
from chambers.services.pen import MakeEvent
from chambers.services.stack import MAKERS
from chambers.services.vault import Vault
from chambers.services.vault_table import VaultTable

Trick = Callable[[Any, TableEvent, int], TableEvent | None]
Found = set[tuple[str, int | None, str]]

EDITIONS = {"witness-stand": "tandem-target", "missing-suspect": "missing-suspect"}
CITY_TABLE = (("answer_floor_ms", "0"), ("stall_s", "600"))
COURT_TABLE = (*BOT_TABLE, ("stall_s", "600"), ("step3", "always"))


class Told(NamedTuple):
    """One crooked statement: at which table, by whom, its number among its author's, and what it said."""

    table: bytes
    role: Role
    n: int
    event: TableEvent


class Crook:
    """A trick, what was told of it and how the game master answered; it is played once at each table.

    A statement that is refused is told again; with `insist` false the role then states what it should have stated.
    """

    def __init__(self, trick: Trick, *, insist: bool = True) -> None:
        self._trick = trick
        self._insist = insist
        self.told: list[Told] = []
        self.answers: list[Accepted | Refusal] = []

    @property
    def done(self) -> bool:
        """Return whether the trick has been played and answered."""
        return bool(self.answers)

    @property
    def accepted(self) -> bool:
        """Return whether the game master let the last telling in."""
        return any(isinstance(answer, Accepted) for answer in self.answers)

    @property
    def codes(self) -> list[str]:
        """Return the codes of the refusals."""
        return [answer.code for answer in self.answers if isinstance(answer, Refusal)]

    def bend(self, me: Contributor, at: Any) -> None:
        """Have a role play the trick in what it writes."""
        write, say = me.pen.write, me.say
        latest: list[MakeEvent] = []

        def crooked(make: MakeEvent) -> bytes:
            def stated(n: int) -> TableEvent:
                honest = make(n)
                told = self._tell(at, honest, n)
                latest[:] = [] if told is None else [make]
                return honest if told is None else told

            return write(stated)

        async def answered(submission: bytes) -> Accepted | Refusal:
            instead = latest[:]
            answer = await say(submission)
            if instead:
                self.answers.append(answer)
                if isinstance(answer, Refusal) and not self._insist:
                    return await say(write(instead[0]))
            return answer

        # an honest role does not even sign what the rules forbid it
        me.pen.check = lambda event: None  # type: ignore[method-assign]
        me.pen.write = crooked  # type: ignore[method-assign]
        me.say = answered  # type: ignore[method-assign]

    def _tell(self, at: Any, honest: TableEvent, n: int) -> TableEvent | None:
        mine = [told for told in self.told if told.table == at.log.id]
        if mine and (not self._insist or n != mine[-1].n):
            return None
        event = self._trick(at, honest, n)
        if event is not None:
            self.told.append(Told(at.log.id, at.me.role, n, event))
        return event


class CrookedVault(Vault):
    """A vault that plays a trick at every table."""

    crook: Crook

    def _table(self, log: Log) -> VaultTable | None:
        known = log.id in self._tables
        table = super()._table(log)
        if table is not None and not known:
            self.crook.bend(table.me, table)
            self._shameless(table)
        return table

    def _shameless(self, table: VaultTable) -> None:
        learn = table._learn

        def go_on(entry: Admitted, opened: Opened | None) -> None:
            # an honest hand cannot follow what its own vault lied about, and a liar plays on all the same
            with contextlib.suppress(ValueError, AssertionError):
                learn(entry, opened)

        table._learn = go_on  # type: ignore[method-assign]


class AtTable:
    """What the dealer or the dice have at a table; `dealing` is the dealer's part of it."""

    def __init__(self, me: Contributor, dealing: DealerTable | None = None) -> None:
        self.me = me
        self.log = me.log
        self._dealing = dealing

    @property
    def pile(self) -> Pile:
        """Return where every card lies now, as the dealer knows it."""
        assert self._dealing is not None
        return self._dealing._pile or self._dealing.pile()


class CrookedDealer(Dealer):
    """A dealer that plays a trick, or that deals by other rules: `kind` is what it is at each table."""

    crook: Crook | None = None
    kind: type[DealerTable] = DealerTable

    def _at(self, me: Contributor) -> DealerTable:
        if me.log.id not in self._tables:
            dealing = self._tables[me.log.id] = self.kind(me)
            if self.crook is not None:
                self.crook.bend(me, AtTable(me, dealing))
        return self._tables[me.log.id]


class CrookedDice(Dice):
    """Dice that play a trick."""

    crook: Crook

    async def _act(self, me: Contributor, item: Due) -> None:
        bent: set[bytes] = self.__dict__.setdefault("bent", set())
        if me.log.id not in bent:
            bent.add(me.log.id)
            self.crook.bend(me, AtTable(me))
        await super()._act(me, item)


def vault_with(crook: Crook) -> Make:
    """Return what makes a vault that plays a trick."""

    async def make(bus: NatsBus, settings: Settings) -> Vault:
        assert settings.seat is not None
        key = master_key(settings.home / "master.key")
        made = CrookedVault(bus, seat=settings.seat, master=key, home=settings.home)
        made.crook = crook
        return made

    return make


def dealer_with(crook: Crook | None = None, *, kind: type[DealerTable] = DealerTable) -> Make:
    """Return what makes a dealer that plays a trick, or is of another kind at each table."""

    async def make(bus: NatsBus, settings: Settings) -> Dealer:
        made = CrookedDealer(bus, master=master_key(settings.home / "master.key"))
        made.crook, made.kind = crook, kind
        return made

    return make


def dice_with(crook: Crook) -> Make:
    """Return what makes dice that play a trick."""

    async def make(bus: NatsBus, settings: Settings) -> Dice:
        made = CrookedDice(bus, master=master_key(settings.home / "master.key"))
        made.crook = crook
        return made

    return make


def choose_keys(home: Path, salt: str = "") -> None:
    """Give every role of a deployment that is yet to be made a key of its own that follows from `salt`."""
    for role in (GM, *contributors(6)):
        path = Deployment(home).role_home(role) / ("log.key" if role == GM else "master.key")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(hashlib.sha256(f"{role}{salt}".encode()).digest())
        path.chmod(0o600)


@asynccontextmanager
async def crooked_house(
    home: Path, modified: dict[str, Make], *, seats: int = 3, salt: str = ""
) -> AsyncIterator[House]:
    """Open a house in which `modified` says how some users' services are made; every role's key follows from `salt`."""
    choose_keys(home, salt)
    with pytest.MonkeyPatch.context() as patch:
        for user, make in modified.items():
            patch.setitem(MAKERS, user, make)
        async with house(home, seats=seats) as here:
            yield here


class Keen:
    """A bot that takes the first option of the kinds it is keen on, and else what another bot takes."""

    def __init__(self, other: Any, kinds: tuple[str, ...]) -> None:
        self._other = other
        self._kinds = kinds

    def choose(self, view: View, ask: Ask) -> str:
        """Return the id of an option."""
        keen = [option.id for option in ask.options if option.id.startswith(self._kinds)]
        return keen[0] if keen else str(self._other.choose(view, ask))


class Wanderer:
    """A bot that drives anywhere and takes any card once it has captured a suspect, and is another bot until then."""

    def __init__(self, other: Any, seed: str) -> None:
        self._other = other
        self._chance = random.Random(seed)
        self._captured = False

    def choose(self, view: View, ask: Ask) -> str:
        """Return the id of an option."""
        wandering = self._captured and ask.kind in ("move", "red")
        taking = [option.id for option in ask.options if option.id == "yes"]
        if wandering:
            return taking[0] if taking else self._chance.choice(ask.options).id
        chosen = str(self._other.choose(view, ask))
        self._captured = self._captured or (ask.kind == "capture" and chosen == "yes")
        return chosen


async def seat_bot(
    here: AnyHouse, table: bytes, seat: int, *, level: str = "random", keen: tuple[str, ...] = (), wanders: bool = False
) -> asyncio.Task[Over | None]:
    """Return the running bot of a seat."""
    ticket = await here.host.ticket(table, seat)
    session = SeatSession(ticket, NAMES[seat], take_over=True, silence=0.5)
    await take_seat(ticket, session)
    make = bot_for(level, seed=table.hex())

    def bent(welcome: Welcome) -> Any:
        bot = make(welcome)
        if wanders:
            return Wanderer(bot, table.hex())
        return Keen(bot, keen) if keen else bot

    async def played() -> Over | None:
        try:
            return await BotRunner(session, bent, pause=lambda: 0.0).play()
        finally:
            await session.close()

    return asyncio.create_task(played())


async def open_table(
    here: AnyHouse,
    *,
    number: int = 0,
    game: str = "witness-stand",
    seats: int = 3,
    options: tuple[tuple[str, str], ...] | None = None,
) -> bytes:
    """Return the id of a new table; its id follows from its number."""
    chosen = hashlib.sha256(f"table {number}".encode()).digest()[:16]
    default = COURT_TABLE if game == "witness-stand" else CITY_TABLE
    await here.host.open_table(game, EDITIONS[game], options=options or default, bots=(True,) * seats, table=chosen)
    return chosen


async def evening(
    here: House,
    until: Callable[[], bool],
    *,
    number: int = 0,
    game: str = "witness-stand",
    seats: int = 3,
    options: tuple[tuple[str, str], ...] | None = None,
    level: str = "random",
    keen: tuple[str, ...] = (),
    wanderer: int | None = None,
    more: int = 4,
    limit: float = 90.0,
    waiting: list[tuple[str, ...]] | None = None,
) -> Docket:
    """Return the docket of a table that bots play until something has happened and `more` entries beyond.

    Then the host closes it, unless it has ended by itself, and everybody reveals. `waiting` is filled with whom the
    table waited for at each scene.
    """
    table = await open_table(here, number=number, game=game, seats=seats, options=options)
    spectator = await as_spectator(here.stack.url, table)
    players = [
        await seat_bot(here, table, seat, level=level, keen=keen, wanders=seat == wanderer) for seat in range(seats)
    ]
    left, closing = more, False
    try:
        async with asyncio.timeout(limit):
            async for scene in spectator.scenes():
                left -= until()
                if waiting is not None:
                    waiting.append(scene.waiting)
                if left < 0 and scene.phase == Phase.PLAY and not closing:
                    closing = True
                    await here.close(table, "the evening is over")
        return await spectator.docket()
    except TimeoutError:
        last = [type(event).__name__ for _, _, event in events(await spectator.docket())]
        raise AssertionError(f"this table stands still: {last[-8:]}") from None
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await spectator.leave()


async def evenings(here: House, crook: Crook, *, first: int = 0, most: int = 8, **how: Any) -> Docket:
    """Return the docket of the first of several tables at which there was room for the trick."""
    for number in range(first, first + most):
        docket = await evening(here, lambda: crook.done, number=number, **how)
        if crook.told:
            return docket
    raise AssertionError("at no table there was room for this trick")


def events(docket: Docket) -> list[tuple[str, int, TableEvent]]:
    """Return (author, number, event) of every entry."""
    first = read_statement(read_leaf(docket.leaves[0]).stmt)
    game = str(msgspec.msgpack.decode(bytes(first.ev))[2])
    statements = [read_statement(read_leaf(raw).stmt) for raw in docket.leaves]
    return [(one.author, one.n, read_event(bytes(one.ev), game)) for one in statements]


def entry_of(docket: Docket, told: Told) -> int:
    """Return the entry that a crooked statement became; AssertionError if it is not in the log."""
    for seq, (author, n, event) in enumerate(events(docket)):
        if (author, n, event) == (told.role, told.n, told.event):
            return seq
    raise AssertionError("what was told is not in the log")


def found(report: Report) -> Found:
    """Return (check, entry, culprit) of every finding."""
    return {(item.check, item.entry, item.culprit) for item in report.findings}


class Window:
    """A player at a seat who takes any option, keeps all that the vault says, and waits for something."""

    def __init__(self, session: SeatSession, *, seed: str, plays: bool) -> None:
        self.heard: list[Any] = []
        self._session = session
        self._chance = random.Random(seed)
        self._plays = plays
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._listen())

    @classmethod
    async def open(cls, here: House, table: bytes, seat: int, *, plays: bool = True, name: str = "") -> Window:
        """Sit down at a seat, under its usual name or another; with `plays` false nothing is ever chosen."""
        ticket = await here.host.ticket(table, seat)
        session = SeatSession(ticket, name or NAMES[seat], take_over=True, silence=0.5)
        await take_seat(ticket, session)
        return cls(session, seed=f"{table.hex()}{seat}", plays=plays)

    async def _listen(self) -> None:
        asked = ""
        async for message in self._session.messages():
            self.heard.append(message)
            self._news.set()
            ask = message.prompt if isinstance(message, Update) else None
            if ask is not None and ask.id != asked and self._plays:
                asked = ask.id
                await self._session.choose(ask.id, self._chance.choice(ask.options).id)

    async def choose(self, prompt: str, option: str) -> None:
        """Take an option of a prompt."""
        await self._session.choose(prompt, option)

    async def say(self, text: str) -> None:
        """Say something to the table."""
        await self._session.say(text)

    async def until(self, happened: Callable[[], bool], *, limit: float = 60.0) -> None:
        """Return when something is so that shows in what was heard."""
        async with asyncio.timeout(limit):
            while not happened():
                self._news.clear()
                await self._news.wait()

    @property
    def refusals(self) -> list[ChoiceRefused]:
        """Return every refusal that the vault has told."""
        return [message for message in self.heard if isinstance(message, ChoiceRefused)]

    async def told(self, code: str) -> ChoiceRefused:
        """Return the first refusal of a code, once it has come."""
        await self.until(lambda: any(one.code == code for one in self.refusals))
        return next(one for one in self.refusals if one.code == code)

    async def close(self) -> None:
        """Leave."""
        self._task.cancel()
        await self._session.close()
