"""The planning bot of the missing-suspect game: drives by exact expected turns to what its case needs next."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from chambers.clients.casebook import Casebook
from chambers.clients.trips import turns_to_any
from chambers.protocol.client import Ask, Choice
from chambers.rules.missing_suspect.edition import Edition, NodeKind

Goal = tuple[tuple[int, ...], float]
"""Places that serve alike, and what is still to be done from there, in turns."""

_INQUEST: Final = 1.0
"""One result of the chart in six is a clue card, and two more may be a trade: a red dot gives one every time."""
_LOOK: Final = 1.5
"""What a look at an unknown number is put behind a clue card while the case is unsolved."""
_CHART_LOOK: Final = 3.0
"""Two results of the chart in six show a number, so an Inquest is a long way to one."""
_SEARCH: Final = 2.6
"""Turns from one S spot to the next."""
_NEW_CASE: Final = 1.0
"""What a visit to an Office is put behind a clue card, where the case held is no good."""


class PlannerBot:
    """Plans each choice from its view alone, so that a restart changes nothing; of the edition it uses what is printed.

    It drives to an Office, then for clues, then to the suspect of its number and home, and asks and trades on the way.
    """

    def __init__(self, seat: int, chance: random.Random, *, edition: Edition) -> None:
        self.seat = seat
        self._chance = chance
        self._edition = edition

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        """Return the id of the option that brings the trial nearest."""
        deciding: dict[str, Callable[[Casebook, Ask], Choice]] = {
            "move": self._move,
            "office": self._office,
            "red": self._red,
            "capture": self._capture,
            "discard": self._give,
            "answer": self._give,
            "check": self._check,
            "offer": self._offer,
            "ask": self._clue,
            "point": self._number,
        }
        decide = deciding.get(ask.kind)
        if decide is None or len(ask.options) == 1:
            return self._chance.choice(ask.options).id
        return decide(Casebook(self._edition, view), ask).id

    # driving

    def _move(self, book: Casebook, ask: Ask) -> Choice:
        goals = self._goals(book)
        return self._least(ask.options, lambda option: _turns(book, goals, book.node(_part(option, 1))))

    def _goals(self, book: Casebook) -> list[Goal]:
        city = book.city
        offices, inquests = city.of(NodeKind.OFFICE), city.of(NodeKind.INQUEST)
        if book.carries:
            return [((city.courthouse,), 0.0)]
        if book.case is None:
            return [(offices, 0.0)]
        if book.solved is not None and book.odds(book.solved) > 0:
            return _hunt(book, book.solved, inquests)
        goals: list[Goal] = [(city.of(NodeKind.RED), 0.0), (inquests, _INQUEST)]
        goals += [((node,), _LOOK) for node in book.unknown().values()]
        if book.stuck() or not book.clues_in(book.cards):
            goals.append((offices, 0.0 if book.stuck() else _NEW_CASE))
        return goals

    def _least(self, options: tuple[Choice, ...], price: Callable[[Choice], float]) -> Choice:
        """Return an option of the least price; chance decides between equals."""
        priced = [(price(option), option) for option in options]
        best = min(cost for cost, _ in priced)
        return self._chance.choice([option for cost, option in priced if cost <= best + 1e-9])

    # on arrival

    def _office(self, book: Casebook, ask: Ask) -> Choice:
        renew = book.stuck() or (not book.clues_in(book.cards) and len(book.cards) > 1)
        return _yes_or_no(ask, renew and not book.carries)

    def _red(self, book: Casebook, ask: Ask) -> Choice:
        # A Question Witness may send a car that is on its way to somebody far off.
        on_the_way = book.carries or (book.solved is not None and book.odds(book.solved) > 0)
        return _yes_or_no(ask, not on_the_way)

    def _capture(self, _book: Casebook, ask: Ask) -> Choice:
        return _yes_or_no(ask, True)

    def _give(self, book: Casebook, ask: Ask) -> Choice:
        kinds = _kinds(book, ask)
        return self._least(ask.options, lambda option: book.loss(kinds[option.id]))

    # the chart

    def _check(self, book: Casebook, ask: Ask) -> Choice:
        goals, city = self._goals(book), book.city
        home = turns_to_any(city, (city.courthouse,))

        def price(option: Choice) -> float:
            suspect = book.suspect(_part(option, 1))
            node = book.spots[suspect]
            if book.solved is not None and not book.carries:
                if book.numbers.get(suspect) == book.solved:
                    return home[node] - 100.0
                return home[node] + (20.0 if suspect in book.numbers else 0.0)
            return _turns(book, goals, node) + (2.0 if suspect in book.numbers else 0.0)

        return self._least(ask.options, price)

    def _offer(self, book: Casebook, ask: Ask) -> Choice:
        kinds, trade = _kinds(book, ask), ask.ruling == "MS-26"
        usable = book.solved is not None and book.odds(book.solved) > 0
        options = [option for option in ask.options if option.id != "no"]
        if not options or book.carries or (not trade and not book.wanted()):
            return _yes_or_no(ask, False)

        def price(option: Choice) -> float:
            target, kind = int(_part(option, 1)), kinds.get(option.id)
            gives = 0.0 if kind is None else book.loss(kind)
            # Whoever carries a suspect holds the three cards that prove it and no other: a trade breaks them.
            return 10 * gives - (5.0 if book.carrier(target) else 0.0) - float(book.seats[target]["cards"])

        best = self._least(tuple(options), price)
        kind = kinds.get(best.id)
        costs = kind is not None and book.loss(kind) > (0.0 if trade or usable else 0.5)
        return _yes_or_no(ask, False) if costs else best

    def _clue(self, book: Casebook, ask: Ask) -> Choice:
        wanted = book.wanted()
        if not wanted:
            return _yes_or_no(ask, False)
        by_clue = {book.codes[_part(option, 1)]: option for option in ask.options if option.id != "no"}
        return by_clue[wanted[0]]

    def _number(self, book: Casebook, ask: Ask) -> Choice:
        here = book.node(book.seats[book.seat]["car"])
        fresh = [option for option in ask.options if option.id != "no" and _tells(book, option)]
        if not fresh:
            return _yes_or_no(ask, False)

        def price(option: Choice) -> float:
            return turns_to_any(book.city, (book.spots[book.suspect(_part(option, 2))],))[here]

        return self._least(tuple(fresh), price)


def _hunt(book: Casebook, number: int, inquests: tuple[int, ...]) -> list[Goal]:
    """Return where a solved case leads: to its suspect and home, or to those whose number is not known yet."""
    home = turns_to_any(book.city, (book.city.courthouse,))
    suspect = book.holder(number)
    if suspect is not None:
        node = book.spots[suspect]
        return [((node,), home[node])]
    unknown = book.unknown().values()
    rest = _SEARCH * (len(unknown) - 1) / 2
    return [*(((node,), rest + home[node]) for node in unknown), (inquests, rest + _CHART_LOOK + 3.0)]


def _turns(book: Casebook, goals: list[Goal], node: int) -> float:
    return min(turns_to_any(book.city, places)[node] + more for places, more in goals)


def _tells(book: Casebook, option: Choice) -> bool:
    """Return whether asking brings a number that is not known here: the one asked has looked at that suspect."""
    suspect = book.suspect(_part(option, 2))
    return suspect not in book.numbers and book.looked(int(_part(option, 1)), suspect)


def _part(option: Choice, number: int) -> str:
    return option.id.split(".")[number]


def _yes_or_no(ask: Ask, yes: bool) -> Choice:
    wanted = "yes" if yes else "no"
    return next((option for option in ask.options if option.id == wanted), ask.options[0])


def _kinds(book: Casebook, ask: Ask) -> dict[str, int]:
    """Return the card that each option spends, by the option's id."""
    return {
        option.id: kind
        for option in ask.options
        for code, kind in book.held.items()
        if option.id.partition(".")[2] == code or option.id.endswith(f".{code}")
    }
