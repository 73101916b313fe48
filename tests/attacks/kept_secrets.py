"""A real record as it would be if some role had kept its secret after the game."""

from __future__ import annotations

import msgspec
from tests.attacks.crooked_house import events

from chambers.protocol.docket import Docket
from chambers.protocol.reveals import HandedIn
from chambers.rules.events import Reveal
from chambers.rules.roles import Role


def without(docket: Docket, *silent: Role) -> tuple[Docket, tuple[HandedIn, ...]]:
    """Return a record up to its last goodbye, and what all roles but the silent ones hand in beside it."""
    said = events(docket)
    first = next(seq for seq, (_, _, event) in enumerate(said) if isinstance(event, Reveal))
    revealed = [(Role(author), event) for author, _, event in said if isinstance(event, Reveal)]
    table = open_id(docket)
    handed = tuple(HandedIn(table, role, one.secret, one.luck) for role, one in revealed if role not in silent)
    return msgspec.structs.replace(docket, leaves=docket.leaves[:first]), handed


def open_id(docket: Docket) -> bytes:
    """Return the table of a record."""
    return bytes(msgspec.msgpack.decode(msgspec.msgpack.decode(docket.leaves[0])[2])[0])
