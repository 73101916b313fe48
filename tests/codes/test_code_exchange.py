"""The exchange of a short code for a ticket: what the right code opens, and how little anything else learns."""

from __future__ import annotations

import pytest
from nacl.bindings import crypto_core_ed25519_add
from nacl.secret import SecretBox

from chambers.fairness.hashing import digest
from chambers.protocol.codes import LENGTH, SIGNS, Code, Handover, Knocker, _base, code_of, hand_over, read_code
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import Handed, Knock

TABLE = bytes(range(16))
CODE = Code(2, "kqx7rt")
SECRETS = Handover(issue=1, admit=b"a" * 32, pair=b"p" * 32, frame_key=b"f" * 32, fingerprint=b"c" * 32)


def handed(knock: Knock, code: Code = CODE, table: bytes = TABLE) -> Handed:
    return hand_over(knock, code, table=table, handover=SECRETS)


def test_the_right_code_opens_what_the_vault_hands_over() -> None:
    knocker = Knocker(CODE, TABLE)

    assert knocker.open(handed(knocker.knock())) == SECRETS


@pytest.mark.parametrize(("code", "table"), [(Code(2, "kqx7rv"), TABLE), (Code(1, "kqx7rt"), TABLE), (CODE, bytes(16))])
def test_another_code_seat_or_table_opens_nothing(code: Code, table: bytes) -> None:
    knocker = Knocker(CODE, TABLE)

    with pytest.raises(ProtocolError, match="code/wrong"):
        knocker.open(handed(knocker.knock(), code, table))


def test_an_answer_to_one_knock_does_not_answer_another() -> None:
    first, second = Knocker(CODE, TABLE), Knocker(CODE, TABLE)

    with pytest.raises(ProtocolError, match="code/wrong"):
        second.open(handed(first.knock()))


def test_whoever_heard_everything_and_knows_the_code_afterwards_opens_nothing() -> None:
    """The key needs one of the two scalars, which were never sent: even a code that is told later opens no old box."""
    knocker = Knocker(CODE, TABLE)
    knock = knocker.knock()
    answer = handed(knock)

    late = Knocker(CODE, TABLE)
    late._nonce, late._point = knock.nonce, knock.point  # a listener has these, and a scalar of its own

    with pytest.raises(ProtocolError, match="code/wrong"):
        late.open(answer)


TWICE = b"\xec" + b"\xff" * 30 + b"\x7f"
"""The point of order two."""


@pytest.mark.parametrize(
    "point",
    [
        bytes(32),
        b"\x01" + bytes(31),
        b"\xff" * 32,
        b"",
        bytes(31),
        TWICE,
        crypto_core_ed25519_add(_base(CODE, TABLE, b""), TWICE),
    ],
)
def test_a_point_that_makes_a_key_for_everybody_is_refused_by_both_ends(point: bytes) -> None:
    knocker = Knocker(CODE, TABLE)
    zero = digest("code-key", knocker.knock().nonce, bytes(32), knocker.knock().point, point)

    with pytest.raises(ProtocolError, match="code/unreadable"):
        handed(Knock(bytes(16), point))
    with pytest.raises(ProtocolError, match="code/wrong"):
        knocker.open(Handed(point, bytes(SecretBox(zero).encrypt(b"\x95"))))


@pytest.mark.parametrize("typed", ["2-kqx-7rt", "2kqx7rt", " 2-KQX-7RT\n", "2 kqx 7rt"])
def test_a_code_is_read_however_it_is_typed(typed: str) -> None:
    assert read_code(typed) == CODE


def test_signs_that_look_alike_are_one() -> None:
    assert read_code("0-oil-000") == Code(0, "011000")


@pytest.mark.parametrize(
    "typed", ["", "2", "2-kqx-7r", "2-kqx-7rtt", "6-kqx-7rt", "2-kqx-7ru", "k-kqx-7rt", "2-kqx-7r?"]
)
def test_what_is_no_code_is_none(typed: str) -> None:
    assert read_code(typed) is None


def test_codes_follow_from_tickets_and_use_every_sign_at_every_place() -> None:
    codes = [code_of(3, bytes([n, k]) * 16) for n in range(64) for k in range(8)]

    assert all(read_code(code.text()) == code and len(code.signs) == LENGTH for code in codes)
    assert all({code.signs[place] for code in codes} == set(SIGNS) for place in range(LENGTH))
    assert len(set(codes)) == len(codes)


def test_nothing_that_is_printed_shows_a_code_or_a_secret() -> None:
    shown = repr((CODE, SECRETS))

    assert "kqx" not in shown
    assert "aaa" not in shown
