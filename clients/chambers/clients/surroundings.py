"""The one place that reads the environment: folders, the server, colour, and what the output can show."""

from __future__ import annotations

import contextlib
import getpass
import io
import os
import shlex
import sys
from pathlib import Path
from typing import Final

import platformdirs

from chambers.protocol.versions import release

APP: Final = "chambers"
DEFAULT_SERVER: Final = "nats://127.0.0.1:4222"
NAME_LENGTH: Final = 20
"""As `chambers.rules.check` has it, which is slow to load for `--help`; a test holds the two together."""


def version() -> str:
    """Return the installed version, or `0+source` where the package runs from its source tree."""
    return release()


def server(given: str | None = None) -> str:
    """Return the server's URL: the one given, else CHAMBERS_SERVER, else a server on this machine."""
    return named_server(given) or DEFAULT_SERVER


def named_server(given: str | None = None) -> str | None:
    """Return the server's URL that somebody named: the one given, else CHAMBERS_SERVER, else None."""
    return given or os.environ.get("CHAMBERS_SERVER") or None


def server_option(asked: str) -> str:
    """Return the option that names this server in a command to type, empty where that command asks it anyway."""
    return "" if asked == server() else f" --server {shlex.quote(asked)}"


def hosted_server() -> str | None:
    """Return the server whose deployment is at hand: CHAMBERS_SERVER, if CHAMBERS_HOME is set as well; else None."""
    return named_server() if os.environ.get("CHAMBERS_HOME") else None


def public_server(given: str | None = None) -> str:
    """Return the URL for tickets: the one given, else CHAMBERS_PUBLIC_SERVER; empty for the server's own."""
    return given or os.environ.get("CHAMBERS_PUBLIC_SERVER") or ""


def bots_folder(given: Path | None = None) -> Path | None:
    """Return where tickets for bots are laid: the folder given, else CHAMBERS_BOTS, else None."""
    named = os.environ.get("CHAMBERS_BOTS")
    return given or (Path(named) if named else None)


def home(given: Path | None = None) -> Path:
    """Return the folder of a deployment: the one given, else CHAMBERS_HOME, else the user's data folder."""
    if given is not None:
        return given
    named = os.environ.get("CHAMBERS_HOME")
    return Path(named) if named else Path(platformdirs.user_data_dir(APP, appauthor=False))


def own_vault(table: str, seat: int, *, given: Path | None = None) -> Path:
    """Return the folder of a player's own vault at a table: below the folder given, else below `home()`."""
    return home(given) / "vaults" / f"{table}.{seat}"


def receipt(table: str) -> Path:
    """Return the file of a player's receipt of a table."""
    return receipts() / f"{table}.note"


def receipts() -> Path:
    """Return the folder where a player's receipts are kept."""
    return home() / "receipts"


def on_terminal() -> bool:
    """Return whether a person sits at both ends: standard input and output are terminals."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def forgiving_streams() -> None:
    """Let output that the terminal's encoding cannot show be replaced by `?` instead of ending the program.

    A stream that the shell has closed (`<&-`) is empty, or takes what nobody reads.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def silence_output() -> None:
    """Send what is still buffered for a closed pipe nowhere, so that leaving stays quiet."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


def player_name(given: str | None = None) -> str:
    """Return what the player is called: the name given, else the account's, in the 1 to 20 signs that a table takes."""
    try:
        name = given or getpass.getuser()
    except (OSError, KeyError, ImportError):
        name = "Guest"
    return squeezed(name)[:NAME_LENGTH].strip() or "Guest"


def squeezed(name: str) -> str:
    """Return a name with single blanks between its words, and none for signs that cannot be printed."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
