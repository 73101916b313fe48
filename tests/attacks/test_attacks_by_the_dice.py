"""Modified dice: another value or share is refused at once, and a roll that is withheld comes out as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import COURT_TABLE, Crook, crooked_house, dice_with, evening, evenings, events

from chambers.audit import Verdict, audit
from chambers.fairness.dice import roll_value
from chambers.rules.events import Roll, Share, TableEvent
from chambers.rules.roles import DICE, Role


def reports_another_value(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, value=event.value % 6 + 1) if isinstance(event, Roll) else None


def _rolled(at: Any, k: int, shares: tuple[tuple[Role, bytes], ...]) -> Roll:
    """Return the roll that some shares make: its value follows, and only a share is not what was bound."""
    return Roll(k, shares, roll_value(at.log.id, k, shares=shares))


def takes_another_share_of_its_own(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Roll):
        return None
    return _rolled(at, event.k, ((DICE, at.me.share(event.k + 1)), *event.shares[1:]))


def makes_up_a_seats_share(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    if not isinstance(event, Roll):
        return None
    role, _ = event.shares[-1]
    return _rolled(at, event.k, (*event.shares[:-1], (role, bytes(range(32)))))


def leaves_a_seat_out(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, shares=event.shares[:-1]) if isinstance(event, Roll) else None


def rolls_the_next_one_first(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, k=event.k + 1) if isinstance(event, Roll) else None


@pytest.mark.parametrize(
    ("trick", "code"),
    [
        (reports_another_value, "fairness/roll"),
        (takes_another_share_of_its_own, "fairness/share"),
        (makes_up_a_seats_share, "fairness/share"),
        (leaves_a_seat_out, "rule/shares"),
        (rolls_the_next_one_first, "rule/no-roll-due"),
    ],
)
async def test_a_roll_that_is_not_what_all_shares_make_is_refused_and_the_true_one_counts(
    tmp_path: Path, trick: Any, code: str
) -> None:
    crook = Crook(trick, insist=False)
    async with crooked_house(tmp_path, {DICE: dice_with(crook)}) as here:
        docket = await evenings(here, crook)

    report = audit(docket)

    assert set(crook.codes) == {code}
    assert not crook.accepted
    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())


class WaitsForABetterOne:
    """Dice that see what roll 1 would be and do not say it before every seat has published its share of it."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.published: list[int] = []

    def __call__(self, at: Any, event: TableEvent, n: int) -> TableEvent | None:
        if not isinstance(event, Roll) or event.k != 1:
            return None
        self.seen.append(event.value)
        self.published.append(len(at.log.table.shares))
        # what is refused is as good as silence: there is no other event that the dice could say instead
        return Roll(event.k, event.shares, 7) if len(at.log.table.shares) < at.log.table.seats else None


async def test_dice_that_wait_for_a_better_roll_are_seen_to_and_get_the_same_one(tmp_path: Path) -> None:
    trick = WaitsForABetterOne()
    crook = Crook(trick)
    options = tuple((name, "4" if name == "stall_s" else value) for name, value in COURT_TABLE)
    waiting: list[tuple[str, ...]] = []
    async with crooked_house(tmp_path, {DICE: dice_with(crook)}) as here:
        docket = await evening(here, lambda: trick.published[-1:] == [3], options=options, waiting=waiting)

    said = [(author, event) for author, _, event in events(docket) if isinstance(event, Share | Roll)]
    first = next(n for n, (_, event) in enumerate(said) if isinstance(event, Roll))

    assert {(author, event.k) for author, event in said[:first]} == {(f"seat{n}", 1) for n in range(3)}
    assert len(trick.seen) > 1
    assert {said[first][1].value} == set(trick.seen)  # type: ignore[union-attr]
    assert ("The dice",) in waiting
    assert audit(docket).verdict is Verdict.CLEAN
