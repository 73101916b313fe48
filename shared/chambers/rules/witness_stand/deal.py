"""The deal: the envelope first, then everything else to the players (WS: Setting Up the Game)."""

from __future__ import annotations

from chambers.rules.terms import Draw, Pile, Setup
from chambers.rules.witness_stand.edition import QUESTIONS, SUSPECTS, Edition, answer, copies


def deal(setup: Setup, draw: Draw, /) -> Pile:
    """Return where every card lies under `witness-stand/1`: places 0..2 the envelope, place 3+i with seat i mod n."""
    if not isinstance(setup.edition, Edition):
        raise TypeError("the setup holds no witness-stand edition")
    innocent = draw.shuffle(list(range(SUSPECTS)))[: SUSPECTS - 1]
    envelope = sorted(answer(suspect, draw.uniform(QUESTIONS), starred=True) for suspect in innocent)
    deck = copies(setup.edition, setup.seats)
    rest = [kind for kind, number in enumerate(deck) for _ in range(number) if kind not in envelope]
    cards = envelope + draw.shuffle(rest)
    first, seats = len(envelope), setup.seats
    return Pile(
        values=tuple(enumerate(cards)),
        hands=tuple(tuple(range(first + seat, len(cards), seats)) for seat in range(seats)),
    )
