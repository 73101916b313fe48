"""MS: How to Play. The sentence that each viewer reads, and what each is shown."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from tests.missing_suspect.town import BLUE, CANARY, GAME, NAMES, RED, WITNESS, Town, card, cards, setup, town
from tests.support.chance import Chance

from chambers.rules.errors import RuleError
from chambers.rules.missing_suspect.edition import ChartResult
from chambers.rules.missing_suspect.events import Draw, Swap, Tell
from chambers.rules.roles import seat_role
from chambers.rules.simulator import Told
from chambers.rules.terms import PUBLIC, Disclosed, Viewer


def _listen(table: Town, *viewers: str) -> dict[str, list[str]]:
    """Return the lists that fill with what each viewer reads while the table goes on."""
    heard: dict[str, list[str]] = {viewer: [] for viewer in viewers}

    def watch(told: Told) -> None:
        for viewer, lines in heard.items():
            opened = told.seen_by(viewer)
            lines.append(GAME.narrate(told.before, told.after, told.author, told.event, opened, Viewer(viewer)))

    table.watch = watch
    return heard


def _heard(act: Callable[[Town], None], table: Town, *viewers: str) -> dict[str, str]:
    heard = _listen(table, *viewers)
    act(table)
    return {viewer: "\n".join(lines) for viewer, lines in heard.items()}


def test_a_drawn_card_is_named_to_its_seat_alone() -> None:
    """MS: How to Draw Clue Cards. Everybody reads that a card was drawn, one seat reads which."""
    table = town(top=cards("Torn Map"))
    table.put(0, "g7")
    table.drive("e7", count=2)
    heard = _heard(lambda one: one.take(0, "yes"), table, "seat0", "seat1", PUBLIC)
    assert "You draw a clue card: Torn Map / Overnight Case." in heard["seat0"]
    assert "Ada draws a clue card." in heard["seat1"]
    assert "Torn Map" not in heard["seat1"] + heard[PUBLIC]


def test_a_number_is_told_to_who_looks_and_to_nobody_else() -> None:
    """MS: Checking Suspects on the Board. He secretly records its number."""
    table = town()
    table.put(0, "b1")
    heard = _heard(lambda one: one.drive("b2"), table, "seat0", PUBLIC)
    assert "It is #7." in heard["seat0"]
    assert "Ada looks under the red suspect A." in heard[PUBLIC]
    assert "7" not in heard[PUBLIC]


def test_a_trade_is_read_by_its_two_ends() -> None:
    """MS-26: the cards of a trade are named to giver and receiver, and before the hand-over to their owner only."""
    table = town(held={0: cards("Old Key"), 1: cards("Torn Map")}, cases={0: "A"})
    table.result(ChartResult.TRADE)
    offer = next(ident for ident in table.ids(0) if ident.startswith("offer.1"))
    heard = _heard(lambda one: one.take(0, offer), table, "seat0", "seat1", "seat2", PUBLIC)
    assert "You offer Bo a trade sight unseen and lay Old Key / Face at the Window face down." in heard["seat0"]
    assert "Old Key" not in heard["seat1"] + heard["seat2"] + heard[PUBLIC]
    heard = _heard(lambda one: one.take(1, one.ids(1)[0]), table, "seat0", "seat1", "seat2", PUBLIC)
    assert "You hand Torn Map / Overnight Case face down to Ada." in heard["seat1"]
    assert "Ada hands Old Key / Face at the Window face down to you." in heard["seat1"]
    assert "Bo hands a clue card face down to Ada." in heard["seat2"]
    assert "Torn Map" not in heard["seat2"] + heard[PUBLIC]


def test_a_told_number_is_read_by_asker_and_teller() -> None:
    """MS-27: written on a slip of paper, without the others seeing it."""
    table = town(cases={0: "A"})
    table.know(1, BLUE)
    table.result(ChartResult.NUMBER)
    heard = _heard(lambda one: one.take(0, "point.1.b"), table, "seat0", "seat1", "seat2")
    assert "Bo passes the number on a slip to you. It is #3." in heard["seat0"]
    assert "It is #3." in heard["seat1"]
    assert "#3" not in heard["seat2"]


def test_every_forced_thing_says_its_ruling() -> None:
    """MS-5, MS-14, MS-33, MS-44: a stay, a skipped result, a return and a drop name what they rest on."""
    table = town()
    table.put(0, "k1")
    table.put(1, "j1")
    table.put(2, "l1")
    assert "(MS-5)" in _heard(lambda one: one.roll(1), table, PUBLIC)[PUBLIC]
    table = town(top=(WITNESS,))
    table.put(0, "g7")
    table.drive("e7", count=2)
    assert "(MS-14)" in _heard(lambda one: one.take(0, "yes"), table, PUBLIC)[PUBLIC]
    table = town()
    table.put(0, "i9")
    assert "(MS-14)" in _heard(lambda one: one.drive("i8"), table, PUBLIC)[PUBLIC]
    table = town(held={0: cards("Torn Curtain")}, cases={0: "H"})
    table.carry(0, RED)
    table.change(stale=(True, False, False))
    assert "(MS-33)" in _heard(lambda one: one.begin(0), table, PUBLIC)[PUBLIC]
    table = town()
    table.carry(1, RED)
    assert "(MS-44)" in _heard(lambda one: one.drop(1), table, PUBLIC)[PUBLIC]


@pytest.mark.parametrize("viewer", ["seat0", "seat1", PUBLIC])
def test_the_player_is_you_to_himself_and_a_name_to_others(viewer: str) -> None:
    """MS: How to Play. Sentences are in the second person for the viewer's own seat."""
    table = town()
    heard = _heard(lambda one: one.drive("g7", count=2), table, viewer)[viewer]
    assert heard.startswith("You throw 2." if viewer == "seat0" else "Ada throws 2.")
    assert ("your turn" in heard) == (viewer == "seat1")


def test_who_becomes_the_dealer_reads_it_as_a_sentence_of_its_own() -> None:
    """MS: Start of Play. A sentence begins with a capital, also where it begins with the reader."""
    table = Town(GAME, setup(2, None), NAMES[:2], draw=Chance(4))
    table.throw(2)

    heard = _heard(lambda town: town.throw(5), table, "seat1", "public")

    assert heard["seat1"] == "You throw 5 for Dealer. You are the Dealer and place the suspects."
    assert heard["public"] == f"{NAMES[1]} throws 5 for Dealer. {NAMES[1]} is the Dealer and places the suspects."


def test_the_public_view_holds_no_secret() -> None:
    """MS-37: two tables that differ in cards, cases and numbers only look the same to everybody."""
    one = town(held={0: cards("Torn Map")}, cases={0: "H"})
    other = town(held={0: cards("Old Key")}, cases={0: "A"})
    assert GAME.public_view(one.play) == GAME.public_view(other.play)
    assert one.play == other.play


def test_the_private_view_shows_hand_case_and_check_list() -> None:
    """MS: Solving a Detective Case. The case's four clues, the cards with their numbers, and what they prove."""
    table = town(held={0: cards(*CANARY)}, cases={0: "H"})
    view = GAME.private_view(table.play, table.hands[0])
    assert view["hand"]["case"]["letter"] == "H"
    assert [name for _, name in view["hand"]["case"]["clues"]] == [
        "Overnight Case",
        "Hidden Gun",
        "Missing Gems",
        "Face at the Window",
    ]
    assert view["hand"]["solved"] == 7
    assert ["H1", "Overnight Case", 1] in view["hand"]["cards"][0]["clues"]


def test_numbers_of_clues_are_shown_once_held_if_the_table_wants_it() -> None:
    """MS: Collecting Clues. The option `show_values`: numbers of clues that the seat has held."""
    for values, expected in (({}, {"C3", "H1"}), ({"show_values": "no"}, set())):
        table = town(top=cards("Torn Map"), **values)  # type: ignore[arg-type]
        table.put(0, "g7")
        table.drive("e7", count=2)
        table.take(0, "yes")
        assert set(GAME.private_view(table.play, table.hands[0])["sheet"]["values"]) == expected


def test_a_move_says_what_stands_where() -> None:
    """MS: Moves on the Board. An option names address, kind and suspect, and a tunnel jump."""
    table = town()
    table.put(0, "b1")
    table.roll(3)
    labels = {option.id: option.label for option in table.asked(0).options}
    assert labels["move.b2"] == "b2 S spot Rowing Club, red suspect A"
    assert labels["move.a3"] == "a3 red dot"
    assert labels["move.m9"].endswith(", by tunnel")


def test_a_lapse_says_what_the_vault_does() -> None:
    """MS-44: a substitute's choice is publicly marked as such."""
    table = town(turn_limit="5")
    table.put(0, "e9")
    table.roll(2)
    heard = _heard(lambda one: one.lapse(GAME.due(one.play)[0]), table, "seat0", "seat1")
    assert heard["seat0"] == "Time has run out for you: your vault drives as far as it can."
    assert heard["seat1"] == "Time has run out for Ada: Ada's vault drives as far as it can."


def test_the_receiver_of_a_box_checks_what_it_holds() -> None:
    """MS-24, MS-28: a card without its seal, another place, another clue, a number out of range."""
    table = town(held={0: cards("Old Key"), 1: cards("Torn Map")}, cases={0: "A"})
    table.result(ChartResult.CLUE)
    table.take(0, next(ident for ident in table.ids(0) if ident.startswith("offer.1")))
    table.choose(0, next(option for option in table.asked(0).options if option.label == "Torn Map"))
    swap = Swap(ref=table.play.asked.ref, to=seat_role(0), box=b"")
    good, wrong = card("Torn Map"), card("Sealed Bid")
    GAME.accept(table.play, swap, (Disclosed(value=good, seal=bytes(32)),))
    draw = Draw(ref=0, place=3, to=seat_role(0), box=b"")
    tell = Tell(ref=0, place=1000, to=seat_role(0), box=b"")
    bad = [
        (swap, (Disclosed(value=wrong, seal=bytes(32)),)),
        (swap, (Disclosed(value=good),)),
        (swap, ()),
        (swap, (Disclosed(value=WITNESS, seal=bytes(32)),)),
        (draw, (Disclosed(value=good, seal=bytes(32), place=4, nonce=bytes(32)),)),
        (draw, (Disclosed(value=27, seal=bytes(32), place=3, nonce=bytes(32)),)),
        (tell, (Disclosed(value=2, place=1000, nonce=bytes(32)),)),
        (tell, (Disclosed(value=5, place=1001, nonce=bytes(32)),)),
    ]
    for event, opened in bad:
        with pytest.raises(RuleError):
            GAME.accept(table.play, event, opened)


def test_a_players_name_begins_a_sentence_as_the_player_spells_it() -> None:
    """MS: How to Play. Only what the game says itself has a capital there: a name is the player's own."""
    table = town(top=cards("Torn Map"))
    told: list[Told] = []
    table.put(0, "g7")
    table.drive("e7", count=2)
    table.watch = told.append
    table.take(0, "yes")
    entry = told[-1]
    renamed = msgspec.structs.replace(entry.after.town, names=("ada", "Bo"))
    named = msgspec.structs.replace(entry.after, town=renamed)
    public, own = (
        GAME.narrate(entry.before, named, entry.author, entry.event, None, Viewer(who)) for who in (PUBLIC, "seat0")
    )
    assert public.startswith("ada keeps the card.")
    assert own.startswith("You keep the card.")
