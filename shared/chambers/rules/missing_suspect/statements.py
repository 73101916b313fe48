"""What the game's statements carry for others to prove or open, and what only a vault can add to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from chambers.rules.events import Deal, TableEvent
from chambers.rules.missing_suspect.events import (
    Draw,
    Look,
    Offer,
    OpenCards,
    Pass,
    Show,
    Stow,
    Swap,
    Tell,
)
from chambers.rules.missing_suspect.events import Play as PlayCard
from chambers.rules.missing_suspect.play import Play, Stage
from chambers.rules.roles import DEALER, Role
from chambers.rules.terms import Binding, Disclosed, Opened, Option

HAND_OVER: Final = "handover"
"""The id of the option with which the asker's vault hands over the card that it was bound to."""


def seals(event: TableEvent, /) -> tuple[tuple[int, bytes], ...]:
    """Return the (kind, seal) pairs of the cards that the event shows to everybody."""
    match event:
        case Show() | PlayCard():
            return ((event.card, event.seal),)
        case OpenCards():
            return event.cards
        case _:
            return ()


def openings(event: TableEvent, /) -> tuple[tuple[int, int, bytes], ...]:
    """Return the (place, number, nonce) triple of a suspect brought to trial."""
    return event.suspects if isinstance(event, OpenCards) else ()


def boxes(event: TableEvent, /) -> tuple[tuple[Role, bytes], ...]:
    """Return the (receiver, box) pairs that the event carries; a stowed card's is for the dealer."""
    match event:
        case Deal():
            return event.boxes
        case Draw() | Look() | Pass() | Swap() | Tell():
            return ((event.to, event.box),)
        case Stow():
            return ((DEALER, event.box),)
        case _:
            return ()


def offer(event: TableEvent, /) -> tuple[Role, bytes] | None:
    """Return whom an offer is for and the hash of the box it binds its author to, or None."""
    return (event.to, event.offer) if isinstance(event, Offer) and event.offer else None


def offered(play: Play, event: TableEvent, /) -> tuple[int, bytes] | None:
    """Return the entry that bound the event's box before, and the hash it must have; None for any other box.

    `play` is the state before the event. Such a box was made for the statement of that entry.
    """
    if isinstance(event, Swap) and play.stage is Stage.SWAP and play.asked is not None:
        return play.asked.offered, play.asked.offer
    return None


def commitments(play: Play, /) -> tuple[tuple[int, bytes], ...]:
    """Return the (place, commitment) pairs of the cards stowed under the piles and not drawn again yet."""
    return play.stowed


def complete(
    option: Option,
    /,
    *,
    seal: Callable[[int], bytes],
    box: Callable[[Role, Opened], bytes],
    binds: Binding | None = None,
) -> TableEvent:
    """Return the option's event with the seals, the box, the commitment or the openings that only the vault can add.

    ValueError for an event that needs `binds` when there is none.
    """
    event, card = option.event, option.card
    if card is None and not isinstance(event, OpenCards):
        return event
    if isinstance(event, Show | PlayCard):
        return replace(event, seal=seal(event.card))
    if isinstance(event, Pass) or (isinstance(event, Swap) and option.id != HAND_OVER):
        return replace(event, box=box(event.to, _card(card, seal)))
    if binds is None:
        raise ValueError("this statement binds its author, and nothing was given to bind it with")
    match event:
        case Offer():
            return replace(event, offer=binds.offer(box(event.to, _card(card, seal))))
        case Swap():
            return replace(event, box=binds.offered(event.to, _card(card, seal)))
        case Stow() if card is not None:
            nonce, commit = binds.stow(event.place, card)
            stowed = Disclosed(value=card, seal=seal(card), place=event.place, nonce=nonce)
            return replace(event, commit=commit, box=box(DEALER, (stowed,)))
        case Tell() if card is not None:
            told = Disclosed(value=card, place=event.place, nonce=binds.nonce(event.place))
            return replace(event, box=box(event.to, (told,)))
        case OpenCards():
            return OpenCards(
                cards=tuple((kind, seal(kind)) for kind, _ in event.cards),
                suspects=tuple((place, number, binds.nonce(place)) for place, number, _ in event.suspects),
            )
        case _:
            return event


def _card(card: int | None, seal: Callable[[int], bytes]) -> Opened:
    return () if card is None else (Disclosed(value=card, seal=seal(card)),)
