"""From everything that is public during the game, nobody can work out a card, the envelope or a roll to come."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.audit.honest_game import EventHook, PlayedGame, play_game

from chambers.audit import Verdict, audit
from chambers.fairness.commitments import check_place, check_seal
from chambers.fairness.dice import check_share
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import digest
from chambers.fairness.keys import card_seal, place_nonce, shuffle_key
from chambers.protocol.statements import read_leaf, read_statement
from chambers.rules import due
from chambers.rules.events import Deal, Reveal, Roll, TableEvent
from chambers.rules.roles import DEALER, DICE, Role, seat_role
from chambers.rules.witness_stand.edition import is_answer, question_of
from chambers.rules.witness_stand.events import NoCard, Pass, Show

SEATS = 3


class Early(NamedTuple):
    """A table in the middle of its game, and every 32 bytes that stand in its log or follow from those by a hash."""

    game: PlayedGame
    known: tuple[bytes, ...]


def _windows(raw: bytes) -> set[bytes]:
    """Return every run of 32 bytes that is written as a field of an entry, whatever it is called."""
    found = set()
    mark = b"\xc4\x20"
    at = raw.find(mark)
    while at >= 0:
        found.add(raw[at + 2 : at + 34])
        at = raw.find(mark, at + 1)
    return {one for one in found if len(one) == 32}


@pytest.fixture(scope="module")
def early() -> Early:
    game = play_game(seats=SEATS, seed=3, most=60, event=_nobody_reveals)
    known: set[bytes] = set()
    for raw in game.log.leaves:
        entry = read_leaf(raw)
        statement = read_statement(entry.stmt)
        known |= _windows(entry.stmt) | _windows(bytes(statement.ev)) | {entry.sig[:32], entry.sig[32:], statement.root}
    known |= {digest(tag, one) for tag in ("mix", "secret", "luck") for one in tuple(known)}
    known |= {bytes(32), game.id + bytes(16), bytes(16) + game.id}
    return Early(game, tuple(known))


def _nobody_reveals(_game: PlayedGame, _role: Role, event: TableEvent) -> TableEvent | None:
    return None if isinstance(event, Reveal) else event


def _deal(game: PlayedGame) -> Deal:
    deal = game.table.deal
    assert deal is not None
    return deal


def _opened(game: PlayedGame, nonces: tuple[bytes, ...]) -> set[tuple[int, int]]:
    """Return the (place, card) pairs that any of these nonces opens."""
    found = set()
    places = game.rules.places(game.setup)
    for place, commitment in zip(places, _deal(game).places, strict=True):
        for nonce in nonces:
            for value in range(game.rules.kinds(game.setup)) if place < 3 else (0,):
                try:
                    check_place(commitment, nonce, table=game.id, place=place, value=value)
                except FairnessError:
                    continue
                found.add((place, value))
    return found


def test_no_envelope_can_be_tried_against_what_the_dealer_published(early: Early) -> None:
    """There are few envelopes, so a bare hash of one would be guessed at once; only the dealer's own nonces open it."""
    secret = early.game.roles[DEALER].secret
    assert _opened(early.game, tuple(known for known in early.known if known not in _shown_nonces(early.game))) == set()
    true = tuple(place_nonce(secret, place) for place in range(3))
    assert {place for place, _ in _opened(early.game, true)} >= {0, 1, 2}


def _shown_nonces(game: PlayedGame) -> set[bytes]:
    return {nonce for done, _ in game.said for _, _, nonce in game.rules.openings(done.event)}


def test_no_seal_that_was_not_shown_opens_a_card(early: Early) -> None:
    game, seals = early.game, _deal(early.game).seals
    shown = {kind for done, _ in game.said for kind, _ in game.rules.seals(done.event)}
    opened = set()
    for kind, commitment in enumerate(seals):
        for known in early.known:
            try:
                check_seal(commitment, known, table=game.id, kind=kind)
            except FairnessError:
                continue
            opened.add(kind)
    assert opened == shown
    check_seal(seals[0], card_seal(game.roles[DEALER].secret, 0), table=game.id, kind=0)


def test_the_deal_does_not_follow_from_the_entropy_that_everybody_published(early: Early) -> None:
    """Every mix is in the log, but the dealer's share of the shuffle is not: no public key deals these cards."""
    game = early.game
    mixes = [mix.e for _, mix in game.table.mixes]

    def dealt(secret: bytes) -> object:
        return game.rules.deal(game.setup, Draw(shuffle_key(secret, game.id, mixes=mixes), game.rules.RULES))

    assert game.pile is not None
    assert not any(dealt(known) == game.pile for known in early.known[:400])
    assert dealt(game.roles[DEALER].secret) == game.pile


def test_no_roll_to_come_follows_from_the_rolls_before(early: Early) -> None:
    """A published share proves the one before it and leads to none after it."""
    game = early.game
    rolled = max(done.event.k for done, _ in game.said if isinstance(done.event, Roll))
    for role in ("dice", *(seat_role(seat) for seat in range(SEATS))):
        last, coming = game.share(Role(role), rolled), game.share(Role(role), rolled + 1)
        check_share(game.id, role, share=coming, previous=last)
        assert coming not in early.known
        for known in early.known:
            with pytest.raises(FairnessError):
                check_share(game.id, role, share=known, previous=last)


# who is checked, and when


def _false_no(seat: int, after: str) -> tuple[list[int], EventHook]:
    """Return where a seat said a false no, and the hook by which it does, and is dropped or goes home afterwards."""
    lied: list[int] = []

    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if after == "dropped" and lied and isinstance(event, Roll) and not game.table.dropped:
            game.drop(seat)
            owed = due(game.table)[0]
            return game.roll(owed.k) if owed.who == DICE else None
        if isinstance(event, Reveal) and role == seat_role(seat) and after == "silent":
            return None
        if role != seat_role(seat) or lied or not isinstance(event, Show | Pass):
            return event
        if str(game.table.play.stage) != "answer":
            return event
        question = game.table.play.asked.question
        if not any(is_answer(card) and question_of(card) == question for card in game.hands[seat].cards):
            return event
        lied.append(game.log.size)
        return NoCard(event.ref)

    return lied, hook


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("after", ["played on", "aborted", "dropped", "silent"])
def test_a_lie_is_found_whoever_told_it_and_however_the_game_went_on(seat: int, after: str) -> None:
    """Leaving, being dropped, closing the table early or keeping one's secret: none of them hides a false no."""
    lied, hook = _false_no(seat, after)
    most = 90 if after == "aborted" else 600
    played = play_game(seats=4, seed=5, boldness=0.0, most=most, event=hook, options={"step3": "always"})
    report = audit(played.docket())

    assert lied
    assert played.table.reason.startswith("aborted")
    assert (played.table.dropped == (seat,)) == (after == "dropped")
    assert [(found.entry, found.culprit) for found in report.findings][:1] == [(lied[0], seat_role(seat))]
    assert {found.culprit for found in report.findings} == {seat_role(seat)}
    assert report.verdict is Verdict.CHEATED
