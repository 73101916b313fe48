"""A lie about hidden cards is found after the reveal, at its entry, with its author; nobody else is blamed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.audit.honest_game import EventHook, PlayedGame, play_game

from chambers.audit import Report, Verdict, audit
from chambers.fairness.dice import roll_value
from chambers.protocol.reveals import HandedIn
from chambers.protocol.statements import read_event, read_leaf, read_statement
from chambers.rules.events import Bad, Deal, Reveal, Roll, TableEvent
from chambers.rules.roles import DEALER, DICE, Role, seat_role
from chambers.rules.terms import Disclosed, Pile
from chambers.rules.witness_stand.edition import ANSWERS, is_answer, question_of
from chambers.rules.witness_stand.events import Look, NoCard, OpenCards, Pass, Show

LIAR = Role("seat1")
SEEDS = range(6)


class Once:
    """A hook that changes one statement of one role, the first to which `lie` has an answer; `at` is its entry."""

    def __init__(self, role: Role, lie: Any, *, silent: tuple[Role, ...] = ()) -> None:
        self.role, self.lie, self.silent = role, lie, silent
        self.at: int | None = None

    def __call__(self, game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Reveal) and role in self.silent:
            return None
        if role != self.role or self.at is not None:
            return event
        told: TableEvent | None = self.lie(game, event)
        if told is None:
            return event
        self.at = game.log.size
        return told


def false_none(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, Show | Pass) or str(game.table.play.stage) != "answer":
        return None
    question = game.table.play.asked.question
    holds = any(is_answer(card) and question_of(card) == question for card in game.hands[1].cards)
    return NoCard(event.ref) if holds else None


def card_never_held(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, Pass):
        return None
    never = [kind for kind in range(ANSWERS) if kind not in game.hands[1].cards and kind not in game.given[1]]
    card = Disclosed(never[0], game.seal(never[0]))
    return msgspec.structs.replace(event, box=game.box(LIAR, event.to, (card,)))


def forged_seal(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, Pass):
        return None
    return msgspec.structs.replace(event, box=game.box(LIAR, event.to, (Disclosed(7, bytes(32)),)))


def copy_kept(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    kept = [kind for kind in game.given[1] if kind not in game.hands[1].cards]
    if not isinstance(event, Pass) or not kept or str(game.table.play.stage) != "give":
        return None
    return msgspec.structs.replace(event, box=game.box(LIAR, event.to, (Disclosed(kept[0], game.seal(kept[0])),)))


def two_cards(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, Pass) or len(game.hands[1].cards) < 2:
        return None
    cards = tuple(Disclosed(kind, game.seal(kind)) for kind in game.hands[1].cards[:2])
    return msgspec.structs.replace(event, box=game.box(LIAR, event.to, cards))


def no_box(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    return msgspec.structs.replace(event, box=bytes(136)) if isinstance(event, Pass) else None


def right_called_wrong(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    return msgspec.structs.replace(event, verdict=False) if isinstance(event, Look) and event.verdict else None


def wrong_called_right(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    return msgspec.structs.replace(event, verdict=True) if isinstance(event, Look) and not event.verdict else None


def empty_look(game: PlayedGame, event: TableEvent) -> TableEvent | None:
    return msgspec.structs.replace(event, box=game.box(DEALER, event.to, ())) if isinstance(event, Look) else None


def lies(hook: Any, *, role: Role = LIAR, silent: tuple[Role, ...] = ()) -> list[tuple[Once, Report]]:
    """Return the games in which the role did lie, each with its audit."""
    told = []
    for seed in SEEDS:
        once = Once(role, hook, silent=silent)
        played = play_game(seats=3, seed=seed, event=once, options={"step3": "always"})
        if once.at is not None:
            told.append((once, audit(played.docket())))
    return told


@pytest.mark.parametrize("silent", [(), (LIAR,), (DEALER,), (Role("seat0"),)])
@pytest.mark.parametrize(
    ("hook", "check"),
    [
        (false_none, "A24"),
        (card_never_held, "A23"),
        (forged_seal, "A23"),
        (copy_kept, "A23"),
        (two_cards, "A23"),
        (no_box, "A23"),
    ],
)
def test_a_seat_that_lies_is_found_even_when_any_one_role_refuses_to_reveal(
    hook: Any, check: str, silent: tuple[Role, ...]
) -> None:
    told = lies(hook, silent=silent)

    assert len(told) >= 2
    for once, report in told:
        assert report.verdict is Verdict.CHEATED
        assert (check, once.at, LIAR) in {(item.check, item.entry, item.culprit) for item in report.findings}
        assert {item.culprit for item in report.findings} == {LIAR}


@pytest.mark.parametrize("silent", [(), (DEALER,)])
@pytest.mark.parametrize("hook", [right_called_wrong, empty_look])
def test_a_dealer_that_lies_about_the_envelope_is_found_even_without_its_secret(
    hook: Any, silent: tuple[Role, ...]
) -> None:
    told = lies(hook, role=DEALER, silent=silent)

    assert len(told) >= 2
    for once, report in told:
        assert ("A25", once.at, DEALER) in {(item.check, item.entry, item.culprit) for item in report.findings}
        assert {item.culprit for item in report.findings} == {DEALER}


def test_a_right_accusation_called_wrong_is_found_by_what_is_opened_later_when_both_ends_keep_silent() -> None:
    """Neither the dealer nor the accuser has opened the look, and the envelope that another wins with shows the lie."""
    told = []
    for seed in range(30):
        silent: list[Role] = [DEALER]
        once = Once(DEALER, right_called_wrong)

        def hook(game: PlayedGame, role: Role, event: TableEvent, once: Once = once, silent: Any = silent) -> Any:
            if isinstance(event, Reveal) and role in silent:
                return None
            said = once(game, role, event)
            if once.at == game.log.size:
                silent.append(said.to)  # type: ignore[union-attr]
            return said

        played = play_game(seats=3, seed=seed, event=hook, boldness=0.5)
        opened = any(isinstance(done.event, OpenCards) for done, _ in played.said)
        if once.at is not None and opened:
            told.append((once.at, audit(played.docket())))

    assert told
    for at, report in told:
        assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A25", at, DEALER)]


def test_a_wrong_accusation_called_right_breaks_the_log_when_the_envelope_is_opened() -> None:
    told = lies(wrong_called_right, role=DEALER)

    assert len(told) >= 2
    for once, report in told:
        assert once.at is not None
        assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A13", once.at + 1, DEALER)]


def test_a_wrong_accusation_called_right_is_found_when_the_dealer_never_opens_the_envelope() -> None:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, OpenCards):
            game.most = game.log.size
            return None
        return once(game, role, event)

    once = Once(DEALER, wrong_called_right)
    played = play_game(seats=3, seed=2, event=hook, boldness=1.0)

    findings = audit(played.docket()).findings

    assert [(item.check, item.entry, item.culprit) for item in findings] == [("A25", once.at, DEALER)]


def swapped(first: int, second: int) -> Any:
    def swap(pile: Pile) -> Pile:
        values = dict(pile.values)
        values[first], values[second] = values[second], values[first]
        return Pile(tuple(values.items()), pile.hands)

    return swap


@pytest.mark.parametrize(("first", "second"), [(3, 4), (0, 10), (1, 2)])
def test_a_dealer_that_swaps_two_cards_after_the_shuffle_is_found(first: int, second: int) -> None:
    played = play_game(seats=3, seed=3, pile=swapped(first, second), boldness=0.0, most=60)

    report = audit(played.docket())

    assert "A21" in {item.check for item in report.findings}
    assert {item.culprit for item in report.findings} == {DEALER}


def test_a_stacked_deck_with_a_card_twice_does_not_add_up_even_without_the_dealers_secret() -> None:
    def twice(pile: Pile) -> Pile:
        values = dict(pile.values)
        answers = [place for place in pile.hands[0] if values[place] < ANSWERS]
        values[pile.hands[1][0]] = values[answers[0]]
        return Pile(tuple(values.items()), pile.hands)

    played = play_game(seats=3, seed=3, pile=twice, boldness=0.0, most=60, event=silence(DEALER))

    report = audit(played.docket())

    assert [(item.check, item.culprit) for item in report.findings] == [("A26", DEALER)]


def test_a_dealer_that_boxes_other_cards_than_it_committed_to_is_found() -> None:
    def other_box(game: PlayedGame, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Deal) or game.pile is None:
            return None
        values = dict(game.pile.values)
        mine = game.pile.hands[0]
        cards = tuple(Disclosed(values[p] ^ 1, game.seal(values[p] ^ 1), p, game.nonce(p)) for p in mine)
        boxes = ((seat_role(0), game.box(DEALER, seat_role(0), cards)), *event.boxes[1:])
        return msgspec.structs.replace(event, boxes=boxes)

    played = play_game(seats=3, seed=3, event=Once(DEALER, other_box), boldness=0.0, most=30)

    findings = audit(played.docket()).findings

    assert ("A22", DEALER) in {(item.check, item.culprit) for item in findings}


def test_a_ciphertext_copied_from_an_earlier_statement_does_not_open() -> None:
    earlier: dict[Role, bytes] = {}

    def copy(game: PlayedGame, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Pass):
            return None
        if event.to in earlier:
            return msgspec.structs.replace(event, box=earlier[event.to])
        earlier[event.to] = event.box
        return None

    once = Once(LIAR, copy)
    played = play_game(seats=2, seed=2, event=once, options={"step3": "always"})

    report = audit(played.docket())

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A23", once.at, LIAR)]


def rolled(game: PlayedGame, k: int, shares: Any) -> Roll:
    """Return the roll that some shares make: only the shares are wrong."""
    return Roll(k, shares, roll_value(game.id, k, shares=shares))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda game, roll: msgspec.structs.replace(roll, value=roll.value % 6 + 1),
        lambda game, roll: rolled(game, roll.k, (*roll.shares[:-1], (roll.shares[-1][0], bytes(32)))),
        lambda game, roll: rolled(game, roll.k, tuple((role, game.share(role, roll.k + 1)) for role, _ in roll.shares)),
    ],
)
def test_dice_that_report_another_value_or_another_share_are_found(wrong: Any) -> None:
    once = Once(DICE, lambda game, event: wrong(game, event) if isinstance(event, Roll) and event.k == 3 else None)
    played = play_game(seats=3, seed=6, event=once)

    report = audit(played.docket())

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A11", once.at, DICE)]


def silence(*roles: Role) -> EventHook:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        return None if isinstance(event, Reveal) and role in roles else event

    return hook


@pytest.mark.parametrize(
    ("roles", "checks"),
    [
        ((Role("seat2"),), ["A20"]),
        ((DICE,), ["A20"]),
        ((DEALER,), ["A20", "A21"]),
    ],
)
def test_one_role_that_does_not_reveal_leaves_nothing_else_unproved(roles: tuple[Role, ...], checks: list[str]) -> None:
    honest = audit(play_game(seats=4, seed=4).docket())

    report = audit(play_game(seats=4, seed=4, event=silence(*roles)).docket())

    assert (report.verdict, report.exit_code, report.findings) == (Verdict.UNVERIFIED, 2, ())
    assert [item.check for item in report.unproved] == checks
    assert (report.counts.answers, report.counts.passes) == (honest.counts.answers, honest.counts.passes)


def test_two_seats_that_refuse_leave_open_only_what_rests_on_boxes_between_them() -> None:
    refusing = (Role("seat1"), Role("seat2"))

    report = audit(play_game(seats=4, seed=4, event=silence(*refusing)).docket())

    assert report.verdict is Verdict.UNVERIFIED
    assert report.counts.answers > 0
    assert any(item.check in ("A23", "A24") for item in report.unproved)


def test_a_secret_handed_in_beside_the_record_proves_as_much_as_a_reveal() -> None:
    played = play_game(seats=4, seed=4, event=silence(DEALER))
    own = played.roles[DEALER]

    report = audit(played.docket(), reveals=[HandedIn(played.id, DEALER, own.secret, own.luck)])

    assert (report.verdict, report.counts.deals) == (Verdict.CLEAN, 1)


def test_a_reveal_of_another_secret_is_found() -> None:
    def other(game: PlayedGame, event: TableEvent) -> TableEvent | None:
        return msgspec.structs.replace(event, secret=bytes(32)) if isinstance(event, Reveal) else None

    once = Once(LIAR, other)
    played = play_game(seats=3, seed=4, event=once)

    findings = audit(played.docket()).findings

    assert [(item.check, item.entry, item.culprit) for item in findings] == [("A20", once.at, LIAR)]


def test_a_reveal_that_cosigns_another_head_is_found() -> None:
    def other(game: PlayedGame, event: TableEvent) -> TableEvent | None:
        return msgspec.structs.replace(event, cosignature=bytes(72)) if isinstance(event, Reveal) else None

    once = Once(LIAR, other)
    played = play_game(seats=3, seed=4, event=once)

    findings = audit(played.docket()).findings

    assert [(item.check, item.entry, item.culprit) for item in findings] == [("A06", once.at, LIAR)]


def test_a_card_shown_to_everybody_with_a_made_up_seal_is_found_without_any_reveal() -> None:
    def made_up(game: PlayedGame, event: TableEvent) -> TableEvent | None:
        return msgspec.structs.replace(event, seal=bytes(range(32))) if isinstance(event, Show) else None

    told = lies(made_up)

    assert len(told) >= 2
    for once, report in told:
        assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A12", once.at, LIAR)]


def test_a_seat_that_rejects_a_good_box_is_found() -> None:
    def cry_wolf(game: PlayedGame, event: TableEvent) -> TableEvent | None:
        if game.table.play is None:
            return None
        authors = [read_statement(read_leaf(raw).stmt).author for raw in game.log.leaves]
        dealt = authors.index(DEALER, authors.index(DEALER) + 1)
        return Bad(dealt, "it does not open")

    once = Once(LIAR, cry_wolf)
    played = play_game(seats=3, seed=4, event=once)

    findings = audit(played.docket()).findings

    assert [(item.check, item.entry, item.culprit) for item in findings] == [("A27", once.at, LIAR)]


def test_a_seat_that_rejects_a_bad_box_is_not_blamed() -> None:
    once = Once(LIAR, no_box)
    rejected: list[Role] = []

    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if once.at is not None and not rejected and role != LIAR and str(game.table.phase) == "play":
            sent = read_event(bytes(read_statement(read_leaf(game.log.leaves[once.at]).stmt).ev), "witness-stand")
            if isinstance(sent, Pass) and sent.to == role:
                rejected.append(role)
                return Bad(once.at, "it does not open")
        return once(game, role, event)

    played = play_game(seats=3, seed=5, event=hook, options={"step3": "always"})

    findings = audit(played.docket()).findings

    assert len(rejected) == 1
    assert [(item.check, item.entry, item.culprit) for item in findings] == [("A23", once.at, LIAR)]
