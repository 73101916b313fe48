"""The bots, over whole simulated games: they play by their view alone, they are sound, and some are stronger."""

from __future__ import annotations

import random
from typing import Any

import pytest

from chambers.clients.bench import NAMES, BotTable, make_setup, run_games
from chambers.clients.bots import LEVELS, RandomBot, make_bot, pauses
from chambers.clients.sheet_bot import Sheet, SheetBot
from chambers.fairness.draw import Draw
from chambers.protocol.client import Ask, Choice
from chambers.rules import game, simulator
from chambers.rules.game import Hand, Play
from chambers.rules.terms import Option, Prompt

EDITION = "tandem-target"


def played(levels: tuple[str, ...], seed: int) -> simulator.Played:
    setup = make_setup(EDITION, len(levels))
    rules = game(setup.opening.game)
    bots = [make_bot(level, seat, seed=str(seed)) for seat, level in enumerate(levels)]
    key = seed.to_bytes(32, "big")
    table = BotTable(rules, bots)
    return simulator.simulate(
        rules, setup, NAMES[: len(levels)], draw=Draw(key, "deal"), dice=Draw(key, "dice"), choose=table.choose
    )


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_sheet_bots_always_finish_and_never_accuse_wrongly(seats: int) -> None:
    for seed in range(8):
        done = played(("rules",) * seats, seed)

        assert done.result is not None
        assert done.result.winner is not None
        assert done.play.out == ()


def test_a_sheet_bot_among_random_ones_never_accuses_wrongly() -> None:
    for seed in range(30):
        assert 0 not in played(("rules", "random", "random"), seed).play.out


def test_what_a_sheet_calls_certain_is_true_at_every_choice() -> None:
    """Denials and stars stay sound when cards have moved unseen, checked against the dealer's pile."""
    wrong: list[str] = []
    checked = 0
    for seed in range(6):
        setup = make_setup(EDITION, 4)
        rules = game(setup.opening.game)
        bots = BotTable(rules, [make_bot("rules", seat, seed=str(seed)) for seat in range(4)])
        key = seed.to_bytes(32, "big")
        innocents = _innocents(rules, setup, key)

        def choose(
            seat: int, play: Play, hand: Hand, prompt: Prompt, bots: BotTable = bots, innocents: set[str] = innocents
        ) -> Option:
            nonlocal checked
            view = {**game("witness-stand").public_view(play), **game("witness-stand").private_view(play, hand)}
            sheet = Sheet(view, seat)
            checked += 1
            wrong.extend(letter for letter in "ABCD" if sheet.innocent(letter) and letter not in innocents)
            wrong.extend(letter for letter in (sheet.guilty(),) if letter in innocents)
            return bots.choose(seat, play, hand, prompt)

        simulator.simulate(rules, setup, NAMES[:4], draw=Draw(key, "deal"), dice=Draw(key, "dice"), choose=choose)

    assert checked > 1000
    assert wrong == []


def _innocents(rules: Any, setup: Any, key: bytes) -> set[str]:
    pile = rules.deal(setup, Draw(key, "deal"))
    hidden = [pile.value(place) for place in rules.places(setup)[:3]]
    return {"ABCD"[kind // 10] for kind in hidden}


def test_the_innocents_of_a_pile_are_three() -> None:
    setup = make_setup(EDITION, 4)

    assert len(_innocents(game("witness-stand"), setup, bytes(32))) == 3


def test_a_sheet_bot_wins_most_games_against_a_random_one() -> None:
    first = run_games(("rules", "random"), 60, edition=EDITION, seed="first")
    second = run_games(("random", "rules"), 60, edition=EDITION, seed="second")

    assert first.wins[0] + second.wins[1] > 2 * (first.wins[1] + second.wins[0])


@pytest.mark.parametrize("level", sorted(LEVELS["witness-stand"]))
def test_the_same_seed_plays_the_same_game(level: str) -> None:
    one, other = played((level,) * 3, 7), played((level,) * 3, 7)

    assert (one.entries, one.result) == (other.entries, other.result)


def test_a_sheet_bot_that_is_started_again_knows_what_it_knew() -> None:
    """Its memory is its view: a bot made anew chooses as the old one where nothing is left to chance."""
    view = sheet_view()
    ask = Ask("1.0", "answer", "?", (Choice("show.A1*", "", {}), Choice("show.A1.", "", {})))
    old, new = SheetBot(0, random.Random(1)), SheetBot(0, random.Random(2))
    old.choose(view, ask)

    assert old.choose(view, ask) == new.choose(view, ask) == "show.A1."


def sheet_view(**rows: Any) -> dict[str, Any]:
    unknown: dict[str, Any] = {"starred": None, "plain": None, "denied": []}
    sheet = {f"{letter}{number}": unknown for letter in "ABCD" for number in range(1, 6)}
    seats = [{"cards": 14}] * 3
    return {"public": {"seats": seats, "innocent": [], "witness": None, "question": None}, "sheet": {**sheet, **rows}}


def star(holder: int | str | None, *, denied: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"starred": {"holder": holder, "since": 1}, "plain": None, "denied": list(denied)}


def test_five_stars_in_play_convict_wherever_they_are_now() -> None:
    view = sheet_view(B1=star(0), B2=star(1), B3=star(None), B4=star(2), B5=star(0))
    ask = Ask("1.0", "end", "?", (Choice("end", "", {}), Choice("accuse.B", "", {})))

    assert SheetBot(0, random.Random(1)).choose(view, ask) == "accuse.B"


@pytest.mark.parametrize("fifth", [star("envelope"), {"starred": None, "plain": None, "denied": []}])
def test_four_stars_do_not_convict(fifth: dict[str, Any]) -> None:
    view = sheet_view(B1=star(0), B2=star(1), B3=star(None), B4=star(2), B5=fifth)
    ask = Ask("1.0", "end", "?", (Choice("end", "", {}), Choice("accuse.B", "", {})))

    assert SheetBot(0, random.Random(1)).choose(view, ask) == "end"


def test_three_proven_innocents_convict_the_fourth() -> None:
    nobody = {"starred": None, "plain": None, "denied": [1, 2]}
    view = sheet_view(A1=nobody, C2=nobody, D3=nobody)
    ask = Ask("1.0", "end", "?", (Choice("accuse.B", "", {}), Choice("end", "", {})))

    assert SheetBot(0, random.Random(1)).choose(view, ask) == "accuse.B"


def test_one_missing_denial_proves_nothing() -> None:
    nobody, nearly = {"starred": None, "plain": None, "denied": [1, 2]}, {"starred": None, "plain": None, "denied": [1]}
    view = sheet_view(A1=nobody, C2=nobody, D3=nearly)
    ask = Ask("1.0", "end", "?", (Choice("accuse.B", "", {}), Choice("end", "", {})))

    assert SheetBot(0, random.Random(1)).choose(view, ask) == "end"


def test_nobody_is_asked_for_what_is_known() -> None:
    view = sheet_view(A1=star(1), A2={"starred": None, "plain": None, "denied": [1]})
    options = tuple(Choice(one, "", {}) for one in ("ask.1.A1", "ask.2.A1", "ask.1.A2", "go"))

    assert SheetBot(0, random.Random(1)).choose(view, Ask("1.0", "ask", "?", options)) == "go"


def test_a_random_bot_takes_every_option_sometimes() -> None:
    bot = RandomBot(0, random.Random(3))
    ask = Ask("1.0", "end", "?", tuple(Choice(str(n), "", {}) for n in range(4)))

    assert {bot.choose({}, ask) for _ in range(100)} == {"0", "1", "2", "3"}


def test_pauses_have_one_distribution_and_a_chance_of_their_own() -> None:
    one, other = pauses(2, seed="x", longest=1.5), pauses(2, seed="x", longest=1.5)
    make_bot("rules", 2, seed="x").choose(sheet_view(), Ask("1.0", "move", "?", (Choice("move.1", "", {}),)))

    drawn = [one() for _ in range(50)]

    assert drawn == [other() for _ in range(50)]
    assert all(0.3 <= seconds <= 1.5 for seconds in drawn)


def test_pauses_are_none_when_told_so() -> None:
    assert pauses(0, seed="x", longest=0)() == 0.0


def test_an_unknown_level_is_an_error() -> None:
    with pytest.raises(KeyError):
        make_bot("oracle", 0, seed="x")
