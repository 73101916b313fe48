"""What every view of a game must be: JSON as it stands, and small enough for one frame."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from chambers.rules.game import Game, Hand, Play

MOST = 6000
"""Bytes: half of the frame in which a vault sends a view, with the last lines of the log."""


def assert_views_small(game: Game, play: Play, hands: Iterable[Hand]) -> None:
    """Fail unless the public and each private view are plain JSON, and the two together at most 6000 bytes long."""
    public = game.public_view(play)
    assert json.loads(json.dumps(public)) == public
    for hand in hands:
        private = game.private_view(play, hand)
        assert json.loads(json.dumps(private)) == private
        assert size_of(public) + size_of(private) < MOST


def size_of(value: object) -> int:
    """Return the bytes of a value as it is sent."""
    return len(msgspec.msgpack.encode(value))
