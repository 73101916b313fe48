"""What everybody may see of a game, and what one seat sees beyond that, as plain JSON values."""

from __future__ import annotations

from typing import Any

from chambers.rules.missing_suspect.city import NOWHERE
from chambers.rules.missing_suspect.edition import LETTERS, case_of, clue_code, clues_of, is_clue_card
from chambers.rules.missing_suspect.hand import NONE, Hand, solved
from chambers.rules.missing_suspect.play import NOBODY, Play
from chambers.rules.missing_suspect.prompts import code


def public_view(play: Play, /) -> dict[str, Any]:
    """Return what everybody may see; seats are numbers, places addresses, suspects letters, clues codes (`C3`)."""
    return {
        "turn": {
            "seat": play.turn,
            "stage": play.stage.value,
            "round": play.round,
            "roll": play.roll,
            "thrown": play.thrown,
            "chart": None if play.found is None else play.found.value,
            "since": play.since,
            "until": play.until,
            "lapsed": play.lapsed,
        },
        "order": list(play.order),
        "seats": [_seat(play, seat) for seat in range(play.seats)],
        "suspects": [_suspect(play, suspect) for suspect in range(len(play.homes))],
        "looked": None if play.looked == NOBODY else _letter(play, play.looked),
        "asked": _asked(play),
        "piles": {"clues": len(play.clues), "cases": len(play.cases)},
        "throws": [{"seat": seat, "value": value} for seat, value in play.throws],
        "result": None if play.result is None else {"winner": play.result.winner, "text": play.result.text},
    }


def _letter(play: Play, suspect: int) -> str:
    return play.town.edition.suspects[suspect].letter


def _at(play: Play, node: int) -> str | None:
    return None if node == NOWHERE else play.address(node)


def _seat(play: Play, seat: int) -> dict[str, Any]:
    carried, open_case = play.carried[seat], play.shown[seat]
    return {
        "name": play.name(seat),
        "car": _at(play, play.cars[seat]),
        "cards": play.counts[seat],
        "case": play.cased[seat],
        "open_case": None if open_case == NOBODY else _case_letter(play, open_case),
        "carries": None if carried == NOBODY else _letter(play, carried),
        "knows": [_letter(play, suspect) for suspect in range(len(play.homes)) if play.known[seat] >> suspect & 1],
        "dropped": seat in play.dropped,
    }


def _case_letter(play: Play, kind: int) -> str | None:
    case = case_of(play.town.edition, kind)
    return None if case is None else LETTERS[case]


def _suspect(play: Play, suspect: int) -> dict[str, Any]:
    top = play.town.edition.suspects[suspect]
    by = play.carried.index(suspect) if suspect in play.carried else None
    home = _at(play, play.homes[suspect])
    return {"letter": top.letter, "colour": top.colour, "shape": top.shape, "spot": home, "carried_by": by}


def _asked(play: Play) -> dict[str, Any] | None:
    asked = play.asked
    if asked is None:
        return None
    return {
        "asker": play.turn,
        "target": asked.target,
        "clue": None if asked.clue < 0 else clue_code(play.town.edition, asked.clue),
        "suspect": None if asked.suspect < 0 else _letter(play, asked.suspect),
        "offers": bool(asked.offer),
    }


def private_view(play: Play, hand: Hand, /) -> dict[str, Any]:
    """Return the seat's case and clue cards, its check list, and the numbers of the clues that it has held."""
    edition = play.town.edition
    return {
        "seat": hand.seat,
        "hand": {
            "case": None if hand.case == NONE else _case(play, hand.case),
            "cards": [_card(play, kind) for kind in hand.cards],
            "solved": solved(edition, hand),
        },
        "sheet": {
            "numbers": {_letter(play, suspect): _number(hand, suspect) for suspect in range(len(hand.numbers))},
            "values": _values(play, hand),
        },
    }


def _case(play: Play, case: int) -> dict[str, Any]:
    edition = play.town.edition
    return {
        "letter": edition.cases[case].letter,
        "title": edition.cases[case].title,
        "clues": [[clue_code(edition, clue), edition.clues[clue].name] for clue in clues_of(edition, case)],
    }


def _card(play: Play, kind: int) -> dict[str, Any]:
    edition = play.town.edition
    clues = edition.cards[kind] if is_clue_card(edition, kind) else ()
    return {
        "kind": kind,
        "code": code(play, kind),
        "clues": [[clue_code(edition, clue), edition.clues[clue].name, edition.clues[clue].value] for clue in clues],
    }


def _number(hand: Hand, suspect: int) -> dict[str, Any] | None:
    if not hand.numbers[suspect]:
        return None
    told = hand.source[suspect]
    return {
        "number": hand.numbers[suspect],
        "since": hand.since[suspect],
        "told_by": None if told == hand.seat else told,
    }


def _values(play: Play, hand: Hand) -> dict[str, int]:
    if not play.town.options.show_values:
        return {}
    edition = play.town.edition
    return {
        clue_code(edition, number): clue.value for number, clue in enumerate(edition.clues) if hand.met >> number & 1
    }
