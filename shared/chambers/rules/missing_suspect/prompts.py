"""What a seat is asked, with every legal option, and what its vault does when its time has passed."""

from __future__ import annotations

from typing import Final

from chambers.rules.asking import put
from chambers.rules.missing_suspect.automatic import automatic, stowing
from chambers.rules.missing_suspect.edition import NodeKind, card_name, clue_code, is_clue_card
from chambers.rules.missing_suspect.events import Ask, Check, Move, Offer, Pass, Place, Point, Swap, Take
from chambers.rules.missing_suspect.hand import Hand, solved
from chambers.rules.missing_suspect.play import (
    ANSWERS,
    Play,
    Stage,
    free_spots,
    may_capture,
    moves,
    on_board,
    others,
    partners,
    standing_at,
    wants_trade,
)
from chambers.rules.missing_suspect.vouch import asked_for
from chambers.rules.roles import seat_role
from chambers.rules.terms import Option, Prompt

_DECLINE: Final = "no"
_PLACE_WORDS: Final = {
    NodeKind.DOT: "dot",
    NodeKind.RED: "red dot",
    NodeKind.TUNNEL: "Tunnel Dot",
    NodeKind.SUSPECT: "S spot",
    NodeKind.OFFICE: "Office",
    NodeKind.INQUEST: "Inquest",
    NodeKind.COURTHOUSE: "Courthouse",
}


def prompt(play: Play, hand: Hand, /) -> Prompt | None:
    """Return what this seat is asked now, or None; what its vault states by itself is not asked."""
    asked = play.asked
    answering = play.stage in ANSWERS and asked is not None
    owing = asked.target if answering and asked is not None else play.turn
    if hand.seat != owing or automatic(play, hand) is not None:
        return None
    match play.stage:
        case Stage.PLACE:
            return _place(play, hand)
        case Stage.MOVE:
            return _move(play, hand)
        case Stage.OFFICE | Stage.RED | Stage.CAPTURE:
            return _take(play, hand)
        case Stage.DISCARD:
            return _discard(play, hand)
        case Stage.CHECK:
            return _check(play, hand)
        case Stage.OFFER:
            return _offer(play, hand)
        case Stage.ASK:
            return _ask(play, hand)
        case Stage.POINT:
            return _point(play, hand)
        case Stage.ANSWER:
            return _answer(play, hand)
        case _:
            return None


def _no(label: str) -> Option:
    return Option(id=_DECLINE, label=label, event=Take(yes=False))


def code(play: Play, kind: int) -> str:
    """Return a clue card's short code: the codes of its clues, `C3-H1` (`C3-H1.2` for a second like it), or `QW`."""
    edition = play.town.edition
    if not is_clue_card(edition, kind):
        return "QW"
    like = edition.cards[:kind].count(edition.cards[kind])
    return "-".join(clue_code(edition, clue) for clue in edition.cards[kind]) + (f".{like + 1}" if like else "")


def where(play: Play, node: int) -> str:
    """Return how a place is called: its address, kind, name, and the suspect that stands there."""
    word, name = _PLACE_WORDS[play.kind_at(node)], play.town.city.names[node]
    called = name if word.split()[0] in name.split() else f"{word} {name}".strip()
    text = f"{play.address(node)} {called}"
    suspect = standing_at(play, node)
    return text if suspect is None else f"{text}, {play.suspect(suspect)}"


def _place(play: Play, hand: Hand) -> Prompt:
    suspect = play.homes.index(-1)
    options = [
        Option(
            id=f"place.{play.address(node)}",
            label=f"Place him on {where(play, node)}",
            event=Place(suspect=suspect, node=node),
        )
        for node in free_spots(play)
    ]
    text = f"Where does the {play.suspect(suspect)} hide?"
    return put(play, hand.seat, options, kind="place", text=text, ruling="MS-45")


def _move(play: Play, hand: Hand) -> Prompt:
    options = [
        Option(
            id=f"move.{play.address(found.end)}",
            label=f"{where(play, found.end)}" + (", by tunnel" if found.jump else ""),
            event=Move(path=found.path),
        )
        for found in moves(play)
    ]
    text = f"You threw {play.roll}. Your car is at {play.address(play.cars[hand.seat])}. Where do you drive?"
    return put(play, hand.seat, options, kind="move", text=text, ruling="MS-2")


def _take(play: Play, hand: Hand) -> Prompt:
    take = Take(yes=True)
    if play.stage is Stage.OFFICE:
        text, ruling = "Take a new case? The old one goes under the pile; your clue cards stay.", "MS-21"
        options = [Option(id="yes", label="Take a new case", event=take), _no("Keep the old case")]
    elif play.stage is Stage.RED:
        text, ruling = "Draw a clue card?", "MS-15"
        options = [Option(id="yes", label="Draw a clue card", event=take), _no("Draw none")]
    else:
        text = f"The {play.suspect(play.looked)} is number {hand.numbers[play.looked]}. What now?"
        ruling, options = "MS-30", [_no("Leave him")]
        if may_capture(play) and solved(play.town.edition, hand) == hand.numbers[play.looked]:
            options.insert(0, Option(id="yes", label="Capture him", event=take))
    return put(play, hand.seat, options, kind=play.stage.value, text=text, ruling=ruling)


def _discard(play: Play, hand: Hand) -> Prompt:
    options = [
        stowing(play, card, label=f"Discard {card_name(play.town.edition, card)}", ident=f"discard.{code(play, card)}")
        for card in hand.cards
    ]
    text = "You hold four clue cards. Which one goes under the pile?"
    return put(play, hand.seat, options, kind="discard", text=text, ruling="MS-16")


def _check(play: Play, hand: Hand) -> Prompt:
    options = []
    for suspect in on_board(play):
        known = hand.numbers[suspect]
        number = f", number {known}" if known else ""
        label = f"{play.suspect(suspect)} at {play.address(play.homes[suspect])}{number}"
        letter = play.town.edition.suspects[suspect].letter
        options.append(Option(id=f"check.{letter}", label=label, event=Check(suspect=suspect)))
    return put(play, hand.seat, options, kind="check", text="Which suspect do you drive to and check?", ruling="MS-23")


def _offer(play: Play, hand: Hand) -> Prompt:
    options = []
    for target in partners(play):
        to, name = seat_role(target), play.name(target)
        if not hand.cards:
            options.append(Option(id=f"offer.{target}", label=f"Ask {name}", event=Offer(to=to, offer=b"")))
        options += [
            Option(
                id=f"offer.{target}.{code(play, card)}",
                label=f"{name}, for {card_name(play.town.edition, card)}",
                event=Offer(to=to, offer=b""),
                card=card,
            )
            for card in hand.cards
        ]
    if wants_trade(play):
        text, ruling = "Trade a clue card, sight unseen? With whom, and which card do you give?", "MS-26"
        options.append(_no("Trade nothing"))
    else:
        text, ruling = "Ask for a clue by name? Whom, and which card do you give for it?", "MS-24"
        options.append(_no("Ask nobody"))
    return put(play, hand.seat, options, kind="offer", text=text, ruling=ruling)


def _ask(play: Play, hand: Hand) -> Prompt:
    edition, asked = play.town.edition, play.asked
    options = []
    name = ""
    if asked is not None:
        name = play.name(asked.target)
        options = [
            Option(
                id=f"ask.{clue_code(edition, number)}",
                label=clue.name,
                event=Ask(target=asked.target, clue=number, offer=asked.offer),
            )
            for number, clue in enumerate(edition.clues)
        ]
    options.append(_no("Ask nothing"))
    return put(play, hand.seat, options, kind="ask", text=f"Which clue do you ask {name} for?", ruling="MS-24")


def _point(play: Play, hand: Hand) -> Prompt:
    options = [
        Option(
            id=f"point.{target}.{play.town.edition.suspects[suspect].letter}",
            # Up to 35 of these share a frame with the view and the notes, and a name may be 80 bytes long.
            label=f"{play.name(target)}: {play.suspect(suspect)}",
            event=Point(target=target, suspect=suspect),
        )
        for target in others(play)
        for suspect in on_board(play)
    ]
    options.append(_no("Ask nobody"))
    return put(play, hand.seat, options, kind="point", text="Whose number do you ask whom for?", ruling="MS-27")


def _answer(play: Play, hand: Hand) -> Prompt | None:
    asked = play.asked
    if asked is None:
        return None
    to, name, edition = seat_role(play.turn), play.name(play.turn), play.town.edition
    cards = hand.cards if asked.clue < 0 else asked_for(play, hand)
    options = []
    for card in cards:
        if asked.offer:
            event: Swap | Pass = Swap(ref=asked.ref, to=to, box=b"")
        else:
            event = Pass(ref=asked.ref, to=to, box=b"")
        label = f"Give {card_name(edition, card)}"
        options.append(Option(id=f"give.{code(play, card)}", label=label, event=event, card=card))
    if asked.clue < 0:
        text, ruling = f"{name} trades a clue card with you, sight unseen. Which one do you give?", "MS-26"
    else:
        text, ruling = f"{name} asks you for {edition.clues[asked.clue].name}. Which card do you give?", "MS-24"
    return put(play, hand.seat, options, kind="answer", text=text, ruling=ruling)


def fallback(play: Play, hand: Hand, /) -> Option:
    """Return what the vault chooses when time has passed: what it would state anyway, else the safe option (MS-45).

    ValueError when this seat owes nothing.
    """
    own = automatic(play, hand)
    if own is not None:
        return own
    asked = prompt(play, hand)
    if asked is None:
        raise ValueError("this seat owes nothing")
    match play.stage:
        case Stage.MOVE:
            return _longest(play, asked)
        case Stage.CHECK:
            return next((one for one in asked.options if _unchecked(hand, one)), asked.options[0])
        case Stage.DISCARD:
            return next(one for one in asked.options if one.card == hand.cards[-1])
        case Stage.PLACE | Stage.ANSWER:
            # Free spots are listed by address, cards with the one drawn longest ago first.
            return asked.options[0]
        case _:
            return next(one for one in asked.options if one.id == _DECLINE)


def _longest(play: Play, asked: Prompt) -> Option:
    counts = {found.end: len(found.path) - found.jump for found in moves(play)}

    def length(one: Option) -> int:
        return counts[one.event.path[-1]] if isinstance(one.event, Move) else 0

    # The options stand by address, and the first of the longest is taken.
    return max(asked.options, key=length)


def _unchecked(hand: Hand, one: Option) -> bool:
    return isinstance(one.event, Check) and not hand.numbers[one.event.suspect]
