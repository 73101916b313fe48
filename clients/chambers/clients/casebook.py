"""What a seat of the missing-suspect game can tell from its view: its clues, where the suspects are, their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

from chambers.clients.seen import flat
from chambers.rules.missing_suspect.city import city_of
from chambers.rules.missing_suspect.edition import (
    LEAST,
    LETTERS,
    MOST,
    NEEDED,
    Edition,
    clue_code,
    clues_of,
    is_clue_card,
    numbers_of,
    on_card,
)


class Casebook:
    """One reading of one view. It holds what the seat knows for certain, and odds where it does not.

    Suspects, clues and cards are the edition's numbers, places the nodes of its city.
    """

    def __init__(self, edition: Edition, view: dict[str, Any]) -> None:
        view = flat(view)
        self.edition = edition
        self.city = city_of(edition.board)
        self._nodes = {address: node for node, address in enumerate(self.city.addresses)}
        self._tops = {top.letter: number for number, top in enumerate(edition.suspects)}
        self.seat = int(view["seat"])
        self.seats: list[dict[str, Any]] = view["seats"]
        hand = view["hand"]
        self.case = None if hand["case"] is None else LETTERS.index(hand["case"]["letter"])
        self.held: dict[str, int] = {card["code"]: card["kind"] for card in hand["cards"]}
        self.cards = tuple(self.held.values())
        self.solved: int | None = hand["solved"]
        self.spots = {self._tops[one["letter"]]: self.node(one["spot"]) for one in view["suspects"] if _stands(one)}
        self.taken = {self._tops[one["letter"]] for one in view["suspects"] if one["carried_by"] is not None}
        self.numbers = self._certain(view["sheet"]["numbers"])
        self.codes = {clue_code(edition, clue): clue for clue in range(len(edition.clues))}

    def __repr__(self) -> str:
        return f"Casebook(seat={self.seat}, ...)"

    def _certain(self, seen: dict[str, Any]) -> dict[int, int]:
        known = {self._tops[letter]: int(one["number"]) for letter, one in seen.items() if one is not None}
        open_ones = set(self._tops.values()) - set(known)
        if len(open_ones) == 1:
            # Six known numbers tell the seventh, which no rule asks anybody to have looked at.
            (left,) = set(range(LEAST, MOST + 1)) - set(known.values())
            known[open_ones.pop()] = left
        return known

    def node(self, address: str) -> int:
        """Return the node at an address; KeyError where there is none."""
        return self._nodes[address]

    def suspect(self, letter: str) -> int:
        """Return the suspect of a letter; KeyError where there is none."""
        return self._tops[letter]

    @property
    def carries(self) -> bool:
        """Return whether this seat's car carries a suspect."""
        return self.seats[self.seat]["carries"] is not None

    def carrier(self, seat: int) -> bool:
        """Return whether another seat's car carries a suspect."""
        return seat != self.seat and self.seats[seat]["carries"] is not None

    def looked(self, seat: int, suspect: int) -> bool:
        """Return whether everybody knows that a seat has seen or been told a suspect's number."""
        return self.edition.suspects[suspect].letter in self.seats[seat]["knows"]

    # the clues

    def clues_in(self, cards: Iterable[int]) -> frozenset[int]:
        """Return the clues of this seat's case that the cards carry."""
        if self.case is None:
            return frozenset()
        edition, case = self.edition, self.case
        found = (clue for card in cards if is_clue_card(edition, card) for clue in edition.cards[card])
        return frozenset(clue for clue in found if edition.clues[clue].case == case)

    def wanted(self) -> tuple[int, ...]:
        """Return the clues of this seat's case that it does not hold, those on most unseen cards first."""
        if self.case is None:
            return ()
        held = self.clues_in(self.cards)
        missing = (clue for clue in clues_of(self.edition, self.case) if clue not in held)
        return tuple(sorted(missing, key=lambda clue: (-self._unseen(clue), clue)))

    def _unseen(self, clue: int) -> int:
        kinds = range(len(self.edition.cards))
        return sum(on_card(self.edition, kind, clue) for kind in kinds if kind not in self.cards)

    def worth(self, cards: tuple[int, ...]) -> float:
        """Return what a hand is worth: its different clues of the case, and where three, the odds of their suspect."""
        clues = self.clues_in(cards)
        if len(clues) < NEEDED:
            return float(len(clues))
        sums = (sum(self.edition.clues[clue].value for clue in three) for three in combinations(sorted(clues), NEEDED))
        return 3.0 + max(self.odds(number) for number in sums)

    def loss(self, card: int) -> float:
        """Return what the hand loses with a card; 0 for one that is of no use beside the others."""
        rest = list(self.cards)
        rest.remove(card)
        return self.worth(self.cards) - self.worth(tuple(rest))

    # the suspects

    def holder(self, number: int) -> int | None:
        """Return the suspect that certainly has a number, or None."""
        return next((suspect for suspect, known in self.numbers.items() if known == number), None)

    def unknown(self) -> dict[int, int]:
        """Return the suspects on the board whose numbers this seat does not know, and where they stand."""
        return {suspect: node for suspect, node in self.spots.items() if suspect not in self.numbers}

    def odds(self, number: int) -> float:
        """Return the odds that the suspect of a number stands on the board, 1 if it is known to stand there."""
        suspect = self.holder(number)
        if suspect is not None:
            return 1.0 if suspect in self.spots else 0.0
        free = len(self.unknown())
        taken = sum(suspect not in self.numbers for suspect in self.taken)
        return 0.9 * free / (free + taken) if free else 0.0

    def stuck(self) -> bool:
        """Return whether the case held can lead to a capture no more: all its suspects are known to be taken."""
        return self.case is not None and not any(self.odds(number) for number in numbers_of(self.edition, self.case))


def _stands(suspect: dict[str, Any]) -> bool:
    return suspect["spot"] is not None and suspect["carried_by"] is None
