"""An edition's canonical bytes and their hash: what a table's opening commits to and what a docket carries."""

from __future__ import annotations

import hashlib
from typing import Final, cast

import msgspec

from chambers.editions.errors import EditionError, explain
from chambers.editions.games import Edition, of_game

MAX_BYTES: Final = 256 * 1024
"""The most that an edition has room for, as its owner's file or as bytes; a sound one takes far less."""


def canonical(edition: Edition, /) -> bytes:
    """Return the edition as one line of JSON: keys sorted, no spaces, UTF-8, whole numbers only, board included."""
    return msgspec.json.encode(edition, order="sorted")


def edition_hash(edition: Edition, /) -> bytes:
    """Return the 32-byte SHA-256 of the edition's canonical bytes."""
    return hashlib.sha256(canonical(edition)).digest()


def from_canonical(game: str, data: bytes, /) -> Edition:
    """Return the edition of `game` that `data` holds; EditionError unless it encodes to exactly these bytes again.

    Bytes come from strangers' records: more of them than an edition may have are not even read.

    A well-formed edition may still be unplayable, or hold text that no terminal should see: `faults` tells.
    """
    editions = of_game(game)
    if len(data) > MAX_BYTES:
        raise EditionError(f"the edition's bytes are more than an edition may have ({MAX_BYTES})")
    try:
        edition = cast(Edition, msgspec.json.decode(data, type=editions.kind))
        again = canonical(edition)
    except msgspec.ValidationError as error:
        place, sentence = explain(error)
        raise EditionError(f"the edition's bytes, {place or 'top'}: {sentence}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise EditionError("the edition's bytes are not JSON") from None
    if edition.game != game:
        raise EditionError(f"the edition's bytes are for the game {edition.game!r}, not {game!r}")
    if again != data:
        raise EditionError("the edition's bytes are not canonical: the same edition is written differently")
    return edition
