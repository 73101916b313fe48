"""`chambers vault`: to keep the vault of one's seat, and to hand in what the volume of a role has of a dead table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperGroup

from chambers.clients import arguments, surroundings
from chambers.clients.cli_own_vault import KEEP_EPILOG, keep
from chambers.clients.exits import REFUSED, could_not, one_sentence, write_secret, write_text

if TYPE_CHECKING:
    from chambers.services.handing_in import Left

_STILL_OPEN = (
    "The game is not over as far as this copy goes, and a reveal shows the hand to whoever reads it. If its game "
    "master is gone for good, say --table-is-dead: then this role plays no more there, even if the table comes back."
)


_REVEALS: Final = "reveals"


class _File(NamedTuple):
    """One file that is handed in; a `secret` one is for its owner's eyes only."""

    name: str
    text: str
    secret: bool

    def __repr__(self) -> str:
        return f"_File({self.name})"


class _KeepsByDefault(TyperGroup):
    """The group in which a first word that is no command is a ticket."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the arguments, with `keep` before those that name no command."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["keep", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_KeepsByDefault,
    help="Keep the vault of your own seat: chambers vault TICKET. Or hand in what a role has of a dead table.",
    epilog="Example: chambers vault chambers1vault.l9uYXRzOi8v... --join --name Ada",
    no_args_is_help=True,
)
app.command(epilog=KEEP_EPILOG)(keep)


@app.command(epilog="Example: chambers vault export 5d0a9e1ac2f84b7796e0b1d3c4a5f607 --table-is-dead --into left")
def export(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="The table: copies are TABLE.ROLE.copy; its first digits do.")
    ],
    home: Annotated[
        Path | None,
        typer.Option("--home", help="The volume of a role, or a folder of them; else CHAMBERS_HOME.", metavar="DIR"),
    ] = None,
    role: Annotated[str, typer.Option("--role", help="Only this one of the roles found there.", metavar="ROLE")] = "",
    into: Annotated[
        Path, typer.Option("--into", help="Where the files are written; - for a tar archive.", metavar="DIR|-")
    ] = Path(),
    dead: Annotated[
        bool,
        typer.Option(
            "--table-is-dead", help="The game master is gone for good, or the seat was dropped: write the reveals, too."
        ),
    ] = False,
) -> None:
    """Write what roles have of a table, without any server.

    A docket each, and of a dead table the role's reveal.

    Vaults, the dealer and the dice keep a copy of the log in their own volumes. Collect the files of all that are left,
    and audit the longest docket with: chambers audit FILE --reveals DIR.
    """
    digits = arguments.table_digits(table)
    if str(into) == "-" and sys.stdout.isatty():
        could_not("A terminal is no place for an archive, nor for a reveal: name a folder, or > FILE behind --into -")
    with one_sentence():
        from chambers.clients.table_names import one_of
        from chambers.services.handing_in import copied, left_in

        where = surroundings.home(home)
        named = one_of(digits, copied(where), f"with a copy below {where}")
        found = [one for one in left_in(where, named) if role in ("", one.role)]
        if not found:
            could_not(f"No copy of that table there is {role}'s.")
        files = [file for one in found for file in _files(one, named, dead=dead)]
        if str(into) == "-":
            _to_output(files)
        else:
            _to_folder(files, into)
            longest = max(found, key=lambda one: len(one.docket.leaves))
            reveals = f" --reveals {into / _REVEALS}" if any(file.secret for file in files) else ""
            typer.echo(f"chambers audit {into / _name(longest, named, 'docket')}{reveals}")
    if any(one.opens and one.goes_on for one in found) and not dead:
        typer.echo(_STILL_OPEN, err=True)
        raise typer.Exit(REFUSED)


def _files(one: Left, table: bytes, *, dead: bool) -> list[_File]:
    """Return the docket of one role, and its reveal where the table is dead; say on stderr what they are."""
    from chambers.protocol.docket import dump
    from chambers.protocol.reveals import dump_reveal
    from chambers.services.handing_in import reveal

    files = [_File(_name(one, table, "docket"), dump(one.docket), secret=False)]
    with_reveal = one.opens and dead
    if with_reveal:
        text = dump_reveal(reveal(one, table)).decode()
        files.append(_File(f"{_REVEALS}/{_name(one, table, 'reveal')}", text, secret=True))
    sealed = ", for its auditor's key" if with_reveal and one.table.setup.opening.reveal == "auditor" else ""
    typer.echo(
        f"{one.role}: {len(one.docket.leaves)} entries, phase {one.table.phase}"
        f"{f', and its reveal{sealed}' if with_reveal else ''}",
        err=True,
    )
    return files


def _to_folder(files: list[_File], into: Path) -> None:
    for file in files:
        path = into / file.name
        if file.secret:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            write_secret(path, file.text)
        else:
            write_text(path, file.text, make_folder=True)


def _to_output(files: list[_File]) -> None:
    """Write the files to standard output as one tar archive."""
    import io
    import tarfile

    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as archive:
        for file in files:
            data = file.text.encode()
            entry = tarfile.TarInfo(file.name)
            entry.size, entry.mode = len(data), 0o600 if file.secret else 0o644
            archive.addfile(entry, io.BytesIO(data))


def _name(one: Left, table: bytes, kind: str) -> str:
    return f"{table.hex()[:8]}.{one.role}.{kind}"
