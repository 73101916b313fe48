"""The encoding under every hash is injective, and its bytes are fixed for ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chambers.fairness.hashing import digest, enc, prf, u32

PARTS = st.lists(st.binary(max_size=6), max_size=5)


def test_each_part_stands_behind_its_length() -> None:
    assert enc("a", "bc").hex() == "0000000161000000026263"


def test_text_is_encoded_as_utf8() -> None:
    assert enc("é") == enc(b"\xc3\xa9")


def test_the_tagged_hash_has_its_golden_bytes() -> None:
    found = digest("chain", bytes(16), "seat0", bytes(32))

    assert found.hex() == "74667ccbe22a853c4d3980c1a97b8810107789b24179c3bc57940c4537e54eb0"


def test_the_tagged_prf_has_its_golden_bytes() -> None:
    found = prf(b"\x01" * 32, "box")

    assert found.hex() == "d789ddce9e232d538747ffa033657cf5059b7c2f7798b604c4691a636d91793d"


def test_a_number_is_four_bytes_big_endian() -> None:
    assert u32(0x01020304) == b"\x01\x02\x03\x04"


@pytest.mark.parametrize("number", [-1, 2**32])
def test_a_number_that_needs_more_than_four_bytes_is_refused(number: int) -> None:
    with pytest.raises(OverflowError):
        u32(number)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(left=PARTS, right=PARTS)
def test_no_two_sequences_of_parts_are_encoded_alike(left: list[bytes], right: list[bytes]) -> None:
    assert (enc(*left) == enc(*right)) == (left == right)


@settings(derandomize=True, deadline=None)
@given(parts=st.lists(st.binary(min_size=1, max_size=6), min_size=1, max_size=4), cut=st.integers(0, 5))
def test_a_part_cut_in_two_is_another_sequence(parts: list[bytes], cut: int) -> None:
    split = [parts[0][:cut], parts[0][cut:], *parts[1:]]

    assert enc(*split) != enc(*parts)


def test_two_tags_never_give_the_same_hash() -> None:
    assert digest("secret", bytes(32)) != digest("luck", bytes(32))
    assert digest("ab", "c") != digest("a", "bc")
