"""`chambers edition`: the boards, cards and cases that games are played with: list, read, draw, check, write them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import msgspec
import typer

from chambers.clients.edition_sheets import count, fill, lines, sheet
from chambers.editions import Edition, EditionError, blank, edition_hash, faults, load, names, picture, remarks

REFUSED: Final = 1
COULD_NOT: Final = 2

app = typer.Typer(
    name="edition",
    help="Boards, cards and cases as data: read them, write your own.",
    epilog="Example: chambers edition show tandem-target",
    no_args_is_help=True,
    add_completion=False,
)

_Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
_Which = Annotated[str, typer.Argument(metavar="NAME|FILE", help="An edition's name, or the path of a TOML file.")]


@app.command("list", epilog="Example: chambers edition list --json")
def list_editions(as_json: _Json = False) -> None:
    """List the editions that come with the program."""
    editions = [load(name) for _, name in names()]
    if as_json:
        for edition in editions:
            _json(_summary(edition))
        return
    rows = [("GAME", "NAME", "TITLE", "TEXTS AND BOARD")]
    rows += [(edition.game, edition.name, edition.title, _kind(edition)) for edition in editions]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@app.command("show", epilog="Example: chambers edition show tandem-target --answers")
def show(
    name: _Which,
    answers: Annotated[bool, typer.Option("--answers", help="Print answers and clues' numbers, too.")] = False,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw the map to this file instead, where there is one."),
    ] = None,
    as_json: _Json = False,
) -> None:
    """Print an edition, or draw its map.

    Its title and story, its suspects, and questions or clues.
    """
    edition = _load(name)
    if found := faults(edition):
        # A text with a fault may hold terminal escapes, so none of it is printed.
        typer.echo(f"{name} has {count(len(found), 'fault')}; try: chambers edition check {name}", err=True)
        raise typer.Exit(REFUSED)
    if svg is not None:
        _draw(edition, svg)
        return
    if as_json:
        _json(_summary(edition) | {"story": edition.story} | sheet(edition, answers))
        return
    typer.echo(edition.title)
    typer.echo(fill(f"{edition.game} edition {edition.name}: {_kind(edition, whole=True)}."))
    typer.echo()
    typer.echo(fill(edition.story))
    for line in lines(edition, answers):
        typer.echo(line)


@app.command("check", epilog="Example: chambers edition check my-case.toml")
def check(name: _Which) -> None:
    """Check an edition against the facts of the rulebook.

    Exit code 0: it can be played, and its hash is printed; 1: it has faults, one a line; 2: it cannot be read.
    """
    edition = _load(name)
    found = faults(edition)
    for fault in found:
        section = f" (rulebook: {fault.section})" if fault.section else ""
        typer.echo(f"{fault.place}: {fault.sentence}{section}")
    if found:
        typer.echo(f"{name} has {count(len(found), 'fault')} and cannot be played.", err=True)
        raise typer.Exit(REFUSED)
    typer.echo(f"{edition.title} can be played: {_kind(edition, whole=True)}.")
    for remark in remarks(edition):
        typer.echo(fill(f"{remark.place}: {remark.sentence}."))
    typer.echo(f"hash {edition_hash(edition).hex()}")


@app.command("new", epilog="Example: chambers edition new my-box.toml --game missing-suspect")
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The .toml file to write; it must not be there yet.")],
    game: Annotated[
        str, typer.Option("--game", help="The game: missing-suspect or witness-stand.", metavar="GAME")
    ] = "missing-suspect",
) -> None:
    """Write a blank edition with notes, for the owner of a box.

    `check` then tells what is missing.
    """
    try:
        text = blank(game)
    except EditionError as error:
        _could_not(error.sentence)
    if file.suffix != ".toml":
        _could_not(f"{file}: an edition's file is called something.toml")
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        _could_not(f"{file}: is there already, and is left as it is")
    except OSError as error:
        _could_not(f"{file}: cannot be written: {error.strerror}")
    typer.echo(f"Wrote {file}. Fill it in, then: chambers edition check {file}")


def _draw(edition: Edition, file: Path) -> None:
    try:
        file.write_text(picture(edition), encoding="utf-8")
    except EditionError as error:
        _could_not(error.sentence)
    except OSError as error:
        _could_not(f"{file}: cannot be written: {error.strerror}")
    typer.echo(f"Wrote {file}.")


def _load(name: str) -> Edition:
    try:
        return load(name)
    except EditionError as error:
        _could_not(error.sentence)


def _could_not(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(COULD_NOT)


def _kind(edition: Edition, *, whole: bool = False) -> str:
    if not edition.reconstruction:
        return "a transcription by its owner" if whole else "transcription"
    return "a reconstruction, whose texts and board are not those of the printed game" if whole else "reconstruction"


def _summary(edition: Edition) -> dict[str, Any]:
    return {
        "game": edition.game,
        "name": edition.name,
        "title": edition.title,
        "reconstruction": edition.reconstruction,
        "hash": edition_hash(edition).hex(),
    }


def _json(value: dict[str, Any]) -> None:
    typer.echo(msgspec.json.encode(value).decode())
