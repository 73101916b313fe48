"""Whole games by random players: the invariants that hold at every entry, and figures of the simulator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from tests.support.chance import Chance
from tests.support.small_views import assert_views_small, size_of
from tests.witness_stand.court import DISMISSED, GAME, NAMES, OBJECT, OVERRULED, Court, edition, setup

from chambers.rules.errors import RuleError
from chambers.rules.events import Ok, TableEvent
from chambers.rules.roles import seat_of, seat_role
from chambers.rules.simulator import Played, Simulator, Told, simulate
from chambers.rules.terms import Disclosed, Viewer
from chambers.rules.witness_stand.edition import ANSWERS, copies, is_answer, question_of
from chambers.rules.witness_stand.events import Accuse, Ask, Corner, EndTurn, Go, Move, NoCard, Place
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.hand import ENVELOPE, SOMEWHERE, UNSEEN
from chambers.rules.witness_stand.play import Stage

TABLES: list[tuple[int, dict[str, str]]] = [
    (2, {}),
    (3, {"step3": "always", "object_window": "none", "dismiss_chambers": "yes"}),
    (4, {"object_window": "skip"}),
    (5, {"step3": "literal", "object_window": "full-3", "burger_skips_out": "yes", "turn_limit": "5"}),
    (6, {"last_player_wins": "yes", "answer_limit": "5", "out_chat": "yes"}),
]


class _Player:
    """A random player that accuses seldom, so that games are long."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def __call__(self, seat: int, play: object, hand: object, prompt: object) -> object:
        options = prompt.options  # type: ignore[attr-defined]
        calm = [option for option in options if not option.id.startswith("accuse")]
        return self.random.choice(options if self.random.random() < 0.04 or not calm else calm)


def _steps(seats: int, values: dict[str, str], *, seed: int, drops: bool = False) -> Iterator[Court]:
    """Play a game with lapses and drops thrown in, and yield the table after every entry."""
    table = Court(GAME, setup(seats, None, **values), NAMES[:seats], draw=Chance(seed))
    dice, player, chance = Chance(seed + 1), _Player(seed + 2), random.Random(seed + 3)
    yield table
    for _ in range(2000):
        dues = GAME.due(table.play)
        if not dues:
            return
        live = [seat for seat in range(seats) if seat not in table.play.dropped]
        if drops and len(live) > 2 and chance.random() < 0.01:
            table.drop(chance.choice(live))
        elif dues[0].until is not None and not dues[0].lapsed and chance.random() < 0.05:
            table.lapse(dues[0])
        elif dues[0].act == "window":
            seat = seat_of(chance.choice(dues).who)
            assert seat is not None
            table.choose(seat, player(seat, None, None, table.asked(seat)))  # type: ignore[arg-type]
        else:
            table.step(dice, player)  # type: ignore[arg-type]
        yield table


def _deck(seats: int) -> Counter[int]:
    return Counter({kind: n for kind, n in enumerate(copies(edition(), seats)) if n})


def _assert_cards_conserved(table: Court, seats: int) -> None:
    held = Counter(card for hand in table.hands for card in hand.cards)
    played = Counter({ANSWERS + kind: n for kind, n in enumerate(table.play.played) if n})
    envelope = Counter(table.pile.value(place) for place in range(3))
    assert held + played + envelope == _deck(seats)
    assert table.play.counts == tuple(len(hand.cards) for hand in table.hands)


def _assert_prompts_match_dues(table: Court, seats: int) -> None:
    owing = {seat_of(due.who) for due in GAME.due(table.play)} - {None}
    for seat in range(seats):
        prompt = table.prompt(seat)
        assert (prompt is not None) == (seat in owing)
        if prompt is None:
            continue
        assert prompt.options
        assert len({option.id for option in prompt.options}) == len(prompt.options)
        for option in prompt.options:
            GAME.check(table.play, seat_role(seat), option.event, ts=table.ts)
            opened = None if option.card is None else (Disclosed(value=option.card),)
            GAME.vouch(table.play, table.hands[seat], option.event, opened)
        assert GAME.fallback(table.play, table.hands[seat]) in prompt.options


def _assert_sheets_sound(table: Court) -> None:
    where = {card: hand.seat for hand in table.hands for card in hand.cards if is_answer(card)}
    envelope = {table.pile.value(place) for place in range(3)}
    for hand in table.hands:
        for card, holder in enumerate(hand.holders):
            if holder == ENVELOPE:
                assert card in envelope
            elif holder == SOMEWHERE:
                assert card in where
            elif holder != UNSEEN:
                assert where[card] == holder
        assert {card for card, holder in enumerate(hand.holders) if holder == hand.seat} == {
            card for card in hand.cards if is_answer(card)
        }
        for other in table.hands:
            for question in {question_of(card) for card in other.cards if is_answer(card)}:
                assert not hand.denied[question] >> other.seat & 1


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize(("seats", "values"), TABLES)
def test_every_entry_of_a_game_keeps_the_invariants(seats: int, values: dict[str, str], drops: bool) -> None:
    """WS-13, WS-47: cards are conserved, who owes is asked, what is offered is legal, no sheet says what is untrue."""
    entries = 0
    for seed in (11, 12):
        for table in _steps(seats, values, seed=seed, drops=drops):
            entries += 1
            _assert_cards_conserved(table, seats)
            _assert_prompts_match_dues(table, seats)
            _assert_sheets_sound(table)
            assert_views_small(GAME, table.play, table.hands)
        assert GAME.result(table.play) is not None
    assert entries > 60


def _universe(table: Court, seats: int) -> list[TableEvent]:
    """Return every event that a seat could try, right or wrong, but for the cards that answer."""
    ref = table.play.since
    asked = table.play.asked.ref if table.play.asked else ref
    events: list[TableEvent] = [Go(), EndTurn(), Ok(ref=ref), NoCard(ref=asked)]
    events += [Ask(target=t, question=q, public=p) for t in range(seats) for q in range(20) for p in (False, True)]
    events += [Accuse(suspect=s) for s in range(4)] + [Place(suspect=s) for s in range(-1, 4)]
    events += [Move(space=n) for n in range(28)] + [Corner(space=n) for n in range(28)]
    events += [PlayCard(ref=ref, card=card, seal=b"") for card in (OBJECT, OVERRULED, DISMISSED)]
    return events


def _refusal(table: Court, seat: int, event: TableEvent) -> RuleError | None:
    try:
        GAME.check(table.play, seat_role(seat), event, ts=table.ts)
        GAME.vouch(table.play, table.hands[seat], event, None)
    except RuleError as refusal:
        return refusal
    return None


def _accepted(table: Court, seat: int, event: TableEvent) -> bool:
    refusal = _refusal(table, seat, event)
    if refusal is None:
        return True
    assert refusal.code.startswith("rule/")
    assert refusal.sentence.endswith(".")
    assert refusal.section
    return False


@pytest.mark.parametrize(("seats", "values"), TABLES[:4])
def test_check_accepts_exactly_what_the_prompt_lists(seats: int, values: dict[str, str]) -> None:
    """WS-49: for every seat at every moment, whatever is not offered is refused with code, sentence and section."""
    for number, table in enumerate(_steps(seats, values, seed=21)):
        if number > 120:
            break
        for seat in range(seats):
            prompt = table.prompt(seat)
            offered = [] if prompt is None else [option.event for option in prompt.options]
            for event in _universe(table, seats):
                assert _accepted(table, seat, event) == (event in offered), (table.play.stage, seat, event)


def test_a_game_is_the_same_fold_of_the_same_events() -> None:
    """WS-49: replaying the log gives the same table and hands."""
    told: list[Told] = []
    table = Court(GAME, setup(4), NAMES[:4], draw=Chance(5), watch=told.append)
    while table.step(Chance(table.seq), _Player(table.seq)):  # type: ignore[arg-type]
        pass
    again = Court(GAME, setup(4), NAMES[:4], draw=Chance(5))
    for entry in told:
        again.say(entry.author, entry.event, opened=entry.opened, to=entry.to)
    assert again.play == table.play
    assert again.hands == table.hands


def _run(seed: int, seats: int = 4) -> tuple[Played, list[Told]]:
    told: list[Told] = []
    played = simulate(
        GAME,
        setup(seats),
        NAMES[:seats],
        draw=Chance(seed),
        dice=Chance(seed + 1),
        choose=_Player(seed + 2),  # type: ignore[arg-type]
        watch=told.append,
    )
    return played, told


def test_the_simulator_plays_to_the_result_and_counts() -> None:
    """WS-49: moves, rolls, rounds and entries of a whole game."""
    played, told = _run(31)
    assert played.result is not None
    assert played.entries == len(told) + 1
    assert played.rolls == sum(entry.author == "dice" for entry in told)
    assert played.moves == sum(seat_of(entry.author) is not None for entry in told)
    assert played.rounds == played.play.round >= 1


def test_the_simulator_stops_at_its_bound() -> None:
    """WS-49: a game that is cut short has no result."""
    played = simulate(
        GAME,
        setup(4),
        NAMES[:4],
        draw=Chance(1),
        dice=Chance(2),
        choose=_Player(3),  # type: ignore[arg-type]
        most=9,
    )
    assert (played.entries, played.result) == (10, None)


def _swap(table: Simulator, one: int, other: int) -> None:
    """Deal two cards the other way round, and let everybody learn their hands anew."""
    turned = {one: other, other: one}
    values = tuple((place, turned.get(value, value)) for place, value in table.pile.values)
    table.pile = msgspec.structs.replace(table.pile, values=values)
    for seat, hand in enumerate(table.hands):
        cards = tuple(sorted(turned.get(card, card) for card in hand.cards))
        holders = list(hand.holders)
        for card in (one, other):
            holders[card] = seat if card in cards else UNSEEN
        table.hands[seat] = msgspec.structs.replace(hand, cards=cards, holders=tuple(holders))


def test_two_deals_that_a_seat_cannot_tell_apart_look_the_same_to_it() -> None:
    """WS-47, WS-24: what seat 0 and the spectators see depends on nothing that they cannot know."""
    told = _run(41)[1][:80]
    first = Court(GAME, setup(4), NAMES[:4], draw=Chance(41))
    second = Court(GAME, setup(4), NAMES[:4], draw=Chance(41))
    moved = {card.value for entry in told for card in entry.opened or ()}
    asked = {entry.event.question for entry in told if isinstance(entry.event, Ask)}
    one, other = (
        next(card for card in first.hands[seat].cards if question_of(card) not in asked and card not in moved)
        for seat in (1, 2)
    )
    _swap(second, one, other)
    assert first.hands[1] != second.hands[1]
    for entry in told:
        for table in (first, second):
            table.say(entry.author, entry.event, opened=entry.opened, to=entry.to)
        assert first.play == second.play
        assert first.hands[0] == second.hands[0]
        assert first.prompt(0) == second.prompt(0)
    assert first.hands[1] != second.hands[1]


def test_prompts_of_six_seats_stay_small() -> None:
    """WS-8: a whole question prompt with six seats is below 3.5 KB, and no other prompt is larger."""
    largest = 0
    for table in _steps(6, {}, seed=51):
        for seat in range(6):
            prompt = table.prompt(seat)
            if prompt is not None:
                rows = [{"id": option.id, "label": option.label} for option in prompt.options]
                largest = max(largest, size_of({"id": prompt.id, "text": prompt.text, "options": rows}))
    assert 1000 < largest < 3500


def test_no_repr_or_refusal_of_a_game_shows_a_card() -> None:
    """WS-47: hands, piles, options and disclosed values print none of what they hold."""
    table = Court(GAME, setup(3), NAMES[:3], draw=Chance(61))
    table.choose(0, table.asked(0).options[0])
    shown = [repr(hand) for hand in table.hands] + [repr(table.pile), repr(table.asked(1)), repr(table.play.court)]
    shown += [repr(Disclosed(value=7)), repr(table.asked(1).options[0]), repr(table.summary())]
    assert shown[:3] == [f"Hand(seat={seat}, ...)" for seat in range(3)]
    assert not any("cards=" in text or "starred words" in text for text in shown)


def test_narration_of_a_whole_game_reads_as_sentences_and_leaks_nothing() -> None:
    """WS-47, WS-17: every entry has a sentence for every viewer, and no third party reads which card was passed."""
    _, told = _run(71)
    for entry in told:
        for viewer in ("public", "seat0", "seat1", "all"):
            opened = entry.opened if viewer == "all" else entry.seen_by(viewer)
            text = GAME.narrate(entry.before, entry.after, entry.author, entry.event, opened, Viewer(viewer))
            assert text
            assert text[0].upper() == text[0]
            assert text[-1] in '.!"'
            hidden = entry.opened is not None and opened is None
            words = [f"{star} words" for star in ("plain", "starred")]
            assert not (hidden and entry.before.stage is not Stage.LOOK and any(word in text for word in words))
