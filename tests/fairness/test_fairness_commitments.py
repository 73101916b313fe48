"""A commitment opens to what was committed to and to nothing else."""

from __future__ import annotations

import pytest

from chambers.fairness.commitments import (
    check_offer,
    check_place,
    check_seal,
    offer_commitment,
    place_commitment,
    seal_commitment,
)
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import card_seal, place_nonce

TABLE = bytes(16)
OTHER_TABLE = b"\x01" * 16
DEALER_SECRET = b"\x02" * 32
NONCE = place_nonce(DEALER_SECRET, 3)
SEAL = card_seal(DEALER_SECRET, 7)


def test_a_seal_commitment_has_its_golden_bytes() -> None:
    assert seal_commitment(SEAL, TABLE, kind=7).hex()[:32] == "e30f196e31a0054c85fb82dfd41e2f40"


def test_a_place_opens_to_its_value() -> None:
    commitment = place_commitment(NONCE, TABLE, place=3, value=41)

    check_place(commitment, NONCE, table=TABLE, place=3, value=41)


@pytest.mark.parametrize(
    ("nonce", "table", "place", "value"),
    [
        pytest.param(NONCE, TABLE, 3, 40, id="another value"),
        pytest.param(NONCE, TABLE, 4, 41, id="another place"),
        pytest.param(NONCE, OTHER_TABLE, 3, 41, id="another table"),
        pytest.param(place_nonce(DEALER_SECRET, 4), TABLE, 3, 41, id="another nonce"),
        pytest.param(NONCE + b"\0", TABLE, 3, 41, id="a longer nonce"),
        pytest.param(NONCE, TABLE, 3, -1, id="a value below zero"),
        pytest.param(NONCE, TABLE, 3, 2**32, id="a value beyond four bytes"),
    ],
)
def test_a_place_opens_to_nothing_else(nonce: bytes, table: bytes, place: int, value: int) -> None:
    commitment = place_commitment(NONCE, TABLE, place=3, value=41)

    with pytest.raises(FairnessError) as refused:
        check_place(commitment, nonce, table=table, place=place, value=value)

    assert refused.value.code == "fairness/place"


def test_a_nonce_that_only_its_padding_tells_apart_is_refused() -> None:
    short = b"\x09" * 31
    commitment = place_commitment(short + b"\0", TABLE, place=0, value=1)
    assert place_commitment(short, TABLE, place=0, value=1) == commitment

    with pytest.raises(FairnessError):
        check_place(commitment, short, table=TABLE, place=0, value=1)


def test_a_seal_opens_its_kind() -> None:
    check_seal(seal_commitment(SEAL, TABLE, kind=7), SEAL, table=TABLE, kind=7)


@pytest.mark.parametrize(
    ("seal", "table", "kind"),
    [
        pytest.param(SEAL, TABLE, 8, id="another kind"),
        pytest.param(SEAL, OTHER_TABLE, 7, id="another table"),
        pytest.param(card_seal(DEALER_SECRET, 8), TABLE, 7, id="another seal"),
        pytest.param(SEAL[:31], TABLE, 7, id="a shorter seal"),
        pytest.param(SEAL, TABLE, 2**32 + 7, id="a kind beyond four bytes"),
    ],
)
def test_a_seal_opens_no_other_card(seal: bytes, table: bytes, kind: int) -> None:
    with pytest.raises(FairnessError) as refused:
        check_seal(seal_commitment(SEAL, TABLE, kind=7), seal, table=table, kind=kind)

    assert refused.value.code == "fairness/seal"


def test_the_same_secret_commits_differently_to_a_place_and_to_a_card() -> None:
    assert card_seal(DEALER_SECRET, 3) != place_nonce(DEALER_SECRET, 3)


def test_an_offer_binds_its_box() -> None:
    check_offer(offer_commitment(b"box"), b"box")

    with pytest.raises(FairnessError) as refused:
        check_offer(offer_commitment(b"box"), b"another box")

    assert refused.value.code == "fairness/offer"
