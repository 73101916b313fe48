"""The protocol page suffices: a verifier that was written from it alone comes to the audit's own verdicts."""

from __future__ import annotations

import random

import msgspec
import pytest
from tests.attacks.crooked_evening import Attack, CrookedEvening
from tests.attacks.lies import attacks
from tests.attacks.record_edits import EDITS, Records
from tests.audit.docket_edits import CHANGES, Change, a_field_that_its_author_signs
from tests.audit.honest_game import EventHook, PlayedGame, play_game
from tests.docs.honest_dockets import GAMES
from tests.docs.second_notation import Wrong
from tests.docs.second_reader import Judgement, Record

from chambers.audit import Verdict, audit
from chambers.clients.long_record import long_record
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.docket import Docket, dump, load
from chambers.protocol.errors import ProtocolError
from chambers.protocol.reveals import HandedIn, dump_reveal
from chambers.rules.events import Entrust, TableEvent
from chambers.rules.roles import Role

RULES_NEEDED = {
    "denies a card that it holds", "shows everybody a card that it gave away", "denies a clue that it holds",
    "misreads the chart", "claims falsely that its case is (not) solved", "takes a suspect that it cannot prove",
    "says falsely that it has not checked", "tells a number that it never saw", "stows a card that is not its own",
    "keeps a copy and gives it again", "passes a card it never had, with its true seal", "rejects a good box",
}  # fmt: skip
"""Lies about moves and hands, which only somebody with the rules can judge; all others show in bytes and boxes."""
BY_RULES_ALONE = a_field_that_its_author_signs
"""What somebody signs and the rules do not allow: the second verifier has no rules."""
SOME, MANY = (1, 3, 5, 7, 8, 9), range(100)


def judged(docket: Docket, receipts: tuple[str, ...] = (), reveals: tuple[HandedIn, ...] = ()) -> Judgement:
    return Record(dump(docket), receipts=receipts, reveals=[dump_reveal(one).decode() for one in reveals]).judge()


def audited(docket: Docket, receipts: tuple[str, ...] = (), reveals: tuple[HandedIn, ...] = ()) -> Judgement:
    """Return the audit's report in the second verifier's form."""
    report = audit(docket, receipts=receipts, reveals=reveals, workers=0)
    first = report.findings[0].entry if report.findings else None
    return Judgement(str(report.verdict), first, "", report.counts.entries, report.counts.rolls)


def _agree_on_an_honest_game(docket: Docket) -> None:
    report, record = audit(docket, workers=0), Record(dump(docket))
    judgement, counts = record.judge(), report.counts

    assert (report.verdict, judgement.verdict) == (Verdict.CLEAN, "clean")
    assert (judgement.entries, judgement.rolls) == (counts.entries, counts.rolls)
    assert judgement.boxes == counts.deals * len(record.seats) + counts.passes + counts.looks


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_a_second_verifier_accepts_an_honest_record(seats: int) -> None:
    _agree_on_an_honest_game(play_game(seats=seats, seed=seats).docket())


@pytest.mark.parametrize(("seats", "seed", "said"), [(2, 5, "swap"), (3, 6, "tell"), (5, 3, "stow")])
def test_a_second_verifier_accepts_an_honest_record_of_the_other_game(seats: int, seed: int, said: str) -> None:
    docket = long_record(450, edition="missing-suspect", seats=seats, seed=seed)
    record = Record(dump(docket))

    record.judge()

    assert said in {one.tag for one in record.said}
    _agree_on_an_honest_game(docket)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", SOME)
def test_both_verifiers_agree_on_honest_games_of_all_sorts(game: str, number: int) -> None:
    _agree_on_an_honest_game(GAMES[game](number))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", MANY)
def test_both_verifiers_agree_on_two_hundred_games(game: str, number: int) -> None:
    _agree_on_an_honest_game(GAMES[game](number))


def _rubbish(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
    rubbish = isinstance(event, Entrust) and role == "seat1"
    return msgspec.structs.replace(event, box=bytes(136)) if rubbish else event


@pytest.mark.parametrize(
    ("reveal", "private", "event", "verdict"),
    [
        ("auditor", bytes(range(32)), None, "clean"),
        ("auditor", bytes(32), None, "unverified"),
        ("auditor", None, None, "unverified"),
        ("auditor", bytes(range(32)), _rubbish, "cheated"),
        ("none", None, None, "unverified"),
    ],
)
def test_both_verifiers_agree_where_not_everybody_may_open_the_hands(
    reveal: str, private: bytes | None, event: EventHook | None, verdict: str
) -> None:
    named = AuditorKey(bytes(range(32))).public if reveal == "auditor" else None
    docket = play_game(seats=3, seed=14, reveal=reveal, auditor_key=named, event=event).docket()
    report = audit(docket, auditor=None if private is None else AuditorKey(private), workers=0)

    judgement = Record(dump(docket), auditor=private).judge()

    first = report.findings[0].entry if report.findings else None
    assert _verdict(judgement) == (str(report.verdict), first)
    assert judgement.verdict == verdict


@pytest.fixture(scope="module", params=GAMES)
def records(request: pytest.FixtureRequest) -> Records:
    return Records(request.param, 4, entries=200)


@pytest.mark.parametrize("edit", EDITS)
def test_both_verifiers_see_an_edit_at_the_same_entry(records: Records, edit: str) -> None:
    edited = EDITS[edit](records)

    found = audited(edited.docket, edited.receipts)

    assert found.verdict == "cheated"
    assert _verdict(judged(edited.docket, edited.receipts)) == _verdict(found)


@pytest.mark.parametrize(
    "edit", ["plays a whole second game with all keys; against a receipt", "cuts the tail, signed"]
)
def test_both_verifiers_say_the_same_where_nobody_kept_a_receipt(records: Records, edit: str) -> None:
    by_name = next(found for name, found in EDITS.items() if name.startswith(edit))
    docket = by_name(records).docket

    assert _verdict(judged(docket)) == _verdict(audited(docket))
    assert judged(docket).verdict in ("clean", "unverified")


def _verdict(judgement: Judgement) -> tuple[str, int | None]:
    return judgement.verdict, judgement.entry


def _first(attack: Attack) -> CrookedEvening:
    tried = (CrookedEvening(attack, seed, seats=3) for seed in range(0, 90, 3))
    return next(one for one in tried if one.evening().at is not None)


def _name(attack: Attack) -> str:
    return f"{attack.game}: {attack.name}"


@pytest.mark.parametrize("attack", [one for one in attacks() if one.name not in RULES_NEEDED], ids=_name)
def test_both_verifiers_see_a_lie_in_bytes_or_boxes_at_the_same_entry(attack: Attack) -> None:
    evening = _first(attack)

    other = next(role for role in evening.roles if role != attack.culprit)
    for silent in (None, attack.culprit, other):
        given = evening.evidence(silent=silent)
        if given is not None:
            docket, reveals = given
            assert _verdict(judged(docket, reveals=reveals)) == _verdict(audited(docket, reveals=reveals))


@pytest.mark.parametrize("attack", [one for one in attacks() if one.name in RULES_NEEDED], ids=_name)
def test_a_lie_about_moves_or_hands_is_nothing_that_the_second_verifier_blames_elsewhere(attack: Attack) -> None:
    evening = _first(attack)
    given = evening.evidence()
    assert given is not None
    docket, reveals = given

    assert audited(docket, reveals=reveals).verdict == "cheated"
    assert judged(docket, reveals=reveals).verdict != "cheated"


def test_every_lie_that_needs_the_rules_is_one_that_is_told() -> None:
    assert {one.name for one in attacks()} >= RULES_NEEDED


@pytest.fixture(scope="module", params=["witness-stand", "missing-suspect"])
def docket(request: pytest.FixtureRequest) -> Docket:
    if request.param == "witness-stand":
        return play_game(seats=2, seed=5).docket()
    return long_record(300, edition="missing-suspect", seats=2, seed=5)


def test_both_verifiers_see_every_changed_byte_of_an_entry_there(docket: Docket) -> None:
    for number in range(12):
        leaf = bytearray(docket.leaves[number])
        leaf[len(leaf) // 2] ^= 1
        leaves = (*docket.leaves[:number], bytes(leaf), *docket.leaves[number + 1 :])
        changed = msgspec.structs.replace(docket, leaves=leaves)

        assert _verdict(judged(changed)) == _verdict(audited(changed)) == ("cheated", number)


@pytest.mark.parametrize("change", [one for one in CHANGES if one is not BY_RULES_ALONE], ids=lambda one: one.__name__)
def test_both_verifiers_judge_a_changed_docket_alike(records: Records, change: Change) -> None:
    for number in range(3):
        records.chance = random.Random(f"{change.__name__} of both {number}")
        text = change(records)
        receipt = records.receipt()
        try:
            record = Record(text, receipts=[receipt])
        except Wrong:
            with pytest.raises(ProtocolError):
                load(text)
        else:
            assert _verdict(record.judge()) == _verdict(audited(load(text), (receipt,)))
