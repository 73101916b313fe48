"""A player who chooses again at once, or whose answer is refused: no choice is lost or doubled, none is changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.attacks.crooked_house import COURT_TABLE, CrookedVault, Window, crooked_house, open_table

from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings
from chambers.protocol.client import Ask, ChoiceAccepted, ChoiceRefused
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Log
from chambers.protocol.messages import Accepted
from chambers.rules import RuleError
from chambers.rules.events import TableEvent
from chambers.services.contributor import Contributor
from chambers.services.vault import Vault
from chambers.services.vault_table import VaultTable

BUSY = Refusal("gm/busy", "The game master has no time for this now.")


class Wary:
    """Has the first choice of a role refused: once by the game master, or ever again by the role's own rules."""

    def __init__(self, refusal: Refusal | RuleError | None) -> None:
        self._refusal = refusal
        self._first: TableEvent | None = None

    def bend(self, me: Contributor, at: VaultTable) -> None:
        """Have the role hear the refusal."""
        say, check = me.say, me.pen.check

        async def answered(submission: bytes) -> Accepted | Refusal:
            refusal = self._refusal
            if at.log.table.phase != "play" or not isinstance(refusal, Refusal):
                return await say(submission)
            self._refusal = None
            return refusal

        def checked(event: TableEvent) -> None:
            if at.log.table.phase == "play" and isinstance(self._refusal, RuleError):
                self._first = self._first or event
                if event == self._first:
                    raise self._refusal
            check(event)

        me.say, me.pen.check = answered, checked  # type: ignore[method-assign]


class Late:
    """The log of a table on its way to seat 0's vault: it can be kept from it, and is lost meanwhile."""

    def __init__(self, vault: Vault, table: bytes) -> None:
        self._follower = vault._follower
        self._log = vault._follower.logs[table]

    @asynccontextmanager
    async def slow(self) -> AsyncIterator[None]:
        """Have the vault wait for entries that it asks for."""
        async with self._follower._locks[self._log.id]:
            yield

    @asynccontextmanager
    async def lost(self) -> AsyncIterator[None]:
        """Lose every entry on its way, and bring all of them in the end."""
        admit = self._follower._admit

        async def lose(log: Log, raw: bytes) -> bool:
            return False

        self._follower._admit = lose  # type: ignore[method-assign]
        try:
            yield
        finally:
            self._follower._admit = admit  # type: ignore[method-assign]
            await self._follower.catch_up(self._log)


@asynccontextmanager
async def asked_at_seat_0(
    home: Path, *, refusal: Refusal | RuleError | None = None
) -> AsyncIterator[tuple[Window, Ask, Late]]:
    """Yield the window of seat 0, what it is asked, and the log on its way to it."""

    async def make(bus: NatsBus, settings: Settings) -> Vault:
        made = CrookedVault(bus, seat=0, master=master_key(settings.home / "master.key"), home=settings.home)
        made.crook = Wary(refusal)  # type: ignore[assignment]
        return made

    async with crooked_house(home, {"seat0": make}) as here:
        table = await open_table(here, options=COURT_TABLE)
        windows = [await Window.open(here, table, seat, plays=False) for seat in range(3)]
        await windows[0].until(lambda: prompt_of(windows[0]) is not None)
        ask = prompt_of(windows[0])
        vault = here.stack._running["seat0"].service
        assert ask is not None
        assert isinstance(vault, Vault)
        yield windows[0], ask, Late(vault, table)
        for window in windows:
            await window.close()


def prompt_of(window: Window) -> Ask | None:
    """Return what a window was asked last."""
    return next((message.prompt for message in reversed(window.heard) if getattr(message, "prompt", None)), None)


def lines(window: Window) -> list[str]:
    """Return the lines of the log that a window was told."""
    return [line.text for message in window.heard for line in getattr(message, "lines", ())]


def told(window: Window) -> list[str]:
    """Return what a window was told of its choices: the option that was taken, or the code of the refusal."""
    said: list[str] = []
    for message in window.heard:
        match message:
            case ChoiceAccepted():
                said.append(message.option)
            case ChoiceRefused():
                said.append(message.code)
    return said


async def heard(window: Window, count: int) -> list[str]:
    """Return what a window was told of its choices, once it was told `count` things."""
    await window.until(lambda: len(told(window)) >= count)
    await asyncio.sleep(0.3)  # for what should not come
    return told(window)


async def test_an_answer_that_is_refused_for_no_rule_is_given_again_by_the_vault(tmp_path: Path) -> None:
    async with asked_at_seat_0(tmp_path, refusal=BUSY) as (window, ask, _):
        option = ask.options[0].id
        await window.choose(ask.id, option)
        said = await heard(window, 2)

    assert said == ["vault/not-taken", option]


async def test_the_same_answer_again_while_the_vault_insists_on_it_is_the_same_move(tmp_path: Path) -> None:
    async with asked_at_seat_0(tmp_path, refusal=BUSY) as (window, ask, log):
        option = ask.options[0].id
        async with log.slow():
            await window.choose(ask.id, option)
            await asyncio.sleep(0.3)
            await window.choose(ask.id, option)
            await asyncio.sleep(0.3)
        await heard(window, 1)
        await window.choose(ask.id, option)
        said = await heard(window, 2)

    assert said[0] == "vault/not-taken"
    assert set(said[1:]) == {option}


async def test_another_answer_while_the_vault_insists_on_one_is_told_that_one_is_under_way(tmp_path: Path) -> None:
    async with asked_at_seat_0(tmp_path, refusal=BUSY) as (window, ask, _):
        first, second = ask.options[0].id, ask.options[1].id
        await window.choose(ask.id, first)
        await heard(window, 1)
        await window.choose(ask.id, second)
        said = await heard(window, 3)

    assert said[0] == "vault/not-taken"
    assert sorted(said[1:]) == sorted([first, "prompt/answered"])  # which of them comes first is the vault's patience


async def test_talk_goes_on_while_the_vault_insists_on_an_answer(tmp_path: Path) -> None:
    async with asked_at_seat_0(tmp_path, refusal=BUSY) as (window, ask, _):
        option = ask.options[0].id
        await window.choose(ask.id, option)
        await heard(window, 1)
        await window.say("I have answered!")
        said = await heard(window, 2)
        await window.until(lambda: any("I have answered!" in line for line in lines(window)))

    assert said == ["vault/not-taken", option]


async def test_another_answer_once_the_rules_have_refused_one_is_taken(tmp_path: Path) -> None:
    forbidden = RuleError("rule/not-now", "Not now.")
    async with asked_at_seat_0(tmp_path, refusal=forbidden) as (window, ask, log):
        first, second = ask.options[0].id, ask.options[1].id
        async with log.slow():
            await window.choose(ask.id, first)
            await asyncio.sleep(0.3)
        await heard(window, 1)
        async with log.slow():
            await window.choose(ask.id, second)
        said = await heard(window, 2)

    assert said == ["rule/not-now", second]


async def test_the_same_answer_again_before_its_entry_has_come_is_the_same_move(tmp_path: Path) -> None:
    async with asked_at_seat_0(tmp_path) as (window, ask, log):
        option = ask.options[0].id
        async with log.lost():
            await window.choose(ask.id, option)
            await asyncio.sleep(0.5)  # stored by now
            await window.choose(ask.id, option)
            await asyncio.sleep(0.3)
        assert set(await heard(window, 1)) == {option}


async def test_another_answer_before_the_entry_of_the_first_has_come_is_told_that_one_is_under_way(
    tmp_path: Path,
) -> None:
    async with asked_at_seat_0(tmp_path) as (window, ask, log):
        first, second = ask.options[0].id, ask.options[1].id
        async with log.lost():
            await window.choose(ask.id, first)
            await asyncio.sleep(0.5)
            await window.choose(ask.id, second)
            assert await heard(window, 1) == ["prompt/answered"]
        assert await heard(window, 2) == ["prompt/answered", first]
