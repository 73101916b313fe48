"""The deal held against the committed shuffle: places, seals, and the cards that each seat was dealt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from chambers.audit.findings import Finding
from chambers.audit.secrets import Secrets
from chambers.fairness.commitments import place_commitment, seal_commitment
from chambers.fairness.draw import Draw
from chambers.fairness.keys import card_seal, place_nonce
from chambers.rules.events import Deal
from chambers.rules.game import Hand, Play
from chambers.rules.roles import DEALER
from chambers.rules.table import Table
from chambers.rules.terms import Disclosed, Opened, Pile


def check_shuffle(secrets: Secrets, table: Table, seq: int, *, deal: Deal, pile: Pile) -> Iterator[Finding]:
    """Yield (A21) what of a deal is not what the dealer's secret and everybody's mixes make."""
    secret = secrets.dealer
    assert secret is not None
    values = dict(pile.values)
    wrong = [
        place
        for place, committed in zip(table.game.places(table.setup), deal.places, strict=True)
        if place_commitment(place_nonce(secret, place), secrets.id, place=place, value=values[place]) != committed
    ]
    if wrong:
        count = f"{len(wrong)} of {len(values)} places hold another card"
        yield Finding("A21", seq, DEALER, f"The deal is not the committed shuffle: {count} than it put there.")
    seals = enumerate(deal.seals)
    if any(seal_commitment(card_seal(secret, kind), secrets.id, kind=kind) != seal for kind, seal in seals):
        yield Finding("A21", seq, DEALER, "The dealer committed to seals that are not made from its secret.")


def dealt(secrets: Secrets, pile: Pile | None, seat: int) -> Opened | None:
    """Return the cards that the committed shuffle deals to a seat, or None without the dealer's secret."""
    secret = secrets.dealer
    if secret is None or pile is None:
        return None
    values = dict(pile.values)
    return tuple(
        Disclosed(values[place], card_seal(secret, values[place]), place, place_nonce(secret, place))
        for place in pile.hands[seat]
    )


def is_dealt(table: Table, opened: Opened, seat: int, *, expected: Opened | None) -> bool:
    """Return whether a seat was dealt what it should be: `expected`, or without that, cards of its places."""
    if expected is not None:
        return opened == expected
    # Which places a seat gets does not depend on the shuffle, so any draw tells them.
    places = _any_deal(table).hands[seat]
    return all(card.seal is not None for card in opened) and tuple(card.place for card in opened) == places


def check_manifest(table: Table, seq: int, *, play: Play, hands: Iterable[Hand | None]) -> Iterator[Finding]:
    """Yield (A26) that more cards of a kind were dealt than there are in the game."""
    deck = Counter(value for _, value in _any_deal(table).values)
    held = Counter(card for hand in hands if hand is not None for card in table.game.held(play, hand))
    if held - deck:
        yield Finding("A26", seq, DEALER, "More cards of one kind were dealt than there are in the game.")


def _any_deal(table: Table) -> Pile:
    return table.game.deal(table.setup, Draw(bytes(32), table.game.RULES))
