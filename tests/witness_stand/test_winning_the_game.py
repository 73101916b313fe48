"""WS: Winning the Game. Accusations, right and wrong, and how a game ends."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.witness_stand.court import (
    CALL_A,
    GAME,
    OBJECT,
    A,
    B,
    C,
    Court,
    D,
    ask,
    court,
    plain,
    starred,
)

from chambers.rules.errors import RuleError
from chambers.rules.roles import DEALER, seat_role
from chambers.rules.simulator import nonce, seal
from chambers.rules.terms import Disclosed, Result
from chambers.rules.witness_stand.edition import EXCLUDED
from chambers.rules.witness_stand.events import Accuse, EndTurn, Look, OpenCards
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.hand import ENVELOPE
from chambers.rules.witness_stand.play import Stage

INNOCENT = (starred(A, 1), starred(B, 1), starred(C, 1))


def _accused(suspect: int) -> Court:
    table = court(witness=suspect)
    table.take(0, f"accuse.{'ABCD'[suspect]}")
    return table


def test_a_right_accusation_wins() -> None:
    """WS: Winning the Game. The suspect is not among the three in the envelope, which is opened to everybody."""
    table = _accused(D)
    assert [due.act for due in GAME.due(table.play)] == ["look"]
    table.dealer(GAME.due(table.play)[0])
    assert [due.act for due in GAME.due(table.play)] == ["opencards"]
    table.dealer(GAME.due(table.play)[0])
    assert GAME.result(table.play) == Result(winner=0, text="Ada wins: Dan Dogwood did it.")
    assert GAME.due(table.play) == ()
    assert all(hand.envelope == INNOCENT for hand in table.hands)
    assert table.refused(0, EndTurn()).code == "rule/game-over"
    assert [table.prompt(seat) for seat in range(3)] == [None] * 3


def test_a_wrong_accuser_is_out() -> None:
    """WS: Winning the Game. He no longer moves or plays cards, the turn passes at once, and the game goes on."""
    table = _accused(A)
    table.dealer(GAME.due(table.play)[0])
    assert (table.play.out, table.play.turn, table.play.spaces[0]) == ((0,), 1, -1)
    assert GAME.result(table.play) is None
    assert table.refused(0, EndTurn()).ruling == "WS-29"


def test_a_wrong_accuser_alone_sees_the_envelope() -> None:
    """WS: Winning the Game. WS-34: the three cards; the others learn only that it was wrong, and so who is innocent."""
    table = _accused(A)
    table.dealer(GAME.due(table.play)[0])
    assert [hand.envelope for hand in table.hands] == [INNOCENT, (), ()]
    assert table.hands[0].holders[starred(B, 1)] == ENVELOPE
    assert table.play.cleared == (A,)


def test_a_wrong_accuser_answers_on() -> None:
    """WS: Winning the Game. WS-35: he becomes a seat that only answers."""
    table = court(hands={0: [plain(A, 1)]})
    table.accuse("A")
    table.question(0, "A1")
    assert table.ids(0) == ["show.A1."]
    table.take(0, "show.A1.")
    assert plain(A, 1) in table.hands[1].cards


def test_a_wrong_accuser_keeps_silent() -> None:
    """WS: Winning the Game. WS-35: no table talk for him, unless the table agreed otherwise, or all is over."""
    table = court()
    GAME.may_say(table.play, 0)
    table.accuse("A")
    with pytest.raises(RuleError) as refusal:
        GAME.may_say(table.play, 0)
    assert refusal.value.ruling == "WS-35"
    GAME.may_say(table.play, 1)
    GAME.may_say(replace(table.play, result=Result(winner=1, text="over")), 0)
    chatty = court(out_chat="yes")
    chatty.accuse("A")
    GAME.may_say(chatty.play, 0)


def test_players_may_claim_anything_in_table_talk() -> None:
    """WS: Winning the Game. WS-46: the game never shows unplayed cards; what is said in talk binds nobody."""
    table = court(hands={1: [starred(A, 1)]})
    for seat in range(3):
        GAME.may_say(table.play, seat)
    assert "A1*" not in str(GAME.public_view(table.play))


def _at(stage: str) -> Court:
    table = court(hands={0: [plain(B, 4)]})
    if stage in ("after the question", "before the end", "in step three"):
        table.question(1, "A1")
        table.take(1, "none")
    if stage in ("before the end", "in step three"):
        table.take(0, "go")
        table.move_to(CALL_A)
    if stage == "before the end":
        table.take(0, "go")
    return table


@pytest.mark.parametrize("moment", ["at the start", "after the question", "in step three", "before the end"])
def test_an_accusation_fits_any_moment_of_the_own_turn(moment: str) -> None:
    """WS: Winning the Game. WS-31: before, between and after the steps."""
    assert "accuse.A" in _at(moment).ids(0)


def test_no_accusation_inside_an_open_question() -> None:
    """WS: Winning the Game. WS-31: nor in another's turn."""
    table = court()
    table.take(0, "ask.1.A1")
    assert table.refused(0, Accuse(suspect=A)).ruling == "WS-31"
    assert table.refused(1, Accuse(suspect=A)).code == "rule/not-your-turn"


def test_only_the_suspect_on_the_stand_is_accused() -> None:
    """WS: Winning the Game. WS-32: not one in Chambers or in the Gallery."""
    stand, chambers = court(witness=A), court(witness=A, chambers=True)
    assert stand.refused(0, Accuse(suspect=B)).ruling == "WS-32"
    assert chambers.refused(0, Accuse(suspect=A)).ruling == "WS-32"
    assert stand.refused(0, Accuse(suspect=9)).code == "rule/no-such-suspect"
    assert not any(ident.startswith("accuse") for ident in chambers.ids(0))


def test_an_accusation_is_not_objected_to() -> None:
    """WS: Winning the Game. WS-33: the cards speak of questions."""
    table = _accused(A)
    assert table.prompt(1) is None
    assert table.refused(1, PlayCard(ref=table.play.since, card=OBJECT, seal=b"")).code == "rule/no-window"


def test_the_last_player_plays_on_alone() -> None:
    """WS: Winning the Game. WS-36: the others answer; he wins only by a right accusation."""
    table = court(2, hands={0: [plain(A, 1)]})
    table.accuse("A")
    assert (table.play.turn, table.play.result) == (1, None)
    table.take(1, "ask.0.A1")
    assert table.at(Stage.ANSWER)
    table.take(0, "show.A1.")
    table.take(1, "go")
    table.move_to(CALL_A)
    table.take(1, "go", "end")
    assert (table.play.turn, table.play.round) == (1, 2)


def test_the_last_player_wins_where_the_table_agreed() -> None:
    """WS: Winning the Game. WS-36: option `last_player_wins`."""
    table = court(2, last_player_wins="yes")
    table.accuse("A")
    assert table.play.result is not None
    assert table.play.result.winner == 1


def test_nobody_wins_when_all_have_accused_wrongly() -> None:
    """WS: Winning the Game. WS-37: the game is over without a winner."""
    table = court(2)
    table.accuse("A")
    table.accuse("A")
    assert table.play.result is not None
    assert table.play.result.winner is None
    assert GAME.due(table.play) == ()


def test_the_witness_stays_after_a_wrong_accusation() -> None:
    """WS: Winning the Game. WS-38: on the Stand."""
    table = court()
    table.accuse("A")
    assert (table.play.witness, table.play.chambers) == (A, False)


def test_a_wrong_accusation_may_cost_half_a_win_in_the_score() -> None:
    """WS: Winning the Game. WS-34: option `wrong_accusation=half` changes the score and what is said, not the play."""
    table = court(wrong_accusation="half")
    told: list[str] = []
    table.watch = lambda t: told.append(GAME.narrate(t.before, t.after, t.author, t.event, None, "public"))  # type: ignore[arg-type]
    table.accuse("A")
    assert table.play.out == (0,)
    assert "half a win" in told[-1]


def test_only_the_dealer_looks_and_at_the_whole_envelope() -> None:
    """WS: Winning the Game. WS-34, WS-45: at its three places, for the accuser, for this accusation."""
    table = _accused(A)
    look = Look(ref=table.play.since, places=(0, 1, 2), to=seat_role(0), verdict=False, box=b"")
    assert table.refused(1, look).ruling == "WS-45"
    for wrong in (replace(look, ref=0), replace(look, places=(0, 1, 3)), replace(look, to=seat_role(1))):
        assert table.refused(DEALER, wrong).code == "rule/other-look"
    table.game.check(table.play, DEALER, look, ts=0)


def test_an_opened_envelope_must_prove_the_accusation() -> None:
    """WS: Winning the Game. One starred card of each of the three innocent suspects, and only after a right verdict."""
    table = _accused(D)
    cards = OpenCards(cards=tuple((place, card, nonce(place)) for place, card in enumerate(INNOCENT)))
    assert table.refused(DEALER, cards).ruling == "WS-45"
    table.dealer(GAME.due(table.play)[0])
    table.game.check(table.play, DEALER, cards, ts=0)
    for faulty in (
        cards.cards[:2],
        ((0, plain(A, 1), b""), *cards.cards[1:]),
        ((0, starred(D, 1), b""), *cards.cards[1:]),
        ((0, starred(B, 2), b""), *cards.cards[1:]),
        ((0, 99, b""), *cards.cards[1:]),
    ):
        assert table.refused(DEALER, OpenCards(cards=faulty)).code == "rule/other-envelope"


def test_the_dealer_vouches_for_the_envelope() -> None:
    """WS: Winning the Game. A false verdict, look or opening contradicts the pile and is not signed."""
    table = _accused(A)
    shown = tuple(Disclosed(value=card, place=place) for place, card in enumerate(INNOCENT))
    look = Look(ref=table.play.since, places=(0, 1, 2), to=seat_role(0), verdict=False, box=b"")
    GAME.vouch_dealer(table.play, table.pile, look, shown)
    with pytest.raises(RuleError, match="rule/false-verdict"):
        GAME.vouch_dealer(table.play, table.pile, replace(look, verdict=True), shown)
    with pytest.raises(RuleError, match="rule/false-look"):
        GAME.vouch_dealer(table.play, table.pile, look, shown[::-1])
    false = OpenCards(cards=((0, starred(A, 2), b""), (1, starred(B, 1), b""), (2, starred(C, 1), b"")))
    with pytest.raises(RuleError, match="rule/false-envelope"):
        GAME.vouch_dealer(table.play, table.pile, false, None)


@pytest.mark.parametrize(
    "cards", [(EXCLUDED, *INNOCENT[1:]), (plain(A, 1), *INNOCENT[1:]), (*INNOCENT[:2], INNOCENT[0])]
)
def test_an_envelope_that_is_none_is_refused_by_the_accuser(cards: tuple[int, ...]) -> None:
    """WS: Winning the Game. What lies there was dealt wrong if it is not a starred card of each of three suspects."""
    table = _accused(D)
    shown = tuple(Disclosed(value=card, place=place) for place, card in enumerate(cards))
    look = Look(ref=table.play.since, places=(0, 1, 2), to=seat_role(0), verdict=True, box=b"")
    with pytest.raises(RuleError, match="rule/false-look"):
        GAME.accept(table.play, look, shown)


def test_statements_say_what_they_open() -> None:
    """WS: Winning the Game. The envelope's openings, the look's box; a played card's seal."""
    cards = tuple((place, card, nonce(place)) for place, card in enumerate(INNOCENT))
    assert GAME.openings(OpenCards(cards=cards)) == cards
    look = Look(ref=1, places=(0, 1, 2), to=seat_role(2), verdict=False, box=b"box")
    assert GAME.boxes(look) == (("seat2", b"box"),)
    assert GAME.seals(PlayCard(ref=1, card=OBJECT, seal=seal(OBJECT))) == ((OBJECT, seal(OBJECT)),)
    assert (GAME.seals(look), GAME.openings(look), GAME.boxes(ask(1, "A1"))) == ((), (), ())
