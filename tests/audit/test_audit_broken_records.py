"""A record that was changed, cut, reordered or forked is found at the first entry that shows it."""

from __future__ import annotations

import random

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game

from chambers.audit import Report, Verdict, audit
from chambers.audit.signatures import SHORT
from chambers.fairness.keys import TableSecrets
from chambers.fairness.signatures import SigningKey
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol.docket import Docket, dump, load
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import Entry, leaf, read_event, read_leaf, read_statement, sign
from chambers.rules.events import Close, Commit, Lapse, Mix, Ok, Reveal, Say, TableEvent
from chambers.rules.roles import GM, Role
from chambers.rules.witness_stand.events import Corner

PLAYED = play_game(seats=3, seed=8, talk=0.1)
LEAVES = PLAYED.log.leaves
MIDDLE = next(
    n for n in range(len(LEAVES) // 2, len(LEAVES)) if read_statement(read_leaf(LEAVES[n]).stmt).author == "seat1"
)


def renumbered(leaves: list[bytes]) -> list[bytes]:
    return [leaf(msgspec.structs.replace(read_leaf(raw), seq=n)) for n, raw in enumerate(leaves)]


def edited(leaves: list[bytes], *, signed: bool = False) -> Report:
    """Return the audit of changed leaves, under the old checkpoint or one that the game master signs anew."""
    return audit(PLAYED.record(leaves, note=None if signed else PLAYED.docket().note))


def test_a_dropped_entry_leaves_a_gap() -> None:
    report = edited(LEAVES[:MIDDLE] + LEAVES[MIDDLE + 1 :])

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A01", MIDDLE, "log")]


@pytest.mark.parametrize(("signed", "culprit"), [(False, "log"), (True, "gm")])
def test_a_dropped_entry_shows_in_what_the_next_author_saw(signed: bool, culprit: str) -> None:
    report = edited(renumbered(LEAVES[:MIDDLE] + LEAVES[MIDDLE + 1 :]), signed=signed)

    assert report.verdict is Verdict.CHEATED
    assert report.findings[0].check in ("A04", "A05")
    assert (report.findings[0].entry, report.findings[0].culprit) == (MIDDLE, culprit)


def test_two_swapped_entries_are_found() -> None:
    swapped = [*LEAVES[:MIDDLE], LEAVES[MIDDLE + 1], LEAVES[MIDDLE], *LEAVES[MIDDLE + 2 :]]

    report = edited(renumbered(swapped), signed=True)

    assert report.findings[0].entry == MIDDLE
    assert report.findings[0].culprit == GM


def test_a_changed_word_is_not_signed_by_its_author() -> None:
    entry = read_leaf(LEAVES[MIDDLE])
    at = len(entry.stmt) - 1
    changed = msgspec.structs.replace(entry, stmt=entry.stmt[:at] + bytes([entry.stmt[at] ^ 1]))

    report = edited([*LEAVES[:MIDDLE], leaf(changed), *LEAVES[MIDDLE + 1 :]])

    assert report.findings[0].entry == MIDDLE
    assert report.findings[0].check in ("A02", "A03")
    assert report.counts.entries == MIDDLE


def test_an_entry_put_in_by_the_record_keeper_is_not_blamed_on_its_supposed_author() -> None:
    forger = play_game(seats=3, seed=99, table=PLAYED.id)
    entry = read_leaf(LEAVES[MIDDLE])
    sig = read_leaf(forger.log.leaves[1]).sig

    report = edited([*LEAVES[:MIDDLE], leaf(msgspec.structs.replace(entry, sig=sig)), *LEAVES[MIDDLE + 1 :]])

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A03", MIDDLE, "log")]


@pytest.mark.slow
def test_the_first_false_signature_counts_when_workers_check_them() -> None:
    long = play_game(seats=3, seed=8, boldness=0.0, most=SHORT + 300)
    leaves = list(long.log.leaves)
    for at in (SHORT, 700):
        leaves[at] = leaf(msgspec.structs.replace(read_leaf(leaves[at]), sig=bytes(64)))

    report = audit(long.record(leaves), workers=2)

    assert [(item.check, item.entry) for item in report.findings] == [("A03", 700)]
    assert report.counts.entries == 700


def test_a_statement_said_twice_is_found() -> None:
    again = msgspec.structs.replace(read_leaf(LEAVES[MIDDLE]), seq=MIDDLE + 1)

    report = edited([*LEAVES[: MIDDLE + 1], leaf(again)], signed=True)

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A04", MIDDLE + 1, "gm")]


def test_an_author_that_numbers_two_statements_alike_is_found() -> None:
    played = play_game(seats=3, seed=8, boldness=0.0, most=80)
    number = played.log.counter(Role("seat1"))
    double = played.leaf_of(Role("seat1"), Say("What I said before was something else."), n=number - 1)

    report = audit(played.record([*played.log.leaves, double]))

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A04", played.log.size, "seat1")]


def test_a_move_against_the_rules_that_a_game_master_lets_in_is_found() -> None:
    def out_of_turn(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        return Ok(3) if game.log.size > 40 and role == "seat2" else event

    played = play_game(seats=3, seed=8, event=out_of_turn)

    report = audit(played.docket())

    assert [(item.check, item.culprit) for item in report.findings] == [("A13", "seat2")]
    assert report.findings[0].entry == played.log.size


def test_a_number_that_was_free_again_after_a_refusal_is_the_game_masters_who_let_in_both() -> None:
    played = play_game(seats=3, seed=8, boldness=0.0, most=80)
    leaves = played.log.leaves
    last = max(n for n, raw in enumerate(leaves) if read_statement(read_leaf(raw).stmt).author == "seat1")
    number = read_statement(read_leaf(leaves[last]).stmt).n
    refused = played.leaf_of(Role("seat1"), Say("May I say something?"), n=number, size=last)

    report = audit(played.record([*leaves, refused]))

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A04", played.log.size, GM)]


def closed_before(at: int) -> list[bytes]:
    """Return the entries before one of the game's, and a close in its place that the game master made instead."""
    tree, before = Tree(), LEAVES[:at]
    for raw in before:
        tree.append(leaf_hash(raw))
    n = sum(read_statement(read_leaf(raw).stmt).author == GM for raw in before)
    event = Close("aborted: it is late")
    sig, stmt = sign(PLAYED.log_key, table=PLAYED.id, author=GM, n=n, size=at, root=tree.root(), event=event)
    return [*before, leaf(Entry(at, read_leaf(before[-1]).ts, stmt, sig))]


def test_what_was_allowed_when_it_was_signed_is_the_game_masters_who_put_it_in_too_late() -> None:
    late = msgspec.structs.replace(read_leaf(LEAVES[MIDDLE]), seq=MIDDLE + 1)

    report = edited([*closed_before(MIDDLE), leaf(late)], signed=True)

    assert [(item.entry, item.culprit) for item in report.findings] == [(MIDDLE + 1, GM)]


def test_what_was_forbidden_when_it_was_signed_is_its_authors_wherever_it_was_put() -> None:
    number = read_statement(read_leaf(LEAVES[MIDDLE]).stmt).n
    early = read_leaf(PLAYED.leaf_of(Role("seat1"), Corner(0), n=number, size=MIDDLE))
    late = msgspec.structs.replace(early, seq=MIDDLE + 1, ts=read_leaf(LEAVES[MIDDLE]).ts)

    report = edited([*closed_before(MIDDLE), leaf(late)], signed=True)

    assert [(item.entry, item.culprit) for item in report.findings] == [(MIDDLE + 1, "seat1")]


def test_an_entry_of_another_table_is_found() -> None:
    other = play_game(seats=3, seed=9)

    report = edited(renumbered([*LEAVES[:20], other.log.leaves[20]]), signed=True)

    assert [(item.check, item.entry) for item in report.findings] == [("A03", 20)]


def test_a_cut_tail_under_a_new_checkpoint_is_unverified() -> None:
    report = edited(LEAVES[:MIDDLE], signed=True)

    assert (report.verdict, report.findings) == (Verdict.UNVERIFIED, ())
    assert [item.check for item in report.unproved] == ["A08"]


def test_a_cut_tail_under_the_old_checkpoint_is_found() -> None:
    report = edited(LEAVES[:MIDDLE])

    assert [(item.check, item.culprit) for item in report.findings] == [("A06", "log")]


def test_a_cut_tail_contradicts_a_receipt() -> None:
    report = audit(PLAYED.record(LEAVES[:MIDDLE]), receipts=[PLAYED.receipt()])

    assert [(item.check, item.culprit) for item in report.findings] == [("A07", "log")]


def test_a_whole_other_game_under_the_same_table_is_clean_alone_and_contradicts_a_receipt() -> None:
    other = play_game(seats=3, seed=31, table=PLAYED.id)

    alone = audit(other.docket())
    held_against = audit(other.docket(), receipts=[PLAYED.receipt()])

    assert alone.verdict is Verdict.CLEAN
    assert [(item.check, item.culprit) for item in held_against.findings] == [("A07", "log")]


def test_a_head_pinned_at_setup_holds_against_the_finished_log() -> None:
    pinned = PLAYED.note_over(LEAVES[:7])

    assert audit(PLAYED.docket(), receipts=[pinned]).verdict is Verdict.CLEAN


@pytest.mark.parametrize("receipt", ["", "no note at all", play_game(seats=2, seed=1).receipt()])
def test_a_receipt_of_something_else_proves_nothing(receipt: str) -> None:
    report = audit(PLAYED.docket(), receipts=[receipt])

    assert (report.verdict, [item.check for item in report.unproved]) == (Verdict.UNVERIFIED, ["A07"])


def test_a_checkpoint_of_a_stranger_does_not_hold() -> None:
    stranger = play_game(seats=3, seed=31, table=PLAYED.id)

    report = audit(PLAYED.record(LEAVES, note=stranger.note_over(LEAVES)))

    assert [(item.check, item.culprit) for item in report.findings] == [("A06", "log")]
    assert report.findings[0].sentence == "The checkpoint of this record is not signed by this table's game master."


@pytest.mark.parametrize(
    ("note", "flaw"),
    [
        ("signed, I swear", "cannot be read: it is damaged"),
        (play_game(seats=2, seed=1).docket().note, "is not one of this table's log"),
    ],
)
def test_a_checkpoint_that_is_none_of_this_table_is_said_to_be_so(note: str, flaw: str) -> None:
    report = audit(PLAYED.record(LEAVES, note=note))

    assert [item.sentence for item in report.findings] == [f"The checkpoint of this record {flaw}."]


def test_an_entry_with_another_number_and_an_entry_said_twice_are_told_in_one_sentence_each() -> None:
    said = read_statement(read_leaf(LEAVES[19]).stmt)

    skipped = audit(PLAYED.record([*LEAVES[:20], LEAVES[21]]))
    doubled = audit(PLAYED.record(renumbered([*LEAVES[:20], LEAVES[19]])))

    number = "Entry 20: The entry says that it is number 21, and 20 is next."
    assert [item.sentence for item in skipped.findings] == [number]
    twice = f"Entry 20 is statement {said.n} of {said.author}, whose next one is {said.n + 1}"
    assert [item.sentence for item in doubled.findings] == [
        f"{twice}: entries were left out, put in, doubled or moved."
    ]


def test_a_checkpoint_over_another_log_names_the_game_master_where_that_has_signed_this_one_too() -> None:
    last, early = (PLAYED.note_over([*LEAVES[: size - 1], b"other"]) for size in (len(LEAVES), MIDDLE))

    alone = audit(PLAYED.record(LEAVES, note=last))
    held_against = audit(PLAYED.record(LEAVES, note=last), receipts=[PLAYED.note_over(LEAVES)])
    later = audit(PLAYED.record(LEAVES, note=early))

    assert [(item.check, item.culprit) for item in alone.findings] == [("A06", "log")]
    assert [(item.check, item.culprit) for item in held_against.findings] == [("A06", GM)]
    assert [(item.check, item.culprit) for item in later.findings] == [("A06", GM)]


def test_another_time_in_the_last_entry_is_not_blamed_on_the_game_master() -> None:
    entry = read_leaf(LEAVES[-1])

    report = edited([*LEAVES[:-1], leaf(msgspec.structs.replace(entry, ts=entry.ts + 1))])

    assert [(item.check, item.culprit) for item in report.findings] == [("A06", "log")]


@pytest.mark.parametrize(("signed", "culprit"), [(False, "log"), (True, "gm")])
def test_another_time_of_a_lapse_is_its_record_keepers_and_not_of_who_said_it(signed: bool, culprit: str) -> None:
    played = play_game(seats=3, seed=3, lapses=0.5, options={"turn_limit": "30"})
    leaves = played.log.leaves
    at = next(n for n, (item, _) in enumerate(played.said) if isinstance(item.event, Lapse))
    early = msgspec.structs.replace(read_leaf(leaves[at]), ts=read_leaf(leaves[at - 1]).ts)
    changed = [*leaves[:at], leaf(early), *leaves[at + 1 :]]

    report = audit(played.record(changed, note=None if signed else played.docket().note))

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A13", at, culprit)]


FORGER = TableSecrets.from_master(bytes(32), PLAYED.id, role=Role("seat1"), attempt=1)


def made_up(event: TableEvent) -> list[bytes]:
    """Return the opening of the game, and what somebody with a key of his own says in the name of seat 1."""
    bound = FORGER.bindings(PLAYED.chain)
    keys = (bound.secret, bound.box, bound.luck, bound.anchor, bound.mix)
    leaves = [LEAVES[0]]
    for n, said in enumerate((Commit(FORGER.signing_key.public, "Bo", *keys), event)):
        tree = Tree()
        for raw in leaves:
            tree.append(leaf_hash(raw))
        sig, stmt = sign(
            FORGER.signing_key,
            table=PLAYED.id,
            author=Role("seat1"),
            n=n,
            size=tree.size,
            root=tree.root(),
            event=said,
        )
        leaves.append(leaf(Entry(tree.size, read_leaf(LEAVES[0]).ts, stmt, sig)))
    return leaves


@pytest.mark.parametrize("event", [Say("x" * 500), Ok(1), Mix(bytes(32)), Reveal(bytes(32), bytes(32), bytes(72))])
@pytest.mark.parametrize("note", ["", PLAYED.docket().note, PLAYED.note_over(LEAVES[:1])])
def test_whoever_makes_up_a_key_for_a_role_has_nobody_named_for_what_it_signs(event: TableEvent, note: str) -> None:
    report = audit(PLAYED.record(made_up(event), note=note))

    assert [(item.entry, item.culprit) for item in report.findings] == [(2, "log")]


@pytest.mark.parametrize(("signed", "culprit"), [(False, "log"), (True, "gm")])
def test_a_commit_under_another_key_than_at_the_attempt_before_is_its_keepers(signed: bool, culprit: str) -> None:
    def lets_it_pass(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Mix) and (game.table.attempt, len(game.table.mixes)) == (1, 1):
            game.again(role)
            return None
        return event

    played = play_game(seats=3, seed=5, most=40, event=lets_it_pass)
    at = next(n for n, (item, _) in enumerate(played.said) if isinstance(item.event, Commit) and n > 8)
    said = played.said[at][0]
    assert isinstance(said.event, Commit)
    forged = msgspec.structs.replace(said.event, sign=FORGER.signing_key.public)
    root = played.log.tree.root_at(at)
    sig, stmt = sign(
        FORGER.signing_key, table=played.id, author=said.author, n=said.n, size=at, root=root, event=forged
    )
    leaves = [*played.log.leaves[:at], leaf(Entry(at, said.ts, stmt, sig))]

    report = audit(played.record(leaves, note=None if signed else played.note_over(leaves[:at])))

    assert audit(played.docket()).verdict is Verdict.CLEAN
    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A03", at, culprit)]


def test_a_receipt_contradicts_a_record_that_breaks_too() -> None:
    leaves = made_up(Say("x" * 500))

    report = audit(PLAYED.record(leaves), receipts=[PLAYED.note_over(LEAVES[:3]), PLAYED.note_over(LEAVES[:1])])

    assert [(item.check, item.culprit) for item in report.findings] == [("A13", "seat1"), ("A07", GM)]


def test_an_older_checkpoint_leaves_the_last_entries_unproved() -> None:
    report = audit(PLAYED.record(LEAVES, note=PLAYED.note_over(LEAVES[:-2])))

    assert [(item.check, item.entry) for item in report.unproved] == [("A06", len(LEAVES) - 2)]


def test_another_edition_in_the_record_is_found() -> None:
    other = play_game(seats=2, seed=1, edition="stuttering-bishop")

    report = audit(Docket(other.docket().edition, PLAYED.docket().leaves, PLAYED.docket().note))

    assert [(item.check, item.entry, item.culprit) for item in report.findings] == [("A13", 0, "log")]


def test_an_empty_record_is_unverified() -> None:
    report = audit(Docket(b"", (), ""))

    assert (report.verdict, report.counts.entries) == (Verdict.UNVERIFIED, 0)


SETUP = [n for n, raw in enumerate(LEAVES[:9]) if n == 0 or read_statement(read_leaf(raw).stmt).n == 0]


@pytest.mark.parametrize("at", SETUP)
def test_a_flipped_bit_in_what_brings_its_own_key_is_found_and_blamed_on_nobody_but_the_records_keeper(at: int) -> None:
    for byte in range(len(LEAVES[at])):
        flipped = bytearray(LEAVES[at])
        flipped[byte] ^= 1 << (byte * 5 + at) % 8

        report = edited([*LEAVES[:at], bytes(flipped), *LEAVES[at + 1 :]])

        assert report.verdict is Verdict.CHEATED, byte
        assert {item.culprit for item in report.findings} == {"log"}, (byte, report.findings)


@pytest.mark.parametrize(("signed", "culprit"), [(False, "log"), (True, "gm")])
def test_a_made_up_commit_that_cannot_be_one_is_not_blamed_on_the_role_whose_name_it_bears(
    signed: bool, culprit: str
) -> None:
    at = next(n for n, raw in enumerate(LEAVES) if read_statement(read_leaf(raw).stmt).author == "seat1")
    entry, forger = read_leaf(LEAVES[at]), SigningKey(bytes(range(32)))
    said = read_statement(entry.stmt)
    commit = read_event(bytes(said.ev), "witness-stand")
    assert isinstance(commit, Commit)
    forged = msgspec.structs.replace(commit, sign=forger.public, box=bytes(32))
    sig, stmt = sign(forger, table=PLAYED.id, author=Role("seat1"), n=0, size=said.size, root=said.root, event=forged)

    report = edited([*LEAVES[:at], leaf(Entry(at, entry.ts, stmt, sig)), *LEAVES[at + 1 :]], signed=signed)

    assert [(item.entry, item.culprit) for item in report.findings] == [(at, culprit)]


def test_an_entry_of_another_release_is_unverified_where_the_checkpoint_covers_it() -> None:
    at = next(n for n, raw in enumerate(LEAVES) if read_statement(read_leaf(raw).stmt).author == "seat1")
    entry = read_leaf(LEAVES[at])
    said = read_statement(entry.stmt)
    unknown = msgspec.msgpack.encode(["pledge", *msgspec.msgpack.decode(bytes(said.ev))[1:]])
    stmt = msgspec.msgpack.encode(msgspec.structs.replace(said, ev=msgspec.Raw(unknown)))
    leaves = [*LEAVES[:at], leaf(msgspec.structs.replace(entry, stmt=stmt)), *LEAVES[at + 1 :]]

    later, changed = edited(leaves, signed=True), edited(leaves)

    assert (later.verdict, later.findings) == (Verdict.UNVERIFIED, ())
    assert [(item.check, item.entry, item.culprit) for item in changed.findings] == [("A06", at, "log")]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_a_flipped_bit_is_never_clean_and_never_an_exception(block: int) -> None:
    small = play_game(seats=2, seed=1)
    docket = small.docket()
    chance = random.Random(block)
    sound = list(docket.leaves)
    for _ in range(100):
        parts = [docket.edition, *sound]
        which = chance.choices(range(len(parts)), weights=[len(part) for part in parts])[0]
        flipped = bytearray(parts[which])
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        parts[which] = bytes(flipped)

        report = audit(Docket(parts[0], tuple(parts[1:]), docket.note))

        assert report.verdict is not Verdict.CLEAN
        assert report.exit_code in (1, 2)


@pytest.mark.slow
def test_a_flipped_bit_in_the_file_is_refused_or_found() -> None:
    raw = dump(play_game(seats=2, seed=1).docket()).encode()
    chance = random.Random(5)
    for _ in range(100):
        flipped = bytearray(raw)
        flipped[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        try:
            docket = load(flipped.decode(errors="surrogateescape"))
        except ProtocolError:
            continue

        assert audit(docket).verdict is not Verdict.CLEAN


@pytest.mark.slow
def test_cuts_and_deletions_anywhere_are_never_clean() -> None:
    chance = random.Random(6)
    for _ in range(60):
        first, last = sorted(chance.sample(range(len(LEAVES)), 2))

        assert edited(LEAVES[:first] + LEAVES[last:]).verdict is Verdict.CHEATED
        assert edited(renumbered(LEAVES[:first] + LEAVES[last:]), signed=True).verdict is not Verdict.CLEAN
        assert edited(LEAVES[:first], signed=True).verdict is Verdict.UNVERIFIED


def test_every_docket_that_lost_its_end_is_refused_as_cut_and_not_judged() -> None:
    text = dump(PLAYED.docket())
    entries = text.index("\n", text.index("\n") + 1) + 1
    behind = text.index("\n\n") + 2
    lines = [at + 1 for at in range(entries, behind) if text[at] == "\n"]

    for end in (*lines, *range(behind, len(text))):
        with pytest.raises(ProtocolError) as refused:
            load(text[:end])
        assert refused.value.code == "docket/cut"
    assert load(text) == PLAYED.docket()
