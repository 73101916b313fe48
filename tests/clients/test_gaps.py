"""Lines that a window has missed are waited for, but not for ever: some do not fit into any frame."""

from __future__ import annotations

from chambers.clients.gaps import PATIENCE_S, Gaps
from chambers.protocol.client import Line, Update


def told(*sequences: int) -> Update:
    """Return an update with these lines of the log."""
    lines = tuple(Line(sequence, "something happened") for sequence in sequences)
    return Update(sequence=max(sequences, default=99), phase="play", view={}, lines=lines, prompt=None)


def reading(*updates: Update) -> Gaps:
    """Return how far a window is that has heard these updates."""
    gaps = Gaps()
    for update in updates:
        assert not gaps.comes_before(update, 0.0)
    return gaps


def test_the_first_lines_of_a_window_have_none_before_them() -> None:
    reading(told(41), told(42), told(), told(43))


def test_lines_come_before_an_update_that_lacks_them() -> None:
    gaps = reading(told(41))

    assert [gaps.comes_before(update, 0.1) for update in (told(44), told(45), told(42, 43, 44, 45), told(46))] == [
        True,
        True,
        False,
        False,
    ]


def test_older_lines_that_were_asked_for_leave_no_gap() -> None:
    gaps = reading(told(41), told(1, 2, 3))

    assert not gaps.comes_before(told(42), 0.0)


def test_what_the_vault_does_not_give_is_not_waited_for() -> None:
    gaps = reading(told(41))
    gaps.comes_before(told(99), 0.0)

    assert not gaps.comes_before(told(98, 99), 0.0)


def test_an_answer_that_is_lost_is_not_waited_for_beyond_a_moment() -> None:
    gaps = reading(told(41))
    gaps.comes_before(told(43), 0.0)

    assert not gaps.comes_before(told(44), PATIENCE_S)
