"""Setting up: which tables can be played at all, and the public state right after the deal."""

from __future__ import annotations

from typing import Final

from chambers.rules.errors import RuleError
from chambers.rules.terms import Setup
from chambers.rules.witness_stand.edition import (
    ANSWERS,
    KINDS,
    LETTERS,
    QUESTIONS,
    SUSPECTS,
    Edition,
    Space,
    SpaceKind,
    copies,
)
from chambers.rules.witness_stand.options import agreed
from chambers.rules.witness_stand.play import NOWHERE, Court, Play, Stage
from chambers.rules.witness_stand.turn import At, limit

NAME: Final = "witness-stand"
RULES: Final = "witness-stand/1"
CHAIN: Final = 1024
"""Links of the dice chain: more throws than any game of ours has taken."""
ENVELOPE: Final = (0, 1, 2)
_SECTION: Final = "Setting Up the Game"
_GIST: Final = 26
_MOST_SPACES: Final = 250


def check_setup(setup: Setup, /) -> None:
    """Refuse (RuleError) a setup for another game, for other than 2 to 6 seats, or with a faulty edition."""
    opening = setup.opening
    if opening.game != NAME or opening.rules != RULES:
        raise RuleError("rule/other-game", f"These are the rules {RULES}, not {opening.rules} of {opening.game}.")
    if not 2 <= len(opening.seats) <= 6:
        raise RuleError("rule/seats", "Two to six players sit at this table.", section=_SECTION)
    edition = setup.edition
    if not isinstance(edition, Edition) or edition.game != NAME:
        raise RuleError("rule/edition", f"The edition is not one of {NAME}.", section="Equipment")
    _check_case(edition)
    _check_board(edition)


def _check_case(edition: Edition) -> None:
    if len(edition.suspects) != SUSPECTS:
        raise RuleError("rule/edition", "A case has four suspects.", section="Equipment")
    for suspect in edition.suspects:
        if len(suspect.questions) != QUESTIONS:
            raise RuleError("rule/edition", f"{suspect.name} needs five questions.", section="Equipment")
    for card in (edition.objection, edition.overruled, edition.excluded, edition.dismissed):
        if not 0 <= card.count_small <= card.count <= 20:
            raise RuleError("rule/edition", f"The number of {card.name} cards is out of range.", section="Equipment")


def _check_board(edition: Edition) -> None:
    if not 1 <= len(edition.board) <= _MOST_SPACES:
        raise RuleError("rule/edition", "The board has no spaces, or too many.", section="Equipment")
    if not any(space.corner for space in edition.board):
        raise RuleError("rule/edition", "The board has no corner to start on.", section=_SECTION)
    if any(kind not in edition.space_names for kind in SpaceKind):
        raise RuleError("rule/edition", "A kind of space has no name.", section="Special Spaces")
    called = {space.suspect for space in edition.board if space.kind is SpaceKind.CALL}
    if called != set(range(SUSPECTS)):
        raise RuleError("rule/edition", "The board must call each of the four suspects.", section="Special Spaces")


def kinds(setup: Setup, /) -> int:
    """Return the number of card kinds: 40 answers and 4 action cards."""
    return KINDS


def places(setup: Setup, /) -> tuple[int, ...]:
    """Return the places of the whole deck: 0..2 are the envelope, the rest is dealt in order."""
    return tuple(range(sum(copies(_edition(setup), setup.seats))))


def place_name(_setup: Setup, place: int, /) -> str:
    """Return what players call what lies at a place: a card in the envelope, or one that was dealt."""
    enveloped = len(ENVELOPE)
    return f"card {place + 1} in the envelope" if place < enveloped else f"card {place - enveloped + 1} of the deal"


def _edition(setup: Setup) -> Edition:
    edition = setup.edition
    if not isinstance(edition, Edition):
        raise TypeError("the setup holds no witness-stand edition")
    return edition


def space_name(edition: Edition, space: Space) -> str:
    """Return what a space is called: `Call Witness B, Confidential`, or the edition's name of its kind."""
    name = edition.space_names[space.kind]
    if space.kind is not SpaceKind.CALL or space.suspect is None:
        return name
    return f"{name} {LETTERS[space.suspect]}" + (", Confidential" if space.confidential else "")


def _gist(text: str) -> str:
    if len(text) <= _GIST:
        return text
    return text[:_GIST].rpartition(" ")[0] + " …"


def new_play(setup: Setup, names: tuple[str, ...], /, *, seq: int, ts: int) -> Play:
    """Return the public state right after the deal: seat 0 is to choose a corner (WS-44, WS-49)."""
    edition, seats = _edition(setup), setup.seats
    deck = copies(edition, seats)
    dealt = sum(deck) - len(ENVELOPE)
    court = Court(
        edition=edition,
        options=agreed(setup),
        names=names,
        actions=deck[ANSWERS:],
        corners=tuple(n for n, space in enumerate(edition.board) if space.corner),
        space_names=tuple(space_name(edition, space) for space in edition.board),
        gists=tuple(_gist(question.text) for suspect in edition.suspects for question in suspect.questions),
    )
    return Play(
        court=court,
        stage=Stage.CORNER,
        turn=0,
        since=seq,
        until=limit(court.options, Stage.CORNER, at=At(seq, ts)),
        spaces=(NOWHERE,) * seats,
        counts=tuple((dealt - seat + seats - 1) // seats for seat in range(seats)),
    )
