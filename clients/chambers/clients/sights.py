"""A seat's view of the witness-stand game in words: board, hand, question sheet, and the questions of the case."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from chambers.protocol.client import Ask, Choice
from chambers.rules.witness_stand.edition import LETTERS, QUESTIONS, Edition, SpaceKind

View = dict[str, Any]
NAME: Final = "witness-stand"
_WHERE: Final = {"stand": "on the Stand", "chambers": "in Chambers"}


class Sights:
    """Words for the views of one case; without the edition (not on this machine) codes stand for texts."""

    game = NAME

    def __init__(self, edition: Edition | None, *, name: str = "") -> None:
        self._edition = edition
        self._name = name
        self._questions: dict[str, str] = {}
        self._cards: dict[str, str] = {}
        if edition is not None:
            self._learn_texts(edition)

    def _learn_texts(self, edition: Edition) -> None:
        for letter, suspect in zip(LETTERS, edition.suspects, strict=True):
            for number, question in enumerate(suspect.questions, start=1):
                code = f"{letter}{number}"
                self._questions[code] = question.text
                self._cards[f"{code}."] = f"{code} plain: {question.plain}"
                self._cards[f"{code}*"] = f"{code} starred: {question.starred}"
        actions = (edition.objection, edition.overruled, edition.excluded, edition.dismissed)
        for code, card in zip(("OBJECT", "OVERRULED", "EXCLUDED", "DISMISSED"), actions, strict=True):
            self._cards[code] = card.name

    @property
    def title(self) -> str:
        """Return what is played, and that it is a reconstruction where it is one."""
        if self._edition is None:
            return f"edition {self._name}, whose texts are not on this machine"
        return f"{self._edition.title}{' (a reconstruction)' if self._edition.reconstruction else ''}"

    def suspect(self, letter: str) -> str:
        """Return a suspect's name with its letter."""
        if self._edition is None:
            return letter
        return f"{self._edition.suspects[LETTERS.index(letter)].name} ({letter})"

    def card(self, code: str) -> str:
        """Return what a card says."""
        return self._cards.get(code, code)

    def label(self, option: Choice) -> str:
        """Return an option's label, with what the card says where the option gives an answer away."""
        act, _, code = option.id.partition(".")
        text = self._cards.get(code, "") if act in ("show", "pass") and code[:1] in LETTERS else ""
        return f"{option.label} ({text})" if ":" in text else option.label

    def solution(self, view: View) -> list[str]:
        """Return who did it and what convicts them; nothing where nobody was found out."""
        result, accused = view.get("result"), view.get("accused")
        if not result or result.get("winner") is None or accused is None:
            return []
        found = [f"{self.suspect(accused)} did it: all five starred answers were in play."]
        for number in range(1, QUESTIONS + 1):
            code = f"{accused}{number}"
            if code in self._questions:
                answer = self._cards[f"{code}*"].partition(": ")[2]
                found.append(f'{code} "{self._questions[code]}" - "{answer}"')
        return found

    # the questions of a prompt

    def choices(self, ask: Ask, view: View) -> list[str]:
        """Return every option with its number; one line for each question, whoever it may be put to."""
        questions: dict[str, list[str]] = {}
        others = []
        for number, option in enumerate(ask.options, start=1):
            code = self.question_of(option)
            if code is None or self.question_text(code) is None:
                others.append(f"{number} {self.label(option)}")
            else:
                questions.setdefault(code, []).append(f"{number} {self.target_of(option, view)}")
        asked = [f"{', '.join(targets)}: ask {code} {self.question_text(code)}" for code, targets in questions.items()]
        return asked + others

    def question_of(self, option: Choice) -> str | None:
        """Return the question that an option asks, `B3`, or None where it asks none."""
        act, _, rest = option.id.partition(".")
        return rest.partition(".")[2] if act == "ask" else None

    def question_text(self, code: str) -> str | None:
        """Return a question's words, or None where they are not known."""
        return self._questions.get(code)

    def target_of(self, option: Choice, view: View) -> str:
        """Return the name of the player whom an option asks."""
        seat = option.id.split(".")[1]
        return _name(view, int(seat)) if seat.isdecimal() else seat

    # the board

    def turn(self, view: View) -> tuple[int, int] | None:
        """Return round and seat of the turn, or None before the first."""
        turn = view.get("turn")
        return None if not turn or not turn.get("round") else (int(turn["round"]), int(turn["seat"]))

    def turn_text(self, view: View) -> str:
        """Return whose turn it is: the round, the name, the place, and who is out."""
        turn = view["turn"]
        seat = int(turn["seat"])
        you = " (you)" if view.get("seat") == seat else ""
        return f"{turn['round']} {_name(view, seat)}{you}, {_place(view['seats'][seat])}. {self._witness(view)}"

    def board(self, view: View) -> list[str]:
        """Return the table in sentences: who is out, where each pawn stands, how many cards each player holds."""
        if "seats" not in view:
            return ["nothing has been dealt yet."]
        found = [self._witness(view)]
        for seat, one in enumerate(view["seats"]):
            you = " (you)" if view.get("seat") == seat else ""
            found.append(f"{one['name']}{you}, seat {seat}: {_place(one)}, {_cards(one['cards'])}{_state(one)}.")
        innocent = view.get("innocent", ())
        if innocent:
            names = ", ".join(self.suspect(letter) for letter in innocent)
            found.append(f"Wrongly accused, so innocent: {names}.")
        question = view.get("question")
        if question:
            asker, target = _name(view, question["asker"]), _name(view, question["target"])
            found.append(f"Open question: {asker} asks {target} {question['question']}.")
        if view["seats"] and view.get("seat") is not None:
            found.append(self._ahead(view))
        return found

    def _ahead(self, view: View) -> str:
        space = view["seats"][view["seat"]]["space"]
        if self._edition is None or space is None:
            return "You have no pawn on the board."
        board = self._edition.board
        steps = [f"{roll} {self._space(board[(space + roll) % len(board)])}" for roll in range(1, 7)]
        return f"Ahead of you, by the number thrown: {', '.join(steps)}."

    def _space(self, space: Any) -> str:
        assert self._edition is not None
        name = self._edition.space_names.get(space.kind, str(space.kind))
        if space.kind is not SpaceKind.CALL:
            return name
        return f"{name} {LETTERS[space.suspect]}{' confidential' if space.confidential else ''}"

    def _witness(self, view: View) -> str:
        witness = view.get("witness")
        if not witness:
            return "All suspects are in the Gallery."
        return f"{self.suspect(witness['suspect'])} is {_WHERE[witness['where']]}."

    # what this seat alone sees

    def codes(self, view: View) -> tuple[str, ...] | None:
        """Return the codes of the cards in hand, or None where the view shows no hand."""
        if "hand" not in view:
            return None
        return tuple(card["code"] for card in view["hand"])

    def hand(self, view: View) -> list[str]:
        """Return the hand: how many cards, then one card a sentence."""
        codes = self.codes(view)
        if codes is None:
            return ["no cards have been dealt to you."]
        counted = Counter(codes)
        lines = [f"{self.card(code)}{f' ({number} of them)' if number > 1 else ''}" for code, number in counted.items()]
        return [f"you hold {_cards(len(codes))}.", *lines]

    def changed(self, before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
        """Return what has come into the hand and what has left it."""
        came, left = Counter(after) - Counter(before), Counter(before) - Counter(after)
        found = [f"you now hold {self.card(code)}" for code in came.elements()]
        found += [f"you no longer hold {self.card(code)}" for code in left.elements()]
        return found

    def sheet(self, view: View) -> list[str]:
        """Return the question sheet: for every question where each answer is, and who denied it."""
        rows = view.get("sheet")
        if not rows:
            return ["your question sheet is empty."]
        found = []
        for letter in LETTERS:
            known = sum(_seen(rows[f"{letter}{number}"]["starred"]) for number in range(1, QUESTIONS + 1))
            found.append(f"sheet {self.suspect(letter)}: {known} of 5 starred answers are known to be in play.")
            found += [
                f"sheet {code} {_row(rows[code], view)}"
                for code in (f"{letter}{number}" for number in range(1, QUESTIONS + 1))
            ]
        return found


def _row(row: View, view: View) -> str:
    denied = [_name(view, seat) for seat in row["denied"]]
    tail = f"; neither is with {', '.join(denied)}" if denied else ""
    return f"starred {_held(row['starred'], view)}, plain {_held(row['plain'], view)}{tail}."


def _held(known: View | None, view: View) -> str:
    if known is None:
        return "not seen"
    holder = known["holder"]
    if holder == "envelope":
        return "in the envelope"
    if holder is None:
        return f"in play, last seen in round {known['since']}"
    who = "you" if holder == view.get("seat") else _name(view, holder)
    return f"with {who}" + (f" since round {known['since']}" if known["since"] else "")


def _seen(known: View | None) -> bool:
    return known is not None and known["holder"] != "envelope"


def _name(view: View, seat: int) -> str:
    seats = view.get("seats", ())
    return str(seats[seat]["name"]) if 0 <= seat < len(seats) else f"seat {seat}"


def _place(seat: View) -> str:
    return "no pawn on the board" if seat["space"] is None else f"on {seat['space_name']} (space {seat['space']})"


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _state(seat: View) -> str:
    if seat["dropped"]:
        return ", dropped"
    if seat["out"]:
        return ", out: answers only"
    return ", takes the Fifth: may not be asked" if seat["protected"] else ""
