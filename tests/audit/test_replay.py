"""A replay tells a record again: the public story, what one seat saw, or everything once it is revealed."""

from __future__ import annotations

import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import replay
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import read_event, read_leaf, read_statement
from chambers.rules import narrate
from chambers.rules.events import Reveal, TableEvent
from chambers.rules.roles import Role, seat_role
from chambers.rules.terms import ALL, PUBLIC, Viewer
from chambers.rules.witness_stand.edition import Edition, card_code, card_text, is_answer
from chambers.rules.witness_stand.events import Pass

PLAYED = play_game(seats=3, seed=5, options={"step3": "always"})


def event_of(docket: Docket, seq: int) -> TableEvent:
    return read_event(bytes(read_statement(read_leaf(docket.leaves[seq]).stmt).ev), "witness-stand")


def without_reveals(played: PlayedGame) -> Docket:
    """Return the record as it stood before anybody revealed anything."""
    return played.record(played.log.leaves[: played.size_after_byes])


def passes(docket: Docket) -> list[tuple[int, Pass]]:
    found = [(seq, event_of(docket, seq)) for seq in range(1, len(docket.leaves))]
    return [(seq, event) for seq, event in found if isinstance(event, Pass)]


def test_every_entry_is_told_once_in_order_with_the_table_after_it() -> None:
    told = list(replay(PLAYED.docket()))

    assert [item.seq for item in told] == list(range(PLAYED.log.size))
    assert told[-1].table == PLAYED.table
    assert all(item.sentence for item in told)


@pytest.mark.parametrize("viewer", ["public", "seat0", "seat1", "seat2"])
def test_a_viewer_is_told_word_for_word_what_it_was_told_while_the_game_ran(viewer: str) -> None:
    live = [
        narrate(item.before, item.after, item.author, item.event, seen.get(Role(viewer)), Viewer(viewer))
        for item, seen in PLAYED.said
    ]

    assert [item.sentence for item in replay(PLAYED.docket(), Viewer(viewer))] == live


def test_a_passed_card_is_told_to_its_two_ends_and_to_all_and_to_nobody_else() -> None:
    docket = PLAYED.docket()
    told = {viewer: list(replay(docket, Viewer(viewer))) for viewer in (PUBLIC, ALL, *map(seat_role, range(3)))}
    hidden, edition = passes(docket), PLAYED.edition
    assert isinstance(edition, Edition)

    assert hidden
    for seq, event in hidden:
        giver = read_statement(read_leaf(docket.leaves[seq]).stmt).author
        ends = {giver, event.to, ALL}
        card = next(seen[event.to] for item, seen in PLAYED.said if item.seq == seq)[0].value
        name = card_code(card) if is_answer(card) else card_text(edition, card)
        assert {viewer for viewer in told if name in told[viewer][seq].sentence} == ends


def test_the_public_replay_needs_no_reveal() -> None:
    docket = without_reveals(PLAYED)

    assert len(list(replay(docket))) == len(docket.leaves)


def test_a_seats_replay_needs_that_seats_reveal() -> None:
    def silence(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        return None if isinstance(event, Reveal) and role == "seat1" else event

    docket = play_game(seats=3, seed=5, event=silence).docket()

    with pytest.raises(ProtocolError, match="replay/not-revealed"):
        list(replay(docket, Viewer("seat1")))
    assert list(replay(docket, Viewer("seat0")))


def test_all_are_told_everything_when_one_seat_refuses_since_the_other_ends_open_its_boxes() -> None:
    def silence(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        return None if isinstance(event, Reveal) and role == "seat1" else event

    docket = play_game(seats=3, seed=5, event=silence).docket()

    assert [item.seq for item in replay(docket, ALL)] == list(range(len(docket.leaves)))


def test_a_replay_before_any_reveal_shows_hidden_cards_to_nobody() -> None:
    for viewer in (ALL, Viewer("seat0")):
        with pytest.raises(ProtocolError, match="replay/not-revealed"):
            list(replay(without_reveals(PLAYED), viewer))


@pytest.mark.parametrize("viewer", ["seat3", "seat9", "gm", ""])
def test_there_is_no_replay_for_a_viewer_that_was_not_at_the_table(viewer: str) -> None:
    with pytest.raises(ProtocolError, match="replay/viewer"):
        list(replay(PLAYED.docket(), Viewer(viewer)))


def test_a_broken_record_is_told_up_to_the_entry_that_breaks_it() -> None:
    docket = PLAYED.docket()
    broken = Docket(docket.edition, (*docket.leaves[:20], docket.leaves[30]), docket.note)
    told: list[int] = []

    with pytest.raises(ProtocolError, match="entry 20"):
        told.extend(item.seq for item in replay(broken))


def test_a_sentence_that_ends_in_a_quoted_one_has_one_full_stop() -> None:
    sentences = [told.sentence for told in replay(PLAYED.docket(), ALL)]

    assert any("envelope: " in sentence for sentence in sentences)
    assert not [sentence for sentence in sentences if '.".' in sentence]
