"""What players read: sentences in their own person, and views with everything a screen or a bot needs."""

from __future__ import annotations

import msgspec
import pytest
from tests.support.chance import Chance
from tests.witness_stand.court import (
    ANY_CORNER,
    BURGER,
    CALL_A,
    CHAMBERS_C,
    DISMISSED,
    EXCLUDED,
    FIFTH,
    GAME,
    NAMES,
    OBJECT,
    OVERRULED,
    PERRY,
    A,
    Court,
    court,
    plain,
    setup,
    starred,
)

from chambers.rules.events import Deal
from chambers.rules.roles import DEALER
from chambers.rules.simulator import Told
from chambers.rules.terms import ALL, PUBLIC, Disclosed, Viewer


class _Reader:
    """Collects what viewers read of the last entry of a table."""

    def __init__(self, table: Court) -> None:
        self.told: list[Told] = []
        table.watch = self.told.append

    def reads(self, viewer: str, back: int = 1) -> str:
        entry = self.told[-back]
        opened = entry.opened if viewer == ALL else entry.seen_by(viewer)
        return GAME.narrate(entry.before, entry.after, entry.author, entry.event, opened, Viewer(viewer))


def test_a_question_is_told_with_its_words() -> None:
    """WS: Questioning a Suspect. Read aloud with its number and suspect, to each in the right person."""
    table = court()
    reader = _Reader(table)
    table.take(0, "ask.1.A3")
    text = 'in public question A3 of Ann Ash: "Where were you at 3 o\'clock on the night in question, witness A?"'
    assert reader.reads(PUBLIC) == f"Ada asks Bo {text}"
    assert reader.reads("seat0") == f"You ask Bo {text}"
    assert reader.reads("seat1") == f"Ada asks you {text}"


def test_answers_are_told_to_those_who_may_know() -> None:
    """WS: Questioning a Suspect. WS-16, WS-17: to all; or to its two ends, and to all after the reveal."""
    table = court(hands={1: [starred(A, 3), plain(A, 3)]})
    reader = _Reader(table)
    table.question(1, "A3")
    table.take(1, "show.A3*")
    assert reader.reads(PUBLIC) == 'Bo answers A3* "starred words A3" (starred); Ada takes the card.'
    assert reader.reads("seat1") == 'You answer A3* "starred words A3" (starred); Ada takes the card.'
    table.take(0, "go")
    table.move_to(CHAMBERS_C)
    table.change(witness=A)
    table.question(1, "A3")
    table.take(1, "pass.A3.")
    assert reader.reads(PUBLIC) == reader.reads("seat2") == "Bo passes a card face down to Ada."
    assert reader.reads("seat0") == 'Bo passes A3. "plain words A3" face down to you.'
    assert reader.reads("seat1") == 'You pass A3. "plain words A3" face down to Ada.'
    assert reader.reads(ALL) == 'Bo passes A3. "plain words A3" face down to Ada.'


def test_a_no_and_excluded_evidence_are_told() -> None:
    """WS: Action Cards. WS-19: a public Evidence Excluded! is named."""
    table = court(hands={1: [EXCLUDED]})
    reader = _Reader(table)
    table.question(1, "A3")
    table.take(1, "show.EXCLUDED")
    assert reader.reads(PUBLIC) == "Bo shows Evidence Excluded!; Ada takes the card."
    table = court()
    reader = _Reader(table)
    table.question(1, "A3")
    table.take(1, "none")
    assert [reader.reads(PUBLIC), reader.reads("seat1")] == ["Bo has no answer to A3.", "You have no answer to A3."]


def test_objections_are_told() -> None:
    """WS: Action Cards. WS-23, WS-25: played, overruled, sustained by the last pass, or by time."""
    table = court(3, hands={1: [OBJECT], 2: [OVERRULED]})
    reader = _Reader(table)
    table.take(0, "ask.2.A1")
    table.ok(2)
    assert reader.reads(PUBLIC) == "Cy lets it pass."
    table.take(1, "object")
    assert reader.reads("seat1") == "You play I Object!"
    table.take(2, "overrule")
    assert reader.reads(PUBLIC) == "Cy plays Objection Overruled! The question stands."
    table = court(3, hands={1: [OBJECT]})
    reader = _Reader(table)
    table.take(0, "ask.2.A1")
    table.take(1, "object")
    table.pass_all()
    assert reader.reads(PUBLIC) == "Cy lets it pass. The objection is sustained."
    table = court(3, hands={1: [OBJECT]})
    reader = _Reader(table)
    table.take(0, "ask.2.A1")
    table.take(1, "object")
    table.lapse(GAME.due(table.play)[0])
    assert reader.reads(PUBLIC) == "The time to overrule has run out: the objection is sustained."


def test_an_objection_that_nothing_can_overrule_is_told_as_sustained() -> None:
    """WS: Action Cards. WS-25: when every overruling card has been played."""
    table = court(3, hands={1: [OBJECT]})
    table.change(played=(0, 5, 0, 0))
    reader = _Reader(table)
    table.take(0, "ask.2.A1")
    table.take(1, "object")
    assert reader.reads(PUBLIC) == "Bo plays I Object! The objection is sustained."


@pytest.mark.parametrize(
    ("space", "ident", "roll", "choice"),
    [
        (CALL_A, "go", "Call Witness A (space 1). Ann Ash is called to the Stand.", "Ada goes on."),
        (
            CHAMBERS_C,
            "go",
            "Call Witness C, Confidential (space 2). Cat Cedar is called to the door of Chambers.",
            "Ada goes on.",
        ),
        (PERRY, "place.B", "Perry Mason (space 0).", "Ada puts Ben Birch on the Stand."),
        (7, "place.none", "Della Street (space 7).", "Ada puts nobody on the Stand."),
        (ANY_CORNER, "move.7", "Go to Any Corner (space 20).", "Ada goes to the corner Della Street (space 7)."),
        (ANY_CORNER, "move.20", "Go to Any Corner (space 20).", "Ada stays on the space."),
        (BURGER, "pass.D5.", "Hamilton Burger (space 5).", "Ada gives a card face down to Cy."),
        (FIFTH, "end", "Take the Fifth (space 17).", "Ada ends the turn. Round 1: Bo's turn."),
    ],
)
def test_a_move_is_told_with_its_space_and_choice(space: int, ident: str, roll: str, choice: str) -> None:
    """WS: Special Spaces. Where the pawn lands, what the space does, and what is chosen."""
    table = court()
    reader = _Reader(table)
    table.take(0, "go")
    table.move_to(space)
    assert reader.reads(PUBLIC) == f"Ada rolls 1 and moves to {roll}"
    assert reader.reads("seat0").startswith("You roll 1 and move to ")
    table.take(0, ident)
    assert reader.reads(PUBLIC) == choice


def test_an_empty_hand_at_hamilton_burger_is_told() -> None:
    """WS: Special Spaces, Hamilton Burger. WS-27: nothing is given."""
    table = court(hands={0: []})
    reader = _Reader(table)
    table.take(0, "go")
    table.move_to(BURGER)
    assert reader.reads(PUBLIC).endswith("No card can be given.")


def test_accusations_are_told() -> None:
    """WS: Winning the Game. WS-34: the envelope only to the wrong accuser; everything after a right one."""
    table = court()
    reader = _Reader(table)
    table.accuse("A")
    wrong = "The dealer looks into the envelope: Ada's accusation of Ann Ash is wrong."
    tail = "From now on Ada only answers questions. Round 1: Bo's turn."
    assert reader.reads("seat1") == f"{wrong} From now on Ada only answers questions. Round 1: your turn."
    assert reader.reads(PUBLIC) == f"{wrong} {tail}"
    assert 'The envelope holds A1* "starred words A1", ' in reader.reads("seat0")
    table.change(witness=3)
    table.accuse("D")
    assert reader.reads(PUBLIC).startswith('The dealer opens the envelope: A1* "starred words A1", ')
    assert reader.reads(PUBLIC).endswith('". Bo wins: Dan Dogwood did it.')
    assert reader.reads(PUBLIC, 2).endswith("Bo's accusation of Dan Dogwood is right.")
    assert reader.reads("seat1", 3) == "You accuse Dan Dogwood."


def test_the_throws_for_the_first_turn_are_told() -> None:
    """WS: Setting Up the Game. WS-41: corners, throws, ties, and who begins."""
    table = Court(GAME, setup(2), NAMES[:2], draw=Chance(1))
    reader = _Reader(table)
    table.take(0, "corner.7")
    assert reader.reads(PUBLIC) == "Ada starts on Della Street (space 7)."
    table.take(1, "corner.0")
    table.roll(4)
    assert reader.reads(PUBLIC) == "Ada throws 4 for the first turn."
    table.roll(4)
    assert reader.reads(PUBLIC) == "Bo throws 4 for the first turn. A tie: Ada, Bo throw again."
    table.roll(2)
    table.roll(3)
    assert reader.reads("seat1") == "You throw 3 for the first turn. Round 1: your turn."
    assert table.play.turn == 1


def test_the_deal_is_told_with_the_own_cards_only() -> None:
    """WS: Setting Up the Game. WS-45: counts to everybody, cards to their holder."""
    table = court()
    cards = (Disclosed(value=OBJECT), Disclosed(value=starred(A, 1)))
    deal = Deal(seals=(), places=(), boxes=())
    counts = "The dealer lays three starred answers in the envelope and deals the rest: 1 to"
    public = GAME.narrate(None, table.play, DEALER, deal, None, PUBLIC)
    assert public == f"{counts} Ada, 1 to Bo, 1 to Cy."
    own = GAME.narrate(None, table.play, DEALER, deal, cards, Viewer("seat0"))
    assert own == f"{counts} you, 1 to Bo, 1 to Cy. Your cards: A1*, OBJECT."
    assert GAME.narrate(None, table.play, DEALER, deal, cards, ALL).endswith("Cards: A1*, OBJECT.")


def test_lapses_and_drops_are_told() -> None:
    """WS-48, WS-49: that time ran out and what the vault does; that a seat is gone, and whose turn it is then."""
    table = court(turn_limit="5", answer_limit="5")
    reader = _Reader(table)
    table.lapse(GAME.due(table.play)[0])
    assert reader.reads(PUBLIC) == "Time has run out for Ada: Ada's vault asks nothing."
    table.question(1, "A1")
    table.lapse(GAME.due(table.play)[0])
    assert reader.reads("seat1") == "Time has run out for you: your vault answers, with the unstarred card first."
    table.drop(0)
    assert reader.reads(PUBLIC) == (
        "Ada is dropped from the table; the cards there are out of play. Round 1: Bo's turn."
    )
    table.take(1, "ask.2.A1")
    table.lapse(GAME.due(table.play)[0])
    assert reader.reads(PUBLIC) == "The time to object has run out."


def test_witness_dismissed_is_told() -> None:
    """WS: Action Cards. WS-26: who goes to the Gallery, and whose turn it is."""
    table = court(hands={0: [DISMISSED]})
    reader = _Reader(table)
    table.take(0, "go")
    table.move_to(CALL_A)
    table.take(0, "go", "dismiss")
    assert reader.reads(PUBLIC) == "Ada plays Witness Dismissed. Ann Ash goes to the Gallery. Round 1: Bo's turn."


def test_the_public_view_shows_what_everybody_sees() -> None:
    """WS: Play. Seats, pawns, the witness, the open question, and how many action cards have been played."""
    table = court(hands={1: [OBJECT]})
    table.put(2, FIFTH)
    table.take(0, "ask.1.A2")
    table.take(1, "object")
    view = GAME.public_view(table.play)
    assert view["turn"]["seat"] == 0
    assert (view["turn"]["step"], view["turn"]["stage"], view["turn"]["round"]) == (1, "overrule", 1)
    assert view["seats"][2] == {
        "name": "Cy",
        "cards": 1,
        "space": FIFTH,
        "space_name": "Take the Fifth",
        "out": False,
        "dropped": False,
        "protected": True,
    }
    assert view["witness"] == {"suspect": "A", "where": "stand"}
    assert (view["question"]["target"], view["question"]["question"], view["question"]["objector"]) == (1, "A2", 1)
    assert view["actions"]["OBJECT"] == {"of": 8, "played": 1}
    assert (view["waiting"], view["result"]) == ([0, 1, 2], None)


def test_the_public_view_of_a_game_that_is_over() -> None:
    """WS: Winning the Game. Who was accused, who is innocent, who is out, and the result."""
    table = court(2)
    table.accuse("A")
    table.change(witness=3)
    table.accuse("D")
    view = GAME.public_view(table.play)
    assert (view["innocent"], view["accused"]) == (["A"], "D")
    assert view["result"] == {"winner": 1, "text": "Bo wins: Dan Dogwood did it."}
    assert (view["seats"][0]["out"], view["seats"][0]["space"]) == (True, None)


def test_the_private_view_is_the_hand_and_the_sheet() -> None:
    """WS: Questioning a Suspect. WS-47: the own cards, where answers were seen, and who said no."""
    table = court(hands={0: [OBJECT], 1: [starred(A, 1), plain(A, 2)]})
    table.question(1, "A1")
    table.take(1, "show.A1*")
    table.take(0, "go")
    table.move_to(3)
    table.question(2, "A2")
    table.take(2, "none")
    view = GAME.private_view(table.play, table.hands[0])
    assert view["hand"] == [{"kind": 1, "code": "A1*"}, {"kind": OBJECT, "code": "OBJECT"}]
    assert view["sheet"]["A1"] == {"starred": {"holder": 0, "since": 1}, "plain": None, "denied": []}
    assert view["sheet"]["A2"] == {"starred": None, "plain": None, "denied": [2]}
    assert set(view["sheet"]) == {f"{letter}{n}" for letter in "ABCD" for n in range(1, 6)}
    assert view["envelope"] is None


def test_the_private_view_of_a_wrong_accuser_has_the_envelope() -> None:
    """WS: Winning the Game. WS-34: the three cards, and their answers marked as lying in the envelope."""
    table = court()
    table.accuse("A")
    view = GAME.private_view(table.play, table.hands[0])
    assert view["envelope"] == ["A1*", "B1*", "C1*"]
    assert view["sheet"]["B1"]["starred"] == {"holder": "envelope", "since": 1}
    assert GAME.private_view(table.play, table.hands[1])["sheet"]["B1"]["starred"] is None


def test_notes_are_no_part_of_the_game() -> None:
    """WS: Setting Up the Game. WS-47: a sheet is private: no public view has any of it."""
    view = GAME.public_view(court().play)
    assert not {"hand", "sheet", "notes", "envelope"} & set(view)


def test_a_players_name_begins_a_sentence_as_the_player_spells_it() -> None:
    """WS: Questioning a Suspect. Only what the game says itself has a capital there: a name is the player's own."""
    table = court()
    reader = _Reader(table)
    table.take(0, "ask.1.A3")
    entry = reader.told[-1]
    renamed = msgspec.structs.replace(entry.after.court, names=("ada", "Bo"))
    named = msgspec.structs.replace(entry.after, court=renamed)
    public, own = (
        GAME.narrate(entry.before, named, entry.author, entry.event, None, Viewer(who)) for who in (PUBLIC, "seat0")
    )
    assert public.startswith("ada asks Bo ")
    assert own.startswith("You ask Bo ")
