"""A person or a program at one seat: line mode or JSON over standard input and output."""

from __future__ import annotations

from typing import TextIO

from chambers import editions
from chambers.clients.json_mode import JsonMode
from chambers.clients.line_mode import LineMode
from chambers.clients.session import SeatSession
from chambers.clients.sights import Sights
from chambers.clients.speech import Speech
from chambers.protocol.client import Over
from chambers.rules.witness_stand.edition import Edition


def sights_of(name: str, edition_hash: bytes | None = None) -> Sights:
    """Return the words for an edition; codes only, if it is not here or not the one that the table is played with."""
    try:
        edition = editions.load(name)
    except editions.EditionError:
        return Sights(None, name=name)
    same = edition_hash is None or editions.edition_hash(edition) == edition_hash
    return Sights(edition if same and isinstance(edition, Edition) else None, name=name)


async def play_lines(
    session: SeatSession, source: TextIO, *, numbered: bool = False, hold: bool = False, farewell: str = ""
) -> Over | None:
    """Return how the table closed, or None if the player left first."""
    speech = Speech(sights_of, numbered=numbered)
    mode = LineMode(session, speech, hold=hold, patient=not source.isatty(), farewell=farewell)
    await mode.run(source)
    return mode.over


async def play_json(session: SeatSession, source: TextIO) -> Over | None:
    """Return how the table closed, or None if input ended first."""
    mode = JsonMode(session)
    await mode.run(source)
    return mode.over
