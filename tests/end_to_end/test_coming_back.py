"""A client that dies and comes back is exactly where it was, for less than 16 KiB."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.support.commands import Command
from tests.support.house import NAMES, House, house

from chambers import audit
from chambers.bus.login import ticket_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.bots import make_bot
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.protocol import subjects
from chambers.protocol.client import Begin, ChoiceAccepted, ChoiceRefused, Choose, FromVault, Over, Update, Welcome
from chambers.protocol.frames import ClientSession
from chambers.protocol.tickets import Ticket


class Window:
    """A client without any comfort: it counts every byte it is sent, and can die at any moment."""

    def __init__(self, bus: NatsBus, ticket: Ticket) -> None:
        self.bus = bus
        self.ticket = ticket
        self.received = 0
        self.heard: asyncio.Queue[FromVault] = asyncio.Queue()
        self._session = ClientSession(ticket.frame_key, ticket.pair, NAMES[ticket.seat])
        self._up = subjects.seat_up(ticket.table.hex(), ticket.seat)

    @classmethod
    async def open(cls, ticket: Ticket, *, have: int = -1) -> Window:
        bus = await NatsBus.connect(ticket.server, ticket_login(ticket.admit, ticket.token))
        window = cls(bus, ticket)
        await bus.subscribe(subjects.seat_down(ticket.table.hex(), ticket.seat), window._take)
        await bus.publish(window._up, window._session.hello())
        assert isinstance(await window.next(), Welcome)
        await window.say(Begin(have=have, take_over=True))
        return window

    async def say(self, message: Begin | Choose) -> None:
        await self.bus.publish(self._up, self._session.seal(message))

    async def next(self) -> FromVault:
        return await asyncio.wait_for(self.heard.get(), 60)

    async def update(self) -> Update:
        while not isinstance(message := await self.next(), Update):
            pass
        return message

    async def answer(self) -> ChoiceAccepted | ChoiceRefused:
        while not isinstance(message := await self.next(), ChoiceAccepted | ChoiceRefused):
            pass
        return message

    async def _take(self, _subject: str, frame: bytes) -> None:
        self.received += len(frame)
        message = self._session.open(frame)
        if message is not None:
            self.heard.put_nowait(message)


async def _others(here: House, table: bytes, seats: int) -> list[asyncio.Task[Over | None]]:
    return [await here.sit(table, seat, level="rules") for seat in range(1, seats)]


@pytest.mark.timeout(300)
async def test_a_client_that_dies_at_every_choice_finds_the_same_prompt_and_view_again(tmp_path: Path) -> None:
    async with house(tmp_path, seats=3) as here:
        table = await here.open(3)
        spectator = await as_spectator(here.stack.url, table)
        others = await _others(here, table, 3)
        ticket = await here.host.ticket(table, 0)
        bot = make_bot("rules", 0, seed="window")
        window = await Window.open(ticket)
        answered: set[str] = set()
        sizes: list[int] = []
        lines: dict[int, str] = {}
        while True:
            message = await window.next()
            if isinstance(message, Over):
                break
            if not isinstance(message, Update):
                continue
            lines.update({line.sequence: line.text for line in message.lines})
            prompt = message.prompt
            if prompt is None or prompt.id in answered:
                continue
            await window.bus.close()
            window = await Window.open(ticket, have=message.sequence)
            again = await window.update()
            if again.sequence == message.sequence:
                sizes.append(window.received)
                assert (again.view, again.prompt, again.lines) == (message.view, prompt, ())
            lines.update({line.sequence: line.text for line in again.lines})
            if again.prompt is not None and again.prompt.id not in answered:
                answered.add(again.prompt.id)
                await window.say(Choose(again.prompt.id, bot.choose(again.view, again.prompt)))
        async for _ in spectator.scenes():
            pass
        docket = await spectator.docket()
        for task in others:
            task.cancel()
        await window.bus.close()
        await spectator.leave()

    assert audit.audit(docket).exit_code == 0
    assert sizes  # how many choices there are hangs on who accuses, and when
    assert max(sizes) < 16 * 1024
    assert sorted(lines) == list(range(max(lines) + 1))


async def test_the_same_choice_twice_is_one_move_and_another_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        table = await here.open(2)
        other = SeatSession(await here.host.ticket(table, 1), "Bo")
        await take_seat(other.ticket, other)
        window = await Window.open(await here.host.ticket(table, 0))
        while (update := await window.update()).prompt is None:
            pass
        assert update.prompt is not None
        first, second = update.prompt.options[0].id, update.prompt.options[1].id

        for option in (first, first, second, first):
            await window.say(Choose(update.prompt.id, option))
        answers: list[ChoiceAccepted | ChoiceRefused] = []
        while {type(answer) for answer in answers} != {ChoiceAccepted, ChoiceRefused}:
            answers.append(await window.answer())
        await window.say(Choose(update.prompt.id, first))
        await window.say(Choose("0.0", "go"))
        while answers[-1].prompt != "0.0":
            answers.append(await window.answer())
        await other.close()
        await window.bus.close()

    accepted = [answer for answer in answers if isinstance(answer, ChoiceAccepted)]
    refused = [answer for answer in answers if isinstance(answer, ChoiceRefused)]
    assert {(answer.option, answer.sequence) for answer in accepted} == {(first, accepted[0].sequence)}
    assert len(accepted) > 1  # once when it was taken, and to whoever chose the same afterwards
    assert [answer.code for answer in refused] == ["prompt/answered", "prompt/gone"]


async def test_a_second_window_gets_the_seat_only_when_it_takes_it_and_the_first_one_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        table = await here.open(2)
        ticket = await here.host.ticket(table, 0)
        first = SeatSession(ticket, "Ada")
        await take_seat(ticket, first)
        heard = first.messages()
        async for message in heard:
            if isinstance(message, Update):
                break
        second = SeatSession(ticket, "Ada")
        await take_seat(ticket, second)

        asked = type(await anext(second.messages())).__name__
        await second.take_over()
        kinds = [type(message).__name__ async for message in heard]
        await second.close()

    assert asked == "Occupied"
    assert kinds[-1] == "Replaced"
    assert first.ended


async def test_a_void_ticket_opens_the_seat_no_more_and_the_new_one_does(tmp_path: Path) -> None:
    from chambers.bus.errors import BusError

    async with house(tmp_path, seats=2) as here:
        table = await here.open(2)
        old = await here.host.ticket(table, 0)
        await here.host.void(table, 0)
        new = await here.host.ticket(table, 0)

        try:
            await take_seat(old, SeatSession(old, "Eve"))
            admitted = True
        except BusError as error:
            admitted = False
            code = error.code
        window = await Window.open(new)
        update = await window.update()
        await window.bus.close()

    assert not admitted
    assert code == "bus/login-refused"
    assert update.sequence >= 1


async def test_a_window_that_was_welcomed_before_its_ticket_was_voided_never_gets_the_seat(tmp_path: Path) -> None:
    async with house(tmp_path, seats=2) as here:
        table = await here.open(2)
        old = await here.host.ticket(table, 0)
        vault = here.stack._running["seat0"].service._tables[table]  # type: ignore[attr-defined]
        waiting = await Window.open(old)
        await waiting.update()
        thief = ClientSession(old.frame_key, old.pair, "Eve")
        await vault.client.hello(thief.hello(), pair=old.pair, welcome=Welcome("t", "g", "e", b"", 0, 2, (), True, b""))

        await here.host.void(table, 0)
        new = await Window.open(await here.host.ticket(table, 0))
        await new.update()
        candidates = dict(vault.client._candidates)
        await new.bus.close()
        await waiting.bus.close()

    assert candidates == {}
    assert vault.client.there


async def test_a_name_that_is_given_at_a_seat_that_has_one_is_said_to_change_nothing(tmp_path: Path) -> None:
    async with house(tmp_path / "host", seats=2) as here:
        table = await here.open(2)
        ticket = (await here.host.ticket(table, 0)).text()
        first = await Command.start("join", ticket, "--name", "Ada", home=tmp_path)
        await first.says("sits down at seat 0")
        first.type("quit\n")
        await first.ended()

        again = [
            await Command.start(*command, "--name", name, home=tmp_path, typed="quit\n")
            for command, name in ((("join", ticket), "Bo"), (("join", ticket), "Ada"))
        ]
        ends = [await one.ended() for one in again]

    told = [[line for line in one.errors if "that name stays" in line] for one in again]
    assert ends == [0, 0]
    assert told == [["Whoever took this seat was called Ada, and that name stays."], []]
