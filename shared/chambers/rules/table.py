"""The public state of a table, whatever its game: who has committed, what phase it is in, who has left."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from chambers.rules.events import Commit, Deal, Mix
from chambers.rules.game import Game, Play
from chambers.rules.roles import Role, contributors, seat_roles
from chambers.rules.terms import Setup


class Phase(StrEnum):
    """Where a table is between its opening and its last reveal."""

    COMMIT = "commit"
    MIX = "mix"
    DEAL = "deal"
    PLAY = "play"
    BYE = "bye"
    REVEAL = "reveal"
    CLOSED = "closed"


class Table(msgspec.Struct, frozen=True):
    """One table's public state, a fold of its log. It has no field that could hold a secret."""

    game: Game
    setup: Setup
    phase: Phase = Phase.COMMIT
    size: int = 1
    ts: int = 0
    since: int = 0
    since_ts: int = 0
    moved: int = 0
    attempt: int = 1
    commits: tuple[tuple[Role, Commit], ...] = ()
    mixes: tuple[tuple[Role, Mix], ...] = ()
    deal: Deal | None = None
    play: Play = None
    rolls: int = 0
    shares: tuple[tuple[Role, bytes], ...] = ()
    issues: tuple[int, ...] = ()
    said: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    stalls: tuple[tuple[Role, int, Role], ...] = ()
    stopped: str = ""
    reason: str = ""
    byes: tuple[Role, ...] = ()
    reveals: tuple[Role, ...] = ()

    @property
    def seats(self) -> int:
        """Return the number of seats, 2..6."""
        return self.setup.seats

    @property
    def names(self) -> tuple[str, ...]:
        """Return the players' names in seat order, `seat N` for one that has not sat down."""
        known = {role: commit.name for role, commit in self.commits}
        return tuple(known.get(role, f"seat {n}") for n, role in enumerate(seat_roles(self.seats)))

    @property
    def live(self) -> tuple[Role, ...]:
        """Return the contributors (dice, dealer, seats) that have not been dropped, in role order."""
        gone = {f"seat{n}" for n in self.dropped}
        return tuple(role for role in contributors(self.seats) if role not in gone)

    def committed(self, role: Role) -> Commit | None:
        """Return a role's commit of this attempt, or None."""
        for who, commit in self.commits:
            if who == role:
                return commit
        return None
