"""The deal: the clue pile, the numbers under the suspects, and the case pile (MS: Start of Play)."""

from __future__ import annotations

from chambers.rules.missing_suspect.edition import CASES, LEAST, MOST, Edition, case_kind, witness_kind
from chambers.rules.missing_suspect.play import CASES_AT, TOPS
from chambers.rules.terms import Draw, Pile, Setup


def deal(setup: Setup, draw: Draw, /) -> Pile:
    """Return what lies where under `missing-suspect/1`: clue cards from 0, numbers from 1000, cases from 2000.

    Nobody is dealt a card; the top of a pile is its lowest place.
    """
    edition = setup.edition
    if not isinstance(edition, Edition):
        raise TypeError("the setup holds no missing-suspect edition")
    deck = list(range(len(edition.cards))) + [witness_kind(edition)] * edition.question_witness
    clues = draw.shuffle(deck)
    numbers = draw.shuffle(list(range(LEAST, MOST + 1)))
    cases = draw.shuffle([case_kind(edition, case) for case in range(CASES)])
    return Pile(
        values=(
            *enumerate(clues),
            *((TOPS + suspect, number) for suspect, number in enumerate(numbers)),
            *((CASES_AT + place, kind) for place, kind in enumerate(cases)),
        ),
        hands=((),) * setup.seats,
    )
