"""A modified vault at the witness-stand table: what it states falsely is refused at once, or proved later."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import (
    Crook,
    crooked_house,
    entry_of,
    evening,
    evenings,
    events,
    found,
    vault_with,
)
from tests.attacks.kept_secrets import without

from chambers.audit import Verdict, audit
from chambers.audit.findings import LOG
from chambers.audit.remarks import LATE_MS
from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Settings
from chambers.fairness.notes import checkpoint_text, cosign
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Log
from chambers.protocol.statements import pack, read_event, read_leaf, read_statement, sign
from chambers.rules.events import Bad, Deal, Ok, Reveal, TableEvent
from chambers.rules.roles import Role
from chambers.rules.terms import Disclosed
from chambers.rules.witness_stand.edition import ANSWERS, OBJECT, is_answer, question_of
from chambers.rules.witness_stand.events import NoCard, Pass, Play, Show
from chambers.services.intents import Intent
from chambers.services.pen import MakeEvent
from chambers.services.vault import Vault
from chambers.services.vault_table import VaultTable

LIAR = Role("seat1")


def _asked(at: Any) -> int | None:
    play = at.log.table.play
    return play.asked.question if str(play.stage) == "answer" else None


def _passed(at: Any, event: Pass, n: int, *cards: Disclosed) -> Pass:
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, cards))


def denies_a_card(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Show | Pass) or _asked(at) is None:
        return None
    holds = any(is_answer(card) and question_of(card) == _asked(at) for card in at._hand.cards)
    return NoCard(event.ref) if holds else None


class KeepsACopy:
    """Gives a card a second time that it has given away before, where any card may be given."""

    def __init__(self) -> None:
        self.given: dict[bytes, set[int]] = {}

    def __call__(self, at: Any, event: TableEvent, n: int) -> TableEvent | None:
        if at._hand is None:
            return None
        before = self.given.setdefault(at.log.id, set(at._hand.cards))
        gone = sorted(card for card in before if card not in at._hand.cards and card in at._seals)
        before.update(at._hand.cards)
        if not isinstance(event, Pass) or str(at.log.table.play.stage) != "give" or not gone:
            return None
        return _passed(at, event, n, Disclosed(gone[0], at._seals[gone[0]]))


def passes_a_card_it_never_had(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Pass):
        return None
    never = next(kind for kind in range(ANSWERS) if kind not in at._seals and question_of(kind) == (_asked(at) or 0))
    return _passed(at, event, n, Disclosed(never, bytes(range(32))))


def passes_a_card_that_is_no_answer(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Pass) or _asked(at) is None:
        return None
    others = [card for card in at._hand.cards if is_answer(card) and question_of(card) != _asked(at)]
    return _passed(at, event, n, Disclosed(others[0], at._seals[others[0]])) if others else None


def passes_two_cards(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Pass) or len(at._hand.cards) < 2:
        return None
    return _passed(at, event, n, *(Disclosed(card, at._seals[card]) for card in at._hand.cards[:2]))


def passes_an_empty_box(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, box=bytes(136)) if isinstance(event, Pass) else None


class CopiesACiphertext:
    """Gives a seat the box again that it gave it with an earlier card."""

    def __init__(self) -> None:
        self.boxes: dict[tuple[bytes, Role], tuple[int, bytes]] = {}

    def __call__(self, at: Any, event: TableEvent, n: int) -> TableEvent | None:
        if not isinstance(event, Pass):
            return None
        before, box = self.boxes.setdefault((at.log.id, event.to), (n, event.box))
        return None if before == n else msgspec.structs.replace(event, box=box)


async def test_a_vault_that_denies_a_card_is_found_at_the_audit_though_it_keeps_its_secret(tmp_path: Path) -> None:
    crook = Crook(denies_a_card)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook)
    cut, handed = without(docket, LIAR)

    report, kept = audit(docket), audit(cut, reveals=handed)

    lie = ("A24", entry_of(docket, crook.told[-1]), LIAR)
    assert crook.accepted
    assert found(report) == {lie}
    assert found(kept) == {lie, ("A06", None, LOG)}  # that the record was cut is a finding, too
    assert any(LIAR in item.sentence or "seat 1" in item.sentence for item in kept.unproved)


async def test_a_vault_that_keeps_a_copy_is_found_at_the_second_giving(tmp_path: Path) -> None:
    crook = Crook(KeepsACopy())
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}, seats=2) as here:
        docket = await evenings(here, crook, seats=2, most=30)

    report = audit(docket)

    assert crook.accepted
    assert ("A23", entry_of(docket, crook.told[-1]), LIAR) in found(report)
    assert {item.culprit for item in report.findings} == {LIAR}


@pytest.mark.parametrize(
    ("trick", "code"),
    [
        (passes_a_card_it_never_had, "fairness/seal"),
        (passes_a_card_that_is_no_answer, "rule/other-card"),
        (passes_two_cards, "rule/one-card"),
        (passes_an_empty_box, "fairness/box"),
        (CopiesACiphertext(), "fairness/box"),
    ],
)
async def test_a_receiver_refuses_a_wrong_card_at_once_and_the_audit_names_its_sender(
    tmp_path: Path, trick: Any, code: str
) -> None:
    crook = Crook(trick)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook, more=60)
    at = entry_of(docket, crook.told[-1])

    report = audit(docket)

    said = [(event.ref, event.why) for author, _, event in events(docket) if isinstance(event, Bad) and author != LIAR]
    assert said == [(at, code)]
    assert ("A23", at, LIAR) in found(report)
    assert {item.culprit for item in report.findings} == {LIAR}


def rejects_a_good_box(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Ok):
        return None
    statements = (read_statement(read_leaf(raw).stmt) for raw in at.log.leaves)
    said = (read_event(bytes(one.ev), "witness-stand") for one in statements)
    return Bad(next(seq for seq, one in enumerate(said) if isinstance(one, Deal)), "fairness/place")


def reveals_another_secret(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, secret=bytes(range(32))) if isinstance(event, Reveal) else None


def cosigns_another_head(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Reveal):
        return None
    size = at.log.size - len(at.log.table.reveals) - 1
    text = checkpoint_text(at.log.id, size, root=at.log.tree.root_at(size))
    cosignature = cosign(at.me.secrets.signing_key, text, time=at.log.table.ts // 1000)
    return msgspec.structs.replace(event, cosignature=cosignature)


@pytest.mark.parametrize(
    ("trick", "check"), [(rejects_a_good_box, "A27"), (reveals_another_secret, "A20"), (cosigns_another_head, "A06")]
)
async def test_a_vault_that_rejects_a_good_box_or_reveals_or_cosigns_what_is_not_so_is_found(
    tmp_path: Path, trick: Any, check: str
) -> None:
    crook = Crook(trick)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evening(here, lambda: True, more=60)

    report = audit(docket)

    assert crook.accepted
    assert found(report) == {(check, entry_of(docket, crook.told[-1]), LIAR)}


def passes_a_box_that_fits_into_no_frame(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, box=bytes(20_000)) if isinstance(event, Pass) else None


async def test_a_box_that_would_fit_into_no_frame_is_refused(tmp_path: Path) -> None:
    crook = Crook(passes_a_box_that_fits_into_no_frame, insist=False)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook)

    assert crook.codes == ["rule/malformed"]
    assert audit(docket).verdict is Verdict.CLEAN


class ObjectsTooLate:
    """Lets a window pass, and plays its objection at the next thing it says."""

    def __init__(self) -> None:
        self.passed: dict[bytes, int] = {}

    def __call__(self, at: Any, event: TableEvent, n: int) -> TableEvent | None:
        if isinstance(event, Ok):
            self.passed[at.log.id] = event.ref
            return None
        ref = self.passed.get(at.log.id)
        return None if ref is None else Play(ref, OBJECT, bytes(32))


async def test_an_objection_after_the_window_is_refused_and_the_game_goes_on_clean(tmp_path: Path) -> None:
    crook = Crook(ObjectsTooLate(), insist=False)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook)

    report = audit(docket)

    assert crook.codes
    assert all(code.startswith("rule/") for code in crook.codes)
    assert not crook.accepted
    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())


def shows_a_card_it_does_not_hold(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Show):
        return None
    fitting = (kind for kind in range(ANSWERS) if question_of(kind) == _asked(at) and kind not in at._seals)
    other = next(fitting, None)
    return None if other is None else msgspec.structs.replace(event, card=other, seal=bytes(range(32)))


async def test_a_card_shown_without_its_seal_is_refused(tmp_path: Path) -> None:
    crook = Crook(shows_a_card_it_does_not_hold, insist=False)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook)

    assert set(crook.codes) == {"fairness/seal"}
    assert audit(docket).verdict is Verdict.CLEAN


class ObjectsAsIfItHadNotSeen(Vault):
    """A vault that waits for what the others do in a window, and then objects at a head from before that."""

    told: int | None = None

    def _table(self, log: Log) -> VaultTable | None:
        known = log.id in self._tables
        table = super()._table(log)
        if table is not None and not known:
            table.me.pen.write = self._bent(table, table.me.pen.write)  # type: ignore[method-assign, assignment]
            self._wait(table)
        return table

    def _wait(self, table: VaultTable) -> None:
        speak = table._voice._speak

        async def later(intent: Intent) -> Refusal | None:
            play = table.log.table.play
            if intent.prompt and self.told is None and play is not None and str(play.stage) == "window":
                intent = msgspec.structs.replace(intent, not_before=time.monotonic() + LATE_MS / 1000 + 0.1)
            return await speak(intent)

        table._voice._speak = later  # type: ignore[method-assign]

    def _bent(self, table: VaultTable, write: Callable[[MakeEvent], bytes]) -> Callable[[MakeEvent], bytes]:
        log, me = table.log, table.me

        def late(make: MakeEvent) -> bytes:
            n = log.counter(me.role)
            event = make(n)
            waited = isinstance(event, Ok) and log.size > event.ref + 1 and str(log.table.play.stage) == "window"
            if self.told is not None or not waited or OBJECT not in table._hand.cards:
                return write(make)
            assert isinstance(event, Ok)
            size = event.ref + 1
            if time.time() * 1000 - read_leaf(log.leaves[size]).ts <= LATE_MS:
                return write(make)
            self.told = n
            objection = Play(event.ref, OBJECT, table._seals[OBJECT])
            key, root = me.secrets.signing_key, log.tree.root_at(size)
            return pack(*sign(key, table=log.id, author=me.role, n=n, size=size, root=root, event=objection))

        return late


async def test_an_objection_that_is_signed_as_if_the_last_seconds_had_not_been_is_a_remark_and_no_guilt(
    tmp_path: Path,
) -> None:
    async def make(bus: NatsBus, settings: Settings) -> Vault:
        return ObjectsAsIfItHadNotSeen(bus, seat=1, master=master_key(settings.home / "master.key"), home=settings.home)

    async with crooked_house(tmp_path, {LIAR: make}) as here:
        vault = here.stack._running[LIAR].service
        assert isinstance(vault, ObjectsAsIfItHadNotSeen)
        for number in range(8):  # it is not at every table that it holds such a card when others are quicker to pass
            docket = await evening(here, lambda: vault.told is not None, number=number)
            if vault.told is not None:
                break

    report = audit(docket)

    at = next(seq for seq, (author, n, _) in enumerate(events(docket)) if (author, n) == (LIAR, vault.told))
    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())
    remarks = [one for one in report.remarks if one.role == LIAR]  # on a busy machine an honest seat may be late, too
    assert [one.entry for one in remarks] == [at]
    assert "as if" in remarks[0].sentence
