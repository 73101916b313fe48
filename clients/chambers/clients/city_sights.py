"""A seat's view of the missing-suspect game in words: the city, its suspects and cars, case, clues and check list."""

from __future__ import annotations

from typing import Any, Final

from chambers.clients.city_choices import grouped
from chambers.clients.city_map import LEGEND, city_map
from chambers.protocol.client import Ask, Choice
from chambers.rules.missing_suspect.edition import CASES, Edition, NodeKind, clues_of

View = dict[str, Any]
NAME: Final = "missing-suspect"
_KINDS: Final = {
    NodeKind.DOT: "dot",
    NodeKind.RED: "red dot",
    NodeKind.TUNNEL: "Tunnel Dot",
    NodeKind.SUSPECT: "S spot",
    NodeKind.OFFICE: "Office",
    NodeKind.INQUEST: "Inquest",
    NodeKind.COURTHOUSE: "Courthouse",
}
_CASE: Final = "case "


class CitySights:
    """Words for the views of one box; without the edition (not on this machine) addresses and codes stand alone."""

    game = NAME

    def __init__(self, edition: Edition | None, *, name: str = "") -> None:
        self._edition = edition
        self._name = name
        self._places: dict[str, str] = {}
        self._cards: dict[str, str] = {}
        if edition is not None:
            self._places = {node.address: _called(node.name, node.kind) for node in edition.board.nodes}

    @property
    def title(self) -> str:
        """Return what is played, and that it is a reconstruction where it is one."""
        if self._edition is None:
            return f"edition {self._name}, whose texts are not on this machine"
        return f"{self._edition.title}{' (a reconstruction)' if self._edition.reconstruction else ''}"

    def place(self, address: str) -> str:
        """Return a place's address, and what it is."""
        return f"{address} {self._places[address]}" if address in self._places else address

    def label(self, option: Choice) -> str:
        """Return an option's label; it says in words all that there is to say."""
        return option.label

    def choices(self, ask: Ask, view: View) -> list[str]:
        """Return every option with its number: places by what they are, clues by case, players by what is asked."""
        return grouped(ask, view, self._edition)

    def solution(self, view: View) -> list[str]:
        """Return whom the winner brought to trial, where he was found, and how far this seat's own case had come."""
        result = view.get("result")
        if not result or result.get("winner") is None:
            return []
        found = []
        winner = result["winner"]
        for top in view["suspects"]:
            if top["carried_by"] is not None:
                seat = view["seats"][top["carried_by"]]
                did = "brought" if top["carried_by"] == winner else "was on the way with"
                found.append(f"{seat['name']} {did} the {_suspect(top)}, found at {self.place(top['spot'])}.")
        return found + self._proof(view)

    def _proof(self, view: View) -> list[str]:
        case = view.get("hand", {}).get("case")
        if case is None:
            return []
        clues = _own_clues(view)
        values = " + ".join(str(value) for _, value in clues)
        names = ", ".join(f"{name} {value}" for name, value in clues) or "none of its clues"
        number = f"; {values} = {view['hand']['solved']}" if view["hand"]["solved"] is not None else ""
        return [f"Your case was {case['letter']}, {case['title']}. You held {names}{number}."]

    # the board

    def turn(self, view: View) -> tuple[int, int] | None:
        """Return round and seat of the turn, or None before the first."""
        turn = view.get("turn")
        return None if not turn or not turn.get("round") else (int(turn["round"]), int(turn["seat"]))

    def turn_text(self, view: View) -> str:
        """Return whose turn it is: the round, the name, where the car is and whom it carries."""
        turn = view["turn"]
        seat = view["seats"][int(turn["seat"])]
        carries = _carried(view, seat)
        tail = f", with the {carries}" if carries else ""
        return f"{turn['round']} {_who(view, int(turn['seat']))}, {self._car(seat)}{tail}."

    def board(self, view: View) -> list[str]:
        """Return the map, then in sentences where each suspect and car is, and what the piles hold."""
        if "suspects" not in view:
            return ["nothing has been dealt yet."]
        found = self._map(view)
        found += [self._top(view, top) for top in view["suspects"]]
        found += [self._seat(view, seat) for seat in range(len(view["seats"]))]
        piles = view["piles"]
        found.append(f"The piles hold {_count(piles['clues'], 'clue card')} and {_count(piles['cases'], 'case')}.")
        asked = view.get("asked")
        if asked:
            found.append(f"Open question: {_name(view, asked['asker'])} asks {_name(view, asked['target'])}.")
        return found

    def _map(self, view: View) -> list[str]:
        if self._edition is None:
            return []
        cars = {seat: one["car"] for seat, one in enumerate(view["seats"]) if one["car"] is not None}
        tops = {one["letter"]: one["spot"] for one in view["suspects"] if one["spot"] and one["carried_by"] is None}
        return [*city_map(self._edition.board, cars=cars, suspects=tops), LEGEND]

    def _top(self, view: View, top: View) -> str:
        if top["carried_by"] is not None:
            where = f"with {_name(view, top['carried_by'])}, captured at {self.place(top['spot'])}"
        elif top["spot"] is None:
            where = "not placed yet"
        else:
            where = f"at {self.place(top['spot'])}"
        known = view.get("sheet", {}).get("numbers", {}).get(top["letter"])
        number = f", number {known['number']}" if known else ""
        return f"{_suspect(top)}: {where}{number}."

    def _seat(self, view: View, number: int) -> str:
        seat = view["seats"][number]
        if seat["dropped"]:
            return f"{_who(view, number)}, seat {number}: dropped."
        case = f"case {seat['open_case']}" if seat["open_case"] else "a case" if seat["case"] else "no case"
        carries = _carried(view, seat)
        tail = f", carries the {carries}" if carries else ""
        letters = ", ".join(letter.upper() for letter in seat["knows"])
        knows = f"; knows the number of {letters}" if letters else ""
        cards = _count(seat["cards"], "clue card")
        return f"{_who(view, number)}, seat {number}: {self._car(seat)}, {cards}, {case}{tail}{knows}."

    def _car(self, seat: View) -> str:
        return f"car at {self.place(seat['car'])}" if seat["car"] else "no car on the board"

    # what this seat alone sees

    def codes(self, view: View) -> tuple[str, ...] | None:
        """Return the codes of the case and of the clue cards, or None where the view shows no hand."""
        if "hand" not in view:
            return None
        hand = view["hand"]
        case = (f"{_CASE}{hand['case']['letter']}",) if hand["case"] else ()
        self._learn(hand)
        return (*case, *(card["code"] for card in hand["cards"]))

    def _learn(self, hand: View) -> None:
        for card in hand["cards"]:
            self._cards[card["code"]] = _card(card)
        if hand["case"]:
            case = hand["case"]
            self._cards[f"{_CASE}{case['letter']}"] = f"case {case['letter']}, {case['title']}"

    def hand(self, view: View) -> list[str]:
        """Return the case with its clues, held or not, then the clue cards, then what they prove."""
        if "hand" not in view:
            return ["no cards have been dealt to you."]
        hand = view["hand"]
        found = self._case(view)
        found.append(f"you hold {_count(len(hand['cards']), 'clue card')}; three is the limit.")
        found += [_card(card) for card in hand["cards"]]
        if hand["solved"] is not None:
            found.append(f"your case is solved: your suspect is number {hand['solved']}.")
        return found

    def _case(self, view: View) -> list[str]:
        case, values = view["hand"]["case"], view.get("sheet", {}).get("values", {})
        if case is None:
            return ["you have no case; an Office gives you one."]
        held = {code for card in view["hand"]["cards"] for code, _, _ in card["clues"]}
        found = [f"your case is {case['letter']}, {case['title']}. Three of its four clues solve it."]
        for code, name in case["clues"]:
            value = f" {values[code]}" if code in values else ""
            found.append(f"case clue {name}{value}: {'held' if code in held else 'missing'}.")
        return found

    def changed(self, before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
        """Return what has come into the hand and what has left it."""
        came, left = [code for code in after if code not in before], [code for code in before if code not in after]
        found = [f"you now hold {self._cards.get(code, code)}" for code in came]
        return found + [f"you no longer hold {self._cards.get(code, code)}" for code in left]

    def sheet(self, view: View) -> list[str]:
        """Return the check list: each suspect's number with how it was learnt, the numbers left, the clues' numbers."""
        sheet = view.get("sheet")
        if not sheet:
            return ["your check list is empty."]
        found = [f"check list {_suspect(top)}: {_checked(view, top['letter'])}." for top in view["suspects"]]
        known = {one["number"] for one in sheet["numbers"].values() if one}
        left = ", ".join(str(number) for number in range(3, 10) if number not in known)
        found.append(f"check list: numbers not seen yet: {left or 'none'}.")
        if sheet["values"]:
            names = self._clue_names()
            listed = ", ".join(f"{names.get(code, code)} {value}" for code, value in sheet["values"].items())
            found.append(f"numbers of the clues you have held: {listed}.")
        return found

    def _clue_names(self) -> dict[str, str]:
        box = self._edition
        if box is None:
            return {}
        return {
            f"{box.cases[case].letter}{place}": box.clues[clue].name
            for case in range(CASES)
            for place, clue in enumerate(clues_of(box, case), start=1)
        }


def _called(name: str, kind: NodeKind) -> str:
    word = _KINDS[kind]
    return name if word.split()[0] in name.split() else f"{word} {name}".strip()


def _suspect(top: View) -> str:
    return f"{top['colour']} suspect {top['letter'].upper()}"


def _carried(view: View, seat: View) -> str:
    return next((_suspect(top) for top in view["suspects"] if top["letter"] == seat["carries"]), "")


def _name(view: View, seat: int) -> str:
    return str(view["seats"][seat]["name"])


def _who(view: View, seat: int) -> str:
    return f"{_name(view, seat)}{' (you)' if view.get('seat') == seat else ''}"


def _card(card: View) -> str:
    return " / ".join(f"{name} {value} (case {code[0]})" for code, name, value in card["clues"]) or "Question Witness"


def _own_clues(view: View) -> list[tuple[str, int]]:
    own = {code for code, _ in view["hand"]["case"]["clues"]}
    held = {code: (name, value) for card in view["hand"]["cards"] for code, name, value in card["clues"]}
    return [found for code, found in held.items() if code in own]


def _checked(view: View, letter: str) -> str:
    known = view["sheet"]["numbers"][letter]
    if known is None:
        return "not checked"
    how = "looked at" if known["told_by"] is None else f"told by {_name(view, known['told_by'])}"
    return f"number {known['number']}, {how} in round {known['since']}"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
