"""Lines that a window has missed are waited for, but not for ever: some do not fit into any frame."""

from __future__ import annotations

from chambers.clients.gaps import PATIENCE_S, Gaps
from chambers.protocol.client import Line


def told(*sequences: int) -> tuple[Line, ...]:
    """Return these lines of the log."""
    return tuple(Line(sequence, "something happened") for sequence in sequences)


def reading(*heard: tuple[Line, ...]) -> Gaps:
    """Return how far a window is that has heard this."""
    gaps = Gaps()
    for lines in heard:
        assert not gaps.come_before(lines, 0.0)
    return gaps


def test_the_first_lines_of_a_window_have_none_before_them() -> None:
    reading(told(41), told(42), told(), told(43))


def test_lines_that_are_missing_come_before_later_ones() -> None:
    gaps = reading(told(41))

    assert [gaps.come_before(lines, 0.1) for lines in (told(44), told(45), told(42, 43, 44, 45), told(46))] == [
        True,
        True,
        False,
        False,
    ]


def test_older_lines_that_were_asked_for_leave_no_gap() -> None:
    gaps = reading(told(41), told(1, 2, 3))

    assert not gaps.come_before(told(42), 0.0)


def test_what_the_vault_does_not_give_is_not_waited_for() -> None:
    gaps = reading(told(41))
    gaps.come_before(told(99), 0.0)

    assert not gaps.come_before(told(98, 99), 0.0)


def test_an_answer_that_is_lost_is_not_waited_for_beyond_a_moment() -> None:
    gaps = reading(told(41))
    gaps.come_before(told(43), 0.0)

    assert not gaps.come_before(told(44), PATIENCE_S)
