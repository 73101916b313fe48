"""A plain player for whole games: it drives to what it needs, keeps useful clues, and makes some moves at random."""

from __future__ import annotations

import random

from chambers.rules.missing_suspect.city import expected_turns
from chambers.rules.missing_suspect.edition import NodeKind, clues_of, is_clue_card
from chambers.rules.missing_suspect.events import Ask, Check, Move, Offer
from chambers.rules.missing_suspect.hand import Hand, solved
from chambers.rules.missing_suspect.play import NOBODY, Play, on_board
from chambers.rules.terms import Option, Prompt


class Detective:
    """One player at every seat; `wild` is the share of its choices that are random."""

    def __init__(self, seed: int, *, wild: float = 0.05) -> None:
        self.random = random.Random(seed)
        self.wild = wild

    def __call__(self, seat: int, play: Play, hand: Hand, prompt: Prompt) -> Option:
        options = prompt.options
        if self.random.random() < self.wild:
            return self.random.choice(options)
        if prompt.kind == "move":
            goals = _goals(play, hand)
            city = play.town.city
            return min(options, key=lambda one: min(expected_turns(city, goal)[_end(one)] for goal in goals))
        if prompt.kind in ("discard", "answer"):
            return min(options, key=lambda one: _worth(play, hand, one.card))
        if prompt.kind == "offer":
            return min(options, key=lambda one: (not isinstance(one.event, Offer), _worth(play, hand, one.card)))
        if prompt.kind == "ask":
            wanted = [one for one in options if isinstance(one.event, Ask) and one.event.clue in _missing(play, hand)]
            return self.random.choice(wanted or list(options))
        if prompt.kind == "check":
            fresh = [one for one in options if isinstance(one.event, Check) and not hand.numbers[one.event.suspect]]
            return self.random.choice(fresh or list(options))
        if prompt.kind == "office":
            return options[0] if len(_missing(play, hand)) == 4 and len(hand.cards) == 3 else options[-1]
        return next((one for one in options if one.id == "yes"), options[0])


def _end(option: Option) -> int:
    assert isinstance(option.event, Move)
    return option.event.path[-1]


def _missing(play: Play, hand: Hand) -> set[int]:
    edition = play.town.edition
    held = {clue for kind in hand.cards if is_clue_card(edition, kind) for clue in edition.cards[kind]}
    return set() if hand.case < 0 else set(clues_of(edition, hand.case)) - held


def _worth(play: Play, hand: Hand, kind: int | None) -> int:
    edition = play.town.edition
    if kind is None or hand.case < 0 or not is_clue_card(edition, kind):
        return 0
    mine = [clue for clue in edition.cards[kind] if edition.clues[clue].case == hand.case]
    if not mine:
        return 0
    twice = sum(mine[0] in edition.cards[other] for other in hand.cards)
    return 2 if twice < 2 else 1


def _goals(play: Play, hand: Hand) -> list[int]:
    city = play.town.city
    if hand.case < 0:
        return list(city.of(NodeKind.OFFICE))
    if play.carried[hand.seat] != NOBODY:
        return [city.courthouse]
    number = solved(play.town.edition, hand)
    if number is None:
        return [*city.of(NodeKind.RED), *city.of(NodeKind.INQUEST)]
    there = on_board(play)
    mine = [play.homes[suspect] for suspect in there if hand.numbers[suspect] == number]
    unknown = [play.homes[suspect] for suspect in there if not hand.numbers[suspect]]
    return mine or unknown or list(city.of(NodeKind.INQUEST))
