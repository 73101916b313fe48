"""A person or a program at one seat: line mode or JSON over standard input and output."""

from __future__ import annotations

from typing import TextIO

from chambers import editions
from chambers.clients.city_sights import CitySights
from chambers.clients.json_mode import JsonMode
from chambers.clients.line_mode import LineMode
from chambers.clients.session import SeatSession
from chambers.clients.sights import Sights
from chambers.clients.speech import Speech, wordless
from chambers.clients.wording import Wording
from chambers.protocol.client import Over
from chambers.rules.missing_suspect.edition import Edition as Box
from chambers.rules.witness_stand.edition import Edition as Case


def sights_of(name: str, edition_hash: bytes | None = None) -> Wording:
    """Return the words for an edition; codes only, if it is not here or not the one that the table is played with."""
    try:
        edition = editions.named(name)
    except editions.EditionError:
        return Sights(None, name=name)
    if edition_hash is not None and editions.edition_hash(edition) != edition_hash:
        return wordless(edition.game, name)
    if isinstance(edition, Box):
        return CitySights(edition, name=name)
    return Sights(edition if isinstance(edition, Case) else None, name=name)


async def play_lines(
    session: SeatSession,
    source: TextIO,
    *,
    numbered: bool = False,
    hold: bool = False,
    farewell: str = "",
    own: bool = False,
) -> Over | None:
    """Return how the table closed, or None if the player left first; `own`: its vault is the player's, elsewhere."""
    speech = Speech(sights_of, numbered=numbered, own=own)
    mode = LineMode(session, speech, hold=hold, patient=not source.isatty(), farewell=farewell)
    await mode.run(source)
    return mode.over


async def play_json(session: SeatSession, source: TextIO) -> Over | None:
    """Return how the table closed, or None if input ended first."""
    mode = JsonMode(session)
    await mode.run(source)
    return mode.over
