"""Whatever players do at a table of any game, some things always hold; a state machine tries to break them."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as HypothesisPhase
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.properties.beggar import Beggar
from tests.properties.chronicle import (
    Chronicle,
    see_all,
    see_asked,
    see_cards,
    see_moves,
    see_replay,
    see_views,
    setup_of,
    values_of,
)

from chambers.rules import GAMES, Phase, due
from chambers.rules.errors import RuleError
from chambers.rules.events import Close
from chambers.rules.game import Game
from chambers.rules.roles import GM, seat_of

_GAMES = sorted(GAMES)


def _playing(machine: TableMachine) -> bool:
    return machine.chronicle.playing


class TableMachine(RuleBasedStateMachine):
    """One table: somebody chooses, time runs out, seats are dropped, people talk, and long stretches are played."""

    game: Game

    @initialize(seats=st.integers(2, 6), seed=st.integers(0, 2**32), data=st.data())
    def open(self, seats: int, seed: int, data: st.DataObject) -> None:
        """Open a table with any agreement and deal."""
        options = tuple((spec.name, data.draw(st.sampled_from(values_of(spec)))) for spec in self.game.OPTIONS)
        self.chronicle = Chronicle(setup_of(self.game, seats=seats, options=options), seed=seed)

    @precondition(_playing)
    @rule(n=st.integers(0, 60))
    def choose(self, n: int) -> None:
        """One seat that owes a choice takes one of its options."""
        owing = [seat for owed in due(self.chronicle.table) if (seat := seat_of(owed.who)) is not None]
        if not owing:
            self.chronicle.step()
            return
        seat = owing[n % len(owing)]
        prompt = self.chronicle.prompt(seat)
        if prompt is None:
            assert self.chronicle.own(seat) is not None
            self.chronicle.step()
            return
        self.chronicle.choose(seat, prompt.options[n % len(prompt.options)])

    @precondition(_playing)
    @rule(many=st.integers(1, 40))
    def play_on(self, many: int) -> None:
        """Whatever is due is done, many times."""
        for _ in range(many):
            if self.chronicle.playing:
                self.chronicle.step()
                see_all(self.chronicle)

    @precondition(_playing)
    @rule()
    def time_runs_out(self) -> None:
        """The first limit that there is passes."""
        self.chronicle.lapse()

    @precondition(_playing)
    @rule(seat=st.integers(0, 5))
    def leave(self, seat: int) -> None:
        """A seat is dropped, if a roll waits for it."""
        self.chronicle.drop(seat)

    @precondition(_playing)
    @rule(seat=st.integers(0, 5))
    def talk(self, seat: int) -> None:
        """Entries that have nothing to do with the game leave every prompt as it was."""
        before = [self.chronicle.prompt(n) for n in range(self.chronicle.setup.seats)]
        self.chronicle.talk(seat)
        assert [self.chronicle.prompt(n) for n in range(self.chronicle.setup.seats)] == before

    @precondition(_playing)
    @rule()
    def try_anything(self) -> None:
        """Every seat tries moves that are and are not its own."""
        see_moves(self.chronicle)

    @rule()
    def the_end_is_the_end(self) -> None:
        """Once the game is over, no seat is asked, and no move is taken."""
        if not self.chronicle.playing:
            assert all(self.chronicle.prompt(seat) is None for seat in range(self.chronicle.setup.seats))
            see_moves(self.chronicle)

    @invariant()
    def holds(self) -> None:
        """Cards, prompts and views are right."""
        if self.chronicle.table.phase is Phase.PLAY:
            see_all(self.chronicle)

    def teardown(self) -> None:
        """Everybody leaves, and the log replays to the same table."""
        if hasattr(self, "chronicle"):
            self.chronicle.finish()
            see_replay(self.chronicle)
            assert due(self.chronicle.table) == ()


def _machine(name: str) -> type[TableMachine]:
    return type("Machine", (TableMachine,), {"game": GAMES[name]})


_QUICK = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    phases=(HypothesisPhase.generate,),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("name", _GAMES)
def test_any_course_of_any_game_keeps_every_invariant(name: str) -> None:
    run_state_machine_as_test(_machine(name), settings=_QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", _GAMES)
def test_very_many_courses_keep_every_invariant(name: str) -> None:
    run_state_machine_as_test(
        _machine(name), settings=settings(_QUICK, max_examples=300, derandomize=False, phases=tuple(HypothesisPhase))
    )


@pytest.mark.parametrize("name", _GAMES)
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_whole_games_of_any_size_end_with_a_result(name: str, seats: int) -> None:
    chronicle = Chronicle(setup_of(GAMES[name], seats=seats), seed=seats)
    for _ in range(3000):
        if not chronicle.playing:
            break
        chronicle.step()
    assert GAMES[name].result(chronicle.table.play) is not None
    with pytest.raises(RuleError) as refused:
        chronicle.say(GM, Close("aborted: the host is late"))
    chronicle.finish()
    see_replay(chronicle)
    assert refused.value.code == "rule/ended"


@pytest.mark.parametrize("name", _GAMES)
def test_the_courses_of_these_tests_say_everything_that_a_game_has_to_say(name: str) -> None:
    """Offers, stows and all that vaults say by themselves among it, under one agreement after another."""
    game = GAMES[name]
    missing = set(game.EVENTS)
    for seed in range(60):
        chance = random.Random(seed)
        options = tuple((spec.name, chance.choice(values_of(spec))) for spec in game.OPTIONS)
        setup = setup_of(game, seats=2 + seed % 5, options=options)
        player = Beggar(seed) if name == "missing-suspect" and seed % 2 else None
        chronicle = Chronicle(setup, seed=seed, player=player)
        for _ in range(600):
            if chronicle.playing:
                chronicle.step()
        see_replay(chronicle)
        missing -= {type(told.event) for told in chronicle.told}
        if not missing:
            return
    raise AssertionError(f"never said: {missing}")


@pytest.mark.parametrize("name", _GAMES)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_moves_are_taken_exactly_if_they_are_listed(name: str, seats: int) -> None:
    """Along a whole course, at every entry, for every seat."""
    chronicle = Chronicle(setup_of(GAMES[name], seats=seats), seed=10 + seats)
    for _ in range(40):
        if chronicle.playing:
            see_moves(chronicle)
            chronicle.step()
    assert len(chronicle.told) > 30


@pytest.mark.parametrize("name", _GAMES)
def test_the_checks_see_a_card_that_vanishes(name: str) -> None:
    chronicle = Chronicle(setup_of(GAMES[name], seats=3), seed=1)
    while not chronicle.hands[0].cards:
        chronicle.step()
    hand = chronicle.hands[0]
    chronicle.hands[0] = msgspec.structs.replace(hand, cards=hand.cards[1:])
    with pytest.raises(AssertionError):
        see_cards(chronicle)
    with pytest.raises(AssertionError):
        see_views(chronicle)


@pytest.mark.parametrize("name", _GAMES)
def test_the_checks_see_a_seat_that_is_asked_out_of_turn(name: str) -> None:
    chronicle = Chronicle(setup_of(GAMES[name], seats=3), seed=1)
    while all(chronicle.prompt(seat) is None for seat in range(3)):
        chronicle.step()
    owing = next(seat for owed in due(chronicle.table) if (seat := seat_of(owed.who)) is not None)
    other = (owing + 1) % 3
    chronicle.hands[owing], chronicle.hands[other] = chronicle.hands[other], chronicle.hands[owing]
    with pytest.raises(AssertionError):
        see_asked(chronicle)
