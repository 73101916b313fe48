"""A statement is signed by its author's key, and by nothing that could be tricked into it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chambers.fairness.errors import FairnessError
from chambers.fairness.signatures import SigningKey, check_statement, sign_statement, verifies

KEY = SigningKey(b"\x05" * 32)
# seat0's statement number 2, over the head of size 9 with a root of zeros, that says `end`.
STMT = bytes.fromhex("96c410" + "00" * 16 + "a573656174300209c420" + "00" * 32 + "91a3656e64")
GOLDEN_SIG = (
    "21ec583676c1aa04e61f5dd53865d5404c2243904ded091771d3aa0f175ccba0"
    "62d8a18c321ff727cabdfd3ed4e59f5584fec6f2ea3013798c9fe5a4df761c0b"
)


def test_a_statement_signature_has_its_golden_bytes() -> None:
    assert sign_statement(KEY, STMT).hex() == GOLDEN_SIG


def test_a_signed_statement_checks() -> None:
    check_statement(KEY.public, sign_statement(KEY, STMT), stmt=STMT)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(at=st.integers(0, 63), flip=st.integers(1, 255))
def test_a_changed_signature_is_refused(at: int, flip: int) -> None:
    sig = bytearray(sign_statement(KEY, STMT))
    sig[at] ^= flip

    with pytest.raises(FairnessError) as refused:
        check_statement(KEY.public, bytes(sig), stmt=STMT)

    assert refused.value.code == "fairness/signature"


@settings(derandomize=True, deadline=None, max_examples=80)
@given(at=st.integers(0, len(STMT) - 1), flip=st.integers(1, 255))
def test_a_changed_statement_is_refused(at: int, flip: int) -> None:
    stmt = bytearray(STMT)
    stmt[at] ^= flip

    with pytest.raises(FairnessError):
        check_statement(KEY.public, sign_statement(KEY, STMT), stmt=bytes(stmt))


@pytest.mark.parametrize("public", [SigningKey(b"\x06" * 32).public, bytes(32), b"", KEY.public + b"\0"])
def test_another_key_is_refused(public: bytes) -> None:
    with pytest.raises(FairnessError):
        check_statement(public, sign_statement(KEY, STMT), stmt=STMT)


@pytest.mark.parametrize("size", [0, 63, 65, 128])
def test_a_signature_of_another_length_is_refused(size: int) -> None:
    sig = (sign_statement(KEY, STMT) * 2)[:size]

    with pytest.raises(FairnessError):
        check_statement(KEY.public, sig, stmt=STMT)


def test_bytes_cannot_move_between_signature_and_message() -> None:
    sig = KEY.sign(STMT)

    assert verifies(KEY.public, sig, message=STMT)
    assert not verifies(KEY.public, sig[:63], message=sig[63:] + STMT)
    assert not verifies(KEY.public, sig + STMT[:1], message=STMT[1:])


def test_a_signature_over_the_bare_bytes_is_not_one_over_the_statement() -> None:
    sig = KEY.sign(STMT)
    assert verifies(KEY.public, sig, message=STMT)

    with pytest.raises(FairnessError):
        check_statement(KEY.public, sig, stmt=STMT)


def test_what_a_statement_signs_is_no_text() -> None:
    signed = b"\xffch1/stmt\x00" + STMT

    assert verifies(KEY.public, sign_statement(KEY, STMT), message=signed)
    with pytest.raises(UnicodeDecodeError):
        signed.decode()


def test_a_key_shows_its_public_half_only() -> None:
    assert repr(KEY) == str(KEY) == f"SigningKey({KEY.public.hex()[:8]})"


def test_an_answer_given_once_is_not_taken_for_another_question() -> None:
    sig = sign_statement(KEY, STMT)
    check_statement(KEY.public, sig, stmt=STMT)

    with pytest.raises(FairnessError):
        check_statement(KEY.public, sig, stmt=STMT + b"\0")
    check_statement(KEY.public, sig, stmt=STMT)
