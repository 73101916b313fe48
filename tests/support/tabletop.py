"""A whole table in one process: the real services on a bus in memory, and a client's real session at every seat."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

import msgspec
from tests.support.memory_bus import MemoryServer
from tests.support.virtual_time import moment

from chambers.clients.shelf import table_of
from chambers.fairness.boxes import box_public
from chambers.fairness.dice import roll_value
from chambers.fairness.keys import TableSecrets, pair_secret
from chambers.fairness.signatures import SigningKey
from chambers.protocol import subjects
from chambers.protocol.client import (
    Begin,
    ChoiceAccepted,
    ChoiceRefused,
    Choose,
    FromClient,
    FromVault,
    Note,
    Over,
    Update,
    Welcome,
)
from chambers.protocol.errors import Refusal
from chambers.protocol.frames import ClientSession
from chambers.protocol.log import Admitted, Log
from chambers.protocol.messages import LobbyAnswer, OpenRequest, encode
from chambers.protocol.watching import Watch
from chambers.rules.roles import DEALER, DICE, contributors, seat_role
from chambers.rules.terms import Pile
from chambers.services import dealer
from chambers.services.dealer import Dealer
from chambers.services.dice import Dice
from chambers.services.gallery import Gallery
from chambers.services.game_master import GameMaster
from chambers.services.vault import Vault

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo")
TABLE = bytes(range(16))
CHAIN = 1024
SPECTATOR = "w"
_PATIENCE = 60_000


def master(role: str, *, salt: str = "") -> bytes:
    """Return the master key of a role in tests."""
    return hashlib.sha256(f"{role}{salt}".encode()).digest()


def secrets_of(role: str, *, salt: str = "") -> TableSecrets:
    """Return what a role derives for the table of these tests."""
    return TableSecrets.from_master(master(role, salt=salt), TABLE, role=role, attempt=1)


def rolls(seats: int, *, chain: int = CHAIN) -> Callable[[int], int]:
    """Return what tells the value of roll k at a table of so many seats, whose chains are of this length."""
    chains = {role: secrets_of(role).chain(chain) for role in contributors(seats) if role != DEALER}
    return lambda k: roll_value(TABLE, k, shares=tuple((role, chain.share(k)) for role, chain in chains.items()))


@contextlib.contextmanager
def dealing(pile: Pile | None) -> Iterator[None]:
    """Have dealers deal this pile, if there is one; everything else they do is as ever."""
    real = dealer.DealerTable

    class Arranged(real):  # type: ignore[misc, valid-type]
        """A dealer that deals what it is told to."""

        def pile(self) -> Pile:
            """Return the arranged pile."""
            assert pile is not None
            return pile

    dealer.DealerTable = Arranged if pile is not None else real  # type: ignore[misc]
    try:
        yield
    finally:
        dealer.DealerTable = real  # type: ignore[misc]


class Chair:
    """One player's client: its session's frames, opened, and what it is asked now."""

    def __init__(self, server: MemoryServer, seat: int) -> None:
        self.seat = seat
        self.heard: list[FromVault] = []
        self.opened: list[tuple[int, FromVault]] = []
        self.last: Update | None = None
        self._server = server
        self._bus = server.connect(f"client{seat}")
        self._begin = Begin()
        self.session = self._new_session()

    def _new_session(self) -> ClientSession:
        role = str(seat_role(self.seat))
        frame_key = secrets_of(role).frame_key
        assert frame_key is not None
        return ClientSession(box_public(frame_key), pair_secret(master(role), TABLE, issue=0), NAMES[self.seat])

    async def sit_down(self) -> None:
        """Listen, say hello, and begin as soon as the vault welcomes this client."""
        await self._bus.subscribe(subjects.seat_down(TABLE.hex(), self.seat), self._on_frame)
        await self.send(self.session.hello())

    async def send(self, frame: bytes) -> None:
        """Send a frame as it is."""
        await self._bus.publish(subjects.seat_up(TABLE.hex(), self.seat), frame)

    async def say(self, message: FromClient) -> None:
        """Send a message to the vault."""
        await self.send(self.session.seal(message))

    async def _on_frame(self, _: str, data: bytes) -> None:
        message = self.session.open(data)
        assert message is not None
        await self._hear(message)

    async def _hear(self, message: FromVault) -> None:
        self.heard.append(message)
        self.opened.append((len(self._server.wire), message))
        if isinstance(message, Welcome):
            await self.say(self._begin)
        if isinstance(message, Update):
            self.last = message

    @property
    def asked(self) -> tuple[str, ...]:
        """Return the ids of the options of the present prompt."""
        prompt = self.last.prompt if self.last is not None else None
        return () if prompt is None else tuple(option.id for option in prompt.options)

    @property
    def prompt(self) -> str:
        """Return the id of the present prompt, empty if there is none."""
        return self.last.prompt.id if self.last is not None and self.last.prompt is not None else ""


class Tabletop:
    """The services of one deployment, one table of them, and a client at each of its seats."""

    def __init__(
        self,
        home: Path,
        *,
        seats: int,
        game: str = "witness-stand",
        edition: str = "tandem-target",
        options: Sequence[tuple[str, str]] = (),
        pile: Pile | None = None,
        salt: str = "",
        replicas: int = 1,
    ) -> None:
        self.server = MemoryServer()
        self.seats = seats
        self._game, self._edition = table_of(game, edition)
        self._options = tuple(sorted(options))
        connect, store, key = self.server.connect, self.server.store, SigningKey(master("log"))
        self.buses = {name: connect(name) for name in ("gm", "dealer", "dice", "gallery", *map(seat_role, range(6)))}
        self.game_masters = [GameMaster(self.buses["gm"], store, key=key) for _ in range(replicas)]
        self.dealer = Dealer(self.buses["dealer"], master=master(DEALER, salt=salt))
        self.dice = Dice(self.buses["dice"], master=master(DICE))
        self.gallery = Gallery(self.buses["gallery"])
        self.vaults = [
            Vault(self.buses[seat_role(n)], seat=n, master=master(seat_role(n)), home=home / f"seat{n}")
            for n in range(seats)
        ]
        self.chairs = [Chair(self.server, seat) for seat in range(seats)]
        self.scenes: list[bytes] = []
        self.read: list[Admitted] = []
        self._log = Log(TABLE)
        self._dealing = dealing(pile)

    async def __aenter__(self) -> Tabletop:
        self._dealing.__enter__()
        try:
            await self.open()
        except BaseException:
            self._dealing.__exit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._dealing.__exit__(None, None, None)
        await self.stop()

    @property
    def services(self) -> tuple[object, ...]:
        """Return every service."""
        return (*self.game_masters, self.dealer, self.dice, self.gallery, *self.vaults)

    @property
    def log(self) -> Log:
        """Return the table's log so far, every stored entry of it verified."""
        for raw in self.server.store.entries(TABLE.hex())[self._log.size :]:
            self.read.append(self._log.admit(raw))
        return self._log

    @property
    def faults(self) -> list[str]:
        """Return what went wrong in any handler."""
        return [fault for bus in self.buses.values() for fault in bus.faults]

    async def open(self) -> None:
        """Start the services, open the table, seat everybody and a spectator, and play the setup."""
        for service in self.services:
            await service.start()  # type: ignore[attr-defined]
        request = OpenRequest(
            table=TABLE, game=self._game, edition=self._edition, options=self._options, bots=(False,) * self.seats
        )
        host = self.server.connect("host")
        answer = msgspec.msgpack.decode(
            await host.request(subjects.lobby("open", "host"), encode(request)), type=LobbyAnswer
        )
        assert not isinstance(answer, Refusal), answer
        await moment()
        await host.subscribe(subjects.watch_down(TABLE.hex(), SPECTATOR), self._on_scene)
        await self.look_on()
        for chair in self.chairs:
            await chair.sit_down()
            await self.until(functools.partial(self._sits, chair))

    def _sits(self, chair: Chair) -> bool:
        return chair.last is not None and NAMES[chair.seat] in self.log.table.names

    async def look_on(self) -> None:
        """Have the spectator ask for the view, as it does again every few seconds."""
        await self.server.connect("watch").publish(subjects.watch_up(TABLE.hex(), SPECTATOR), encode(Watch(have=10**9)))

    async def _on_scene(self, _: str, data: bytes) -> None:
        self.scenes.append(data)

    async def until(self, happened: Callable[[], bool]) -> None:
        """Return when something has happened; AssertionError if it does not within a minute of the table's time."""
        for _ in range(_PATIENCE):
            if happened():
                return
            assert not self.faults, self.faults[0]
            await moment()
        raise AssertionError("this has not happened within a minute")

    async def choose(self, seat: int, option: str) -> ChoiceAccepted | ChoiceRefused:
        """Have a seat take an option of its present prompt, and return the vault's answer once all have seen it."""
        chair = self.chairs[seat]
        await self.until(lambda: option in chair.asked)
        before, prompt = len(chair.heard), chair.prompt
        await chair.say(Choose(prompt, option))

        def answer() -> ChoiceAccepted | ChoiceRefused | None:
            said = (m for m in chair.heard[before:] if isinstance(m, ChoiceAccepted | ChoiceRefused))
            return next((m for m in said if m.prompt == prompt), None)

        await self.until(lambda: answer() is not None)
        await self.look_on()
        await moment()
        found = answer()
        assert found is not None
        return found

    async def note(self, seat: int, text: str) -> None:
        """Have a seat's vault keep notes."""
        await self.chairs[seat].say(Note(text))
        await moment()

    @property
    def over(self) -> bool:
        """Return whether every client has been told the end."""
        return all(any(isinstance(message, Over) for message in chair.heard) for chair in self.chairs)

    async def stop(self) -> None:
        """Stop the services."""
        for service in self.services:
            await service.stop()  # type: ignore[attr-defined]
        for bus in self.buses.values():
            await bus.close()
