"""What a service does again and again goes on after a turn that failed."""

from __future__ import annotations

import asyncio

import structlog
from tests.support.virtual_time import run

from chambers.services.clockwork import for_each, keep_on
from chambers.services.ending import end


async def turns_of(failing: set[int], *, seconds: float) -> int:
    """Return how many turns of one second there were, some of which fail."""
    taken = 0

    async def turn() -> None:
        nonlocal taken
        taken += 1
        if taken in failing:
            raise ValueError("the seal is d0d0")

    clock = asyncio.create_task(keep_on(turn, every=1.0, name="test"))
    await asyncio.sleep(seconds)
    await end(clock)
    return taken


def test_a_turn_that_fails_is_not_the_last_one() -> None:
    assert run(turns_of({2, 3}, seconds=6.5)) == 6


def test_a_turn_that_fails_is_noted_without_what_it_said() -> None:
    with structlog.testing.capture_logs() as lines:
        run(turns_of({2}, seconds=3.5))

    assert [(line["event"], line["clock"], line["error"]) for line in lines] == [("clock.fault", "test", "ValueError")]
    assert "d0d0" not in str(lines)


def test_a_table_at_which_a_turn_fails_holds_up_no_other_and_is_named() -> None:
    seen: list[int] = []

    async def turn(number: int) -> None:
        if number == 1:
            raise ValueError("the seal is d0d0")
        seen.append(number)

    with structlog.testing.capture_logs() as lines:
        run(for_each({bytes([n]): n for n in range(3)}, turn, name="test"))

    assert seen == [0, 2]
    assert [(line["event"], line["table"], line["error"]) for line in lines] == [("clock.fault", "01", "ValueError")]
    assert "d0d0" not in str(lines)
