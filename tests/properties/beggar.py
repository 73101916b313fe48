"""A missing-suspect player who brings up what is rarely said: a seat without clue cards that asks for clues."""

from __future__ import annotations

from tests.missing_suspect.detective import Detective

from chambers.rules.missing_suspect.city import expected_turns
from chambers.rules.missing_suspect.edition import NodeKind
from chambers.rules.missing_suspect.events import Move
from chambers.rules.missing_suspect.hand import Hand
from chambers.rules.missing_suspect.play import Play
from chambers.rules.terms import Option, Prompt

BEGGAR = 0


class Beggar(Detective):
    """Plays all seats like a detective but one, which draws no card and drives from Inquest to Inquest."""

    def __call__(self, seat: int, play: Play, hand: Hand, prompt: Prompt) -> Option:
        if seat != BEGGAR or hand.case < 0:
            return super().__call__(seat, play, hand, prompt)
        match prompt.kind:
            case "red" | "office":
                return prompt.options[-1]
            case "move":
                return min(prompt.options, key=lambda one: _turns(play, one))
            case "offer":
                return prompt.options[0]
            case _:
                return self.random.choice(prompt.options)


def _turns(play: Play, option: Option) -> float:
    assert isinstance(option.event, Move)
    city = play.town.city
    return min(expected_turns(city, goal)[option.event.path[-1]] for goal in city.of(NodeKind.INQUEST))
