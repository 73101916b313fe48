"""The audit knows a game by its door only: the same code proves what the other game draws, stows, trades and shows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import msgspec
import pytest

from chambers.audit import Report, Verdict, audit, replay, sent
from chambers.audit.live import LiveAudit
from chambers.audit.replay import admitted_of
from chambers.clients.long_record import Evening, long_record
from chambers.fairness.commitments import offer_commitment
from chambers.fairness.errors import FairnessError
from chambers.protocol.client import ChoiceAccepted, Update
from chambers.protocol.docket import Docket
from chambers.protocol.log import Admitted
from chambers.protocol.reveals import HandedIn
from chambers.rules import due, rollers
from chambers.rules.events import Drop, Roll, Stall, TableEvent
from chambers.rules.missing_suspect.events import DontKnow, Draw, Have, NoCard, Offer, Stow, Swap, Tell
from chambers.rules.missing_suspect.play import Stage
from chambers.rules.roles import DEALER, GM, Role, seat_role
from chambers.rules.terms import ALL, Disclosed, Viewer

Lie = Callable[["Liar", Role, TableEvent], TableEvent | None]


class Ended(Exception):
    """The evening ends here, and nobody reveals anything in the log."""


class Liar(Evening):
    """An evening at which the first statement that `lie` changes is said so; `at` is its entry."""

    def __init__(self, seed: int, lie: Lie) -> None:
        super().__init__("missing-suspect", 3, seed, chain=8192)
        self.lie = lie
        self.at: int | None = None
        self.liar = ""
        self.refused = b""

    def say(self, author: Role, event: TableEvent) -> None:
        """Say what the author says, or once the lie."""
        told = self.lie(self, author, event) if self.at is None else None
        if told is not None:
            self.at, self.liar = self.log.size, author
        try:
            super().say(author, event if told is None else told)
        except ValueError:
            # An honest vault cannot go on from a card that it never held; what the liar said is in the log.
            raise Ended from None


def audited(lie: Lie, *, seeds: range = range(1, 40)) -> tuple[Liar, Report]:
    """Return the first evening at which there was room for the lie, with its audit."""
    for seed in seeds:
        evening = Liar(seed, lie)
        with contextlib.suppress(Ended):
            evening.play(500)
        if evening.at is not None:
            reveals = [HandedIn(evening.log.id, role, own.secret, own.luck) for role, own in evening.roles.items()]
            return evening, audit(evening.docket(), reveals=reveals)
    raise AssertionError("no evening had room for this lie")


def denied(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, Have | Swap) or evening.log.table.play.stage is not Stage.ANSWER:
        return None
    return NoCard(event.ref) if evening.log.table.play.asked.clue >= 0 else None


def another_card_drawn(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, Draw) or evening.pile is None or event.place >= 20:
        return None
    other = evening.pile.value(event.place + 1)
    shown = Disclosed(other, evening.seal(other), event.place, evening.nonce(event.place))
    return msgspec.structs.replace(event, box=evening.box(DEALER, event.to, (shown,)))


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_honest_game_of_the_other_kind_is_clean(seats: int, seed: int) -> None:
    docket = long_record(450, edition="missing-suspect", seats=seats, seed=seed)

    report = audit(docket)

    assert (report.verdict, report.findings, report.unproved) == (Verdict.CLEAN, (), ())
    assert report.counts.looks > 20
    assert [told.seq for told in replay(docket, ALL)] == list(range(len(docket.leaves)))


def test_a_false_answer_is_found_with_its_author() -> None:
    evening, report = audited(denied)

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A24", evening.at, evening.liar)]


def test_a_card_that_its_giver_never_had_makes_nobody_guilty_who_takes_it_in_a_trade() -> None:
    """The trade is over with the second card: whoever hands that over, and held it, has done nothing wrong."""

    def never_held(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Swap) or evening.log.table.play.stage is not Stage.ANSWER:
            return None
        if evening.log.table.play.asked.clue >= 0:
            return None
        never = next(kind for kind in range(20) if kind not in evening.hands[int(author[-1])].cards)
        shown = Disclosed(never, evening.seal(never))
        return msgspec.structs.replace(event, box=evening.box(author, event.to, (shown,)))

    evening, report = audited(never_held)
    assert evening.at is not None

    assert evening.log.size > evening.at + 1
    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A23", evening.at, evening.liar)]


def test_a_card_that_does_not_lie_on_top_of_the_pile_is_found() -> None:
    evening, report = audited(another_card_drawn)

    assert ("A25", evening.at, DEALER) in {(item.check, item.entry, item.culprit) for item in report.findings}


def test_another_card_than_the_one_offered_breaks_the_log_at_its_author() -> None:
    refused: list[tuple[Role, bytes]] = []

    def exchange(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Swap) or evening.log.table.play.stage is not Stage.SWAP or refused:
            return None
        # The same card in a box that was made for this statement, not for the one that offered it.
        card = (evening.boxed or ())[0]
        changed = msgspec.structs.replace(event, box=evening.box(author, event.to, (card,)))
        refused.append((author, evening.leaf_of(author, changed)))
        raise Ended

    for seed in range(1, 40):
        evening = Liar(seed, exchange)
        with contextlib.suppress(Ended):
            evening.play(500)
        if refused:
            break
    liar, raw = refused[0]
    docket = evening.docket()

    report = audit(msgspec.structs.replace(docket, leaves=(*docket.leaves, raw)))

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A14", evening.log.size, liar)]


def let_in(lie: Lie, *, seeds: range = range(1, 60)) -> tuple[Liar, Docket]:
    """Return the first evening at which there was room for a lie that the log refuses, and a record that ends in it."""

    def last(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
        told = lie(evening, author, event)
        if told is not None:
            evening.at, evening.liar, evening.refused = evening.log.size, author, evening.leaf_of(author, told)
            raise Ended
        return None

    for seed in seeds:
        evening = Liar(seed, last)
        with contextlib.suppress(Ended):
            evening.play(500)
        if evening.at is not None:
            docket = evening.docket()
            return evening, msgspec.structs.replace(docket, leaves=(*docket.leaves, evening.refused))
    raise AssertionError("no evening had room for this lie")


def forgotten(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
    return DontKnow(event.ref, event.place) if isinstance(event, Tell) else None


def never_seen(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
    if not isinstance(event, DontKnow):
        return None
    to = seat_role(evening.log.table.play.turn)
    return Tell(event.ref, event.place, to, evening.box(author, to, (Disclosed(3, None, event.place, bytes(32)),)))


@pytest.mark.parametrize("lie", [forgotten, never_seen])
def test_a_word_on_having_checked_a_suspect_that_earlier_entries_contradict_is_found(lie: Lie) -> None:
    evening, docket = let_in(lie)
    live = LiveAudit(evening.log.id)

    report = audit(docket)
    told = live.take(docket.leaves, note=docket.note, edition=docket.edition)

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A14", evening.at, evening.liar)]
    assert told == report.findings


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_seat_is_sent_its_view_and_its_prompts_again_at_every_entry(seed: int) -> None:
    docket = long_record(450, edition="missing-suspect", seats=3, seed=seed)

    for seat in range(3):
        told = [one.message for one in sent(docket, Viewer(f"seat{seat}"))]
        updates = [one for one in told if isinstance(one, Update)]
        assert [one.sequence for one in updates] == list(range(len(docket.leaves)))
        asked = {one.prompt.id for one in updates if one.prompt is not None}
        taken = {one.prompt for one in told if isinstance(one, ChoiceAccepted)}
        assert len(taken) > 20
        assert taken <= asked


def test_an_offer_that_nobody_took_up_is_told_to_its_author_as_it_was_made() -> None:
    docket = long_record(2000, edition="missing-suspect", seats=3, seed=4)
    told = {viewer: list(replay(docket, Viewer(viewer))) for viewer in ("public", "seat0", "seat1", "seat2")}
    offers = [one for one in told["public"] if " lays a clue card face down" in one.sentence]

    assert len(offers) > 10
    for one in offers:
        named = [viewer for viewer in told if "a clue card" not in told[viewer][one.seq].sentence]
        assert len(named) == 1


def offers_what_it_lacks(evening: Liar, author: Role, event: Offer) -> bytes:
    lacking = next(kind for kind in range(20) if kind not in evening.hands[int(author[-1])].cards)
    box = evening.box(author, event.to, (Disclosed(lacking, evening.seal(lacking)),))
    return offer_commitment(box)


def offers_nothing(evening: Liar, author: Role, event: Offer) -> bytes:
    return bytes(range(32))


def not_taken_up(offer: Callable[[Liar, Role, Offer], bytes]) -> tuple[Liar, list[HandedIn]]:
    """Return an evening at which somebody offered something false to a player who turned out to have no such clue."""

    def lie(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Offer) or not event.offer:
            return None
        return msgspec.structs.replace(event, offer=offer(evening, author, event))

    for seed in range(1, 40):
        evening = Liar(seed, lie)
        with contextlib.suppress(FairnessError, AssertionError):  # it was taken up, and is not what was bound
            evening.play(500)
            if evening.at is not None:
                return evening, [HandedIn(evening.log.id, role, s.secret, s.luck) for role, s in evening.roles.items()]
    raise AssertionError("every false offer was taken up")


@pytest.mark.parametrize("silent", ["", "dice", "seat0", "seat1", "seat2"])
def test_an_offer_of_a_card_that_is_not_held_is_found_though_nobody_took_it_up(silent: str) -> None:
    evening, reveals = not_taken_up(offers_what_it_lacks)
    before = evening.log.size - len(evening.roles)

    report = audit(evening.docket(before), reveals=[one for one in reveals if one.role != silent])

    found = [(item.check, item.entry, item.culprit) for item in report.findings]
    assert found == ([] if silent == evening.liar else [("A24", evening.at, evening.liar)])
    assert report.verdict is not Verdict.CLEAN


def test_an_offer_that_is_bound_to_no_card_at_all_leaves_a_record_unverified() -> None:
    evening, _ = not_taken_up(offers_nothing)

    report = audit(evening.docket())

    assert (report.verdict, report.findings) == (Verdict.UNVERIFIED, ())
    assert [(item.check, item.entry) for item in report.unproved] == [("A24", evening.at)]


class Leaver(Liar):
    """An evening at which whoever makes the first offer, true or false, is dropped once nobody has taken it up."""

    def say(self, author: Role, event: TableEvent) -> None:
        """Say it; but the seat that has made the offer keeps its share of the next roll, and is dropped for it."""
        refused = self.at is not None and isinstance(event, Roll) and self.liar in rollers(self.log.table)
        if not refused:
            super().say(author, event)
            return
        owed = next(item for item in due(self.log.table) if item.act == "roll")
        self._ts += 600_000
        for other in {seat_role(seat) for seat in range(3)} - {Role(self.liar)}:
            super().say(other, Stall(Role(self.liar), owed.since))
        super().say(GM, Drop(int(self.liar[-1])))


def dropped_after(offer: Callable[[Liar, Role, Offer], bytes] | None) -> Leaver:
    """Return an evening whose first offer is what `offer` makes of it, is not taken up, and is its author's last."""

    def first(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Offer) or not event.offer:
            return None
        return event if offer is None else msgspec.structs.replace(event, offer=offer(evening, author, event))

    for seed in range(1, 60):
        evening = Leaver(seed, first)
        with contextlib.suppress(FairnessError, AssertionError):
            evening.play(500)
            if evening.log.table.dropped and not taken_up(evening):
                return evening
    raise AssertionError("every offer was taken up")


def taken_up(evening: Liar) -> bool:
    return any(isinstance(one.event, Swap) and one.author == evening.liar for one in read(evening))


def read(evening: Liar) -> tuple[Admitted, ...]:
    return tuple(admitted_of(evening.docket()))


@pytest.mark.parametrize("offer", [None, offers_what_it_lacks, offers_nothing])
def test_what_a_dropped_seat_offered_to_nobodys_use_is_said_to_be_open(
    offer: Callable[[Liar, Role, Offer], bytes] | None,
) -> None:
    evening = dropped_after(offer)

    report = audit(evening.docket())

    assert (report.verdict, report.findings) == (Verdict.UNVERIFIED, ())
    assert [(item.check, item.entry) for item in report.unproved] == [("A24", evening.at)]
    assert "has not been revealed" in report.unproved[0].sentence


def test_what_a_dropped_seat_offered_is_judged_once_its_secret_is_handed_in() -> None:
    for offer, guilty in ((None, False), (offers_what_it_lacks, True)):
        evening = dropped_after(offer)
        own = evening.roles[Role(evening.liar)]
        secret = HandedIn(evening.log.id, Role(evening.liar), own.secret, own.luck)

        report = audit(evening.docket(), reveals=[secret])

        found = [(item.check, item.entry, item.culprit) for item in report.findings]
        assert found == ([("A24", evening.at, evening.liar)] if guilty else [])
        assert report.unproved == ()


@pytest.mark.parametrize("left", [1, 2, 3, 4])
def test_a_record_without_all_its_reveals_makes_nobody_guilty(left: int) -> None:
    evening = Evening("missing-suspect", 3, 5, chain=8192)
    evening.play(450)
    reveals = len(evening.roles)

    report = audit(evening.docket(size=evening.log.size - reveals + left))

    assert report.findings == ()
    assert report.verdict is Verdict.UNVERIFIED
    assert sum(item.check == "A20" for item in report.unproved) == reveals - left


def test_what_a_seat_stowed_is_proved_to_have_been_its_own() -> None:
    def stow_another(evening: Liar, author: Role, event: TableEvent) -> TableEvent | None:
        if not isinstance(event, Stow) or evening.log.table.play.stage is not Stage.DISCARD:
            return None
        seat = int(author[-1])
        never = next(kind for kind in range(20) if kind not in evening.hands[seat].cards)
        nonce, commit = evening.bound(author).stow(event.place, never)
        shown = Disclosed(never, evening.seal(never), event.place, nonce)
        return msgspec.structs.replace(event, commit=commit, box=evening.box(author, DEALER, (shown,)))

    evening, report = audited(stow_another)

    assert ("A23", evening.at, evening.liar) in {(item.check, item.entry, item.culprit) for item in report.findings}
    assert {item.culprit for item in report.findings} == {evening.liar}
