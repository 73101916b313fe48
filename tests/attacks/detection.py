"""The detection table: how often an attack happened, and how often the audit named who did it.

make detect DETECT_ARGS='--games 100'     # the table as Markdown; exit code 1 if one got away or was blamed wrongly
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tests.attacks.crooked_evening import Attack, CrookedEvening
from tests.attacks.lies import attacks
from tests.attacks.record_edits import EDITS, Records

from chambers.rules.roles import seat_role

GAMES = ("witness-stand", "missing-suspect")


class Line(NamedTuple):
    """One row: games played, games in which it happened and was named, by which checks, and named of audits in which
    one role keeps its secret; `slandered` is of how many audits somebody else was named in."""

    attack: str
    culprit: str
    game: str
    played: int
    happened: int
    named: int
    checks: Counter[str]
    silent: tuple[int, int]
    without_the_culprit: tuple[int, int]
    slandered: int = 0

    @property
    def escaped(self) -> bool:
        """Return whether somebody got away who should not have, or somebody else was blamed."""
        found = self.happened and self.named == self.happened and self.silent[0] == self.silent[1]
        return not found or self.slandered > 0


def measured(attack: Attack, games: int) -> Line:
    """Return how one role's lie fared in so many games, with every secret revealed and with each one kept."""
    happened = named = slandered = 0
    checks: Counter[str] = Counter()
    others, own = Counter[bool](), Counter[bool]()
    for seed in range(games):
        evening = CrookedEvening(attack, seed, seats=3 + seed % 3).evening()
        if evening.at is None:
            continue
        happened += 1
        report = evening.audited()
        assert report is not None
        named += {item.culprit for item in report.findings} == {attack.culprit}
        checks.update({item.check for item in report.findings})
        for role in evening.roles:
            without = evening.audited(silent=role)
            if without is not None:
                culprits = {item.culprit for item in without.findings}
                (own if role == attack.culprit else others)[culprits == {attack.culprit}] += 1
                slandered += bool(culprits - {attack.culprit})
    kept, itself = (others[True], others.total()), (own[True], own.total())
    return Line(attack.name, attack.culprit, attack.game, games, happened, named, checks, kept, itself, slandered)


def edited(game: str, games: int) -> Iterator[Line]:
    """Yield how each edit of the record fared in so many games; nobody's secret bears on it."""
    found: dict[str, Counter[str]] = {name: Counter() for name in EDITS}
    for seed in range(games):
        records = Records(game, seed)
        for name, edit in EDITS.items():
            found[name].update(check for check in (edit(records).named(),) if check is not None)
    for name, checks in found.items():
        yield Line(name, "keeper", game, games, games, checks.total(), checks, (0, 0), (0, 0))


def honest(game: str, games: int) -> tuple[int, int]:
    """Return how many audits of honest games there were, with and without each one secret, and how many found a lie."""
    audits = wrong = 0
    for seed in range(games):
        evening = CrookedEvening(Attack("", game, seat_role(1)), seed, seats=2 + seed % 5).evening()
        for silent in (None, *evening.roles):
            report = evening.audited(silent=silent)
            assert report is not None
            audits += 1
            wrong += bool(report.findings)
    return audits, wrong


def lines(games: int) -> Iterator[Line]:
    """Yield every row of the table."""
    for attack in attacks():
        yield measured(attack, games)
    for game in GAMES:
        yield from edited(game, games)


def told(line: Line) -> str:
    """Return a row as Markdown."""
    by = ", ".join(f"{check} {number}" for check, number in sorted(line.checks.items()))
    kept = "{} / {}".format(*line.silent) if line.silent[1] else "-"
    own = "{} / {}".format(*line.without_the_culprit) if line.without_the_culprit[1] else "-"
    cells = (line.attack, line.culprit, line.game, f"{line.happened} of {line.played}")
    return f"| {' | '.join(cells)} | {line.named} / {line.happened} | {by} | {kept} | {own} |"


HEAD = (
    "| attack | by | game | happened | named | checks | one other silent | culprit silent |",
    "|---|---|---|---|---|---|---|---|",
)


def main() -> int:
    """Print the table; return 1 if somebody got away or was blamed wrongly."""
    parser = argparse.ArgumentParser(description="Measure how often each attack is found, and who is named for it.")
    parser.add_argument("--games", type=int, default=20, help="how many games a row (20)")
    games = parser.parse_args().games
    start, bad = time.monotonic(), False
    print(*HEAD, sep="\n")
    for line in lines(games):
        print(told(line), flush=True)
        bad = bad or line.escaped
    for game in GAMES:
        audits, wrong = honest(game, games)
        print(f"\nHonest {game}: {games} games, {audits} audits, {wrong} with a finding.")
        bad = bad or wrong > 0
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
