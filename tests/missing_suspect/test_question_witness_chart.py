"""MS: Explanation of Question Witness Chart. The six results, and what passes between players."""

from __future__ import annotations

import pytest
from tests.missing_suspect.town import (
    BLUE,
    EDITION,
    GAME,
    PINK,
    RED,
    Town,
    card,
    cards,
    clue,
    shown,
    town,
)

from chambers.rules.missing_suspect.edition import ChartResult
from chambers.rules.missing_suspect.events import (
    Ask,
    Chart,
    Check,
    DontKnow,
    Have,
    NoCard,
    Offer,
    Pass,
    Point,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.play import TOPS, Stage
from chambers.rules.roles import seat_role
from chambers.rules.terms import Disclosed

HASH = bytes(32)
_GIVEN = ("Old Key", "Forged Will")
_TARGET = ("Torn Map", "Sealed Bid")


def _with(result: ChartResult, *, mine: tuple[str, ...] = _GIVEN, **more: object) -> Town:
    held = {0: cards(*mine), 1: cards(*_TARGET)}
    table = town(held=held, cases={0: "A"}, **more)  # type: ignore[arg-type]
    table.result(result)
    return table


def _choice(table: Town, seat: int, kind: int) -> str:
    return next(option.id for option in table.asked(seat).options if option.card == kind)


def _offer(table: Town, kind: int, *, target: int = 1) -> None:
    wanted = (
        option.id
        for option in table.asked(0).options
        if option.card == kind and option.id.startswith(f"offer.{target}")
    )
    table.take(0, next(wanted))


def _ask(table: Town, name: str, kind: int) -> None:
    _offer(table, kind)
    wanted = next(option.id for option in table.asked(0).options if option.label == name)
    table.take(0, wanted)


def test_a_lying_witness_tells_nothing() -> None:
    """MS: Explanation of Question Witness Chart. Lying Witness: no information, and the turn is over."""
    table = _with(ChartResult.LYING)
    assert (table.play.turn, table.play.stage) == (1, Stage.ROLL)


def test_the_result_is_that_of_the_seats_case() -> None:
    """MS: Explanation of Question Witness Chart. The vault states it, and states no other."""
    for letter, throw, result in (("A", 2, ChartResult.CHECK), ("H", 2, ChartResult.NUMBER)):
        table = town(cases={0: letter})
        table.put(0, "i9")
        table.drive("i8")
        table.roll(throw)
        option = GAME.automatic(table.play, table.hands[0])
        assert option is not None
        assert option.event == Chart(ref=table.play.since, result=result)
        false = Chart(ref=table.play.since, result=ChartResult.LYING)
        assert table.refused_by_vault(0, false).code == "rule/false-result"


def test_a_result_tells_everybody_the_half_of_the_case_and_no_more() -> None:
    """MS-37: two columns only: a result outside both, or from the other half without a new case, is refused live."""
    table = _with(ChartResult.LYING)
    assert table.play.columns[0] == 0b00001111
    table.begin(0)
    table.put(0, "e1")
    table.drive("e2")
    table.roll(2)
    stray = Chart(ref=table.play.since, result=ChartResult.TRADE)
    other = Chart(ref=table.play.since, result=ChartResult.NUMBER)
    assert table.refused(0, stray).code == "rule/other-result"
    assert table.refused(0, other).code == "rule/other-result"


def test_a_new_case_may_be_of_the_other_half() -> None:
    """MS-37, MS-21: with a new case both columns are possible again."""
    table = _with(ChartResult.LYING)
    table.begin(0)
    table.put(0, "e3")
    table.drive("e4")
    table.take(0, "yes")
    assert table.play.columns[0] == 0b11111111


def test_check_suspect_drives_to_any_suspect_on_the_board() -> None:
    """MS-23: whatever the distance; he looks, and the car stays there. It is compulsory."""
    table = _with(ChartResult.CHECK)
    assert table.ids(0) == [f"check.{letter}" for letter in "abcdefg"]
    assert table.refused(0, Take(yes=False)).code == "rule/not-now"
    table.take(0, "check.f")
    assert (table.car(0), table.hand(0).numbers[PINK]) == ("k4", 8)


def test_check_suspect_counts_as_entering_for_a_capture() -> None:
    """MS-23, MS-29: he looks, and may capture."""
    table = town(held={0: cards("Overnight Case", "Missing Gems", "Face at the Window")}, cases={0: "H"})
    table.result(ChartResult.CHECK)
    table.take(0, "check.a")
    assert table.ids(0) == ["yes", "no"]


def test_a_suspect_on_a_car_cannot_be_checked() -> None:
    """MS-23: only one standing on an S spot."""
    table = town(cases={0: "A"})
    table.carry(1, RED)
    table.result(ChartResult.CHECK)
    assert "check.a" not in table.ids(0)
    assert table.refused(0, Check(suspect=RED)).ruling == "MS-23"


def test_the_vault_checks_the_first_suspect_not_looked_at_when_the_limit_passes() -> None:
    """MS-44, MS-45: Check Suspect = first suspect not looked at."""
    table = town(cases={0: "A"})
    table.know(0, RED, BLUE)
    table.result(ChartResult.CHECK)
    assert GAME.fallback(table.play, table.hands[0]).id == "check.c"


def test_a_clue_asked_for_by_name_must_be_traded() -> None:
    """MS-24: who holds it on either side hands it over, and receives the card that the asker was bound to."""
    table = _with(ChartResult.CLUE)
    _ask(table, "Torn Map", card("Old Key"))
    assert table.ids(1) == [_choice(table, 1, card("Torn Map"))]
    table.take(1, table.ids(1)[0])
    assert table.hand(0).cards == cards("Forged Will", "Torn Map")
    assert table.hand(1).cards == cards("Sealed Bid", "Old Key")
    assert (table.play.counts, table.play.turn) == ((2, 2, 0), 1)


def test_both_cards_change_hands_at_once_and_the_asker_is_bound_before() -> None:
    """MS-24: neither side chooses after seeing: no card has moved until the asker's own bound card is handed over."""
    table = _with(ChartResult.CLUE)
    _ask(table, "Torn Map", card("Old Key"))
    table.choose(1, table.asked(1).options[0])
    assert table.play.stage is Stage.SWAP
    assert (table.hand(0).cards, table.hand(1).cards) == (cards(*_GIVEN), cards(*_TARGET))
    swap = Swap(ref=table.play.asked.ref, to=seat_role(1), box=b"")
    assert table.refused_by_vault(0, swap, shown(card("Forged Will"))).ruling == "MS-24"
    assert table.refused_by_vault(0, swap, shown(card("Torn Map"))).code == "rule/card-not-held"
    assert GAME.offered(table.play, swap) == (table.play.asked.offered, HASH)


def test_nobody_but_its_author_knows_what_is_offered() -> None:
    """MS-24: the offered card is unseen by others, the player asked among them, until it is handed over."""
    table = _with(ChartResult.CLUE)
    told: list[bool] = []
    table.watch = lambda one: told.append(one.seen_by("seat1") is not None)
    _offer(table, card("Old Key"))
    assert told == [False]
    assert table.hand(0).offered == card("Old Key")
    assert table.hand(1).incoming == -1


def test_the_clue_counts_on_either_side_and_of_two_such_cards_the_holder_chooses() -> None:
    """MS-24: two cards with the clue: he chooses."""
    both = tuple(kind for kind, pair in enumerate(EDITION.cards) if clue("Bloody Ice Pick") in pair)
    table = town(held={0: cards("Old Key"), 1: (*both, card("Torn Map"))}, cases={0: "A"})
    table.result(ChartResult.CLUE)
    _ask(table, "Bloody Ice Pick", card("Old Key"))
    assert [option.card for option in table.asked(1).options] == list(both)
    swap = Swap(ref=table.play.asked.ref, to=seat_role(0), box=b"")
    assert table.refused_by_vault(1, swap, shown(card("Torn Map"))).ruling == "MS-24"


def test_a_clue_that_is_not_held_is_denied_before_everybody() -> None:
    """MS-24: "No" is public, and the vault says it by itself; nothing has changed hands."""
    table = _with(ChartResult.CLUE)
    _ask(table, "Wedding Ring", card("Old Key"))
    assert (table.play.turn, table.play.counts) == (1, (2, 2, 0))
    assert table.hand(0).cards == cards(*_GIVEN)
    assert table.hand(0).offered == -1


def test_a_vault_neither_denies_what_it_holds_nor_claims_what_it_lacks() -> None:
    """MS-24: a false `none` and a false `have` are refused by the vault."""
    table = _with(ChartResult.CLUE)
    _ask(table, "Torn Map", card("Old Key"))
    ref = table.play.asked.ref
    assert table.refused_by_vault(1, NoCard(ref=ref)).code == "rule/false-answer"
    table = _with(ChartResult.CLUE, mine=())
    table.take(0, "offer.1")
    table.choose(0, next(option for option in table.asked(0).options if option.label == "Wedding Ring"))
    assert table.refused_by_vault(1, Have(ref=table.play.asked.ref)).code == "rule/false-answer"


def test_any_clue_may_be_named_and_any_player_asked() -> None:
    """MS-24: of any case, one he holds himself too; a player without cards too."""
    table = _with(ChartResult.CLUE)
    assert {option.id.split(".")[1] for option in table.asked(0).options if option.id != "no"} == {"1", "2"}
    _offer(table, card("Old Key"), target=2)
    assert len(table.ids(0)) == 33
    table.take(0, next(option.id for option in table.asked(0).options if option.label == "Old Key"))
    assert table.play.turn == 1


def test_asking_may_be_declined() -> None:
    """MS: Explanation of Question Witness Chart. MS-45: Ask for Clue, Trade Clues and the number may be declined."""
    for result in (ChartResult.CLUE, ChartResult.TRADE, ChartResult.NUMBER):
        table = _with(result)
        table.take(0, "no")
        assert table.play.turn == 1
    table = _with(ChartResult.CLUE)
    _offer(table, card("Old Key"))
    table.take(0, "no")
    assert (table.play.turn, table.hand(0).offered) == (1, -1)


def test_an_asker_without_a_card_learns_yes_or_no_and_gets_nothing() -> None:
    """MS-25: a trade needs a return card; the answer itself is commanded."""
    table = _with(ChartResult.CLUE, mine=())
    table.take(0, "offer.1")
    said: list[str] = []
    table.watch = lambda told: said.append(type(told.event).__name__)
    table.take(0, next(option.id for option in table.asked(0).options if option.label == "Torn Map"))
    assert said == ["Ask", "Have"]
    assert (table.play.counts, table.play.turn) == ((0, 2, 0), 1)


def test_with_empty_ask_free_the_card_is_given_for_nothing() -> None:
    """MS-25: the option gives the asker the card; then `have` is no answer."""
    table = _with(ChartResult.CLUE, mine=(), empty_ask="free")
    table.take(0, "offer.1")
    table.take(0, next(option.id for option in table.asked(0).options if option.label == "Torn Map"))
    assert table.refused(1, Have(ref=table.play.asked.ref)).ruling == "MS-25"
    table.take(1, table.ids(1)[0])
    assert (table.hand(0).cards, table.play.counts) == (cards("Torn Map"), (1, 1, 0))
    strict = _with(ChartResult.CLUE, mine=())
    strict.take(0, "offer.1")
    strict.choose(0, next(option for option in strict.asked(0).options if option.label == "Torn Map"))
    given = Pass(ref=strict.play.asked.ref, to=seat_role(0), box=b"")
    assert strict.refused(1, given).ruling == "MS-25"


def test_who_holds_a_card_must_be_bound_to_one() -> None:
    """MS-24, MS-25: no asking for nothing with a card in hand, and no offer without one."""
    table = _with(ChartResult.CLUE)
    assert table.refused(0, Offer(to=seat_role(1), offer=b"")).ruling == "MS-24"
    table = _with(ChartResult.CLUE, mine=())
    assert table.refused(0, Offer(to=seat_role(1), offer=HASH)).ruling == "MS-25"
    assert table.refused(0, Offer(to=seat_role(0), offer=b"")).ruling == "MS-24"


def test_a_trade_sight_unseen_lets_each_choose_his_own_card() -> None:
    """MS-26: each chooses his own, face down; the one asked must trade."""
    table = _with(ChartResult.TRADE)
    _offer(table, card("Forged Will"))
    assert [option.card for option in table.asked(1).options] == list(cards(*_TARGET))
    assert table.refused(1, NoCard(ref=table.play.asked.ref)).ruling == "MS-26"
    table.take(1, _choice(table, 1, card("Sealed Bid")))
    assert table.hand(0).cards == cards("Old Key", "Sealed Bid")
    assert table.hand(1).cards == cards("Torn Map", "Forged Will")


def test_a_trade_needs_a_card_on_both_sides() -> None:
    """MS-26: the target must hold a card, and so must the asker; otherwise the turn is over."""
    table = _with(ChartResult.TRADE)
    assert not any(ident.startswith("offer.2") for ident in table.ids(0))
    assert table.refused(0, Offer(to=seat_role(2), offer=HASH)).ruling == "MS-26"
    assert _with(ChartResult.TRADE, mine=()).play.turn == 1


def test_the_forced_trade_when_the_limit_passes_gives_the_card_drawn_longest_ago() -> None:
    """MS-44, MS-45: forced trade = the card drawn longest ago."""
    table = _with(ChartResult.TRADE, answer_limit="9")
    _offer(table, card("Forged Will"))
    table.lapse(GAME.due(table.play)[0])
    assert GAME.fallback(table.play, table.hands[1]).card == card("Torn Map")


def test_a_number_that_was_seen_is_told_on_a_slip() -> None:
    """MS-27, MS-28: the engine answers, truly; the asker alone learns the number, everybody that it was told."""
    table = town(cases={0: "A"})
    table.know(1, BLUE)
    table.result(ChartResult.NUMBER)
    table.take(0, "point.1.b")
    assert (table.hand(0).numbers[BLUE], table.hand(0).source[BLUE], table.hand(2).numbers[BLUE]) == (3, 1, 0)
    assert (table.play.known, table.play.turn) == ((1 << BLUE, 1 << BLUE, 0), 1)


def test_a_number_that_was_told_is_known() -> None:
    """MS-27: looked at, or told by slip."""
    table = town(cases={0: "A", 2: "A"})
    table.know(1, BLUE)
    table.result(ChartResult.NUMBER)
    table.take(0, "point.1.b")
    table.begin(2)
    table.result(ChartResult.NUMBER)
    table.take(2, "point.0.b")
    assert (table.hand(2).numbers[BLUE], table.hand(2).source[BLUE]) == (3, 0)


def test_a_suspect_not_checked_is_not_known_even_by_elimination() -> None:
    """MS-27: pure deduction does not count."""
    table = town(cases={0: "A"})
    table.know(1, 0, 1, 2, 3, 4, 5)
    table.result(ChartResult.NUMBER)
    said: list[str] = []
    table.watch = lambda told: said.append(type(told.event).__name__)
    table.take(0, "point.1.g")
    assert said == ["Point", "DontKnow"]
    assert table.hand(0).numbers == (0,) * 7


def test_a_false_not_checked_and_a_false_number_are_refused() -> None:
    """MS-28: a denial contradicts a logged look, so everybody refuses it; a false number is refused by the vault."""
    table = town(cases={0: "A"})
    table.know(1, BLUE)
    table.result(ChartResult.NUMBER)
    table.choose(0, table.option(0, "point.1.b"))
    ref = table.play.asked.ref
    assert table.refused(1, DontKnow(ref=ref, place=TOPS + BLUE)).ruling == "MS-28"
    tell = Tell(ref=ref, place=TOPS + BLUE, to=seat_role(0), box=b"")
    lie = Disclosed(value=4, place=TOPS + BLUE, nonce=bytes(32))
    assert table.refused_by_vault(1, tell, lie).ruling == "MS-28"
    assert table.refused(1, Tell(ref=ref, place=TOPS, to=seat_role(0), box=b"")).code == "rule/other-suspect"
    table = town(cases={0: "A"})
    table.result(ChartResult.NUMBER)
    table.choose(0, table.option(0, "point.1.b"))
    unknown = Tell(ref=table.play.asked.ref, place=TOPS + BLUE, to=seat_role(0), box=b"")
    assert table.refused(1, unknown).ruling == "MS-27"


def test_a_captured_suspect_cannot_be_asked_about() -> None:
    """MS-27: "on the board"."""
    table = town(cases={0: "A"})
    table.carry(1, RED)
    table.result(ChartResult.NUMBER)
    assert not any(ident.endswith(".a") for ident in table.ids(0))
    assert table.refused(0, Point(target=1, suspect=RED)).ruling == "MS-27"


def test_pick_up_new_clue_draws_a_card() -> None:
    """MS: Explanation of Question Witness Chart. Pick Up New Clue: draw, and discard if four (MS-41)."""
    table = _with(ChartResult.NEW, mine=("Old Key", "Forged Will", "Hidden Gun"), top=cards("Wedding Ring"))
    assert (table.play.stage, table.play.counts[0]) == (Stage.DISCARD, 4)


@pytest.mark.parametrize("event", [NoCard(ref=0), Have(ref=0), Swap(ref=0, to=seat_role(0), box=b"")])
def test_nobody_answers_what_was_not_asked(event: NoCard) -> None:
    """MS: Explanation of Question Witness Chart. Another player, another entry and another moment are refused."""
    table = town()
    assert table.refused(1, event).code == "rule/no-answer-due"
    table = _with(ChartResult.CLUE)
    _offer(table, card("Old Key"))
    table.choose(0, next(option for option in table.asked(0).options if option.label == "Torn Map"))
    assert table.refused(2, event).code == "rule/not-asked"
    assert table.refused(1, event).code == "rule/stale"


def test_the_clue_is_asked_of_the_player_turned_to() -> None:
    """MS-24: the target and the offer are fixed once the card is bound."""
    table = _with(ChartResult.CLUE)
    _offer(table, card("Old Key"))
    assert table.refused(0, Ask(target=2, clue=0, offer=HASH)).ruling == "MS-24"
    assert table.refused(0, Ask(target=1, clue=0, offer=b"")).ruling == "MS-24"
    assert table.refused(0, Ask(target=1, clue=32, offer=HASH)).code == "rule/no-such-clue"
