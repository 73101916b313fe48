"""What a box holds has one encoding, opens at both ends, and is held against what the deal committed to."""

from __future__ import annotations

import msgspec
import pytest

from chambers.fairness.boxes import box_public, seal_box
from chambers.fairness.commitments import place_commitment, seal_commitment
from chambers.fairness.errors import FairnessError
from chambers.protocol.boxes import check_disclosures, open_disclosures, seal_disclosures
from chambers.rules.events import Deal
from chambers.rules.terms import Disclosed, Opened

TABLE = bytes(16)
GIVER, TAKER = bytes([1]) * 32, bytes([2]) * 32
SEAL, NONCE = bytes([3]) * 32, bytes([4]) * 32
CARD = (Disclosed(7, SEAL),)
DEAL = Deal(
    seals=tuple(seal_commitment(SEAL, TABLE, kind=kind) for kind in range(8)),
    places=(place_commitment(NONCE, TABLE, place=5, value=7),),
    boxes=(),
)


def boxed(opened: Opened) -> bytes:
    return seal_disclosures(GIVER, box_public(TAKER), table=TABLE, author="seat0", n=4, to="seat1", opened=opened)


def opened_by(private: bytes, other: bytes, box: bytes, *, n: int = 4) -> Opened:
    return open_disclosures(private, box_public(other), table=TABLE, author="seat0", n=n, to="seat1", box=box)


def raw(payload: bytes) -> bytes:
    return seal_box(GIVER, box_public(TAKER), table=TABLE, author="seat0", n=4, to="seat1", payload=payload)


def test_both_ends_open_a_box() -> None:
    box = boxed(CARD)

    assert opened_by(TAKER, GIVER, box) == CARD == opened_by(GIVER, TAKER, box)


def test_every_passed_card_makes_a_box_of_one_size() -> None:
    assert {len(boxed((Disclosed(kind, SEAL),))) for kind in range(44)} == {136}


@pytest.mark.parametrize("place", [0, 27, 1000, 2007, 3000, 3900])
def test_no_card_number_or_case_that_is_drawn_stowed_or_looked_at_shows_in_the_size_of_its_box(place: int) -> None:
    drawn = {len(boxed((Disclosed(kind, SEAL, place, NONCE),))) for kind in range(33)}
    looked_at = {len(boxed((Disclosed(number, None, place, NONCE),))) for number in range(3, 10)}

    assert (len(drawn), len(looked_at)) == (1, 1)


def test_a_box_does_not_open_in_another_statement() -> None:
    with pytest.raises(FairnessError, match="fairness/box"):
        opened_by(TAKER, GIVER, boxed(CARD), n=5)


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\x90\x00",
        msgspec.msgpack.encode([[7, SEAL, None, None, 1]]),
        msgspec.msgpack.encode([[7, SEAL]]),
        msgspec.msgpack.encode([[7, SEAL[:31], None, None]]),
        msgspec.msgpack.encode([[-1, SEAL, None, None]]),
        msgspec.msgpack.encode([[7, None, 5, None]]),
        msgspec.msgpack.encode([["7", SEAL, None, None]]),
    ],
)
def test_a_payload_that_is_not_the_one_encoding_of_disclosed_values_is_refused(payload: bytes) -> None:
    with pytest.raises(FairnessError, match="fairness/disclosure"):
        opened_by(TAKER, GIVER, raw(payload))


def test_a_value_with_its_seal_and_its_place_is_what_was_committed_to() -> None:
    check_disclosures(DEAL, (Disclosed(7, SEAL, 5, NONCE),), table=TABLE, places=(5,))


@pytest.mark.parametrize(
    ("card", "code"),
    [
        (Disclosed(7, NONCE), "fairness/seal"),
        (Disclosed(6, SEAL, 5, NONCE), "fairness/place"),
        (Disclosed(7, None, 5, SEAL), "fairness/place"),
        (Disclosed(7, None, 6, NONCE), "fairness/place"),
        (Disclosed(99, SEAL), "fairness/seal"),
        (Disclosed(7), "fairness/disclosure"),
    ],
)
def test_a_value_that_is_not_proved_is_refused(card: Disclosed, code: str) -> None:
    with pytest.raises(FairnessError, match=code):
        check_disclosures(DEAL, (card,), table=TABLE, places=(5,))


def test_a_false_opening_is_told_by_what_the_place_is_called() -> None:
    with pytest.raises(FairnessError) as caught:
        check_disclosures(DEAL, (Disclosed(6, SEAL, 5, NONCE),), table=TABLE, places=(5,), called="card {}".format)

    assert caught.value.sentence == "What was opened of card 5 is not what was committed to."


def test_an_empty_box_is_refused() -> None:
    with pytest.raises(FairnessError, match="fairness/disclosure"):
        check_disclosures(DEAL, (), table=TABLE, places=(5,))


def test_no_error_tells_what_a_box_held() -> None:
    with pytest.raises(FairnessError) as caught:
        check_disclosures(DEAL, (Disclosed(7, NONCE),), table=TABLE, places=(5,))

    assert "7" not in str(caught.value)
    assert "7" not in repr(CARD)
