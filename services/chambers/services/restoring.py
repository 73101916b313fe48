"""A table back from a docket: it becomes the game master's own copy, from which the store is made whole."""

from __future__ import annotations

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


def restore(docket: Docket, home: Path) -> tuple[Log, int]:
    """Return the log that the game master whose volume, or whose deployment, is `home` puts back when it is started.

    With it comes how many of its entries the docket's checkpoint does not cover. Those are taken by their authors'
    signatures, for a role's copy may be ahead of its checkpoint. But nobody signs their order, their times, or that
    none is missing; and who has the true tail convicts a game master of two logs that goes on from a made-up one.
    ProtocolError `restore/other-key` for a table of another deployment, `restore/unread` for a docket that does not
    hold, `restore/other-log` where the volume has another log of that table, `restore/no-room` for the disk.
    """
    volume = home if (home / "log.key").exists() else Deployment(home).role_home(GM)
    log, covered = _log_of(docket, _public(volume))
    copies = Copies(volume / FOLDER, role=GM)
    try:
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
    return log, log.size - covered


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
