"""Pressing twice is moving once, and whatever is not accepted is answered with a reason that the player can read."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scenarios.evening import pick, reopen, start_user, stop_user, until_asked, wander, wrong_accusations
from tests.support.tabletop import Chair, Tabletop
from tests.support.virtual_time import moment, run

from chambers.clients.sights import Sights
from chambers.clients.speech import Speech
from chambers.protocol.client import ChoiceAccepted, ChoiceRefused, Choose, FromClient, Note, Talk
from chambers.rules.roles import seat_of


def _answers(chair: Chair, prompt: str) -> list[ChoiceAccepted | ChoiceRefused]:
    return [m for m in chair.heard if isinstance(m, ChoiceAccepted | ChoiceRefused) and m.prompt == prompt]


@pytest.mark.parametrize("presses", [2, 5])
def test_whoever_presses_again_before_the_answer_has_come_moves_once(presses: int, tmp_path: Path) -> None:
    """Every choice of a whole stretch of play is pressed several times in one burst: one entry each, accepted alike."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            chance, pressed, kinds = random.Random(4), 0, set()
            before = sum(seat_of(e.author) is not None for e in table.read[: table.log.size])
            while pressed < 70:
                chair = next((chair for chair in table.chairs if chair.asked), None)
                if chair is None:
                    await moment()
                    continue
                prompt, option = chair.prompt, pick(chair.asked, chance)
                assert chair.last is not None
                assert chair.last.prompt is not None
                kinds.add(chair.last.prompt.kind)
                for _ in range(presses):
                    await chair.say(Choose(prompt, option))
                await table.until(lambda chair=chair, prompt=prompt: chair.prompt != prompt)  # type: ignore[misc]
                await chair.say(Choose(prompt, option))
                await moment()
                pressed += 1
                answers = _answers(chair, prompt)
                assert len({answer.sequence for answer in answers if isinstance(answer, ChoiceAccepted)}) == 1
                assert not any(isinstance(answer, ChoiceRefused) for answer in answers)
            await moment()
            after = sum(seat_of(e.author) is not None for e in table.read[: table.log.size])
            assert after - before == pressed
            assert {"ask", "answer", "object"} <= kinds

    run(play())


def test_of_two_different_presses_the_first_counts_and_the_second_is_told_so(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            await wander(table, random.Random(4), until=lambda: any(len(c.asked) > 2 for c in table.chairs[:]) and
                         table.log.size > 30)  # fmt: skip
            chair = next(chair for chair in table.chairs if len(chair.asked) > 2)
            prompt, first, second = chair.prompt, *chair.asked[:2]
            await chair.say(Choose(prompt, first))
            await chair.say(Choose(prompt, second))
            await table.until(lambda: len(_answers(chair, prompt)) == 2)

            answers = {type(answer): answer for answer in _answers(chair, prompt)}
            accepted, refused = answers[ChoiceAccepted], answers[ChoiceRefused]
            assert isinstance(accepted, ChoiceAccepted)
            assert isinstance(refused, ChoiceRefused)
            assert (accepted.option, refused.code) == (first, "prompt/answered")

    run(play())


Make = Callable[[Chair], FromClient]

REFUSED: list[tuple[str, Make, str]] = [
    ("an option that there is not", lambda c: Choose(c.prompt, "show.Z9"), "prompt/no-such-option"),
    ("no option at all", lambda c: Choose(c.prompt, ""), "prompt/no-such-option"),
    ("half the name of one", lambda c: Choose(c.prompt, "accuse"), "prompt/no-such-option"),
    ("a prompt of long ago", lambda c: Choose("2.0", "corner.0"), "prompt/"),
    ("a prompt that never was", lambda c: Choose("", "ok"), "prompt/gone"),
    ("talk that is too long", lambda c: Talk("word " * 60), "rule/say"),
    ("talk of nothing", lambda c: Talk("  "), "rule/say"),
    ("talk that cannot be printed", lambda c: Talk("bell\a"), "rule/say"),
    ("notes that are too long", lambda c: Note("n" * 2001), "note/too-long"),
]


@pytest.mark.parametrize(("make", "code"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_not_accepted_is_answered_with_a_code_and_a_sentence(make: Make, code: str, tmp_path: Path) -> None:
    async def play() -> ChoiceRefused:
        async with Tabletop(tmp_path, seats=2) as table:
            await wander(table, random.Random(4), until=lambda: table.log.size > 20 and bool(table.chairs[0].asked))
            chair = table.chairs[0]
            before, size = len(chair.heard), table.log.size
            await chair.say(make(chair))
            await table.until(lambda: any(isinstance(m, ChoiceRefused) for m in chair.heard[before:]))
            assert table.log.size == size
            assert chair.asked
            return next(m for m in chair.heard[before:] if isinstance(m, ChoiceRefused))

    refused = run(play())
    assert refused.code.startswith(code)
    assert refused.text.endswith(".")
    (line,) = Speech(lambda name, _hash: Sights(None, name=name)).lines(refused)
    assert line.startswith(f"ERR {refused.text}")


def test_a_refusal_that_a_rule_stands_behind_names_the_rule(tmp_path: Path) -> None:
    """Somebody who accused wrongly talks all the same: the answer cites the section and the ruling."""

    async def play() -> ChoiceRefused:
        async with Tabletop(tmp_path, seats=3) as table:
            seat, option = await until_asked(table, wrong_accusations(3), random.Random(2))
            await table.choose(seat, option)
            await table.until(lambda: bool((last := table.chairs[seat].last) and last.view.get("envelope")))
            window = await reopen(table, seat)
            await window.say(Talk("it was B"))
            await table.until(lambda: any(isinstance(m, ChoiceRefused) for m in window.heard))
            return next(m for m in window.heard if isinstance(m, ChoiceRefused))

    refused = run(play())
    assert (refused.code, refused.section, refused.ruling) == ("rule/out-silent", "Winning the Game", "WS-35")
    (line,) = Speech(lambda name, _hash: Sights(None, name=name)).lines(refused)
    assert "(Winning the Game, WS-35)" in line


def test_a_choice_made_while_nobody_can_take_it_is_taken_later_and_not_lost_in_silence(tmp_path: Path) -> None:
    async def play() -> None:
        async with Tabletop(tmp_path, seats=2) as table:
            await wander(table, random.Random(4), until=lambda: table.log.size > 20 and bool(table.chairs[0].asked))
            chair = table.chairs[0]
            prompt, option = chair.prompt, pick(chair.asked, random.Random(1))
            await stop_user(table, "gm")
            await chair.say(Choose(prompt, option))
            await start_user(table, "gm", tmp_path)
            await table.until(lambda: bool(_answers(chair, prompt)))
            (answer,) = _answers(chair, prompt)
            assert isinstance(answer, ChoiceAccepted)
            assert answer.option == option

    run(play())
