"""What the dealer does after the deal: it shows the envelope to an accuser, and opens it to everybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chambers.rules.errors import RuleError
from chambers.rules.events import TableEvent
from chambers.rules.roles import Role, seat_role
from chambers.rules.terms import Disclosed, Due, Opened, Pile
from chambers.rules.witness_stand.edition import suspect_of
from chambers.rules.witness_stand.events import Look, OpenCards
from chambers.rules.witness_stand.play import Play
from chambers.rules.witness_stand.setup import ENVELOPE

_SECTION: Final = "Winning the Game"


def _right(play: Play, pile: Pile) -> bool:
    return all(suspect_of(pile.value(place)) != play.accused for place in ENVELOPE)


def dealer_act(
    play: Play,
    pile: Pile,
    due: Due,
    /,
    *,
    seal: Callable[[int], bytes],
    nonce: Callable[[int], bytes],
    box: Callable[[Role, Opened], bytes],
) -> TableEvent:
    """Return the look that an accusation makes due, or the opening of the envelope after a right one."""
    if due.act == "opencards":
        return OpenCards(cards=tuple((place, pile.value(place), nonce(place)) for place in ENVELOPE))
    if due.act != "look":
        raise ValueError(f"the dealer of this game owes no {due.act}")
    to = seat_role(play.turn)
    shown = tuple(Disclosed(value=pile.value(place), place=place, nonce=nonce(place)) for place in ENVELOPE)
    return Look(ref=play.since, places=ENVELOPE, to=to, verdict=_right(play, pile), box=box(to, shown))


def vouch_dealer(play: Play, pile: Pile, event: TableEvent, opened: Opened | None, /) -> None:
    """Refuse (RuleError) a verdict, a look or an opening of the envelope that the pile contradicts."""
    match event:
        case Look():
            if event.verdict != _right(play, pile):
                raise RuleError("rule/false-verdict", "The verdict is not what the envelope says.", section=_SECTION)
            if opened is not None and [(shown.place, shown.value) for shown in opened] != [
                (place, pile.value(place)) for place in ENVELOPE
            ]:
                raise RuleError("rule/false-look", "The cards shown are not those of the envelope.", section=_SECTION)
        case OpenCards():
            if any(value != pile.value(place) for place, value, _ in event.cards):
                raise RuleError("rule/false-envelope", "The opened cards are not the envelope's.", section=_SECTION)
        case _:
            return


def stock(pile: Pile, before: Play, after: Play, author: Role, event: TableEvent, opened: Opened | None, /) -> Pile:
    """Return the pile unchanged: nothing goes back to the dealer in this game."""
    return pile


def lying(play: Play, pile: Pile, /) -> tuple[int, ...]:
    """Return the kinds of the three cards of the envelope."""
    return tuple(pile.value(place) for place in ENVELOPE)
