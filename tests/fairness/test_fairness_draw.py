"""Draws are fixed by their key, exactly uniform, and have no biased way out."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chambers.fairness.draw import Draw
from chambers.fairness.hashing import prf, u32

KEY = b"\x07" * 32


def chi_squared(counts: list[int]) -> float:
    mean = sum(counts) / len(counts)
    return sum((count - mean) ** 2 for count in counts) / mean


def test_numbers_have_their_golden_values() -> None:
    draw = Draw(KEY, "t")

    assert [draw.uniform(6) for _ in range(12)] == [5, 5, 0, 3, 1, 3, 4, 0, 3, 5, 5, 0]


def test_a_shuffle_has_its_golden_order() -> None:
    assert Draw(KEY, "t").shuffle(list(range(10))) == [8, 6, 3, 0, 9, 1, 5, 4, 2, 7]


def test_a_die_is_one_more_than_a_draw_among_six() -> None:
    dice, numbers = Draw(KEY, "t"), Draw(KEY, "t")

    assert [dice.d6() for _ in range(20)] == [1 + numbers.uniform(6) for _ in range(20)]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 100, 129, 200, 255, 256])
def test_bytes_of_the_incomplete_last_run_are_thrown_away(n: int) -> None:
    stream = b"".join(prf(KEY, "stream", "t", u32(i)) for i in range(40))
    draw = Draw(KEY, "t")

    expected = [byte % n for byte in stream if byte < 256 - 256 % n]

    assert [draw.uniform(n) for _ in expected] == expected


@pytest.mark.parametrize("n", [-1, 0, 257])
def test_a_draw_that_a_byte_cannot_decide_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match=r"1\.\.256"):
        Draw(KEY, "t").uniform(n)


def test_another_label_is_another_stream() -> None:
    first, second = Draw(KEY, "t"), Draw(KEY, "u")

    assert [first.uniform(256) for _ in range(16)] != [second.uniform(256) for _ in range(16)]


def test_sixty_thousand_dice_are_even() -> None:
    draw = Draw(b"\x2a" * 32, "d6")

    counts = Counter(draw.d6() for _ in range(60_000))

    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert chi_squared(list(counts.values())) < 11.07  # the 5 % limit of five degrees of freedom


def test_all_orders_of_four_are_equally_frequent() -> None:
    draw = Draw(b"\x2b" * 32, "orders")

    counts = Counter(tuple(draw.shuffle([0, 1, 2, 3])) for _ in range(24_000))

    assert set(counts) == set(permutations(range(4)))
    assert chi_squared(list(counts.values())) < 35.17  # the 5 % limit of 23 degrees of freedom


@settings(derandomize=True, deadline=None)
@given(key=st.binary(min_size=32, max_size=32), n=st.integers(1, 256))
def test_every_draw_is_in_range(key: bytes, n: int) -> None:
    draw = Draw(key, "range")

    assert all(0 <= draw.uniform(n) < n for _ in range(40))


@settings(derandomize=True, deadline=None)
@given(key=st.binary(min_size=32, max_size=32), items=st.lists(st.integers(0, 9), max_size=60))
def test_a_shuffle_keeps_every_item_and_leaves_its_argument_alone(key: bytes, items: list[int]) -> None:
    before = list(items)

    shuffled = Draw(key, "shuffle").shuffle(items)

    assert sorted(shuffled) == sorted(before)
    assert items == before


def test_a_draw_shows_no_key() -> None:
    assert repr(Draw(KEY, "t")) == "Draw(t)"
