"""Setting up: which tables can be played at all, and the public state right after the deal."""

from __future__ import annotations

from typing import Final, NoReturn

from chambers.rules.errors import RuleError
from chambers.rules.missing_suspect.city import NOWHERE, city_of
from chambers.rules.missing_suspect.edition import (
    CASES,
    CLUE_CARDS,
    CLUES,
    CLUES_A_CASE,
    SUSPECTS,
    ChartResult,
    Edition,
    NodeKind,
    clues_of,
    kind_count,
    most_seats,
)
from chambers.rules.missing_suspect.evolve import ANY_CASE
from chambers.rules.missing_suspect.options import agreed
from chambers.rules.missing_suspect.play import CASES_AT, NOBODY, STOWED_AT, TOPS, Play, Stage, Town
from chambers.rules.terms import Setup

NAME: Final = "missing-suspect"
RULES: Final = "missing-suspect/1"
CHAIN: Final = 8192
_SECTION: Final = "Game Implements"
_MOST_NODES: Final = 400


def check_setup(setup: Setup, /) -> None:
    """Refuse (RuleError) a setup for another game, for too many seats, or with a faulty edition."""
    opening = setup.opening
    if opening.game != NAME or opening.rules != RULES:
        raise RuleError("rule/other-game", f"These are the rules {RULES}, not {opening.rules} of {opening.game}.")
    edition = setup.edition
    if not isinstance(edition, Edition) or edition.game != NAME:
        raise RuleError("rule/edition", f"The edition is not one of {NAME}.", section=_SECTION)
    _check_cards(edition)
    _check_board(edition)
    if not 2 <= len(opening.seats) <= most_seats(edition):
        sentence = f"Two to {most_seats(edition)} players sit at a table of this edition."
        raise RuleError("rule/seats", sentence, section=_SECTION)


def _faulty(sentence: str) -> NoReturn:
    raise RuleError("rule/edition", sentence, section=_SECTION)


def _check_cards(edition: Edition) -> None:
    if len(edition.suspects) != SUSPECTS or len(edition.cases) != CASES or len(edition.clues) != CLUES:
        _faulty("A box has 7 suspects, 8 cases and 32 clues.")
    if any(len(clues_of(edition, case)) != CLUES_A_CASE for case in range(CASES)):
        _faulty("Each case lists four clues.")
    if any(not 1 <= clue.value <= 3 for clue in edition.clues):
        _faulty("The number of a clue is 1, 2 or 3.")
    if edition.question_witness < 0 or len(edition.cards) + edition.question_witness != CLUE_CARDS:
        _faulty("There are 28 clue cards, Question Witness among them.")
    for first, second in edition.cards:
        if not (0 <= first < CLUES and 0 <= second < CLUES):
            _faulty("A clue card names a clue that there is not.")
        if edition.clues[first].case == edition.clues[second].case:
            _faulty("The two clues of a card belong to different cases.")
    if len(edition.chart) != CASES or any(len(column) != 6 for column in edition.chart):
        _faulty("The chart has a column of six results for each case.")
    if any(set(column) == {ChartResult.NEW} for column in edition.chart):
        _faulty("A column of the chart needs another result than a new clue.")


def _check_board(edition: Edition) -> None:
    nodes, lines = edition.board.nodes, edition.board.lines
    kinds = [node.kind for node in nodes]
    if len(nodes) > _MOST_NODES or kinds.count(NodeKind.COURTHOUSE) != 1 or kinds.count(NodeKind.SUSPECT) != 8:
        _faulty("The city has one Courthouse and eight S spots.")
    addresses = {node.address for node in nodes}
    if len(addresses) != len(nodes) or len({(node.col, node.row) for node in nodes}) != len(nodes):
        _faulty("Two places of the city have one address.")
    ends = {tuple(sorted(line)) for line in lines}
    if len(ends) != len(lines) or any(not 0 <= one < other < len(nodes) for one, other in ends):
        _faulty("A line of the city does not join two places, or does so twice.")


def kinds(setup: Setup, /) -> int:
    """Return the number of card kinds: the two-clue cards, Question Witness and the cases."""
    return kind_count(_edition(setup))


def places(setup: Setup, /) -> tuple[int, ...]:
    """Return the places that the deal commits to: the clue pile, the numbers under the suspects, the case pile."""
    return (*range(CLUE_CARDS), *range(TOPS, TOPS + SUSPECTS), *range(CASES_AT, CASES_AT + CASES))


def place_name(setup: Setup, place: int, /) -> str:
    """Return what players call what lies at a place: a card of a pile, a suspect's number, or what was stowed."""
    if place >= STOWED_AT:
        return "the card that was stowed"
    if place >= CASES_AT:
        return f"card {place - CASES_AT + 1} of the case pile"
    if place >= TOPS:
        top = _edition(setup).suspects[place - TOPS]
        return f"the number of the {top.colour} suspect {top.letter.upper()}"
    return f"card {place + 1} of the clue pile"


def _edition(setup: Setup) -> Edition:
    edition = setup.edition
    if not isinstance(edition, Edition):
        raise TypeError("the setup holds no missing-suspect edition")
    return edition


def new_play(setup: Setup, names: tuple[str, ...], /, *, seq: int, ts: int) -> Play:
    """Return the public state right after the deal: every car at the Courthouse, seat 0 is to throw for Dealer."""
    edition, seats = _edition(setup), setup.seats
    city = city_of(edition.board)
    return Play(
        town=Town(edition=edition, city=city, options=agreed(setup), names=names),
        stage=Stage.FIRST,
        turn=0,
        since=seq,
        until=None,
        cars=(city.courthouse,) * seats,
        counts=(0,) * seats,
        cased=(False,) * seats,
        carried=(NOBODY,) * seats,
        stale=(False,) * seats,
        barred=(NOWHERE,) * seats,
        known=(0,) * seats,
        columns=(ANY_CASE,) * seats,
        shown=(NOBODY,) * seats,
        homes=(NOWHERE,) * SUSPECTS,
        clues=tuple(range(CLUE_CARDS)),
        cases=tuple(range(CASES_AT, CASES_AT + CASES)),
        throwing=tuple(range(seats)),
    )
