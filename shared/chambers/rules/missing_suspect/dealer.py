"""What the dealer does after the deal: it hands out cards, shows numbers, and learns what is put under its piles."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from chambers.rules.errors import RuleError
from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.events import Draw, Look, Stow
from chambers.rules.missing_suspect.play import TOPS, Play, Stage
from chambers.rules.missing_suspect.refusals import CHECKING, DRAWING
from chambers.rules.roles import Role, seat_role
from chambers.rules.terms import Disclosed, Due, Opened, Pile


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
    """Return the draw from the top of a pile, or the look under a suspect, that is due to the turn seat."""
    to = seat_role(play.turn)
    if due.act == "look":
        place = TOPS + play.looked
        shown = Disclosed(value=pile.value(place), place=place, nonce=nonce(place))
        return Look(ref=play.since, places=(place,), to=to, box=box(to, (shown,)))
    if due.act != "draw":
        raise ValueError(f"the dealer of this game owes no {due.act}")
    place = (play.cases if play.stage is Stage.CASE else play.clues)[0]
    kind = pile.value(place)
    card = Disclosed(value=kind, seal=seal(kind), place=place, nonce=nonce(place))
    return Draw(ref=play.since, place=place, to=to, box=box(to, (card,)))


def vouch_dealer(play: Play, pile: Pile, event: TableEvent, opened: Opened | None, /) -> None:
    """Refuse (RuleError) a card or a number that is not the one at its place."""
    if opened is None or not isinstance(event, Draw | Look):
        return
    place = event.place if isinstance(event, Draw) else TOPS + play.looked
    if len(opened) != 1 or opened[0].place != place or opened[0].value != pile.value(place):
        if isinstance(event, Draw):
            raise RuleError("rule/false-draw", "The card handed out is not the top one.", section=DRAWING)
        raise RuleError("rule/false-look", "The number shown is not the suspect's.", section=CHECKING)


def stock(pile: Pile, before: Play, after: Play, author: Role, event: TableEvent, opened: Opened | None, /) -> Pile:
    """Return the pile after an event: what was stowed lies at its new place (MS: How to Draw Clue Cards, MS-43).

    ValueError if a stowed card comes without its opening.
    """
    if not isinstance(event, Stow):
        return pile
    if not opened:
        raise ValueError("a stowed card must be opened before it can be drawn")
    return replace(pile, values=(*pile.values, (event.place, opened[0].value)))


def lying(play: Play, pile: Pile, /) -> tuple[int, ...]:
    """Return the kinds of the cards that lie in the piles now."""
    values = dict(pile.values)
    return tuple(values[place] for place in (*play.clues, *play.cases))
