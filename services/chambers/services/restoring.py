"""A table back from a docket: it becomes the game master's own copy, from which the store is made whole."""

from __future__ import annotations

import time
from pathlib import Path

from chambers.audit.structure import edition_in, table_id
from chambers.bus.deployment import Deployment
from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import check_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.protocol.copies import FOLDER
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.rules.errors import RuleError
from chambers.rules.roles import GM
from chambers.services.copies import Copies


def restore(docket: Docket, home: Path, *, uncovered: bool = False, now: int | None = None) -> tuple[Log, int]:
    """Return the log that the game master whose volume, or whose deployment, is `home` puts back when it is started.

    With it comes how many of its entries neither the docket's checkpoint nor the volume's own copy covers. Those are
    their authors' word alone: nobody has signed their order, their times, or that none is missing, and who has the true
    tail convicts a game master of two logs that goes on from a made-up one. They are taken if `uncovered` says so, and
    none that is later than `now` (ms since 1970). ProtocolError `restore/uncovered` otherwise, `restore/other-key` for
    a table of another deployment, `restore/unread` for a docket that does not hold, `restore/other-log` where the
    volume has another log of that table, `restore/no-room` for the disk.
    """
    volume = home if (home / "log.key").exists() else Deployment(home).role_home(GM)
    log, covered = _log_of(docket, _public(volume))
    copies = Copies(volume / FOLDER, role=GM)
    try:
        beyond = max(0, log.size - max(covered, copies.size(log.id)))
        if beyond:
            _check_beyond(log, beyond, wanted=uncovered, now=time.time_ns() // 1_000_000 if now is None else now)
        copies.keep(log)
        if copies.leaves(log.id)[: log.size] != tuple(log.leaves):
            raise ProtocolError("restore/no-room", f"The disk below {volume} does not take the table.")
        copies.want(log.id)
    except FairnessError as error:
        raise ProtocolError("restore/other-log", f"{volume} has another log of this table. {error.sentence}") from None
    except OSError as error:
        raise ProtocolError("restore/no-room", f"{volume} cannot be written: {error.strerror}.") from None
    finally:
        copies.close()
    return log, beyond


def _check_beyond(log: Log, beyond: int, *, wanted: bool, now: int) -> None:
    """Refuse entries that no checkpoint covers, unless they are wanted, and any of a time that has not come."""
    if not wanted:
        told = f"No checkpoint covers the last {beyond} of the {log.size} entries, so nobody but who kept this docket"
        tried = "Try the docket of another role of the table; if all end so, and no player had this one: --uncovered"
        raise ProtocolError("restore/uncovered", f"{told} says that they are the ones that were. {tried}")
    if log.table.ts > now:  # no limit of the table would lapse before that
        raise ProtocolError("restore/unread", "The last entries of this docket are of a time that has not come yet.")


def _public(volume: Path) -> bytes:
    try:
        return SigningKey((volume / "log.key").read_bytes()).public
    except (OSError, ValueError, FairnessError):
        sentence = f"{volume} is no game master's volume: there is no log.key in it."
        raise ProtocolError("restore/other-key", sentence) from None


def _log_of(docket: Docket, public: bytes) -> tuple[Log, int]:
    """Return the log that a docket proves to have been the game master's, and how much of it the checkpoint covers."""
    log = Log(table_id(docket), edition_of=edition_in(docket))
    try:
        size, root = check_checkpoint(docket.note, public, table=log.id)
        for raw in docket.leaves:
            log.admit(raw)
    except (ProtocolError, RuleError, FairnessError) as error:
        raise ProtocolError("restore/unread", f"Nothing is put back from this docket. {error.sentence}") from None
    if size > log.size or log.tree.root_at(size) != root:
        raise ProtocolError("restore/unread", "The entries of this docket are not those that its checkpoint covers.")
    if log.table.setup.opening.log_key != public:
        raise ProtocolError("restore/other-key", "This table was another game master's.")
    return log, size
