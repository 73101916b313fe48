"""A bot at a seat whose answers are refused: it looks for another one, or gives the same again, and never gives up."""

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


def asked(*options: str) -> Update:
    ask = Ask(id="41.1", kind="end", text="?", options=tuple(Choice(one, one, {}) for one in options))
    return Update(sequence=41, phase="play", view={}, lines=(), prompt=ask)


def chosen(vault: Vault) -> list[str]:
    return [one.option for one in vault.said if isinstance(one, Choose)]


async def answers(options: tuple[str, ...], *, code: str, wanted: int) -> list[str]:
    """Return what a bot answers to one prompt whose every answer is refused with a code."""
    vault = Vault()
    session = SeatSession(TICKET, "Bo", quiet=1000.0, silence=1000.0)
    await session.start(vault)
    playing = asyncio.create_task(BotRunner(session, lambda _: First(), pause=lambda: 0.0).play())
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


def test_what_a_rule_refused_is_answered_otherwise_and_from_the_start_when_all_was_tried() -> None:
    said = run(answers(("play", "end"), code="rule/one-card", wanted=5))

    assert said == ["play", "end", "play", "end", "play"]


def test_an_only_answer_that_was_refused_is_given_again() -> None:
    said = run(answers(("end",), code="rule/turn", wanted=3))

    assert said == ["end"] * 3
