"""Every roll has one possible value after the commits, and every share proves itself."""

from __future__ import annotations

import pytest

from chambers.fairness.dice import Chain, check_share, roll_value
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import digest, prf

TABLE = bytes(16)
CHAINS = {
    "dice": Chain(b"\x01" * 32, TABLE, role="dice", length=1024),
    "seat0": Chain(b"\x03" * 32, TABLE, role="seat0", length=1024),
    "seat1": Chain(b"\x04" * 32, TABLE, role="seat1", length=1024),
}


def shares(k: int) -> list[tuple[str, bytes]]:
    return [(role, chain.share(k)) for role, chain in CHAINS.items()]


@pytest.mark.parametrize(("k", "value"), [(1, 2), (2, 1), (3, 6)])
def test_a_roll_has_its_golden_value(k: int, value: int) -> None:
    assert roll_value(TABLE, k, shares=shares(k)) == value


def test_the_order_in_which_shares_arrive_does_not_matter() -> None:
    assert roll_value(TABLE, 3, shares=shares(3)[::-1]) == roll_value(TABLE, 3, shares=shares(3))


def test_every_value_comes_up_over_the_rolls() -> None:
    assert {roll_value(TABLE, k, shares=shares(k)) for k in range(1, 60)} == {1, 2, 3, 4, 5, 6}


def test_a_chain_ends_in_its_last_share_and_hashes_back_to_its_anchor() -> None:
    chain = Chain(b"\x03" * 32, TABLE, role="seat0", length=3)
    last = prf(b"\x03" * 32, "dice")

    assert chain.share(3) == last
    assert chain.share(2) == digest("chain", TABLE, "seat0", last)
    assert chain.share(1) == digest("chain", TABLE, "seat0", chain.share(2))
    assert chain.anchor == chain.share(0) == digest("chain", TABLE, "seat0", chain.share(1))


@pytest.mark.parametrize("k", [-1, 4])
def test_a_chain_has_no_share_beyond_its_ends(k: int) -> None:
    chain = Chain(b"\x03" * 32, TABLE, role="seat0", length=3)

    with pytest.raises(FairnessError) as refused:
        chain.share(k)

    assert refused.value.code == "fairness/chain"


def test_each_share_proves_itself_against_the_one_before() -> None:
    chain = CHAINS["seat0"]

    for k in range(1, 30):
        check_share(TABLE, "seat0", share=chain.share(k), previous=chain.share(k - 1))


@pytest.mark.parametrize(
    ("table", "role", "share"),
    [
        pytest.param(TABLE, "seat0", CHAINS["seat0"].share(7), id="a later share"),
        pytest.param(TABLE, "seat0", CHAINS["seat1"].share(6), id="another's share"),
        pytest.param(TABLE, "seat1", CHAINS["seat0"].share(6), id="another role"),
        pytest.param(b"\x01" * 16, "seat0", CHAINS["seat0"].share(6), id="another table"),
        pytest.param(TABLE, "seat0", b"", id="no share"),
    ],
)
def test_a_share_that_does_not_continue_the_chain_is_refused(table: bytes, role: str, share: bytes) -> None:
    with pytest.raises(FairnessError) as refused:
        check_share(table, role, share=share, previous=CHAINS["seat0"].share(5))

    assert refused.value.code == "fairness/share"


@pytest.mark.parametrize(
    ("k", "given_shares"),
    [
        pytest.param(1, [], id="nobody's"),
        pytest.param(1, [*shares(1), ("dice", CHAINS["dice"].share(2))], id="one role twice"),
        pytest.param(1, [*shares(1), ("dealer", bytes(32))], id="the dealer's"),
        pytest.param(1, [*shares(1), ("seat6", bytes(32))], id="a stranger's"),
        pytest.param(0, shares(0), id="roll zero"),
        pytest.param(2**32, shares(1), id="a roll beyond four bytes"),
    ],
)
def test_shares_that_are_not_one_each_of_the_contributors_make_no_roll(
    k: int, given_shares: list[tuple[str, bytes]]
) -> None:
    with pytest.raises(FairnessError) as refused:
        roll_value(TABLE, k, shares=given_shares)

    assert refused.value.code == "fairness/share"
