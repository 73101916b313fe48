"""A record outlives the program that made it: it is replayed and proved as it was, and nothing leaves it again."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game
from tests.scenarios.evening import docket_of, entries_of, reopen, wander
from tests.support.canaries import write_edition
from tests.support.tabletop import TABLE, Tabletop
from tests.support.virtual_time import run

from chambers import editions
from chambers.audit import Verdict, audit, replay
from chambers.protocol import subjects
from chambers.protocol.auditor import AuditorKey, load_key
from chambers.protocol.client import ChoiceAccepted, ChoiceRefused, Choose
from chambers.protocol.docket import dump, load
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import VoidRequest, encode
from chambers.protocol.statements import read_leaf, read_open, read_statement
from chambers.rules import RuleError, new_table
from chambers.rules.events import TABLE_EVENTS, Mix, TableEvent
from chambers.rules.roles import Role
from chambers.rules.terms import ALL, PUBLIC, Setup, Viewer
from chambers.rules.witness_stand.events import EVENTS

KEPT = Path(__file__).parent / "dockets"
# Games that were played when the rules were called witness-stand/1 and missing-suspect/1. If a test on them fails, a
# change has altered what kept records mean: give the changed rules a new name and keep the old ones, and never make
# these files anew.
NAMES = ("witness-stand-1", "missing-suspect-1", "witness-stand-1-entrusted")
# At the last one Bo kept his own vault, Ada and Cy brought their luck (Cy held it to the end), and the hands were
# opened to an auditor alone, whose key is kept beside the record.
ENDED = {
    "witness-stand-1": (
        86, "23ce533032379cfb1f6ca39c42f5590a5220a4dbb27e8f1983c9e0d8342fa8ae", 2, "Cy wins: Lavinia Pell did it.",
    ),
    "missing-suspect-1": (
        170, "794edccf371862c69f4da582b0ca72771c7c1be2577de5d8cd614224395badc5", 1,
        "Bo wins: the pink suspect F is brought to trial.",
    ),
    "witness-stand-1-entrusted": (
        115, "088c37f2c08a065239b1e4a2dec62ebb520e90c71571abb9639194fdeca1ab2e", 2, "Cy wins: Irma Hodge did it.",
    ),
}  # fmt: skip
OLD = (KEPT / "witness-stand-1.docket").read_text()


def kept(name: str, kind: str) -> str:
    """Return the text of a kept record or of the receipt that belongs to it."""
    return (KEPT / f"{name}.{kind}").read_text()


def auditor_of(name: str) -> AuditorKey | None:
    """Return the key that is kept beside a record whose hands were opened to an auditor alone."""
    return load_key(kept(name, "auditor")) if name.endswith("-entrusted") else None


@pytest.mark.parametrize("name", NAMES)
def test_a_game_that_was_kept_is_proved_by_the_program_of_today(name: str) -> None:
    entries, root, _, _ = ENDED[name]

    report = audit(load(kept(name, "docket")), receipts=[kept(name, "receipt")], auditor=auditor_of(name))

    assert (report.verdict, report.findings, report.unproved) == (Verdict.CLEAN, (), ())
    assert (report.counts.entries, report.root, report.ending) == (entries, root, "over")
    assert report.counts.answers
    assert report.counts.passes
    assert report.counts.looks


@pytest.mark.parametrize("viewer", [PUBLIC, ALL, Viewer("seat0"), Viewer("seat1"), Viewer("seat2")])
@pytest.mark.parametrize("name", NAMES)
def test_a_game_that_was_kept_can_be_seen_through_everybodys_eyes(name: str, viewer: Viewer) -> None:
    entries, _, winner, text = ENDED[name]

    told = list(replay(load(kept(name, "docket")), viewer, auditor=auditor_of(name)))

    assert [item.seq for item in told] == list(range(entries))
    result = told[-1].table.game.result(told[-1].table.play)
    assert result is not None
    assert (result.winner, result.text) == (winner, text)


def test_a_kept_record_that_was_opened_to_an_auditor_keeps_its_hands_from_everybody_else() -> None:
    docket = load(kept("witness-stand-1-entrusted", "docket"))

    report = audit(docket, receipts=[kept("witness-stand-1-entrusted", "receipt")])

    opening = read_open(bytes(read_statement(read_leaf(docket.leaves[0]).stmt).ev))
    assert (opening.reveal, [plan.vault for plan in opening.seats]) == ("auditor", ["host", "own", "host"])
    assert (report.verdict, report.findings, report.counts.answers) == (Verdict.UNVERIFIED, (), 0)
    with pytest.raises(ProtocolError, match="replay/not-revealed"):
        list(replay(docket, ALL))


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_record_is_written_as_it_was_read(name: str) -> None:
    text = kept(name, "docket")

    assert dump(load(text)) == text


def test_a_kept_record_needs_no_edition_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The case was revised or is not installed any more: the record brings its own."""

    def nothing(name: str) -> object:
        raise editions.EditionError(f"There is no edition {name}.")

    monkeypatch.setattr(editions, "load", nothing)

    assert audit(load(OLD)).verdict is Verdict.CLEAN


def test_a_game_with_an_owners_own_case_is_proved_where_that_file_is_not(tmp_path: Path) -> None:
    """The table named the case by its file, which only its host had; whoever gets the record needs nothing else."""

    async def play(case: Path) -> str:
        async with Tabletop(tmp_path / "vaults", seats=2, edition=str(case)) as table:
            await wander(table, random.Random(3), accuse=0.5)
            await table.until(lambda: table.log.table.phase == "closed")
            return dump(docket_of(table))

    case = write_edition(tmp_path / "cases")
    text = run(play(case))
    case.unlink()

    assert audit(load(text)).verdict is Verdict.CLEAN
    assert len(list(replay(load(text), ALL))) == len(load(text).leaves)


@pytest.mark.parametrize("changed", [{"rules": "witness-stand/0"}, {"rules": "witness-stand/99"}, {"v": 2}])
def test_a_table_under_other_rules_is_refused_and_never_played_by_these(changed: dict[str, object]) -> None:
    setup = play_game(seats=2, seed=1, most=1).setup
    other = msgspec.structs.replace(setup.opening, **changed)

    with pytest.raises(RuleError) as refused:
        new_table(Setup(other, setup.edition))

    assert refused.value.code == "rule/version"


# nothing leaves the log


def test_no_event_of_any_kind_takes_an_earlier_one_back() -> None:
    names = {str(kind.__struct_config__.tag) for kind in (*TABLE_EVENTS, *EVENTS)}
    assert not {name for name in names if name.startswith(("undo", "redo", "back", "delete", "revert", "take"))}


def test_every_later_record_of_a_table_begins_with_every_earlier_one(tmp_path: Path) -> None:
    """Whatever happens meanwhile: refused choices, voided tickets, new windows, a second thought."""

    async def play() -> None:
        async with Tabletop(tmp_path, seats=3) as table:
            host, chance = table.server.connect("host"), random.Random(2)
            records: list[tuple[bytes, ...]] = []
            for size in range(20, 140, 20):
                await wander(table, chance, until=lambda size=size: table.log.size > size)  # type: ignore[misc]
                records.append(docket_of(table).leaves)
                seat = next(chair.seat for chair in table.chairs if chair.asked)
                prompt, options = table.chairs[seat].prompt, table.chairs[seat].asked
                first = await table.choose(seat, options[-1])
                window = await reopen(table, seat)
                await window.say(Choose(prompt, options[0] if len(options) > 1 else "another"))
                await table.until(lambda w=window: any(isinstance(m, ChoiceRefused) for m in w.heard))  # type: ignore[misc]
                assert isinstance(first, ChoiceAccepted)
                assert entries_of(table)[first.sequence].author == f"seat{seat}"
            await host.request(subjects.lobby("void", "host"), encode(VoidRequest(table=TABLE, seat=1)))
            final = docket_of(table).leaves
            assert len(final) > 120
            assert all(final[: len(earlier)] == earlier for earlier in records)

    run(play())


Hook = Callable[[PlayedGame, Role, TableEvent], TableEvent | None]


def test_a_setup_that_was_started_anew_leaves_the_first_one_in_the_record() -> None:
    seen: list[bytes] = []

    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if isinstance(event, Mix) and role == "seat1" and game.table.attempt < 2:
            seen.extend(game.log.leaves)
            game.again(role)
            return None
        return event

    docket = play_game(seats=3, seed=6, event=hook).docket()

    assert len(seen) > 5
    assert docket.leaves[: len(seen)] == tuple(seen)
    assert audit(docket).verdict is Verdict.CLEAN
