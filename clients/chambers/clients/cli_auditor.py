"""`chambers auditor`: the key of whoever may open the hands of a table after the game, and how commands read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from chambers.clients.exits import one_sentence, read_text, write_secret

if TYPE_CHECKING:
    from chambers.protocol.auditor import AuditorKey

app = typer.Typer()
_HEX: Final = re.compile(r"[0-9a-fA-F]{64}")


@app.command(epilog="Example: chambers auditor ~/auditor.key")
def auditor(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the key is kept, for its owner's eyes only.")],
) -> None:
    """Make an auditor's key and print its public half.

    The host names that half: chambers host --auditor-key. A key that is there stays.

    Whoever has the file can open every hand of a table that names it, once that table has ended.
    """
    with one_sentence():
        from chambers.protocol.auditor import dump_key, load_key, new_key

        key = new_key()
        if not write_secret(file, dump_key(key)):
            key = load_key(read_text(file))
    typer.echo(key.public.hex())


def auditor_of(path: Path | None) -> AuditorKey | None:
    """Return the auditor's key in a file, None where none is named; ProtocolError for a file that holds none."""
    if path is None:
        return None
    from chambers.protocol.auditor import load_key

    return load_key(read_text(path))


def public_of(given: str) -> bytes:
    """Return the public half that a file or 64 hex digits name; ProtocolError (`reveal/no-auditor-key`) for neither."""
    from chambers.protocol.auditor import load_public
    from chambers.protocol.errors import ProtocolError

    path = Path(given)
    if not path.exists() and not _HEX.fullmatch(given.strip()):
        told = f"There is no file {given}, and it is no key of 64 hex digits. chambers auditor FILE makes a key."
        raise ProtocolError("reveal/no-auditor-key", told)
    return load_public(given if _HEX.fullmatch(given.strip()) else read_text(path))
