"""MS: Example of a Solved Detective Case. The printed example as a whole game, written down and played again."""

from __future__ import annotations

from pathlib import Path

from tests.missing_suspect.town import CANARY, EDITION, RED, card, cards, clue
from tests.missing_suspect.transcript import final, replayed

from chambers.rules.missing_suspect.edition import clues_of, solution

GAME_FILE = Path(__file__).with_name("canary-diamonds.txt")
H = 7


def test_the_example_is_played_as_it_is_written_down() -> None:
    """MS: Example of a Solved Detective Case. From the throw for Dealer to the trial, sentence by sentence."""
    text = GAME_FILE.read_text(encoding="utf-8")
    assert replayed(text) == text


def test_the_example_ends_with_red_brought_to_trial() -> None:
    """MS: Example of a Solved Detective Case. Red is number 7, and his captor wins."""
    table = final(GAME_FILE.read_text(encoding="utf-8"))
    assert table.play.result is not None
    assert table.play.result.winner == 0
    assert table.play.carried[0] == RED
    assert table.hand(0).numbers[RED] == 7
    assert table.hand(1).numbers[RED] == 7


def test_the_examples_clues_add_up_to_seven() -> None:
    """MS: Example of a Solved Detective Case. Case H: 1 + 3 + 3 = 7; Hidden Gun is the fourth clue."""
    assert [EDITION.clues[clue(name)].value for name in CANARY] == [1, 3, 3]
    assert {EDITION.clues[number].name for number in clues_of(EDITION, H)} == {*CANARY, "Hidden Gun"}
    assert solution(EDITION, H, cards(*CANARY)) == 7


def test_two_of_the_examples_clues_are_not_enough() -> None:
    """MS: Example of a Solved Detective Case. He collected three of these on three different cards."""
    assert solution(EDITION, H, cards(*CANARY[:2])) is None
    assert solution(EDITION, H, (*cards(*CANARY[:2]), card("Torn Curtain"))) is None
