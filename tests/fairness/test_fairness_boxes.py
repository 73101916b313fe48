"""A box opens at both its ends, for its own statement, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.public import Box, PrivateKey, PublicKey

from chambers.fairness.boxes import box_public, check_box_key, open_box, seal_box
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import digest, u32
from chambers.fairness.keys import box_private

TABLE = bytes(16)
SEAT0, SEAT1 = box_private(b"\x03" * 32), box_private(b"\x04" * 32)
SEAT0_PUBLIC, SEAT1_PUBLIC = box_public(SEAT0), box_public(SEAT1)
GOLDEN_BOX = (
    "000102030405060708090a0b0c0d0e0f1011121314151617c92cd5464babb026dcf8232b6503c4c4ef0d77b7cf9eed33"
    "c3e80eb19f1db22764b5424a4e58c0d230e2d364102bb7cb88e61d0feefdb93fdbc7354931207b02e3ccdafe6371e2cf"
    "1e382d7547c5c5ab73874f560999cf3b9883a5af08579a85646619a3787023262b791e76b504438f"
)


def sealed(payload: bytes, nonce: bytes | None = None) -> bytes:
    return seal_box(SEAT0, SEAT1_PUBLIC, table=TABLE, author="seat0", n=5, to="seat1", payload=payload, nonce=nonce)


def opened(box: bytes) -> bytes:
    return open_box(SEAT1, SEAT0_PUBLIC, table=TABLE, author="seat0", n=5, to="seat1", box=box)


def encrypted(plain: bytes) -> bytes:
    return bytes(Box(PrivateKey(SEAT0), PublicKey(SEAT1_PUBLIC)).encrypt(plain))


def test_a_box_has_its_golden_bytes() -> None:
    box = sealed(b"\x92\x07\xc0", nonce=bytes(range(24)))

    assert box.hex() == GOLDEN_BOX


def test_a_box_is_the_nonce_and_the_padded_plaintext_between_the_two_keys() -> None:
    box = sealed(b"seven", nonce=bytes(24))

    plain = Box(PrivateKey(SEAT1), PublicKey(SEAT0_PUBLIC)).decrypt(box)

    assert box[:24] == bytes(24)
    assert plain == digest("box", TABLE, "seat0", u32(5), "seat1")[:16] + b"\x00\x05seven" + bytes(73)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(payload=st.binary(max_size=400))
def test_a_box_opens_at_both_ends(payload: bytes) -> None:
    box = sealed(payload)

    at_sender = open_box(SEAT0, SEAT1_PUBLIC, table=TABLE, author="seat0", n=5, to="seat1", box=box)

    assert opened(box) == at_sender == payload


@pytest.mark.parametrize(("size", "expected"), [(0, 136), (1, 136), (78, 136), (79, 232), (174, 232), (175, 328)])
def test_a_box_tells_its_size_in_blocks_of_96_only(size: int, expected: int) -> None:
    assert len(sealed(bytes(size))) == expected


def test_two_boxes_of_one_payload_are_unlike() -> None:
    assert sealed(b"seven") != sealed(b"seven")


@settings(derandomize=True, deadline=None, max_examples=150)
@given(at=st.integers(0, 135), flip=st.integers(1, 255))
def test_a_box_with_a_changed_byte_does_not_open(at: int, flip: int) -> None:
    box = bytearray(sealed(b"seven", nonce=bytes(24)))
    box[at] ^= flip

    with pytest.raises(FairnessError) as refused:
        opened(bytes(box))

    assert refused.value.code == "fairness/box"


@settings(derandomize=True, deadline=None, max_examples=60)
@given(junk=st.binary(max_size=300))
def test_bytes_that_are_no_box_do_not_open(junk: bytes) -> None:
    with pytest.raises(FairnessError):
        opened(junk)


@pytest.mark.parametrize(
    ("table", "author", "n", "to"),
    [
        pytest.param(b"\x01" * 16, "seat0", 5, "seat1", id="another table"),
        pytest.param(TABLE, "seat1", 5, "seat1", id="another author"),
        pytest.param(TABLE, "seat0", 6, "seat1", id="another statement"),
        pytest.param(TABLE, "seat0", 5, "seat2", id="another receiver"),
        pytest.param(TABLE, "seat0", -1, "seat1", id="a statement before the first"),
        pytest.param(TABLE, "seat0", 2**32, "seat1", id="a statement beyond four bytes"),
    ],
)
def test_a_box_copied_into_another_statement_is_refused(table: bytes, author: str, n: int, to: str) -> None:
    with pytest.raises(FairnessError) as refused:
        open_box(SEAT1, SEAT0_PUBLIC, table=table, author=author, n=n, to=to, box=sealed(b"seven"))

    assert refused.value.code == "fairness/box"


def test_a_third_role_cannot_open_a_box() -> None:
    seat2 = box_private(b"\x05" * 32)

    with pytest.raises(FairnessError):
        open_box(seat2, SEAT0_PUBLIC, table=TABLE, author="seat0", n=5, to="seat1", box=sealed(b"seven"))


@pytest.mark.parametrize(
    "tail",
    [
        pytest.param(b"\x00\x05seven" + bytes(72) + b"\x01", id="something behind the payload"),
        pytest.param(b"\x00\x05seven" + bytes(73 + 96), id="a block too many"),
        pytest.param(b"\x00\xff" + bytes(78), id="a length beyond the end"),
    ],
)
def test_a_box_padded_otherwise_is_refused(tail: bytes) -> None:
    box = encrypted(digest("box", TABLE, "seat0", u32(5), "seat1")[:16] + tail)

    with pytest.raises(FairnessError, match="padded"):
        opened(box)


def test_a_plaintext_that_fills_no_block_is_refused() -> None:
    with pytest.raises(FairnessError, match="size"):
        opened(encrypted(digest("box", TABLE, "seat0", u32(5), "seat1")[:16] + b"\x00\x00"))


@pytest.mark.parametrize("public", [bytes(32), b"\x01" + bytes(31), b"", bytes(33)])
def test_a_key_that_no_box_can_be_made_with_is_refused(public: bytes) -> None:
    with pytest.raises(FairnessError) as refused:
        open_box(SEAT1, public, table=TABLE, author="seat0", n=5, to="seat1", box=sealed(b"seven"))

    assert refused.value.code == "fairness/box-key"


def test_a_payload_that_no_box_holds_is_refused() -> None:
    assert opened(sealed(bytes(65535))) == bytes(65535)

    with pytest.raises(ValueError, match="65535"):
        sealed(bytes(65536))


def test_a_refused_box_shows_no_payload() -> None:
    box = encrypted(digest("box", TABLE, "seat0", u32(6), "seat1")[:16] + b"\x00\x05seven" + bytes(73))

    with pytest.raises(FairnessError) as refused:
        opened(box)

    assert "seven" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("other", [lambda n: n | 1 << 255, lambda n: n % 19 + 2**255 - 19])
def test_another_spelling_of_a_key_is_refused(other: Callable[[int], int]) -> None:
    """X25519 passes over the top bit and counts modulo 2^255 - 19, so the same boxes would be made with both."""
    public = box_public(bytes(range(32)))

    with pytest.raises(FairnessError, match="fairness/box-key"):
        check_box_key(other(int.from_bytes(public, "little")).to_bytes(32, "little"))

    check_box_key(public)


def test_a_key_that_no_box_can_be_made_with_is_refused_before_anybody_needs_it() -> None:
    with pytest.raises(FairnessError) as refusal:
        check_box_key(bytes(32))

    assert refusal.value.code == "fairness/box-key"
