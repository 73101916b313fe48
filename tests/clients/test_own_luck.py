"""The luck that a client brings: what it gives when, and to which records and vaults it gives nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers import editions
from chambers.bus.errors import BusError
from chambers.clients.luck import Answer, LuckBroken, LuckState, NoLuck, OwnLuck
from chambers.clients.luck_shelf import LuckShelf, pin_path
from chambers.fairness.hashing import digest
from chambers.fairness.keys import brought_luck
from chambers.protocol.client import (
    Bindings,
    GiveLuck,
    GiveMix,
    GiveShare,
    ReadOn,
    Record,
    Update,
    WantsBindings,
    WantsLuck,
    Welcome,
)
from chambers.protocol.log import Log
from chambers.rules import Phase, due
from chambers.rules.events import Commit, TableEvent
from chambers.rules.roles import DICE, Role

TABLE = bytes(range(16))
SEAT = Role("seat1")
KEY = b"k" * 32
CHAIN = 1024
LUCK = brought_luck(KEY, TABLE, role=SEAT, attempt=1, chain=CHAIN)
BOUND = WantsBindings(attempt=1, chain=CHAIN)


def _with_luck(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
    if role == DICE and isinstance(event, Commit):  # the first to speak: the seat has bound itself to nothing yet
        game.roles[SEAT] = msgspec.structs.replace(game.roles[SEAT], luck=LUCK)
    return event


@cache
def game(seed: int = 1, *, brought: bool = True) -> PlayedGame:
    return play_game(seats=3, seed=seed, table=TABLE, most=60, event=_with_luck if brought else None)


def size_at(played: PlayedGame, so: Callable[[Log], bool]) -> int:
    """Return the first size of the log at which something is so."""
    log = Log(TABLE)
    for raw in played.log.leaves:
        log.admit(raw)
        if so(log):
            return log.size
    raise AssertionError("it is never so")


def mixes_due(log: Log) -> bool:
    return log.table.phase is Phase.MIX


def nothing_rolls(log: Log) -> bool:
    return log.table.rolls > 0 and all(item.act != "roll" for item in due(log.table))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "luck.key").write_bytes(KEY)
    return tmp_path


def brings(home: Path, *, hold: bool = False) -> OwnLuck:
    return OwnLuck(LuckShelf(home, table=TABLE, seat=1), table=TABLE, seat=1, hold=hold)


def bound(home: Path, *, hold: bool = False) -> OwnLuck:
    luck = brings(home, hold=hold)
    luck.hear(BOUND)
    return luck


def shown(luck: OwnLuck, played: PlayedGame, size: int, *, by: WantsLuck | Update | None = None) -> Answer:
    """Return what the client says in the end when a vault calls, and shows it the log up to `size` in two pages."""
    leaves = played.log.leaves[:size]
    answer = luck.hear(by or WantsLuck(size))
    while answer.say and isinstance(answer.say[0], ReadOn):
        start = answer.say[0].start
        half = start + (size - start + 1) // 2
        page = leaves[start:half] if half < size and start == 0 else leaves[start:]
        note = played.note_over(leaves) if start + len(page) == size else ""
        answer = luck.hear(Record(start, tuple(page), size, note))
    return answer


def update(phase: str) -> Update:
    return Update(sequence=0, phase=phase, view={}, lines=(), prompt=None)


def welcome(edition: str, edition_hash: bytes) -> Welcome:
    return Welcome(TABLE.hex(), "witness-stand", edition, edition_hash, 1, 3, (), occupied=False, session=b"")


# what it binds itself to


def test_a_client_that_was_started_again_is_bound_to_the_same_luck(home: Path) -> None:
    first, again = brings(home).hear(BOUND), brings(home).hear(BOUND)

    assert first.say == again.say
    assert isinstance(first.say[0], Bindings)


def test_every_attempt_seat_and_table_has_a_luck_of_its_own(home: Path) -> None:
    lucks = {
        brought_luck(KEY, table, role=role, attempt=attempt, chain=CHAIN)
        for table in (TABLE, bytes(16))
        for role in ("seat0", "seat1")
        for attempt in (1, 2)
    }

    assert len(lucks) == 8


def test_a_vault_that_asks_for_the_anchor_of_a_shorter_chain_learns_no_share_of_the_tables(home: Path) -> None:
    luck = brings(home, hold=True)
    short, true = (luck.hear(WantsBindings(1, chain)).say[0] for chain in (1, CHAIN))
    assert isinstance(short, Bindings)
    assert isinstance(true, Bindings)

    link, links = short.anchor, set()
    for _ in range(CHAIN):
        links.add(link)
        link = digest("chain", TABLE, SEAT, link)

    assert true.anchor not in links
    assert true.luck != short.luck


def test_what_a_client_keeps_is_readable_by_its_player_alone(home: Path) -> None:
    shown(bound(home), game(), size_at(game(), mixes_due))
    bound(home / "new")

    kept = {path.relative_to(home): path.stat().st_mode & 0o777 for path in home.rglob("*") if path.is_file()}

    assert kept.pop(Path("luck.key"))  # that of this test, not made by the client
    assert {path.name for path in kept} == {"luck.key", f"{TABLE.hex()}.1.json", f"{TABLE.hex()}.setup.note"}
    assert set(kept.values()) == {0o600}


def test_a_damaged_key_is_named_and_not_made_anew(home: Path) -> None:
    (home / "luck.key").write_bytes(b"short")

    with pytest.raises(BusError) as refused:
        brings(home)

    assert str(home / "luck.key") in refused.value.sentence


def test_nothing_that_is_printed_shows_the_luck(home: Path) -> None:
    luck = bound(home)
    answer = shown(luck, game(), size_at(game(), mixes_due))

    printed = repr((luck, answer, *answer.say, *answer.tell))

    assert LUCK.hex() not in printed
    assert repr(LUCK) not in printed


# what it gives, and when


@pytest.mark.parametrize("hold", [False, True])
def test_nothing_is_given_before_everybody_is_bound(home: Path, hold: bool) -> None:
    luck = bound(home, hold=hold)

    early = [shown(luck, game(), size) for size in range(1, size_at(game(), mixes_due))]

    assert {answer.say for answer in early} == {()}
    assert not pin_path(home / "receipts", TABLE).exists()


def test_once_everybody_is_bound_the_head_is_pinned_and_the_luck_handed_over(home: Path) -> None:
    size = size_at(game(), mixes_due)

    answer = shown(bound(home), game(), size)

    assert answer.say == (GiveLuck(1, LUCK),)
    assert [told.state for told in answer.tell] == [LuckState.GIVEN]
    assert pin_path(home / "receipts", TABLE).read_text() == game().note_over(game().log.leaves[:size])


def test_a_share_is_given_only_for_the_roll_that_is_due_in_the_record(home: Path) -> None:
    luck, played, log = bound(home, hold=True), game(), Log(TABLE)
    given, expected = [], []

    for raw in played.log.leaves:
        log.admit(raw)
        given.append([type(one).__name__ for one in shown(luck, played, log.size).say])
        owed = {"roll": "GiveShare", "mix": "GiveMix", "reveal": "GiveLuck"}
        mine = [item for item in due(log.table) if item.act == "roll" or item.who == SEAT]
        expected.append([owed[item.act] for item in mine if item.act in owed])

    assert given == expected
    assert given.count(["GiveMix"]) >= 1
    assert given.count(["GiveShare"]) == log.table.rolls
    assert given.count(["GiveLuck"]) >= 1


def test_a_share_is_that_of_the_very_roll(home: Path) -> None:
    played = game()
    third = size_at(played, lambda log: any(item.k == 3 for item in due(log.table)))

    answer = shown(bound(home, hold=True), played, third)

    assert answer.say == (GiveShare(3, played.roles[SEAT].chain(CHAIN).share(3)),)


def test_a_vault_that_asks_too_early_gets_nothing(home: Path) -> None:
    luck, size = bound(home, hold=True), size_at(game(), nothing_rolls)

    answers = [shown(luck, game(), size) for _ in range(3)]

    assert [answer.say for answer in answers] == [(), (), ()]


def test_what_was_lost_on_the_way_is_given_again(home: Path) -> None:
    luck, size = bound(home, hold=True), size_at(game(), mixes_due)

    first, again = shown(luck, game(), size), shown(luck, game(), size)

    assert first.say == again.say == (GiveMix(1, game().roles[SEAT].mix),)


def test_who_has_held_the_luck_holds_it_after_a_restart(home: Path) -> None:
    bound(home, hold=True)

    answer = shown(brings(home), game(), size_at(game(), mixes_due))

    assert [type(one) for one in answer.say] == [GiveMix]


def test_a_page_that_comes_twice_changes_nothing(home: Path) -> None:
    luck, size = bound(home), size_at(game(), mixes_due)
    page = Record(0, tuple(game().log.leaves[:2]), size)
    luck.hear(page)

    assert luck.hear(page) == Answer()
    assert shown(luck, game(), size).say == (GiveLuck(1, LUCK),)


# records that it gives nothing for


def _flipped(record: Record) -> Record:
    broken = bytearray(record.entries[2])
    broken[-1] ^= 1
    return msgspec.structs.replace(record, entries=(*record.entries[:2], bytes(broken), *record.entries[3:]))


def _without_an_entry(record: Record) -> Record:
    return msgspec.structs.replace(record, entries=(*record.entries[:2], *record.entries[3:]), size=record.size - 1)


def _with_anothers_note(record: Record) -> Record:
    return msgspec.structs.replace(record, note=game(2).note_over(list(record.entries)))


def _with_the_note_of_less(record: Record) -> Record:
    return msgspec.structs.replace(record, note=game().note_over(list(record.entries[:-1])))


@pytest.mark.parametrize("change", [_flipped, _without_an_entry, _with_anothers_note, _with_the_note_of_less])
def test_a_record_that_does_not_hold_is_refused(home: Path, change: Callable[[Record], Record]) -> None:
    luck, leaves = bound(home), game().log.leaves[: size_at(game(), mixes_due)]
    honest = Record(0, tuple(leaves), len(leaves), game().note_over(leaves))

    with pytest.raises(LuckBroken) as refused:
        luck.hear(change(honest))

    assert refused.value.code == "luck/record"
    assert not pin_path(home / "receipts", TABLE).exists()


def test_a_record_without_a_note_is_waited_for(home: Path) -> None:
    luck, leaves = bound(home), game().log.leaves[: size_at(game(), mixes_due)]

    assert luck.hear(Record(0, tuple(leaves), len(leaves))) == Answer()
    assert shown(luck, game(), len(leaves)).say == (GiveLuck(1, LUCK),)


def test_another_record_than_the_pinned_one_is_refused(home: Path) -> None:
    shown(bound(home), game(), size_at(game(), mixes_due))

    with pytest.raises(LuckBroken) as refused:
        shown(brings(home), game(2), size_at(game(2), mixes_due))

    assert refused.value.code == "luck/forked"
    assert str(pin_path(home / "receipts", TABLE)) in refused.value.sentence


def test_a_record_that_is_shorter_than_the_pinned_one_gets_nothing_until_it_has_caught_up(home: Path) -> None:
    size = size_at(game(), mixes_due)
    shown(bound(home), game(), size + 1)
    luck = brings(home)

    short = shown(luck, game(), size)
    whole = shown(luck, game(), size + 1)

    assert short.say == ()
    assert [told.state for told in short.tell] == [LuckState.BEHIND]
    assert whole.say == (GiveLuck(1, LUCK),)


def test_a_pin_that_cannot_be_read_is_named(home: Path) -> None:
    pin = pin_path(home / "receipts", TABLE)
    pin.parent.mkdir()
    pin.write_text("no receipt")

    with pytest.raises(LuckBroken) as refused:
        shown(bound(home), game(), size_at(game(), mixes_due))

    assert refused.value.code == "luck/pin"
    assert str(pin) in refused.value.sentence


def test_without_a_disk_that_keeps_the_pin_nothing_is_given(home: Path) -> None:
    luck = bound(home)
    (home / "receipts").write_text("in the way")

    with pytest.raises(LuckBroken) as refused:
        shown(luck, game(), size_at(game(), mixes_due))

    assert refused.value.code == "luck/not-kept"


# vaults that bind the seat to something else


@pytest.mark.parametrize("call", [WantsLuck(1), update("play")])
def test_a_vault_that_binds_the_seat_to_another_luck_is_found_whether_or_not_it_asks(
    home: Path, call: WantsLuck | Update
) -> None:
    other = game(brought=False)

    with pytest.raises(LuckBroken) as refused:
        shown(bound(home), other, other.log.size, by=call)

    assert refused.value.code == "luck/other"


def test_a_player_who_comes_when_the_seat_is_bound_is_told_once_that_its_luck_is_not_his(home: Path) -> None:
    other = game(brought=False)
    luck = brings(home)

    first, then = shown(luck, other, other.log.size, by=update("play")), luck.hear(update("play"))

    assert [told.state for told in first.tell] == [LuckState.NOT_YOURS]
    assert (first.say, then) == ((), Answer())


def test_a_player_who_insists_on_holding_the_luck_does_not_play_with_another(home: Path) -> None:
    other = game(brought=False)

    with pytest.raises(LuckBroken):
        shown(brings(home, hold=True), other, other.log.size, by=update("play"))


def test_a_client_whose_luck_was_dealt_with_reads_no_more(home: Path) -> None:
    luck, size = bound(home), size_at(game(), nothing_rolls)
    shown(luck, game(), size, by=update("play"))

    assert luck.hear(update("play")) == Answer()
    assert brings(home).hear(update("play")) == Answer()


def test_while_the_table_is_set_up_a_view_alone_calls_for_nothing(home: Path) -> None:
    luck = bound(home)

    assert [luck.hear(update(phase)) for phase in ("commit", "mix", "deal")] == [Answer()] * 3


def test_a_vault_that_asks_for_a_chain_that_no_table_has_is_refused(home: Path) -> None:
    with pytest.raises(LuckBroken):
        brings(home).hear(WantsBindings(attempt=1, chain=1_000_000_000))


# tables that it cannot follow, and clients that bring none


def test_without_the_edition_the_luck_is_left_to_the_vault_and_the_player_is_told(home: Path) -> None:
    luck = brings(home)

    brought = luck.brings(welcome("nowhere", bytes(32)))
    first, then = luck.hear(update("commit")), luck.hear(update("play"))

    assert not brought
    assert [told.state for told in first.tell] == [LuckState.NOT_YOURS]
    assert then == Answer()


def test_another_edition_of_the_same_name_is_not_the_edition(home: Path) -> None:
    here = editions.edition_hash(editions.load("tandem-target"))

    assert not brings(home).brings(welcome("tandem-target", bytes(32)))
    assert brings(home).brings(welcome("tandem-target", here))


def test_luck_that_is_held_is_not_left_to_the_vault_for_want_of_the_edition(home: Path) -> None:
    with pytest.raises(LuckBroken) as refused:
        brings(home, hold=True).brings(welcome("nowhere", bytes(32)))

    assert refused.value.code == "luck/edition"


def test_a_client_without_luck_says_once_that_the_table_waits_for_it() -> None:
    luck = NoLuck()

    answers = [luck.hear(message) for message in (update("play"), WantsLuck(9), WantsLuck(9))]

    assert [len(answer.tell) for answer in answers] == [0, 1, 0]
    assert [answer.say for answer in answers] == [(), (), ()]
