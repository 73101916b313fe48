"""What is allowed and yet worth knowing is told, and makes nobody guilty: late objections, setups broken off."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game
from typer.testing import CliRunner

from chambers import editions
from chambers.audit import Remark, Verdict, audit, inspect
from chambers.audit.live import LiveAudit
from chambers.audit.page import page
from chambers.audit.remarks import LATE_MS, remark
from chambers.clients.cli import app
from chambers.protocol.docket import dump
from chambers.rules.events import Ok, Open, TableEvent
from chambers.rules.roles import DEALER, GM, Role
from chambers.rules.witness_stand.edition import OBJECT
from chambers.rules.witness_stand.events import Play

OBJECTOR = Role("seat1")


class Backdates(PlayedGame):
    """A game at which a seat objects after another has let the question pass, as if it had not seen that."""

    waited_ms = LATE_MS + 1
    at: int | None = None

    def say(self, author: Role, event: TableEvent) -> None:
        """Say what the author says, or once the late objection."""
        last = self.said[-1][0] if self.said else None
        room = (
            self.at is None
            and author == OBJECTOR
            and isinstance(event, Ok)
            and str(self.table.play.stage) == "window"
            and OBJECT in self.hands[1].cards
            and last is not None
            and isinstance(last.event, Ok)
            and last.seq == event.ref + 1
        )
        if not room or last is None or not isinstance(event, Ok):
            super().say(author, event)
            return
        self.at, self.ts = self.log.size, last.ts + self.waited_ms
        super().say(author, Play(event.ref, OBJECT, self.seal(OBJECT)))

    def leaf_of(self, author: Role, event: TableEvent, *, n: int | None = None, size: int | None = None) -> bytes:
        """Return the entry; whoever objects late says that the question was the last that it saw."""
        late = isinstance(event, Play) and self.at == self.log.size
        return super().leaf_of(author, event, n=n, size=self.log.size - 1 if late else size)


@pytest.fixture
def backdated(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Backdates:
    """A whole game with an objection in it that came so many ms after what its author says not to have seen."""
    monkeypatch.setattr(Backdates, "waited_ms", getattr(request, "param", LATE_MS + 1))
    monkeypatch.setattr("tests.audit.honest_game.PlayedGame", Backdates)
    games = (play_game(seats=4, seed=seed, options={"step3": "always"}, most=300) for seed in range(40))
    return next(one for one in games if isinstance(one, Backdates) and one.at is not None)


def test_a_late_objection_is_a_remark_and_no_guilt(backdated: Backdates) -> None:
    report = audit(backdated.docket())

    assert (report.verdict, report.findings, report.unproved) == (Verdict.CLEAN, (), ())
    assert [(one.entry, one.role) for one in report.remarks] == [(backdated.at, OBJECTOR)]
    assert report.remarks[0].sentence.startswith("A late objection: Bo signed")


@pytest.mark.parametrize("backdated", [LATE_MS], indirect=True)
def test_an_objection_that_may_only_have_crossed_another_message_is_no_remark(backdated: Backdates) -> None:
    assert audit(backdated.docket()).remarks == ()


def test_a_late_objection_is_told_live_at_its_entry_and_once(backdated: Backdates) -> None:
    live, told = LiveAudit(backdated.id), []
    for size in range(1, backdated.log.size + 1):
        leaves = backdated.log.leaves[:size]
        found = live.take(leaves[-1:], note=backdated.note_over(leaves), edition=editions.canonical(backdated.edition))
        told += [(size - 1, one) for one in found]

    assert [(at, type(one)) for at, one in told] == [(backdated.at, Remark)]


def test_a_remark_is_in_the_lines_in_the_json_and_on_the_page(backdated: Backdates, tmp_path: Path) -> None:
    path = tmp_path / "late.docket"
    path.write_text(dump(backdated.docket()))

    said = CliRunner().invoke(app, ["audit", str(path)])
    told = json.loads(CliRunner().invoke(app, ["audit", str(path), "--json"]).stdout)
    drawn = page(inspect(backdated.docket()))

    assert said.exit_code == 0
    assert f"remark: entry {backdated.at}, seat1: A late objection: Bo" in said.stdout
    assert [(one["entry"], one["role"]) for one in told["remarks"]] == [(backdated.at, "seat1")]
    assert drawn.count('<li class="remark">') == 2


def test_a_dealer_that_breaks_off_a_setup_is_named_in_a_clean_record() -> None:
    def dislikes(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
        if role == DEALER and game.table.attempt == 1 and len(game.table.mixes) == 3:
            game.again(DEALER)
            return None
        return event

    played = play_game(seats=3, seed=8, event=dislikes, most=60)

    report = audit(played.docket())

    assert report.verdict is Verdict.CLEAN
    assert [one.role for one in report.remarks] == [DEALER]
    assert "the dealer had not done its part in time and kept back a shuffle that it knew" in report.remarks[0].sentence
    assert "The setup starts anew (attempt 2), since the dealer did not answer." in page(inspect(played.docket()))


def test_an_edition_that_is_not_the_one_of_its_name_here_is_remarked_on() -> None:
    walk = inspect(play_game(seats=2, most=40).docket()).walk
    first = walk.admitted[0]
    assert isinstance(first.event, Open)
    other = msgspec.structs.replace(first.event, edition_hash=bytes(32))
    own_box = msgspec.structs.replace(other, edition="my-box")

    told = [remark(first._replace(event=event), walk.admitted, ()) for event in (first.event, other, own_box)]

    said = "The edition is called tandem-target, and is not the one of that name here: other cards, or other words."
    assert told == [None, Remark(0, GM, said), None]
