"""A modified vault or dealer at the table of the missing suspect: every false word is refused, or proved afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import (
    Crook,
    crooked_house,
    dealer_with,
    entry_of,
    evening,
    evenings,
    events,
    found,
    open_table,
    seat_bot,
    vault_with,
)
from tests.support.house import House

from chambers.audit import Verdict, audit
from chambers.clients.connecting import as_spectator
from chambers.clients.spectating import Spectator
from chambers.fairness.commitments import place_commitment
from chambers.fairness.keys import card_seal, place_nonce, stow_nonce
from chambers.protocol.client import Over
from chambers.rules import Phase
from chambers.rules.events import Bad, Deal, TableEvent
from chambers.rules.missing_suspect.edition import ChartResult
from chambers.rules.missing_suspect.events import (
    Chart,
    Claim,
    DontKnow,
    Draw,
    Have,
    Look,
    NoCard,
    Stow,
    Swap,
    Take,
    Tell,
)
from chambers.rules.missing_suspect.evolve import fitting
from chambers.rules.missing_suspect.play import TOPS, Stage
from chambers.rules.roles import DEALER, Role
from chambers.rules.terms import Disclosed, Pile
from chambers.services.dealer import DealerTable

LIAR = Role("seat1")
# Seats that ask for numbers, and claims, come up at few tables; `first` is one at which they do.
CITY: dict[str, Any] = {"game": "missing-suspect", "level": "rules"}


def denies_a_clue(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    play = at.log.table.play
    asked = play is not None and play.stage is Stage.ANSWER and play.asked.clue >= 0
    return NoCard(event.ref) if asked and isinstance(event, Have | Swap) else None


def misreads_the_chart(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Chart):
        return None
    play = at.log.table.play
    other = next((one for one in ChartResult if one is not event.result and fitting(play, one)), None)
    return None if other is None else Chart(event.ref, other)


def reads_what_no_case_says(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Chart):
        return None
    play = at.log.table.play
    other = next((one for one in ChartResult if not fitting(play, one)), None)
    return None if other is None else Chart(event.ref, other)


def claims_falsely(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return Claim(event.ref, not event.solved) if isinstance(event, Claim) else None


def forgets_a_look(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return DontKnow(event.ref, event.place) if isinstance(event, Tell) else None


def tells_another_number(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Tell):
        return None
    number = at._hand.numbers[event.place - TOPS]
    slip = Disclosed(number % 7 + 1, None, event.place, at._nonces[event.place])
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, (slip,)))


def chooses_again_in_a_trade(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    play = at.log.table.play
    if not isinstance(event, Swap) or play.stage is not Stage.SWAP:
        return None
    seen = at._hand.incoming if at._hand.incoming in at._seals else at._hand.cards[0]
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, (Disclosed(seen, at._seals[seen]),)))


def takes_a_suspect_it_cannot_prove(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    taking = isinstance(event, Take) and at.log.table.play.stage is Stage.CAPTURE and not event.yes
    return Take(True) if taking else None


@pytest.mark.parametrize(
    ("trick", "check"),
    [(denies_a_clue, "A24"), (misreads_the_chart, "A24"), (takes_a_suspect_it_cannot_prove, "A24")],
)
async def test_a_false_word_about_its_cards_is_found_at_the_audit(tmp_path: Path, trick: Any, check: str) -> None:
    crook = Crook(trick)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook, **CITY)

    report = audit(docket)

    assert crook.accepted
    assert (check, entry_of(docket, crook.told[-1]), LIAR) in found(report)
    assert {item.culprit for item in report.findings} == {LIAR}


@pytest.mark.parametrize(
    ("trick", "code"),
    [
        (forgets_a_look, "rule/"),
        (reads_what_no_case_says, "rule/other-result"),
        (chooses_again_in_a_trade, "fairness/offer"),
    ],
)
async def test_what_the_log_contradicts_is_refused_at_once(tmp_path: Path, trick: Any, code: str) -> None:
    crook = Crook(trick, insist=False)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook, first=4, **CITY)

    assert crook.codes
    assert all(one.startswith(code) for one in crook.codes)
    assert audit(docket).verdict is Verdict.CLEAN


async def test_a_number_that_was_not_seen_is_refused_by_who_asked_for_it(tmp_path: Path) -> None:
    crook = Crook(tells_another_number)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook, first=4, more=60, **CITY)
    at = entry_of(docket, crook.told[-1])

    report = audit(docket)

    said = {(event.ref, event.why) for who, _, event in events(docket) if isinstance(event, Bad) and who != LIAR}
    assert said == {(at, "fairness/place")}
    assert (at, LIAR) in {(entry, culprit) for _, entry, culprit in found(report)}
    assert {item.culprit for item in report.findings} == {LIAR}


def _swapped(at: Any, event: TableEvent, n: int, kinds: list[int], seal: bytes | None) -> TableEvent | None:
    if not kinds:
        return None
    card = Disclosed(kinds[0], at._seals[kinds[0]] if seal is None else seal)
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, (card,)))  # type: ignore[attr-defined]


def trades_a_card_it_never_had(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    play = at.log.table.play
    if not isinstance(event, Swap) or play.stage is not Stage.ANSWER:
        return None
    cards, named = at.log.table.setup.edition.cards, play.asked.clue
    never = [kind for kind in range(len(cards)) if kind not in at._seals and (named < 0 or named in cards[kind])]
    return _swapped(at, event, n, never, bytes(range(32)))


def hands_over_a_card_without_the_clue(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    play = at.log.table.play
    if not isinstance(event, Swap) or play.stage is not Stage.ANSWER or play.asked.clue < 0:
        return None
    cards = at.log.table.setup.edition.cards
    others = [kind for kind in at._hand.cards if kind < len(cards) and play.asked.clue not in cards[kind]]
    return _swapped(at, event, n, others, None)


def stows_a_card_that_is_not_its_own(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    play = at.log.table.play
    if not isinstance(event, Stow) or play.stage is not Stage.DISCARD:
        return None
    never = next(kind for kind in range(len(at.log.table.setup.edition.cards)) if kind not in at._seals)
    nonce = stow_nonce(at.me.secrets.secret, n)
    commit = place_commitment(nonce, at.log.id, place=event.place, value=never)
    box = at.me.box(n, DEALER, (Disclosed(never, bytes(range(32)), event.place, nonce),))
    return msgspec.structs.replace(event, commit=commit, box=box)


@pytest.mark.parametrize(
    ("trick", "code"),
    [
        (trades_a_card_it_never_had, "fairness/seal"),
        (hands_over_a_card_without_the_clue, "rule/other-card"),
        (stows_a_card_that_is_not_its_own, "fairness/seal"),
    ],
)
async def test_a_false_card_that_is_traded_or_stowed_is_refused_by_who_gets_it_and_the_audit_names_its_giver(
    tmp_path: Path, trick: Any, code: str
) -> None:
    crook = Crook(trick)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook, more=60, **CITY)
    at = entry_of(docket, crook.told[-1])

    report = audit(docket)

    said = {(event.ref, event.why) for who, _, event in events(docket) if isinstance(event, Bad) and who != LIAR}
    assert said == {(at, code)}
    assert ("A23", at, LIAR) in found(report)
    assert {item.culprit for item in report.findings} == {LIAR}


async def to_its_goodbyes(here: House, crook: Crook) -> tuple[Spectator, list[asyncio.Task[Over | None]]]:
    """Return spectator and bots of the first table at which there was room for the trick, as goodbye is said there."""
    for number in range(8):
        table = await open_table(here, number=number, game="missing-suspect")
        spectator = await as_spectator(here.stack.url, table)
        players = [await seat_bot(here, table, seat, level="rules") for seat in range(3)]
        async with asyncio.timeout(90):
            async for scene in spectator.scenes():
                if scene.phase == Phase.BYE:
                    break
        if crook.told:
            return spectator, players
        await leave(spectator, players)
    raise AssertionError("at no table there was room for this trick")


async def leave(spectator: Spectator, players: list[asyncio.Task[Over | None]]) -> None:
    for player in players:
        player.cancel()
    await asyncio.gather(*players, return_exceptions=True)
    await spectator.leave()


async def test_a_dealer_that_was_given_a_bad_card_is_there_again_when_it_is_started_again(tmp_path: Path) -> None:
    crook = Crook(stows_a_card_that_is_not_its_own)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        spectator, players = await to_its_goodbyes(here, crook)
        await here.stack.kill(LIAR)  # who never says goodbye keeps the table from closing
        await here.restart(DEALER)
        other = await open_table(here, number=8, game="missing-suspect")
        watched = await as_spectator(here.stack.url, other)
        async with asyncio.timeout(60):
            async for _ in watched.scenes():
                if DEALER in {who for who, _, _ in events(await watched.docket())}:
                    break
        docket = await spectator.docket()
        await watched.leave()
        await leave(spectator, players)

    said = [event for who, _, event in events(docket) if isinstance(event, Bad) and who == DEALER]
    assert crook.accepted
    assert [event.ref for event in said] == [entry_of(docket, crook.told[-1])]


class SwapsTwoNumbers(DealerTable):
    """Exchanges the numbers of two suspects after an honest shuffle."""

    def pile(self) -> Pile:
        """Return the honest pile but for two numbers."""
        honest = super().pile()
        values = dict(honest.values)
        values[TOPS], values[TOPS + 1] = values[TOPS + 1], values[TOPS]
        return Pile(tuple(values.items()), honest.hands)


async def test_a_dealer_that_swaps_two_numbers_is_found_at_the_audit(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {DEALER: dealer_with(kind=SwapsTwoNumbers)}) as here:
        docket = await evening(here, lambda: True, more=20, **CITY)

    report = audit(docket)

    dealt = next(seq for seq, (_, _, event) in enumerate(events(docket)) if isinstance(event, Deal))
    assert ("A21", dealt, DEALER) in found(report)
    assert {item.culprit for item in report.findings} == {DEALER}


def shows_another_number(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Look):
        return None
    place = event.places[0]
    slip = Disclosed(9, None, place, place_nonce(at.me.secrets.secret, place))
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, (slip,)))


def hands_out_another_card(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Draw) or event.place + 1 not in at.log.table.play.clues:
        return None
    place = event.place + 1
    card = at.pile.value(place)
    drawn = Disclosed(card, card_seal(at.me.secrets.secret, card), place, place_nonce(at.me.secrets.secret, place))
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, (drawn,)))


@pytest.mark.parametrize("trick", [shows_another_number, hands_out_another_card])
async def test_a_seat_refuses_another_number_or_card_than_lies_there_and_the_audit_names_the_dealer(
    tmp_path: Path, trick: Any
) -> None:
    crook = Crook(trick)
    async with crooked_house(tmp_path, {DEALER: dealer_with(crook)}) as here:
        docket = await evenings(here, crook, more=60, **CITY)
    at = entry_of(docket, crook.told[-1])

    report = audit(docket)

    said = [event.ref for _, _, event in events(docket) if isinstance(event, Bad)]
    assert said == [at]
    assert ("A25", at, DEALER) in found(report)
    assert {item.culprit for item in report.findings} == {DEALER}


async def test_a_false_claim_is_found_at_the_audit(tmp_path: Path) -> None:
    crook = Crook(claims_falsely)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook, first=5, wanderer=1, **CITY)

    report = audit(docket)

    assert ("A24", entry_of(docket, crook.told[-1]), LIAR) in found(report)
    assert {item.culprit for item in report.findings} == {LIAR}
