"""What a role's volume leaves of a table whose game master is gone: the docket from its copy, and the role's reveal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from chambers.audit.replay import admitted_of
from chambers.bus.deployment import master_key
from chambers.fairness.keys import TableSecrets, luck_commitment
from chambers.protocol.auditor import entrust
from chambers.protocol.copies import FOLDER, HANDED_IN, SUFFIX, load
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.reveals import HandedIn
from chambers.rules.roles import MAX_SEATS, Role, contributors, seat_of
from chambers.rules.table import Phase, Table
from chambers.services.kept_luck import KeptLuck

_ROLES: Final = contributors(MAX_SEATS)


class Left(NamedTuple):
    """A role's copy of a table's log, verified entry by entry, and the public table that it comes to."""

    path: Path
    role: Role
    docket: Docket
    table: Table

    @property
    def opens(self) -> bool:
        """Return whether a reveal has anything to add: the table has none of this role, though it has some at its end.

        It is not there before the table has closed, and never that of a seat that was dropped.
        """
        bound, dropped = self.table.committed(self.role) is not None, seat_of(self.role) in self.table.dropped
        return (self.goes_on or dropped) and bound and self.table.setup.opening.reveal != "none"

    @property
    def goes_on(self) -> bool:
        """Return whether the table, as far as this copy knows, has not closed."""
        return self.table.phase is not Phase.CLOSED


def copied(home: Path) -> tuple[str, ...]:
    """Return the names of the tables of which copies are in a role's volume, a deployment's folder, or a player's."""
    return tuple(sorted({path.name.split(".")[0] for path, _ in _copies(home, "*")}))


def left_in(home: Path, table: bytes) -> tuple[Left, ...]:
    """Return the copies of a table in a role's volume, a deployment's folder, or a player's; those in order of roles.

    ProtocolError `reveal/no-copy` if there is none, and whatever is wrong with a copy that is there, by its path.
    """
    found = sorted(_copies(home, table.hex()), key=lambda one: _ROLES.index(one[1]))
    if not found:
        days = "they are kept by vaults, dealer and dice, each in its own volume, for 90 days"
        raise ProtocolError("reveal/no-copy", f"There is no copy of table {table.hex()} below {home}: {days}.")
    return tuple(_read(path, role) for path, role in found)


def reveal(left: Left, table: bytes) -> HandedIn:
    """Return what a role opens of a table beside its log; from then on it plays no more there.

    To an auditor it is sealed, if the table has one. ProtocolError `reveal/other-key` where the volume's key is not
    the one that the role has played with.
    """
    home = left.path.parent.parent
    commit, opening = left.table.committed(left.role), left.table.setup.opening
    key = home / "master.key"
    if not key.exists():
        raise ProtocolError("reveal/other-key", f"{home} has no master.key: the reveal of {left.role} is lost.")
    master = master_key(key)
    own = TableSecrets.from_master(master, table, role=left.role, attempt=left.table.attempt)
    if commit is None or commit.sign != own.signing_key.public:
        sentence = f"The key in {home} is not the one with which {left.role} has played at this table."
        raise ProtocolError("reveal/other-key", sentence)
    _mark(left.path.with_suffix(HANDED_IN))
    luck = own.luck
    if commit.luck != luck_commitment(table, left.role, luck=luck):  # the player has brought another, or holds it
        luck = KeptLuck(home / "luck", master).read(table, left.table.attempt) or b""
    if opening.auditor_key is None:
        return HandedIn(table, left.role, own.secret, luck)
    box = entrust(opening.auditor_key, table=table, role=left.role, secret=own.secret, luck=luck)
    return HandedIn(table, left.role, box=box)


def _copies(home: Path, table: str) -> Iterator[tuple[Path, Role]]:
    for pattern in (FOLDER, f"roles/*/{FOLDER}", f"vaults/{table}.*/{FOLDER}"):
        for path in home.glob(f"{pattern}/{table}.*{SUFFIX}"):
            role = path.name.split(".")[1]
            if role in _ROLES:
                yield path, Role(role)


def _read(path: Path, role: Role) -> Left:
    try:
        docket = load(path.read_bytes()).docket()
        table = [item.after for item in admitted_of(docket)][-1]
    except ProtocolError as error:
        raise ProtocolError(error.code, f"{path}: {error.sentence}") from None
    except IndexError:
        raise ProtocolError("reveal/no-copy", f"{path} has no whole entry yet.") from None
    except OSError as error:
        raise ProtocolError("reveal/no-copy", f"{path} cannot be read: {error.strerror}.") from None
    return Left(path, role, docket, table)


def _mark(path: Path) -> None:
    """Leave the mark by which the role knows that its secrets are open; it is on the disk before this returns."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        os.fsync(handle)
        os.close(handle)
    except OSError as error:
        sentence = f"{path} cannot be written ({error.strerror}), and without it the role would play on."
        raise ProtocolError("reveal/no-mark", sentence) from None
