"""What a spectator and the gallery say to each other: everything in it is public, so it is not sealed."""

from __future__ import annotations

from typing import Any

import msgspec

from chambers.protocol.client import Line


class Watch(msgspec.Struct, frozen=True, tag="watch"):
    """Asks for the public view now and at each entry, until 30 s pass without another. `have`: newest sequence seen."""

    have: int = -1
    protocol: int = 1


class Fetch(msgspec.Struct, frozen=True, tag="fetch"):
    """Asks for raw entries from `start` on."""

    start: int
    protocol: int = 1


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """The spectator is gone."""


class Scene(msgspec.Struct, frozen=True, tag="scene"):
    """The public view at `sequence`, with the log lines since `have`, newest last, and who is waited for."""

    sequence: int
    phase: str
    game: str
    edition: str
    view: dict[str, Any]
    lines: tuple[Line, ...]
    waiting: tuple[str, ...] = ()
    over: str = ""
    version: str = ""


class Entries(msgspec.Struct, frozen=True, tag="entries"):
    """Raw entries from `start` on, the size of the log, its newest checkpoint, and the edition's canonical bytes."""

    start: int
    entries: tuple[bytes, ...]
    size: int
    note: str
    edition: bytes = b""


class NotShown(msgspec.Struct, frozen=True, tag="refused"):
    """The gallery does not show this, and why."""

    code: str
    text: str


FromSpectator = Watch | Fetch | Leave
FromGallery = Scene | Entries | NotShown
