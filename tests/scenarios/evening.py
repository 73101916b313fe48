"""What happens on an evening around a table: windows that open again, services started anew, people who play on."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Container, Iterable
from pathlib import Path

import msgspec
from tests.support.insider import Insider
from tests.support.memory_bus import Passed
from tests.support.tabletop import TABLE, Chair, Tabletop, master, secrets_of
from tests.support.virtual_time import moment
from tests.worlds.two_worlds import setup_of

from chambers import editions
from chambers.fairness.draw import Draw
from chambers.fairness.keys import shuffle_key
from chambers.fairness.notes import sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.protocol.client import Begin, Update
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.frames import WHO
from chambers.protocol.log import Admitted, Log
from chambers.protocol.watching import Scene
from chambers.rules import witness_stand
from chambers.rules.roles import DEALER, DICE, GM, seat_role, seat_roles
from chambers.rules.terms import Pile
from chambers.rules.witness_stand.edition import suspect_of
from chambers.services.contributor import Contributor
from chambers.services.dealer import Dealer
from chambers.services.dice import Dice
from chambers.services.game_master import GameMaster
from chambers.services.vault import Vault

LONG = 40_000


class Window(Chair):
    """One more window at a seat: it may sit where a chair was, go on from any entry, and speak out of turn."""

    def __init__(self, table: Tabletop, seat: int, *, have: int = -1, take_over: bool = True) -> None:
        super().__init__(table.server, seat)
        self.sizes: list[int] = []
        self._begin = Begin(have=have, take_over=take_over)

    async def _on_frame(self, _: str, data: bytes) -> None:
        if data[:1] == WHO:
            self.session = self._new_session()
            await self.send(self.session.hello())
            return
        try:
            message = self.session.open(data)
        except ProtocolError:
            return
        if message is not None:
            self.sizes.append(len(data))
            await self._hear(message)


async def reopen(table: Tabletop, seat: int, *, have: int = -1) -> Window:
    """Return a new window that has taken the seat; the one before hears nothing more."""
    await table.chairs[seat]._bus.close()
    window = Window(table, seat, have=have)
    await window.sit_down()
    await table.until(lambda: window.last is not None)
    table.chairs[seat] = window
    return window


async def wander(
    table: Tabletop,
    chance: random.Random,
    *,
    until: Callable[[], bool] = lambda: False,
    accuse: float = 0.0,
    gone: Iterable[int] = (),
) -> None:
    """Have everybody who is there take random options until something has happened, or the table is over."""
    there = [seat for seat in range(table.seats) if seat not in set(gone)]
    idle = 0
    while not until() and not all(_told_the_end(table, seat) for seat in there):
        assert not table.faults, table.faults[0]
        asked = next((table.chairs[seat] for seat in there if table.chairs[seat].asked), None)
        if asked is None:
            idle += 1
            assert idle < LONG, "nobody who is there is asked anything any more"
            await asyncio.sleep(0.02)
            continue
        idle = 0
        await table.choose(asked.seat, pick(asked.asked, chance, accuse=accuse))


def _told_the_end(table: Tabletop, seat: int) -> bool:
    last = table.chairs[seat].last
    return last is not None and last.phase in ("bye", "reveal", "closed")


def pick(options: tuple[str, ...], chance: random.Random, *, accuse: float = 0.0) -> str:
    """Return a random option; an accusation only now and then, and in a window mostly to let it pass."""
    bold = [option for option in options if option.startswith("accuse")]
    calm = [option for option in options if option not in bold]
    if bold and (not calm or chance.random() < accuse):
        return chance.choice(bold)
    if "ok" in calm and chance.random() < 0.7:
        return "ok"
    return chance.choice(calm)


async def pass_time(seconds: float) -> None:
    """Let seconds of the table's time go by."""
    await asyncio.sleep(seconds)
    await moment()


# services that are started anew


async def stop_user(table: Tabletop, user: str) -> None:
    """Cut a service off in the middle of everything."""
    await table.buses[user].close()
    await _service(table, user).stop()  # type: ignore[attr-defined]


async def start_user(table: Tabletop, user: str, home: Path) -> None:
    """Start a service with nothing but its master key, its own disk and the log."""
    bus = table.buses[user] = table.server.connect(user)
    if user == GM:
        started: object = GameMaster(bus, table.server.store, key=SigningKey(master("log")))
        table.game_masters[:] = [started]  # type: ignore[list-item]
    elif user == DEALER:
        started = table.dealer = Dealer(bus, master=master(DEALER))
    elif user == DICE:
        started = table.dice = Dice(bus, master=master(DICE))
    else:
        seat = int(user[4:])
        started = Vault(bus, seat=seat, master=master(user), home=home / user)
        table.vaults[seat] = started
    await started.start()  # type: ignore[attr-defined]


async def restart(table: Tabletop, user: str, home: Path) -> None:
    """Cut a service off and start it again."""
    await stop_user(table, user)
    await start_user(table, user, home)
    await moment()
    if user.startswith("seat"):
        await reopen(table, int(user[4:]))


def _service(table: Tabletop, user: str) -> object:
    if user.startswith("seat"):
        return table.vaults[int(user[4:])]
    return {str(GM): table.game_masters[0], str(DEALER): table.dealer, str(DICE): table.dice}[user]


async def insider(table: Tabletop, role: str) -> Insider:
    """Return somebody with a role's keys who speaks to the game master as he likes."""
    bus = table.server.connect(role)
    log = Log(TABLE)
    me = Contributor(bus, log, role=seat_role(int(role[4:])) if role.startswith("seat") else role, master=master(role))  # type: ignore[arg-type]
    made = Insider(bus, log, me)  # type: ignore[arg-type]
    await made.read()
    return made


# the cards


def true_pile(seats: int) -> Pile:
    """Return the cards as they are really dealt at the table of these tests."""
    mixes = [secrets_of(role).mix for role in seat_roles(seats)]
    key = shuffle_key(secrets_of(DEALER).secret, TABLE, mixes=mixes)
    return witness_stand.deal(setup_of(seats), Draw(key, witness_stand.RULES))


def wrong_accusations(seats: int) -> frozenset[str]:
    """Return the options that accuse an innocent suspect."""
    values = dict(true_pile(seats).values)
    return frozenset(f"accuse.{'ABCD'[suspect_of(values[place])]}" for place in range(3))


def right_accusation(seats: int) -> str:
    """Return the option that accuses the guilty one."""
    (right,) = {f"accuse.{letter}" for letter in "ABCD"} - wrong_accusations(seats)
    return right


async def until_asked(table: Tabletop, options: Container[str], chance: random.Random) -> tuple[int, str]:
    """Play on until somebody may take one of the options; return the seat and the option."""

    def found() -> list[tuple[int, str]]:
        return [(chair.seat, option) for chair in table.chairs for option in chair.asked if option in options]

    await wander(table, chance, until=lambda: bool(found()))
    return found()[0]


# what was seen


def entries_of(table: Tabletop) -> list[Admitted]:
    """Return every entry of the log so far, verified."""
    assert table.log.size
    return table.read


def lines_of(table: Tabletop, seat: int) -> dict[int, str]:
    """Return what a seat was told of each entry."""
    heard = table.chairs[seat].heard
    return {line.sequence: line.text for m in heard if isinstance(m, Update) for line in m.lines}


def scenes_of(table: Tabletop) -> list[Scene]:
    """Return the scenes that the spectator was shown."""
    return [msgspec.msgpack.decode(raw, type=Scene) for raw in table.scenes]


def public_lines(table: Tabletop) -> dict[int, str]:
    """Return what the spectator was told of each entry."""
    return {line.sequence: line.text for scene in scenes_of(table) for line in scene.lines}


def docket_of(table: Tabletop) -> Docket:
    """Return the record of the table as it is now, under the game master's checkpoint over all of it."""
    log = table.log
    size, root = log.head()
    note = sign_checkpoint(SigningKey(master("log")), TABLE, size=size, root=root)
    edition = log.table.setup.edition
    return Docket(editions.canonical(edition), tuple(log.leaves), note)  # type: ignore[arg-type]


def sent_on(wire: Iterable[Passed], subject: str) -> list[Passed]:
    """Return the messages that went over the wire on one subject."""
    return [passed for passed in wire if passed.subject == subject]
