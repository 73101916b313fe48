"""What the game's statements carry for others to prove or open, and what only a vault can add to them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from chambers.rules.events import Deal, TableEvent
from chambers.rules.roles import Role
from chambers.rules.terms import Binding, Disclosed, Opened, Option
from chambers.rules.witness_stand.events import Look, OpenCards, Pass, Show
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.play import Play


def seals(event: TableEvent, /) -> tuple[tuple[int, bytes], ...]:
    """Return the (kind, seal) pair of a card shown or played to everybody."""
    if isinstance(event, (Show, PlayCard)):
        return ((event.card, event.seal),)
    return ()


def openings(event: TableEvent, /) -> tuple[tuple[int, int, bytes], ...]:
    """Return the (place, kind, nonce) triples of an opened envelope."""
    return event.cards if isinstance(event, OpenCards) else ()


def boxes(event: TableEvent, /) -> tuple[tuple[Role, bytes], ...]:
    """Return the (receiver, box) pairs of a deal, a card passed face down, or a look into the envelope."""
    if isinstance(event, Deal):
        return event.boxes
    if isinstance(event, (Pass, Look)):
        return ((event.to, event.box),)
    return ()


def offer(event: TableEvent, /) -> tuple[Role, bytes] | None:
    """Return None: nothing in this game is offered before it is handed over."""
    return None


def offered(play: Play, event: TableEvent, /) -> tuple[int, bytes] | None:
    """Return None: every box of this game is made for the statement that carries it."""
    return None


def commitments(play: Play, /) -> tuple[tuple[int, bytes], ...]:
    """Return nothing: only the deal commits to places in this game."""
    return ()


def complete(
    option: Option,
    /,
    *,
    seal: Callable[[int], bytes],
    box: Callable[[Role, Opened], bytes],
    binds: Binding | None = None,
) -> TableEvent:
    """Return the option's event with its card's seal, or with the box that passes the card face down."""
    event, card = option.event, option.card
    if card is None:
        return event
    if isinstance(event, (Show, PlayCard)):
        return replace(event, seal=seal(card))
    if isinstance(event, Pass):
        return replace(event, box=box(event.to, (Disclosed(value=card, seal=seal(card)),)))
    return event
