"""The options of the missing-suspect game as lines: like ones together, so that a long prompt is short to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chambers.protocol.client import Ask, Choice
from chambers.rules.missing_suspect.edition import Edition, NodeKind

View = dict[str, Any]
_Numbered = tuple[int, Choice]
_TOGETHER: Final = {
    NodeKind.RED: "red dot, a clue card may be drawn",
    NodeKind.TUNNEL: "Tunnel Dot",
    NodeKind.DOT: "plain dot",
}
_ALONE: Final = (NodeKind.COURTHOUSE, NodeKind.SUSPECT, NodeKind.OFFICE, NodeKind.INQUEST)


def grouped(ask: Ask, view: View, edition: Edition | None) -> list[str]:
    """Return the options with their numbers: `3 e7, 7 i3: red dot, ...`, and what stands alone by itself."""
    numbered = list(enumerate(ask.options, start=1))
    if "suspects" not in view or edition is None:
        return [f"{number} {option.label}" for number, option in numbered]
    writers: dict[str, Callable[[list[_Numbered], View, Edition], list[str]]] = {
        "move": _places,
        "ask": _clues,
        "offer": _offers,
        "discard": _cards,
        "answer": _cards,
        "point": _numbers,
    }
    write = writers.get(ask.kind)
    return write(numbered, view, edition) if write else [_alone(one) for one in numbered]


def _alone(numbered: _Numbered) -> str:
    return f"{numbered[0]} {numbered[1].label}"


def _of_your_case(text: str, view: View) -> str:
    """Return which of the case's clues are on a card that the text names; nothing where none is."""
    case = view.get("hand", {}).get("case")
    names = [name for _, name in case["clues"] if name in text] if case else []
    return f" (of your case: {', '.join(names)})" if names else ""


def _cards(numbered: list[_Numbered], view: View, edition: Edition) -> list[str]:
    return [f"{_alone(one)}{_of_your_case(one[1].label, view)}" for one in numbered]


def _part(option: Choice, number: int) -> str:
    parts = option.id.split(".", 2)
    return parts[number] if number < len(parts) else ""


def _places(numbered: list[_Numbered], view: View, edition: Edition) -> list[str]:
    kinds = {node.address: node.kind for node in edition.board.nodes}
    by_kind: dict[NodeKind, list[_Numbered]] = {}
    for number, option in numbered:
        by_kind.setdefault(kinds[_part(option, 1)], []).append((number, option))
    found = [
        f"{_alone(one)}{_promise(kind, _part(one[1], 1), view)}" for kind in _ALONE for one in by_kind.get(kind, ())
    ]
    for kind, called in _TOGETHER.items():
        for jumps in (False, True):
            some = [one for one in by_kind.get(kind, ()) if one[1].label.endswith(", by tunnel") is jumps]
            if some:
                there = ", ".join(f"{number} {_part(option, 1)}" for number, option in some)
                found.append(f"{there}: {called}{', by tunnel' if jumps else ''}")
    return found


def _promise(kind: NodeKind, address: str, view: View) -> str:
    """Say what an arrival there brings."""
    me = view["seats"][view["seat"]] if view.get("seat") is not None else {}
    match kind:
        case NodeKind.COURTHOUSE:
            return ", the trial"
        case NodeKind.OFFICE:
            return ", may take a new case" if me.get("case") else ", draws a case"
        case NodeKind.INQUEST:
            return ", questions a witness" if me.get("case") else ", no result without a case"
        case _:
            return _number_at(address, view)


def _number_at(address: str, view: View) -> str:
    for top in view["suspects"]:
        if top["spot"] == address and top["carried_by"] is None:
            known = view.get("sheet", {}).get("numbers", {}).get(top["letter"])
            return f", number {known['number']} known" if known else ", number not known"
    return ", nobody there"


def _clues(numbered: list[_Numbered], view: View, edition: Edition) -> list[str]:
    case = (view.get("hand", {}).get("case") or {}).get("letter")
    titles = {one.letter: one.title for one in edition.cases}
    groups: dict[str, list[str]] = {}
    rest = []
    for number, option in numbered:
        code = _part(option, 1)
        if code[:1] in titles:
            groups.setdefault(code[0], []).append(f"{number} {option.label}")
        else:
            rest.append(_alone((number, option)))
    letters = sorted(groups, key=lambda letter: (letter != case, letter))
    found = [
        f"{', '.join(groups[letter])}: case {letter}, {titles[letter]}{' (yours)' if letter == case else ''}"
        for letter in letters
    ]
    return found + rest


def _offers(numbered: list[_Numbered], view: View, edition: Edition) -> list[str]:
    groups: dict[str, list[str]] = {}
    rest = []
    for number, option in numbered:
        name, _, card = option.label.partition(", for ")
        if _part(option, 0) == "offer" and card:
            groups.setdefault(card, []).append(f"{number} {name}")
        else:
            rest.append(_alone((number, option)))
    return [*(f"{', '.join(names)}: give {card}{_of_your_case(card, view)}" for card, names in groups.items()), *rest]


def _numbers(numbered: list[_Numbered], view: View, edition: Edition) -> list[str]:
    tops = {one["letter"]: f"{one['colour']} suspect {one['letter'].upper()}" for one in view["suspects"]}
    groups: dict[str, list[str]] = {}
    rest = []
    for number, option in numbered:
        seat, letter = _part(option, 1), _part(option, 2)
        if letter not in tops:
            rest.append(_alone((number, option)))
            continue
        one = view["seats"][int(seat)]
        knows = " (knows it)" if letter in one["knows"] else ""
        groups.setdefault(letter, []).append(f"{number} {one['name']}{knows}")
    return [*(f"{', '.join(names)}: about the {tops[letter]}" for letter, names in groups.items()), *rest]
