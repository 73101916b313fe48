"""A bot at a seat whose answers are refused: it gives the same again, and never gives up."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.clients.vault_end import TICKET, Vault
from tests.support.virtual_time import run

from chambers.clients.bot_runner import BotRunner
from chambers.clients.session import SeatSession
from chambers.protocol.client import Ask, Choice, ChoiceRefused, Choose, Update


class First:
    """A bot that always takes the first option."""

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        return ask.options[0].id


class Restless:
    """A bot that takes another option each time that it is asked."""

    def __init__(self) -> None:
        self._turn = -1

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        self._turn += 1
        return ask.options[self._turn % len(ask.options)].id


def asked(*options: str) -> Update:
    ask = Ask(id="41.1", kind="end", text="?", options=tuple(Choice(one, one, {}) for one in options))
    return Update(sequence=41, phase="play", view={}, lines=(), prompt=ask)


def chosen(vault: Vault) -> list[str]:
    return [one.option for one in vault.said if isinstance(one, Choose)]


async def answers(
    options: tuple[str, ...], *, code: str, wanted: int, bot: type[First | Restless] = First
) -> list[str]:
    """Return what a bot answers to one prompt whose every answer is refused with a code."""
    vault = Vault()
    session = SeatSession(TICKET, "Bo", quiet=1000.0, silence=1000.0)
    await session.start(vault)
    playing = asyncio.create_task(BotRunner(session, lambda _: bot(), pause=lambda: 0.0).play())
    await session.deliver(vault.welcome())
    await session.deliver(vault.say(asked(*options)))
    for number in range(1, wanted + 1):
        while len(chosen(vault)) < number:
            vault.arrived.clear()
            await asyncio.wait_for(vault.arrived.wait(), 60)
        await session.deliver(vault.say(ChoiceRefused("41.1", code, "No.")))
    await session.close()
    await playing
    return chosen(vault)


@pytest.mark.parametrize("code", ["fairness/behind", "bus/timeout", "gm/broken", "vault/fault", "prompt/gone"])
def test_what_no_rule_refused_is_answered_again_and_in_the_same_way(code: str) -> None:
    said = run(answers(("roll", "accuse"), code=code, wanted=4))

    assert said == ["roll"] * 4


@pytest.mark.parametrize("code", ["rule/not-now", "gm/busy", "bus/timeout"])
def test_a_false_refusal_does_not_show_what_else_a_bot_could_have_answered(code: str) -> None:
    said = run(answers(("ok", "play.41"), code=code, wanted=5, bot=Restless))

    assert said == ["ok"] * 5


def test_an_older_answer_that_did_not_count_has_the_present_prompt_answered_once_only() -> None:
    """After a break the vault says of the older one that its prompt is gone, when the present one is being answered."""

    async def play() -> list[str]:
        vault = Vault()
        session = SeatSession(TICKET, "Bo", quiet=1000.0, silence=1000.0)
        await session.start(vault)
        playing = asyncio.create_task(BotRunner(session, lambda _: Restless(), pause=lambda: 0.5).play())
        await session.deliver(vault.welcome())
        older = Update(40, "play", {}, (), Ask("40.1", "end", "?", (Choice("old", "old", {}),)))
        await session.deliver(vault.say(older))
        await asyncio.sleep(1)
        await session.reconnected()
        present = asked("ok", "play.41", "play.42")
        await session.deliver(vault.say(present))
        await asyncio.sleep(0.1)
        await session.deliver(vault.say(ChoiceRefused("40.1", "prompt/gone", "This is not asked any more.")))
        await asyncio.sleep(1)
        await session.deliver(vault.say(present))
        await asyncio.sleep(2)
        await session.close()
        await playing
        return chosen(vault)

    assert run(play()) == ["old", "old", "play.41"]


def test_an_only_answer_that_was_refused_is_given_again() -> None:
    said = run(answers(("end",), code="rule/turn", wanted=3))

    assert said == ["end"] * 3
