"""`chambers edition`: the boards, cards and cases that games are played with: list them, read them, check your own."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any, Final, NoReturn

import msgspec
import typer

from chambers.editions import Edition, EditionError, edition_hash, faults, load, names
from chambers.rules.witness_stand.edition import LETTERS
from chambers.rules.witness_stand.edition import Edition as Case

REFUSED: Final = 1
COULD_NOT: Final = 2
_WIDEST: Final = 100

app = typer.Typer(
    name="edition",
    help="Boards, cards and cases as data: list them, read them, check your own.",
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
    answers: Annotated[bool, typer.Option("--answers", help="Print what the answer cards say, too.")] = False,
    as_json: _Json = False,
) -> None:
    """Print an edition: its title, story, suspects and questions."""
    edition = _load(name)
    if found := faults(edition):
        # A text with a fault may hold terminal escapes, so none of it is printed.
        typer.echo(f"{name} has {_count(len(found), 'fault')}; try: chambers edition check {name}", err=True)
        raise typer.Exit(REFUSED)
    if as_json:
        _json(_summary(edition) | {"story": edition.story} | _case(edition, answers))
        return
    typer.echo(edition.title)
    typer.echo(_fill(f"{edition.game} edition {edition.name}: {_kind(edition, whole=True)}."))
    typer.echo()
    typer.echo(_fill(edition.story))
    if isinstance(edition, Case):
        for line in _case_lines(edition, answers):
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
        typer.echo(f"{name} has {_count(len(found), 'fault')} and cannot be played.", err=True)
        raise typer.Exit(REFUSED)
    typer.echo(f"{edition.title} can be played: {_kind(edition, whole=True)}.")
    typer.echo(f"hash {edition_hash(edition).hex()}")


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


def _case(edition: Edition, answers: bool) -> dict[str, Any]:
    if not isinstance(edition, Case):
        return {}
    suspects = [
        {
            "letter": letter,
            "name": suspect.name,
            "about": suspect.about,
            "questions": [
                {"code": f"{letter}{number}", "text": question.text}
                | ({"plain": question.plain, "starred": question.starred} if answers else {})
                for number, question in enumerate(suspect.questions, 1)
            ],
        }
        for letter, suspect in zip(LETTERS, edition.suspects, strict=True)
    ]
    return {"suspects": suspects}


def _case_lines(case: Case, answers: bool) -> Iterator[str]:
    for letter, suspect in zip(LETTERS, case.suspects, strict=True):
        yield ""
        yield _fill(f"{letter}  {suspect.name}. {suspect.about}", hang=3)
        for number, question in enumerate(suspect.questions, 1):
            yield _fill(f"   {letter}{number}  {question.text}", hang=7)
            if answers:
                yield _fill(f"       plain    {question.plain}", hang=16)
                yield _fill(f"       starred  {question.starred}", hang=16)
    cards = (case.objection, case.overruled, case.excluded, case.dismissed)
    yield ""
    yield _fill(f"Action cards: {', '.join(f'{card.count} {card.name}' for card in cards)}.")
    yield _fill(f"Board: {_count(len(case.board), 'space')}.")


def _fill(text: str, *, hang: int = 0) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return textwrap.fill(text, max(width, 40), subsequent_indent=" " * hang, break_on_hyphens=False)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _json(value: dict[str, Any]) -> None:
    typer.echo(msgspec.json.encode(value).decode())
