"""The question-sheet bot: asks to fill its sheet, keeps its starred cards, and accuses only when it is certain."""

from __future__ import annotations

import random
from typing import Any, Final

import msgspec

from chambers.clients.seen import flat
from chambers.protocol.client import Ask, Choice

_LETTERS: Final = "ABCD"
_NUMBERS: Final = "12345"
_STAR_IN_PLAY: Final = 0.85
"""A starred answer is in play in 17 of 20 cases."""
_NEARLY: Final = 4
"""So many starred answers of a suspect convict almost."""


class Sheet:
    """What a seat's view says about the twenty questions, and what follows from it with certainty."""

    def __init__(self, view: dict[str, Any], seat: int) -> None:
        seats = view.get("seats", ())
        self.seat = seat
        self.seats = len(seats)
        self.cards = [int(one.get("cards", 0)) for one in seats]
        self.rows: dict[str, Any] = view.get("sheet", {})
        self.innocents = set(view.get("innocent", ()))
        self.question: dict[str, Any] | None = view.get("question")
        self.witness: str | None = (view.get("witness") or {}).get("suspect")

    def star_seen(self, question: str) -> bool:
        """Return whether the starred answer is known to be in play, wherever it is by now."""
        known = self.rows[question]["starred"]
        return known is not None and known["holder"] != "envelope"

    def plain_holder(self, question: str) -> int | None:
        """Return the seat that is known to hold the plain answer now, or None."""
        known = self.rows[question]["plain"]
        return known["holder"] if known is not None and isinstance(known["holder"], int) else None

    def may_hold_star(self, question: str, seat: int) -> bool:
        """Return whether the unseen starred answer may lie with a seat other than this one."""
        return seat != self.seat and seat not in self.rows[question]["denied"]

    def star_is_out(self, question: str) -> bool:
        """Return whether the starred answer must lie in the envelope: everybody else denied it, and it is not here."""
        others = (seat for seat in range(self.seats) if seat != self.seat)
        return not self.star_seen(question) and not any(self.may_hold_star(question, seat) for seat in others)

    def stars(self, suspect: str) -> int:
        """Return how many starred answers of a suspect, by letter, are known to be in play."""
        return sum(self.star_seen(f"{suspect}{number}") for number in _NUMBERS)

    def innocent(self, suspect: str) -> bool:
        """Return whether a suspect is certainly innocent."""
        if suspect in self.innocents:
            return True
        return any(self.star_is_out(f"{suspect}{number}") for number in _NUMBERS)

    def guilty(self) -> str | None:
        """Return the letter of the suspect who is certainly guilty, or None while nobody is."""
        for suspect in _LETTERS:
            if self.stars(suspect) == len(_NUMBERS):
                return suspect
        open_ones = [suspect for suspect in _LETTERS if not self.innocent(suspect)]
        return open_ones[0] if len(open_ones) == 1 else None

    def worth(self, question: str, target: int) -> float:
        """Return what asking `target` the question is worth: the chance to learn of its starred answer, weighed."""
        suspect = question[0]
        if self.star_seen(question) or self.innocent(suspect) or not self.may_hold_star(question, target):
            return 0.0
        holders = [seat for seat in range(self.seats) if self.may_hold_star(question, seat)]
        slots = sum(self.cards[seat] for seat in holders)
        chance = self.cards[target] / slots if slots else 0.0
        if len(holders) > 1:
            chance *= _STAR_IN_PLAY
        if self.plain_holder(question) == target:
            # The plain answer is handed over first and shields the starred one, so that this costs two questions.
            chance *= 0.5
        return chance * (1.0 + 0.5 * self.stars(suspect))


class SheetBot:
    """Plays by its question sheet. Its memory is its view alone, so that a restart changes nothing."""

    def __init__(self, seat: int, chance: random.Random) -> None:
        self.seat = seat
        self._chance = chance

    def choose(self, view: dict[str, Any], ask: Ask) -> str:
        """Return the id of the option that the sheet speaks for."""
        view = flat(view)
        by_act: dict[str, list[Choice]] = {}
        for option in ask.options:
            by_act.setdefault(option.id.partition(".")[0], []).append(option)
        if "ok" in by_act:
            return self._window(view, by_act)
        if "none" in by_act:
            return by_act["none"][0].id
        sheet = Sheet(view, self.seat)
        cards = by_act.get("show", []) + by_act.get("pass", [])
        if cards:
            return min(cards, key=lambda option: self._price(sheet, _rest(option), ask=ask)).id
        return self._of_the_turn(sheet, by_act, ask)

    def _of_the_turn(self, sheet: Sheet, by_act: dict[str, list[Choice]], ask: Ask) -> str:
        guilty = sheet.guilty()
        for option in by_act.get("accuse", ()):
            if _rest(option) == guilty:
                return option.id
        if "ask" in by_act:
            return self._question(sheet, by_act)
        if "place" in by_act:
            return self._witness(sheet, by_act["place"], guilty)
        if "dismiss" in by_act:
            return self._leave_the_stand(sheet, by_act, guilty)
        for act in ("go", "end"):
            if act in by_act:
                return by_act[act][0].id
        return self._chance.choice(ask.options).id

    def _question(self, sheet: Sheet, by_act: dict[str, list[Choice]]) -> str:
        best, most = by_act.get("go", by_act["ask"])[0], 0.0
        for option in by_act["ask"]:
            target, _, question = _rest(option).partition(".")
            worth = sheet.worth(question, int(target)) * self._chance.uniform(0.95, 1.05)
            if worth > most:
                best, most = option, worth
        return best.id

    def _window(self, view: dict[str, Any], by_act: dict[str, list[Choice]]) -> str:
        question = view.get("question") or {}
        if "overrule" in by_act and question.get("asker") == self.seat:
            return by_act["overrule"][0].id
        if "object" in by_act and question.get("target") == self.seat and self._would_lose_a_star(view, question):
            return by_act["object"][0].id
        return by_act["ok"][0].id

    def _would_lose_a_star(self, view: dict[str, Any], question: dict[str, Any]) -> bool:
        held = {card["code"] for card in view.get("hand", ())}
        asked = question.get("question", "")
        return f"{asked}*" in held and f"{asked}." not in held and "EXCLUDED" not in held

    def _witness(self, sheet: Sheet, options: list[Choice], guilty: str | None) -> str:
        def worth(option: Choice) -> float:
            suspect = _rest(option)
            if suspect not in _LETTERS:
                return 0.0
            if suspect == guilty:
                return 100.0
            seats = [seat for seat in range(sheet.seats) if seat != self.seat]
            return max(sheet.worth(f"{suspect}{number}", seat) for number in _NUMBERS for seat in seats)

        return max(options, key=worth).id

    def _leave_the_stand(self, sheet: Sheet, by_act: dict[str, list[Choice]], guilty: str | None) -> str:
        # Whoever this bot is about to convict should not be questioned by the others first.
        known = sheet.witness is not None and sheet.stars(sheet.witness) >= 3 and sheet.witness != guilty
        return by_act["dismiss" if known else "end"][0].id

    def _price(self, sheet: Sheet, code: str, *, ask: Ask) -> _Price:
        """Return how dear a card is to give: plain answers first, starred ones last.

        Evidence Excluded! comes back as a question later; so it is spent only to keep the last starred answers hidden,
        and only where nobody else sees it.
        """
        if code.endswith("."):
            return _Price(0, code)
        if code.endswith("*"):
            return _Price(3, code)
        if ask.kind == "give":
            return _Price(2 if code == "EXCLUDED" else 1, code)
        question = sheet.question or {}
        shields = not question.get("public", True) and sheet.stars(str(question.get("question", "A"))[0]) >= _NEARLY
        return _Price(2 if shields else 4, code)


class _Price(msgspec.Struct, frozen=True, order=True):
    rank: int
    code: str


def _rest(option: Choice) -> str:
    return option.id.partition(".")[2]
