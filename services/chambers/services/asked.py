"""What a seat is asked and has answered: the same answer again is the same move, another one is refused."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from chambers.protocol.client import ChoiceAccepted, Choose
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Admitted
from chambers.rules.asking import takes
from chambers.rules.terms import Opened, Option, Prompt
from chambers.services.intents import Intent

_ANSWERED: Final = Refusal("prompt/answered", "This prompt has been answered already.")
_UNDER_WAY: Final = Refusal("prompt/answered", "Your answer to this is under way.")
_GONE: Final = Refusal("prompt/gone", "This is not asked any more.")
_NO_SUCH_OPTION: Final = Refusal("prompt/no-such-option", "There is no such option here.")


class Asked:
    """The prompt that stands at one seat, since when, and the prompts that the log shows it to have answered."""

    def __init__(self) -> None:
        self.prompt: Prompt | None = None
        self._since = 0.0
        self._answered: dict[str, tuple[str, int]] = {}

    def __repr__(self) -> str:
        return "Asked(...)"

    def put(self, prompt: Prompt | None) -> None:
        """Take in what the seat is asked now; a prompt that still stands has stood since it was first put."""
        if prompt is not None and not self._stands(prompt.id):
            self._since = time.monotonic()
        self.prompt = prompt

    def gone(self, prompt: str) -> Refusal | None:
        """Return the refusal of an answer to a prompt that does not stand any more; None for the one that stands."""
        return None if self._stands(prompt) else _GONE

    def not_before(self, floor_ms: int) -> float:
        """Return the monotonic time, in seconds, before which an answer to the prompt would tell something."""
        assert self.prompt is not None
        return self._since + floor_ms / 1000 if self.prompt.kind == "answer" else 0.0

    def recognise(self, entry: Admitted, opened: Opened | None) -> ChoiceAccepted | None:
        """Return the acceptance of the option that an entry of this seat's own took; None if it took none."""
        if self.prompt is None:
            return None
        for option in self.prompt.options:
            if takes(option, entry.event, opened):
                self._answered[self.prompt.id] = (option.id, entry.seq)
                return ChoiceAccepted(self.prompt.id, option.id, entry.seq)
        return None

    def answer(
        self, choice: Choose, *, under_way: Iterable[Intent], stopped: str
    ) -> Option | ChoiceAccepted | Refusal | None:
        """Return the option that a choice takes, the acceptance that it had, or its refusal; None while under way.

        `stopped` says why the vault plays no more; it is empty as long as it plays.
        """
        answered = self._answered.get(choice.prompt)
        if answered is not None:
            taken, sequence = answered
            return ChoiceAccepted(choice.prompt, taken, sequence) if taken == choice.option else _ANSWERED
        for intent in under_way:
            if intent.prompt == choice.prompt:
                return None if intent.option == choice.option else _UNDER_WAY
        if stopped:
            return plays_no_more(stopped)
        if self.prompt is None or not self._stands(choice.prompt):
            return _GONE
        return next((option for option in self.prompt.options if option.id == choice.option), _NO_SUCH_OPTION)

    def _stands(self, prompt: str) -> bool:
        return self.prompt is not None and self.prompt.id == prompt


def plays_no_more(why: str) -> Refusal:
    """Return the refusal of whatever is asked of a vault that has stopped, and why it has."""
    return Refusal("vault/stopped", f"This vault plays no more: {why}")
