"""`chambers audit` and `chambers replay` as a person calls them: page, reveals, receipt, live, JSON, and eyes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.audit.honest_game import play_game
from tests.support.house import house
from typer.testing import CliRunner, Result

from chambers import editions
from chambers.audit import Verdict, audit, sent
from chambers.audit.live import Told
from chambers.clients.auditing import watched
from chambers.clients.bench_audit import measure_audit
from chambers.clients.cli import app
from chambers.clients.connecting import as_spectator
from chambers.clients.json_mode import JsonLines
from chambers.protocol.docket import dump
from chambers.protocol.reveals import HandedIn, dump_reveal
from chambers.rules.terms import Viewer

PLAYED = play_game(seats=3, seed=14)


@pytest.fixture
def docket(tmp_path: Path) -> Path:
    path = tmp_path / "game.docket"
    path.write_text(dump(PLAYED.docket()))
    return path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_the_page_is_written_beside_the_report(docket: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"

    got = call("audit", str(docket), "--html", str(page))

    assert got.exit_code == 0
    assert got.stdout.startswith("audit clean: ")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("command", ["audit", "replay", "log"])
def test_a_docket_that_was_copied_in_part_accuses_nobody(docket: Path, command: str) -> None:
    docket.write_text("".join(docket.read_text().splitlines(keepends=True)[:-1]))

    got = call(command, str(docket))

    assert (got.exit_code, got.stdout) == (2, "")
    assert got.stderr == "The docket is cut: its last line, the checkpoint's signature, is not whole.\n"


@pytest.mark.parametrize("command", ["audit", "replay", "log"])
def test_a_docket_may_come_on_standard_input(docket: Path, command: str) -> None:
    piped = CliRunner().invoke(app, [command, "-"], input=docket.read_text())

    assert piped.exit_code == 0
    assert piped.stdout == call(command, str(docket)).stdout


def test_a_receipt_of_another_game_fails_the_audit_in_json_too(docket: Path, tmp_path: Path) -> None:
    note = tmp_path / "ada.note"
    note.write_text(play_game(seats=3, seed=15, table=PLAYED.id).receipt())

    got = call("audit", str(docket), "--receipt", str(note), "--json")

    assert got.exit_code == 1
    found = json.loads(got.stdout)
    assert (found["verdict"], found["findings"][0]["check"]) == ("cheated", "A07")


def test_a_clean_report_says_which_receipt_it_was_held_against(docket: Path, tmp_path: Path) -> None:
    note, page = tmp_path / "ada.note", tmp_path / "game.html"
    note.write_text(PLAYED.receipt())

    told = call("audit", str(docket), "--receipt", str(note), "--html", str(page)).stdout.splitlines()
    alone = call("audit", str(docket)).stdout

    size = PLAYED.size_after_byes
    sentence = (
        f"Receipt 1, of {size} entries, is signed by gm and cosigned by dealer, dice, seat0, seat1, seat2; "
        "this record begins with them."
    )
    assert told[1] == f"held against: {sentence}"
    assert sentence in page.read_text()
    assert "held against" not in alone


def test_reveals_from_a_folder_are_used(tmp_path: Path) -> None:
    path, folder = tmp_path / "dead.docket", tmp_path / "reveals"
    path.write_text(dump(PLAYED.record(PLAYED.log.leaves[: PLAYED.size_after_byes - 6])))
    folder.mkdir()
    for role, own in PLAYED.roles.items():
        (folder / f"{role}.json").write_bytes(dump_reveal(HandedIn(PLAYED.id, role, own.secret, own.luck)))

    got = call("audit", str(path), "--reveals", str(folder), "--json")

    assert got.exit_code == 2
    assert json.loads(got.stdout)["counts"]["deals"] == 1
    held = json.loads(got.stdout)["held"]
    assert len(held) == len(PLAYED.roles)
    assert "The reveal handed in for Ada (seat0) opens what it committed to." in held
    assert "The reveal handed in for the dealer (dealer) opens what it committed to." in held


def test_a_record_in_a_file_cannot_be_followed_live(docket: Path) -> None:
    assert call("audit", str(docket), "--live").exit_code == 2


def test_a_seat_is_replayed_in_json_line_for_line_as_its_client_said_it(docket: Path) -> None:
    voice = JsonLines()
    said = [line for one in sent(PLAYED.docket(), Viewer("seat1")) for line in voice.lines(one.message)]

    got = call("replay", str(docket), "--as", "seat1", "--json")

    assert got.exit_code == 0
    assert got.stdout.splitlines() == said
    assert {json.loads(line)["type"] for line in said} >= {"view", "log", "prompt", "accepted"}


def test_a_replay_that_stops_shows_the_board_and_a_seat_its_hand(docket: Path) -> None:
    public = call("replay", str(docket), "--at", "40").stdout.splitlines()
    seat = call("replay", str(docket), "--as", "seat0", "--at", "40").stdout.splitlines()

    assert [line.split()[0] for line in public[:41]] == [str(n) for n in range(41)]
    assert [line.split()[0] for line in seat[:41]] == [str(n) for n in range(41)]
    assert public[41].startswith("BOARD ")
    assert any(line.startswith("HAND you hold ") for line in seat)
    assert not any(line.startswith("HAND ") for line in public)


def test_all_eyes_before_the_reveal_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "early.docket"
    path.write_text(dump(PLAYED.record(PLAYED.log.leaves[: PLAYED.size_after_byes])))

    for eyes in (("--as", "all"), ("--as", "seat0", "--json")):
        got = call("replay", str(path), *eyes)
        assert (got.exit_code, "revealed" in got.stderr or "not opened" in got.stderr) == (2, True)


async def test_a_spectator_audits_a_game_while_it_is_played(tmp_path: Path) -> None:
    told: list[Told] = []
    async with house(tmp_path, seats=3) as here:
        table = await here.open(3)
        spectator = await as_spectator(here.stack.url, table)
        players = [await here.sit(table, seat) for seat in range(3)]
        try:
            async with asyncio.timeout(90):
                docket = await watched(spectator, told=told.append, poll=0.05)
        finally:
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            await spectator.leave()

    assert told == []
    assert docket.edition == editions.canonical(editions.load("tandem-target"))
    assert audit(docket).verdict is Verdict.CLEAN


@pytest.mark.parametrize("entries", [200, 350])
def test_the_bench_audits_an_honest_record_of_the_length_asked_for(entries: int) -> None:
    figures = measure_audit(entries, workers=0)

    assert (figures.entries, figures.verdict, figures.workers) == (entries, "clean", 0)
    assert figures.entries_a_second > 0
