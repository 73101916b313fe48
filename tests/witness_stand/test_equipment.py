"""WS: Object of the Game, and WS: Equipment. What there is to play with."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.witness_stand.court import EXCLUDED, GAME, OBJECT, A, B, court, edition, options, plain, setup, starred

from chambers.rules import new_table
from chambers.rules.errors import RuleError
from chambers.rules.witness_stand.edition import KINDS, SpaceKind, card_code, card_text, copies


def test_the_first_to_convict_the_real_criminal_wins() -> None:
    """WS: Object of the Game. Confronting the guilty suspect on the Stand ends the game for its accuser."""
    table = court(witness=3)
    table.accuse("D")
    assert table.play.result is not None
    assert table.play.result.winner == 0


def test_a_case_has_two_answers_to_each_of_twenty_questions() -> None:
    """WS: Equipment. Forty answers, one of each, and four kinds of action cards."""
    deck = copies(edition(), 6)
    assert len(deck) == KINDS == 44
    assert deck[:40] == (1,) * 40
    assert deck[40:] == (8, 5, 4, 4)


def test_cards_have_codes_and_texts() -> None:
    """WS: Equipment. A starred answer's code ends in a star, and the text is the edition's."""
    assert [card_code(kind) for kind in (starred(B, 3), plain(A, 1), OBJECT, EXCLUDED)] == [
        "B3*",
        "A1.",
        "OBJECT",
        "EXCLUDED",
    ]
    assert card_text(edition(), starred(B, 3)) == "starred words B3"
    assert card_text(edition(), EXCLUDED) == "Evidence Excluded!"


@pytest.mark.parametrize(
    "change",
    [
        {"game": "another"},
        {"suspects": edition().suspects[:3]},
        {"suspects": (replace(edition().suspects[0], questions=()), *edition().suspects[1:])},
        {"objection": replace(edition().objection, count=1, count_small=2)},
        {"board": ()},
        {"board": tuple(replace(space, corner=False) for space in edition().board)},
        {"board": tuple(space for space in edition().board if space.suspect != 2)},
        {"space_names": {SpaceKind.CALL: "Call Witness"}},
    ],
)
def test_an_edition_that_cannot_be_played_is_refused(change: dict[str, object]) -> None:
    """WS: Equipment. A case needs four suspects, their questions, cards in number, and a board that calls each."""
    with pytest.raises(RuleError) as refusal:
        GAME.check_setup(setup(case=edition(**change)))
    assert refusal.value.code == "rule/edition"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (options(step3="sometimes"), "rule/option-value"),
        (options(turn_limit="ten"), "rule/option-value"),
        (options(turn_limit="seconds"), "rule/option-value"),
        (options(object_window="full-"), "rule/option-value"),
        (options(stall_s="none"), "rule/option-value"),
        (options(colour="red"), "rule/option-unknown"),
        (options(turn_limit="1234567"), "rule/option-value"),
        (options()[1:], "rule/options"),
        (options()[::-1], "rule/options"),
        (options() + options()[:1], "rule/option-twice"),
    ],
)
def test_an_option_that_the_game_does_not_take_is_refused(given: tuple[tuple[str, str], ...], code: str) -> None:
    """WS: Equipment. Every option is given once, with a value of its own."""
    wanted = setup()
    wanted = replace(wanted, opening=replace(wanted.opening, options=given))
    with pytest.raises(RuleError) as refusal:
        new_table(wanted)
    assert refusal.value.code == code


@pytest.mark.parametrize("window", ["none", "0", "10", "full-15", "skip"])
def test_every_form_of_the_objection_window_is_taken(window: str) -> None:
    """WS: Equipment. The window may be open-ended, bounded, of fixed length, or left out."""
    new_table(setup(object_window=window))


def test_another_game_or_number_of_players_is_refused() -> None:
    """WS: Equipment. Six pawns: two to six players; and these rules play no other game."""
    with pytest.raises(RuleError) as seats:
        GAME.check_setup(setup(1))
    with pytest.raises(RuleError):
        GAME.check_setup(setup(7))
    other = setup()
    with pytest.raises(RuleError) as game:
        GAME.check_setup(replace(other, opening=replace(other.opening, rules="witness-stand/2")))
    assert (seats.value.code, game.value.code) == ("rule/seats", "rule/other-game")
