"""What a seat is asked, with every legal option, and what its vault does when its time has passed."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chambers.rules.asking import put
from chambers.rules.events import Ok
from chambers.rules.roles import seat_role
from chambers.rules.terms import Option, Prompt
from chambers.rules.witness_stand.edition import (
    DISMISSED,
    EXCLUDED,
    OBJECT,
    OVERRULED,
    QUESTIONS,
    SUSPECTS,
    SpaceKind,
    card_code,
    card_text,
    is_answer,
    is_starred,
    question_name,
)
from chambers.rules.witness_stand.events import (
    Accuse,
    Ask,
    Corner,
    EndTurn,
    Go,
    Move,
    NoCard,
    Pass,
    Place,
    Show,
)
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.hand import Hand
from chambers.rules.witness_stand.play import (
    ASKING,
    WINDOWS,
    Asked,
    Play,
    Stage,
    all_played,
    can_dismiss,
    letter,
    right_of_turn,
    targets,
)

_OK: Final = "ok"
_STARTS: Final = (SpaceKind.PERRY, SpaceKind.DELLA, SpaceKind.DRAKE, SpaceKind.FIFTH)


def prompt(play: Play, hand: Hand, /) -> Prompt | None:
    """Return what this seat is asked now, or None; it comes even where only one answer is legal."""
    stage, seat = play.stage, hand.seat
    if stage in WINDOWS:
        return _window(play, hand) if seat in play.waiting else None
    if stage is Stage.ANSWER:
        asked = play.asked
        return _answer(play, hand, asked) if asked is not None and asked.target == seat else None
    if seat != play.turn:
        return None
    match stage:
        case Stage.ASK | Stage.ACCUSE | Stage.ASK3:
            return _step(play, hand)
        case Stage.END:
            return _end(play, hand)
        case Stage.PLACE:
            return _place(play, hand)
        case Stage.GIVE:
            return _gift(play, hand)
        case Stage.MOVE:
            return _move(play, hand)
        case Stage.CORNER:
            return _corner(play, hand)
        case _:
            return None


@lru_cache(maxsize=4096)
def _ask_option(target: int, question: int, public: bool, name: str, gist: str) -> Option:
    code = question_name(question)
    return Option(
        id=f"ask.{target}.{code}",
        label=f"Ask {name} {code}: {gist}",
        event=Ask(target=target, question=question, public=public),
    )


@lru_cache(maxsize=256)
def _accuse_option(suspect: int, name: str) -> Option:
    return Option(id=f"accuse.{letter(suspect)}", label=f"Accuse {name}", event=Accuse(suspect=suspect))


_GO_ROLL: Final = Option(id="go", label="Go on: roll the die", event=Go())
_GO_END: Final = Option(id="go", label="Go on: ask nothing more", event=Go())
_END: Final = Option(id="end", label="End the turn", event=EndTurn())


def _step(play: Play, hand: Hand) -> Prompt:
    options: list[Option] = []
    court, first = play.court, play.witness * QUESTIONS
    if play.stage in ASKING:
        options.extend(
            _ask_option(target, question, not play.chambers, court.names[target], court.gists[question])
            for target in targets(play)
            for question in range(first, first + QUESTIONS)
        )
    if play.on_stand:
        options.append(_accuse_option(play.witness, play.suspect(play.witness)))
    options.append(_GO_ROLL if play.step == 1 else _GO_END)
    who = play.suspect(play.witness)
    if play.stage is Stage.ACCUSE:
        text, ruling = f"{who} is on the Stand. Accuse, or go on?", "WS-31"
    else:
        where = "in Chambers, confidentially" if play.chambers else "on the Stand, publicly"
        text, ruling = f"Question {who} {where}?", "WS-8" if play.step == 1 else "WS-1"
    return put(play, hand.seat, options, kind=play.stage.value, text=text, ruling=ruling)


def _end(play: Play, hand: Hand) -> Prompt:
    options: list[Option] = []
    if play.on_stand:
        options.append(_accuse_option(play.witness, play.suspect(play.witness)))
    if DISMISSED in hand.cards and can_dismiss(play):
        who = play.suspect(play.witness)
        event = PlayCard(ref=play.since, card=DISMISSED, seal=b"")
        label = f"{play.court.edition.dismissed.name}: send {who} to the Gallery and end the turn"
        options.append(Option(id="dismiss", label=label, event=event, card=DISMISSED))
    options.append(_END)
    return put(play, hand.seat, options, kind="end", text="The turn is over. End it?", ruling="WS-49")


def _window(play: Play, hand: Hand) -> Prompt:
    edition, asked = play.court.edition, play.asked
    options = [Option(id=_OK, label="Let it pass", event=Ok(ref=play.since))]
    if play.stage is Stage.WINDOW:
        kind, card, ident, name, ruling = "object", OBJECT, "object", edition.objection.name, "WS-20"
    else:
        kind, card, ident, name, ruling = "overrule", OVERRULED, "overrule", edition.overruled.name, "WS-25"
    if card in hand.cards and not all_played(play, card):
        event = PlayCard(ref=play.since, card=card, seal=b"")
        options.append(Option(id=ident, label=f"Play {name}", event=event, card=card))
    code = "" if asked is None else question_name(asked.question)
    target = "" if asked is None else "you" if asked.target == hand.seat else play.name(asked.target)
    text = f"{play.name(play.turn)} asks {target} {code}. Object?"
    if play.stage is Stage.OVERRULE and asked is not None:
        text = f"{play.name(asked.objector)} objects to {code}. Overrule?"
        if asked.objector == hand.seat:  # whom the rule lets overrule as well (WS-25)
            text = f"You object to {code}; the others may overrule that. Overrule it yourself?"
    return put(play, hand.seat, options, kind=kind, text=text, ruling=ruling)


def _answer(play: Play, hand: Hand, asked: Asked) -> Prompt:
    options = [
        _card_out(play, asked, card) for card in (2 * asked.question, 2 * asked.question + 1) if card in hand.cards
    ]
    if not options:
        label = f"No answer to {question_name(asked.question)}"
        options.append(Option(id="none", label=label, event=NoCard(ref=asked.ref)))
    if EXCLUDED in hand.cards and hand.seat not in play.out:
        options.append(_card_out(play, asked, EXCLUDED))
    how = "in public" if asked.public else "in confidence"
    text = f"{play.name(play.turn)} asks you {question_name(asked.question)} {how}. Your answer?"
    return put(play, hand.seat, options, kind="answer", text=text, ruling="WS-13")


def _card_out(play: Play, asked: Asked, card: int) -> Option:
    code, name = card_code(card), _card_name(play, card)
    if asked.public:
        event = Show(ref=asked.ref, card=card, seal=b"")
        return Option(id=f"show.{code}", label=f"Show {name}", event=event, card=card)
    passed = Pass(ref=asked.ref, to=seat_role(play.turn), box=b"")
    return Option(id=f"pass.{code}", label=f"Pass {name} face down", event=passed, card=card)


def _card_name(play: Play, card: int) -> str:
    return card_code(card) if is_answer(card) else card_text(play.court.edition, card)


def _place(play: Play, hand: Hand) -> Prompt:
    options = [
        Option(
            id=f"place.{letter(suspect)}",
            label=f"Put {play.suspect(suspect)} on the Stand",
            event=Place(suspect=suspect),
        )
        for suspect in range(SUSPECTS)
    ]
    if play.kind_at(play.spaces[play.turn]) is not SpaceKind.PERRY:
        options.append(Option(id="place.none", label="Put nobody on the Stand", event=Place(suspect=-1)))
    return put(play, hand.seat, options, kind="place", text="Which suspect is put on the Stand?", ruling="WS-7")


def _gift(play: Play, hand: Hand) -> Prompt:
    right = right_of_turn(play)
    options: list[Option] = []
    if right is not None:
        to, receiver = seat_role(right), play.name(right)
        for card in sorted(set(hand.cards)):
            event = Pass(ref=play.since, to=to, box=b"")
            label = f"Give {_card_name(play, card)} to {receiver}"
            options.append(Option(id=f"pass.{card_code(card)}", label=label, event=event, card=card))
    return put(play, hand.seat, options, kind="give", text="Which card is given to the right?", ruling="WS-27")


def _space(play: Play, space: int) -> str:
    return f"{play.court.space_names[space]}, space {space}"


def _move(play: Play, hand: Hand) -> Prompt:
    here = play.spaces[play.turn]
    options = [
        Option(id=f"move.{space}", label=f"Go to the corner {_space(play, space)}", event=Move(space=space))
        for space in play.court.corners
        if space != here
    ]
    options.append(Option(id=f"move.{here}", label="Stay here", event=Move(space=here)))
    return put(play, hand.seat, options, kind="move", text="Which corner is gone to?", ruling="WS-39")


def _corner(play: Play, hand: Hand) -> Prompt:
    options = [
        Option(id=f"corner.{space}", label=f"Start on {_space(play, space)}", event=Corner(space=space))
        for space in play.court.corners
    ]
    return put(play, hand.seat, options, kind="corner", text="On which corner does your pawn start?", ruling="WS-40")


def automatic(play: Play, hand: Hand, /) -> Option | None:
    """Return None: whatever a seat says in this game is its player's choice, if only the choice of when."""
    return None


def fallback(play: Play, hand: Hand, /) -> Option:
    """Return what the vault chooses when time has passed: nothing risky, the unstarred card first (WS-49).

    ValueError when this seat owes nothing.
    """
    asked = prompt(play, hand)
    if asked is None:
        raise ValueError("this seat owes nothing")
    options = {option.id: option for option in asked.options}
    match play.stage:
        case Stage.CORNER:
            return options[f"corner.{_free_corner(play)}"]
        case Stage.MOVE:
            return options[f"move.{play.spaces[play.turn]}"]
        case Stage.PLACE:
            return options.get("place.none", options[f"place.{letter(max(play.witness, 0))}"])
        case Stage.GIVE:
            return min(asked.options, key=_dearness)
        case Stage.ANSWER:
            # Either an answer is held, and the unstarred one is listed first, or `none` is.
            return asked.options[0]
        case Stage.WINDOW | Stage.OVERRULE:
            return options[_OK]
        case Stage.END:
            return options["end"]
        case _:
            return options["go"]


def _dearness(option: Option) -> tuple[int, int]:
    card = -1 if option.card is None else option.card
    return (2 if is_starred(card) else 0 if is_answer(card) else 1), card


def _free_corner(play: Play) -> int:
    def rank(space: int) -> tuple[int, int, int]:
        kind = play.kind_at(space)
        return play.spaces.count(space), _STARTS.index(kind) if kind in _STARTS else len(_STARTS), space

    return min(play.court.corners, key=rank)
