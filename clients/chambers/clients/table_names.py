"""Tables by the first digits of their names, where there is a list that has the whole ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from chambers.clients.exits import could_not
from chambers.clients.running import run

_WHOLE: Final = 32
_BEGINNING: Final = re.compile(r"[0-9a-f]{4,32}")


def beginning(given: str) -> str | None:
    """Return what is given as the 4 to 32 hex digits with which a table's name begins, None for anything else."""
    digits = given.strip().lower()
    return digits if _BEGINNING.fullmatch(digits) else None


def one_of(digits: str, names: Iterable[str], where: str) -> bytes:
    """Return the table whose name begins with these digits; a whole name counts whether it is listed or not.

    It ends the command with one sentence if none of the names does, or several do.
    """
    if len(digits) == _WHOLE:
        return bytes.fromhex(digits)
    fitting = [name for name in names if name.startswith(digits)]
    if not fitting:
        could_not(f"No table {where} begins with {digits}.")
    if len(fitting) > 1:
        could_not(f"{len(fitting)} tables {where} begin with {digits}; name one by more digits: {' '.join(fitting)}")
    return bytes.fromhex(fitting[0])


def on_server(digits: str, server: str) -> bytes:
    """Return the table of that beginning among those that a server lists to a guest; nobody is asked for a whole name.

    BusError if the server is silent; otherwise as `one_of`.
    """
    if len(digits) == _WHOLE:
        return bytes.fromhex(digits)
    from chambers.clients.arguments import known_servers
    from chambers.clients.connecting import listed

    names = [info.table.hex() for info in run(listed(server, known=known_servers()))]
    return one_of(digits, names, f"at {server.partition('#')[0]}")
