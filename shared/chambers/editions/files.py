"""Where editions are found: those that come with the program by name, an owner's own by the path of a TOML file."""

from __future__ import annotations

import os
import re
import tomllib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from chambers.editions.errors import EditionError, explain
from chambers.editions.games import GAMES, Edition, of_game
from chambers.editions.manifest import MAX_BYTES

_SUFFIX: Final = ".toml"
_PARTS: Final = ("board", "cases")


class _Source(msgspec.Struct, frozen=True):
    """A TOML file, the folder that its parts lie in, and what a person calls it."""

    file: Traversable
    folder: Traversable
    label: str


def names() -> tuple[tuple[str, str], ...]:
    """Return the (game, name) pairs of the editions that come with the program, in order."""
    return tuple(
        sorted(
            (game, file.name.removesuffix(_SUFFIX))
            for game in GAMES
            for file in _shelf(game).iterdir()
            if file.name.endswith(_SUFFIX) and file.name.removesuffix(_SUFFIX) not in _PARTS
        )
    )


def files_in(folder: Path, /) -> tuple[Path, ...]:
    """Return the .toml files of a folder that are editions, in order: those that are not just a part of one."""
    found = sorted(path for path in folder.iterdir() if path.name.endswith(_SUFFIX))
    return tuple(path for path in found if not _is_part(path))


def load(name: str, /) -> Edition:
    """Return the edition of that name, or of the TOML file at that path.

    EditionError for an unknown name, a file that cannot be read, and a field that is missing, unknown or of a wrong
    type. What it says about the game is not judged here: `faults` does that.
    """
    source = _find(name)
    data = _read(source)
    labels = {}
    for part in _PARTS:
        if isinstance(data.get(part), str):
            beside = _beside(source, part, data[part])
            data[part] = _part(beside, part)
            labels[part] = beside.label
    try:
        editions = of_game(data.get("game"))
    except EditionError as error:
        raise EditionError(f"{source.label}, game: {error.sentence}") from None
    try:
        return cast(Edition, msgspec.convert(editions.fields(data), editions.kind))
    except msgspec.ValidationError as error:
        place, sentence = explain(error)
        label = labels.get(re.split(r"\W", place)[0], source.label)
        raise EditionError(f"{label}, {place}: {sentence}" if place else f"{label}: {sentence}") from None


def _shelf(game: str) -> Traversable:
    return resources.files("chambers.editions").joinpath(game)


def _find(name: str) -> _Source:
    for game, known in names():
        if name == known:
            shelf = _shelf(game)
            return _Source(file=shelf.joinpath(known + _SUFFIX), folder=shelf, label=f"{game}/{known}{_SUFFIX}")
    if name.endswith(_SUFFIX) or "/" in name or os.sep in name:
        path = Path(name)
        return _Source(file=path, folder=path.parent, label=name)
    ours = ", ".join(known for _, known in names())
    raise EditionError(f"No edition is called {name!r}; there is {ours}. For one of your own, give its .toml file.")


def _beside(source: _Source, part: str, file: str) -> _Source:
    if Path(file).name != file or not file.endswith(_SUFFIX):
        raise EditionError(f"{source.label}, {part}: {file!r} is not the name of a .toml file in the same folder")
    label = str(Path(source.label).with_name(file))
    return _Source(file=source.folder.joinpath(file), folder=source.folder, label=label)


def _is_part(path: Path) -> bool:
    try:
        fields = set(_read(_Source(file=path, folder=path.parent, label=str(path))))
    except EditionError:
        return False  # whoever loads it says what is wrong with it
    return len(fields) == 1 and fields <= set(_PARTS)


def _part(source: _Source, part: str) -> Any:
    data = _read(source)
    if set(data) != {part}:
        raise EditionError(f"{source.label}: a {part} file holds the field `{part}` and nothing else")
    return data[part]


def _read(source: _Source) -> dict[str, Any]:
    data = _bytes(source)
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise EditionError(f"{source.label}, line {line}: is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise EditionError(f"{source.label}: is not TOML: {error}") from None
    except ValueError:  # int() refuses thousands of digits, and tomllib passes that on
        raise EditionError(f"{source.label}: holds a number that is too long") from None
    except RecursionError:
        raise EditionError(f"{source.label}: is not an edition: it is nested too deeply") from None


def _bytes(source: _Source) -> bytes:
    data = None
    try:
        # Anything but a plain file could block, or never end.
        if source.file.is_file():
            with source.file.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise EditionError(f"{source.label}: cannot be read: {error.strerror}") from None
    if data is None:
        why = "is a folder, not a .toml file" if source.file.is_dir() else "there is no such file"
        raise EditionError(f"{source.label}: {why}")
    if len(data) > MAX_BYTES:
        raise EditionError(f"{source.label}: is longer than an edition may be ({MAX_BYTES} bytes)")
    return data
