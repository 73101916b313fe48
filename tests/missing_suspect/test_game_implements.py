"""MS: Game Implements. Which boxes and tables can be played, and what the door says about a statement."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace
from tests.missing_suspect.town import EDITION, GAME, cards, setup, town

from chambers.rules import new_table
from chambers.rules.errors import RuleError
from chambers.rules.events import TABLE_EVENTS
from chambers.rules.missing_suspect.edition import ChartResult, Edition, most_seats
from chambers.rules.missing_suspect.events import Draw, Offer, Stow
from chambers.rules.roles import DEALER, seat_role


def _why(box: Edition, seats: int = 3) -> str:
    with pytest.raises(RuleError) as caught:
        GAME.check_setup(setup(seats, box))
    return caught.value.sentence


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_two_to_six_players_sit_down(seats: int) -> None:
    """MS: Game Implements. For 2 to 6 players."""
    GAME.check_setup(setup(seats))
    assert GAME.new_play(setup(seats), ("x",) * seats, seq=0, ts=0).seats == seats


def test_too_few_two_clue_cards_seat_fewer_players() -> None:
    """MS: Game Implements. Three cards a seat and one: sixteen two-clue cards are enough for five."""
    sparse = replace(EDITION, cards=EDITION.cards[:16], question_witness=12)
    assert (most_seats(EDITION), most_seats(sparse)) == (6, 5)
    GAME.check_setup(setup(5, sparse))
    assert _why(sparse, 6) == "Two to 5 players sit at a table of this edition."


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cards": EDITION.cards[:-1]}, "28 clue cards"),
        ({"suspects": EDITION.suspects[1:]}, "7 suspects"),
        ({"chart": EDITION.chart[1:]}, "column of six"),
        ({"chart": ((ChartResult.NEW,) * 6, *EDITION.chart[1:])}, "another result"),
        ({"cards": ((0, 1), *EDITION.cards[1:])}, "different cases"),
        ({"cards": ((0, 32), *EDITION.cards[1:])}, "that there is not"),
        ({"clues": (replace(EDITION.clues[0], value=4), *EDITION.clues[1:])}, "1, 2 or 3"),
        ({"clues": (replace(EDITION.clues[0], case=1), *EDITION.clues[1:])}, "four clues"),
        ({"game": "witness-stand"}, "not one of"),
        ({"board": replace(EDITION.board, nodes=EDITION.board.nodes[1:])}, "line"),
        ({"board": replace(EDITION.board, lines=(*EDITION.board.lines, EDITION.board.lines[0]))}, "line"),
    ],
)
def test_a_box_that_is_not_whole_is_refused(changes: dict[str, object], sentence: str) -> None:
    """MS: Game Implements. 28 Clue cards, 8 Case cards, one chart, 7 suspects, a board."""
    assert sentence in _why(replace(EDITION, **changes))


def test_options_are_complete_and_known() -> None:
    """MS-3, MS-25, MS-37: the options that are marked so; each has the ruling as its default."""
    defaults = {spec.name: spec.default for spec in GAME.OPTIONS}
    assert defaults == {
        "retrace": "line",
        "empty_ask": "none",
        "open_cases": "no",
        "show_values": "yes",
        "turn_limit": "none",
        "answer_limit": "none",
        "answer_floor_ms": "1500",
        "stall_s": "60",
    }
    for name, value in (
        ("retrace", "corner"),
        ("turn_limit", "soon"),
        ("stall_s", "1234567"),
        ("turn_limit", "seconds"),
    ):
        with pytest.raises(RuleError, match="Option"):
            new_table(setup(3, None, **{name: value}))


def test_every_event_reads_back_as_it_was_written() -> None:
    """MS: Game Implements. One decoder a game: each tag is its own, and none is one of the table's."""
    tags = [event.__struct_config__.tag for event in GAME.EVENTS]
    assert len(set(tags)) == len(tags)
    assert not set(tags) & {event.__struct_config__.tag for event in TABLE_EVENTS}
    event = Stow(ref=7, place=3001, commit=bytes(32), box=b"box")
    raw = msgspec.msgpack.encode(event)
    union: object = GAME.EVENTS[0]
    for kind in GAME.EVENTS[1:]:
        union = union | kind
    assert msgspec.msgpack.Decoder(union).decode(raw) == event


def test_a_stowed_card_is_boxed_to_the_dealer_and_committed_to() -> None:
    """MS: Game Implements. What is put under a pile is the dealer's to hand out again (MS-43)."""
    event = Stow(ref=7, place=3000, commit=b"c" * 32, box=b"box")
    assert GAME.boxes(event) == ((DEALER, b"box"),)
    table = town(held={0: cards("Torn Map", "Old Key", "Forged Will")}, top=cards("Sealed Bid"))
    table.put(0, "g7")
    table.drive("e7", count=2)
    table.take(0, "yes")
    table.take(0, table.ids(0)[0])
    assert [place for place, _ in GAME.commitments(table.play)] == [3000]


def test_an_offer_binds_without_a_box() -> None:
    """MS-24: the hash of a box is all that an offer carries."""
    event = Offer(to=seat_role(1), offer=b"h" * 32)
    assert GAME.boxes(event) == ()
    assert GAME.offer(event) == (seat_role(1), b"h" * 32)
    assert GAME.offer(Offer(to=seat_role(1), offer=b"")) is None
    assert GAME.offered(town().play, Draw(ref=0, place=0, to=seat_role(0), box=b"")) is None


def test_nothing_private_shows_in_a_repr() -> None:
    """MS: Game Implements. A hand, an option and a town say nothing of what they hold."""
    table = town(held={0: cards("Torn Map")}, cases={0: "H"})
    table.know(0, 0)
    assert repr(table.hands[0]) == "Hand(seat=0, ...)"
    assert repr(table.pile) == "Pile(...)"
    assert "Torn" not in repr(table.play)
