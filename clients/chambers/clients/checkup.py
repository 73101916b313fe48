"""What `chambers doctor` finds: one line for each thing that was tested, and the tests of this machine itself."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from chambers.bus.deployment import Deployment
from chambers.bus.permissions import HOST
from chambers.clients.interfaces import LINK_LOCAL, LOOPBACK, hears_multicast, interfaces, shut_in

_SIGNS: Final = "é–…"


class State(StrEnum):
    """How a test went. `note`: nothing is wrong, but something may not be what is expected."""

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"
    UNTESTED = "untested"


class Check(msgspec.Struct, frozen=True):
    """One thing that was tested: what was found, and what to do about it."""

    name: str
    state: State
    text: str
    todo: str = ""

    @property
    def line(self) -> str:
        """Return the finding as one line."""
        return f"{self.state:<8} {self.name:<9} {self.text}{f' {self.todo}' if self.todo else ''}"


def ok(name: str, text: str) -> Check:
    """Return the finding that all is well."""
    return Check(name, State.OK, text)


def wrong(name: str, text: str, todo: str) -> Check:
    """Return the finding that something is wrong, and what to do."""
    return Check(name, State.WRONG, text, todo)


def exit_code(checks: list[Check]) -> int:
    """Return 0 if nothing is wrong, 1 if something is, 2 if something could not be tested because of that."""
    states = {check.state for check in checks}
    if State.UNTESTED in states:
        return 2
    return 1 if State.WRONG in states else 0


def of_this_machine(home: Path) -> Iterator[Check]:
    """Yield what can be told without any server: the terminal, the folder for data, and whether mDNS would work."""
    yield _terminal()
    yield _folder(home)
    yield _multicast()


def _terminal() -> Check:
    encoding = sys.stdout.encoding or "ascii"
    try:
        _SIGNS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return wrong("terminal", f"Its encoding, {encoding}, has not all signs of names.", "Set LANG=C.UTF-8.")
    kind = os.environ.get("TERM", "") or "no TERM"
    at = f"a terminal ({kind})" if sys.stdin.isatty() and sys.stdout.isatty() else "no terminal"
    return ok("terminal", f"{at}, {encoding}.")


def _folder(home: Path) -> Check:
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            return ok("folder", f"{home} can be written.")
    except OSError as error:
        if Deployment(home).may_be(HOST):
            return Check("folder", State.NOTE, f"{home} is a host's, and cannot be written: no server is remembered.")
        why = error.strerror or "the system refuses"
        return wrong("folder", f"{home} cannot be written: {why}.", "Name another with CHAMBERS_HOME.")


def _multicast() -> Check:
    found = [one for one in interfaces() if one.useless not in (LOOPBACK, LINK_LOCAL)]
    useful = [one for one in found if not one.useless]
    if not useful:
        only = ", ".join(dict.fromkeys(one.name for one in found)) or "loopback"
        text = f"No interface leads to other machines, only {only}."
        return wrong("mDNS", text, "Join by the whole ticket, or name the server with --server.")
    named = ", ".join(f"{one.name} {one.address}" for one in useful)
    if not any(map(hears_multicast, useful)):
        return wrong("mDNS", f"{named}: none takes part in multicast.", "Name the server with --server.")
    if within := shut_in():
        text = f"{named}; but this is {within}, which mDNS may not enter or leave."
        return Check("mDNS", State.NOTE, text, "If no table is found, name the server with --server.")
    return ok("mDNS", f"{named}: tables can be found, if the network lets multicast through.")
