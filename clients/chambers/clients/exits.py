"""How a command ends: one sentence to stderr and an exit code for everything that a person can do wrong."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

import typer

from chambers.clients import surroundings
from chambers.clients.pipes import tell
from chambers.protocol.errors import ProtocolError, Refusal

REFUSED: Final = 1
COULD_NOT: Final = 2

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_CANNOT: Final = (
    "lobby/auditor-key",
    "lobby/edition",
    "lobby/no-seat",
    "lobby/unknown-table",
    "rule/auditor-key",
    "rule/close-reason",
    "rule/edition",
    "rule/option-twice",
    "rule/option-unknown",
    "rule/option-value",
    "rule/reveal-policy",
    "rule/seats",
    "rule/unknown-game",
    "vault/broken-log",
    "vault/runs-already",
)
"""Refusals, beside the bus's own, of what nobody could do in the way that it was asked for; others are a no."""
_TRY: Final = {
    "bus/no-server": "Start one with: chambers serve, or name another with --server or CHAMBERS_SERVER.",
    "bus/port-taken": "With chambers serve: --listen HOST:PORT",
    "bus/login-refused": "A ticket that was voided, or for another server, does not admit; ask the host for a new one.",
    "bus/gate-silent": "Try again in a moment; what is missing there the host sees with: chambers status",
    "bus/no-key": "Name the folder of chambers serve or chambers init with --home or CHAMBERS_HOME.",
    "bus/unknown-certificate": "Name it with its fingerprint, as the host's line does: --server nats://HOST:4222#...",
    "bus/bad-certificate": "Somebody may be in its place; ask the host for a new ticket.",
    "bus/no-responder": "The service that should answer does not run there. Try: chambers status",
    "bus/timeout": "The service that should answer is too slow or gone. Try: chambers status",
}


def could_not(sentence: str) -> NoReturn:
    """End the command with exit code 2 and this sentence on stderr."""
    tell(sentence, err=True)
    raise typer.Exit(COULD_NOT)


def refused(refusal: Refusal) -> NoReturn:
    """End the command with exit code 1, the refusal's sentence and the rule behind it on stderr.

    Exit code 2 where it could not be done whoever asks: a broken bus, an option, a table or a seat that there is not.
    """
    if refusal.code in _CANNOT or refusal.code.startswith("bus/"):
        could_not(" ".join(part for part in (refusal.text, _TRY.get(refusal.code, "")) if part))
    behind = ", ".join(part for part in (refusal.section, refusal.ruling) if part)
    tell(f"{refusal.text} ({behind})" if behind else refusal.text, err=True)
    raise typer.Exit(REFUSED)


@contextlib.contextmanager
def one_sentence() -> Iterator[None]:
    """Turn what the user, the server or the disk can do wrong into one sentence and an exit code."""
    from chambers.bus.errors import BusError
    from chambers.clients.hosting import Refused
    from chambers.clients.spectating import NotWatched
    from chambers.editions import EditionError
    from chambers.rules.errors import RuleError

    try:
        yield
    except BusError as error:
        could_not(" ".join(part for part in (error.sentence, _TRY.get(error.code, "")) if part))
    except NotWatched as error:
        could_not(error.refusal.text)
    except Refused as error:
        refused(error.refusal)
    except RuleError as error:
        refused(Refusal(error.code, error.sentence, error.section, error.ruling))
    except (ProtocolError, EditionError) as error:
        could_not(error.sentence)
    except BrokenPipeError:
        # Whoever read this has read enough: a pipe to `head` is no fault.
        surroundings.silence_output()
        raise typer.Exit(0) from None
    except OSError as error:
        could_not(_of_the_system(error))


def read_text(path: Path) -> str:
    """Return the text of a file; ends the command with one sentence if it cannot be read as text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        could_not(f"{path} is not a text file.")
    except OSError as error:
        could_not(_of_the_system(error))


def read_input() -> str:
    """Return the text that comes on standard input; ends the command with one sentence if it is no text."""
    try:
        return sys.stdin.read()
    except UnicodeDecodeError:
        could_not("What came on standard input is not text.")


def write_text(path: Path, text: str, *, make_folder: bool = False, private: bool = False) -> None:
    """Write a whole file or none of it; ends the command with one sentence if that cannot be done.

    A link stays a link, and what is no file (a pipe, a device) is written to as it is. `make_folder` is for our own
    folders: one that a person names must be there. A `private` file is for its owner's eyes only (0600).
    """
    try:
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        target = path.resolve()
        if path.exists() and not target.is_file():
            path.write_text(text, encoding="utf-8", newline="\n")
        else:
            _replace(target, text, mode=0o600 if private else 0o666)
    except BrokenPipeError:
        raise
    except (OSError, RuntimeError) as error:
        # Before 3.13 a link that leads to itself is a RuntimeError.
        why = error.strerror if isinstance(error, OSError) else None
        could_not(f"{path} could not be written: {why or 'the system refused'}.")


def write_secret(path: Path, text: str) -> bool:
    """Return whether a new file for its owner's eyes only (0600) holds the text; False where there is a file already.

    It ends the command with one sentence if the file cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        could_not(f"{path} could not be written: {error.strerror}.")
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(handle)
    return True


def _replace(target: Path, text: str, *, mode: int) -> None:
    # Two players on one machine may keep the same receipt at the same moment.
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        # Its name can be guessed, and in a folder that others write to a link may lie there: it is not followed.
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, _NEW, mode), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(draft, target)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def _of_the_system(error: OSError) -> str:
    what = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or 'The system refused'}{what}."
