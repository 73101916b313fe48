"""Whether a missing-suspect edition can be played: suspects, cases, cards, chart, city against the rulebook's facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from chambers.editions.errors import Fault
from chambers.editions.missing_suspect_streets import board_faults
from chambers.editions.texts import NAME_LIMIT, TEXT_LIMIT, head_faults, text_faults, twin_faults
from chambers.rules.missing_suspect.edition import (
    CASES,
    CLUE_CARDS,
    CLUES_A_CASE,
    LEAST,
    LETTERS,
    MOST,
    SUSPECTS,
    ChartResult,
    Edition,
    most_seats,
    numbers_of,
)

GAME: Final = "missing-suspect"
COLOUR_LIMIT: Final = 12
VALUES: Final = range(LEAST // 3, MOST // 3 + 1)
TWO_CLUE_CARDS: Final = range(16, 27)
THROWS: Final = 6
HALVES: Final = 2

_IMPLEMENTS: Final = "Game Implements"
_COLLECTING: Final = "Collecting Clues"
_SOLVING: Final = "Solving a Detective Case"
_WITNESS: Final = '"Question Witness" Cards'
_CHART: Final = "Explanation of Question Witness Chart"


def faults(edition: Edition, /) -> tuple[Fault, ...]:
    """Return every fault of a well-formed edition, in the order of its fields; empty for a sound one."""
    return (
        *head_faults(name=edition.name, game=edition.game, title=edition.title, story=edition.story, expected=GAME),
        *_suspects(edition),
        *_cases(edition),
        *_clues(edition),
        *_reachable(edition),
        *_cards(edition),
        *_chart(edition),
        *board_faults(edition.board),
    )


def remarks(edition: Edition, /) -> tuple[Fault, ...]:
    """Return what the owner of a sound edition should know before he opens a table with it."""
    found = [Fault("cards", f"are enough for 2 to {most_seats(edition)} players")]
    columns = len(set(edition.chart))
    if columns > HALVES:
        sentence = (
            f"has {columns} different columns, and a throw and its result are public: "
            "players can tell from them which case another holds"
        )
        found.append(Fault("chart", sentence, _CHART))
    return tuple(found)


def _suspects(edition: Edition) -> Iterator[Fault]:
    if len(edition.suspects) != SUSPECTS:
        yield Fault("suspects", f"there are {len(edition.suspects)}; there must be {SUSPECTS}", _IMPLEMENTS)
    suspects = [(f"suspects no. {number}", suspect) for number, suspect in enumerate(edition.suspects, 1)]
    for place, suspect in suspects:
        yield from text_faults(f"{place}, colour", suspect.colour, COLOUR_LIMIT)
        if len(suspect.letter) != 1 or not "a" <= suspect.letter <= "z":
            yield Fault(f"{place}, letter", "must be one small letter, a to z")
        yield from text_faults(f"{place}, shape", suspect.shape, COLOUR_LIMIT)
    yield from twin_faults([(f"{place}, colour", suspect.colour) for place, suspect in suspects], _IMPLEMENTS)
    yield from twin_faults([(f"{place}, letter", suspect.letter) for place, suspect in suspects], _IMPLEMENTS)
    yield from twin_faults([(f"{place}, shape", suspect.shape) for place, suspect in suspects], _IMPLEMENTS)


def _cases(edition: Edition) -> Iterator[Fault]:
    if len(edition.cases) != CASES:
        yield Fault("cases", f"there are {len(edition.cases)}; there must be {CASES}", _IMPLEMENTS)
    titles, counts = [], Counter(clue.case for clue in edition.clues)
    for number, case in enumerate(edition.cases):
        place = f"cases no. {number + 1}"
        expected = LETTERS[number : number + 1]
        if expected and case.letter != expected:
            yield Fault(f"{place}, letter", f"must be {expected}", "Picking Up a Detective Case")
        yield from text_faults(f"{place}, title", case.title, NAME_LIMIT)
        if case.about:
            yield from text_faults(f"{place}, about", case.about, TEXT_LIMIT)
        if counts[number] != CLUES_A_CASE:
            yield Fault(f"{place}, clues", f"there are {counts[number]}; a case lists {CLUES_A_CASE}", _COLLECTING)
        titles.append((f"{place}, title", case.title))
    yield from twin_faults(titles, _IMPLEMENTS)


def _clues(edition: Edition) -> Iterator[Fault]:
    places = _places(edition)
    for place, clue in zip(places, edition.clues, strict=True):
        yield from text_faults(f"{place}, name", clue.name, NAME_LIMIT)
        if clue.value not in VALUES:
            sums = f"so that every three add up to a suspect of {LEAST} to {MOST}"
            yield Fault(f"{place}, value", f"is {clue.value}; a clue's number is 1, 2 or 3, {sums}", _SOLVING)
        if clue.about:
            yield from text_faults(f"{place}, about", clue.about, TEXT_LIMIT)
        if clue.case not in range(len(edition.cases)):
            yield Fault(place, "belongs to a case that is not there", _COLLECTING)
    names = [(f"{place}, name", clue.name) for place, clue in zip(places, edition.clues, strict=True)]
    yield from twin_faults(names, _COLLECTING)


def _places(edition: Edition) -> list[str]:
    """Return where each clue stands in the file: under its case, counted there."""
    counts: dict[int, int] = {}
    places = []
    for clue in edition.clues:
        counts[clue.case] = counts.get(clue.case, 0) + 1
        places.append(f"cases no. {clue.case + 1}, clues no. {counts[clue.case]}")
    return places


def _reachable(edition: Edition) -> Iterator[Fault]:
    # Sets of three grow with the cube of a case's clues, and a stranger may have written thousands: too many clues or
    # cases are a fault already.
    most = max(Counter(clue.case for clue in edition.clues).values(), default=0)
    if most > CLUES_A_CASE or len(edition.cases) > CASES:
        return
    reached = {number for case in range(len(edition.cases)) for number in numbers_of(edition, case)}
    for number in range(LEAST, MOST + 1):
        if number not in reached:
            yield Fault(
                "cases", f"no three clues of any case add up to {number}, so nobody seeks suspect {number}", _SOLVING
            )


def _cards(edition: Edition) -> Iterator[Fault]:
    clues, places = edition.clues, _places(edition)
    for number, card in enumerate(edition.cards, 1):
        if any(clue not in range(len(clues)) for clue in card):
            yield Fault(f"cards no. {number}", "shows a clue that is not there", _COLLECTING)
        elif clues[card[0]].case == clues[card[1]].case:
            both = f"{places[card[0]]} and {places[card[1]]}"
            sentence = f"shows {both}: two clues of one case; the clues of a card belong to different ones"
            yield Fault(f"cards no. {number}", sentence, _COLLECTING)
    found = {clue for card in edition.cards for clue in card}
    for clue, place in enumerate(places):
        if clue not in found:
            yield Fault(place, "stands on no card", _COLLECTING)
    count, witnesses = len(edition.cards), edition.question_witness
    if count not in TWO_CLUE_CARDS:
        limits = f"{TWO_CLUE_CARDS[0]} to {TWO_CLUE_CARDS[-1]}"
        yield Fault("cards", f"there are {count} with two clues; there must be {limits}", _WITNESS)
    if count + witnesses != CLUE_CARDS or witnesses < 1:
        sentence = f"is {witnesses}; with the {count} cards of two clues there must be {CLUE_CARDS} Clue cards"
        yield Fault("question_witness", sentence, _IMPLEMENTS)


def _chart(edition: Edition) -> Iterator[Fault]:
    if len(edition.chart) != len(edition.cases):
        count = f"there are {len(edition.chart)} columns; there must be one for each of the {len(edition.cases)} cases"
        yield Fault("chart", count, _CHART)
    for column, results in enumerate(edition.chart):
        place = f"chart, {LETTERS[column] if column < CASES else f'no. {column + 1}'}"
        if len(results) != THROWS:
            yield Fault(place, f"has {len(results)} results; a throw is 1 to {THROWS}", _CHART)
        elif set(results) == {ChartResult.NEW}:
            sentence = "holds Pick Up New Clue only, so a Question Witness card could send for another for ever"
            yield Fault(place, sentence, _CHART)
