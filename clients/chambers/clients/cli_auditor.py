"""`chambers auditor`: the key of whoever may open the hands of a table after the game, and how commands read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chambers.clients.exits import one_sentence, read_text, write_secret

if TYPE_CHECKING:
    from chambers.protocol.auditor import AuditorKey

app = typer.Typer()


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

    path = Path(given)
    return load_public(read_text(path) if path.is_file() else given)
