"""What a role derives from its master key, what it publishes of that, and what its reveal must agree with."""

from __future__ import annotations

import msgspec
import pytest

from chambers.fairness.boxes import box_public
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import prf, u32
from chambers.fairness.keys import (
    Bindings,
    TableSecrets,
    admit_secret,
    box_private,
    check_mix,
    check_reveal,
    mix_commitment,
    mix_entropy,
    nkey_seed,
    pair_secret,
    shuffle_key,
    stow_nonce,
)

TABLE = bytes(16)
MASTER = b"\x4d" * 32
LINKS = 1024
GOLDEN = [
    # role, S and L, commitment, box key, anchor, share 1, mix commitment: the first 16 bytes of each
    (
        "dice",
        b"\x01" * 32,
        "b7b71ce37a50dc8df7978dd34037eed6",
        "458d4d8ab4032a597d570664acc7658e",
        "4b69909c72fba2e4431f8848a058f0d0",
        "0f67e546a58e07d85f51c3437274dbc5",
        "d1b50e7ef89a20199537c6774000d8f9",
    ),
    (
        "dealer",
        b"\x02" * 32,
        "341c14fe1a4a067b4cbb91b9fad7b0f6",
        "ed36762f455aa871d23e0c79ad848f19",
        "8854b18181de9a56adf150c95ea3c0d7",
        "3c794be30160dfdf64b3a44d0d07a009",
        "46b858eca1f14ba6bb0e3393a9cfcdea",
    ),
    (
        "seat0",
        b"\x03" * 32,
        "0f619608abcda4585e15e6d11a77d8a1",
        "a7aaac3c9c638b2651996e2423049440",
        "61ffc579970ecb96e1cb5db0866fead4",
        "fcd211768a5e751137b9f2bf3d82c3ca",
        "eff7c19bd37dc60a059e80869342d54b",
    ),
    (
        "seat1",
        b"\x04" * 32,
        "fd8ea24005eda40b65641da293a1edad",
        "0e006f6e3b2f2a4b917f8c1761cfc328",
        "228fff5ac74bda1bce7da3a3ef58f41d",
        "4b9691e2f3beee3a972f17f7125888cd",
        "7751b7602bef18ccfd7a922d54c1658e",
    ),
]


def seat0(attempt: int = 1) -> TableSecrets:
    return TableSecrets.from_master(MASTER, TABLE, role="seat0", attempt=attempt)


@pytest.mark.parametrize(("role", "key", "commitment", "box", "anchor", "share", "mix"), GOLDEN)
def test_what_a_role_commits_to_has_its_golden_bytes(
    role: str, key: bytes, commitment: str, box: str, anchor: str, share: str, mix: str
) -> None:
    secrets = TableSecrets(table=TABLE, role=role, secret=key, luck=key, signing_seed=key)

    bindings = secrets.bindings(LINKS)

    assert bindings.secret.hex()[:32] == commitment
    assert bindings.box.hex()[:32] == box
    assert bindings.anchor.hex()[:32] == anchor
    assert secrets.chain(LINKS).share(1).hex()[:32] == share
    assert bindings.mix.hex()[:32] == mix


def test_secrets_follow_from_the_master_key_alone() -> None:
    secrets = seat0(attempt=2)

    assert secrets.secret == prf(MASTER, "S", TABLE, u32(2))
    assert secrets.luck == prf(MASTER, "L", TABLE, u32(2))
    assert secrets.signing_seed == prf(MASTER, "sign", TABLE)
    assert secrets.frame_key == prf(MASTER, "frame", TABLE)
    assert secrets.box_private == prf(secrets.secret, "box")
    assert secrets.mix == prf(secrets.luck, "mix")


def test_a_new_attempt_changes_what_will_be_revealed_and_keeps_the_keys_that_never_are() -> None:
    first, second = seat0(attempt=1), seat0(attempt=2)

    assert first.secret != second.secret
    assert first.luck != second.luck
    assert first.signing_key.public == second.signing_key.public
    assert first.frame_key == second.frame_key


def test_two_tables_share_no_secret() -> None:
    there = TableSecrets.from_master(MASTER, b"\x01" * 16, role="seat0", attempt=1)
    ours = msgspec.structs.astuple(seat0())[2:]

    assert not set(ours) & set(msgspec.structs.astuple(there)[2:])
    assert len(set(ours)) == len(ours)


@pytest.mark.parametrize("role", ["dice", "dealer"])
def test_only_a_seat_has_a_frame_key(role: str) -> None:
    assert TableSecrets.from_master(MASTER, TABLE, role=role, attempt=1).frame_key is None


@pytest.mark.parametrize(
    ("master", "table", "role"),
    [(MASTER, TABLE, "gm"), (MASTER, TABLE, "gallery"), (MASTER[:31], TABLE, "seat0"), (MASTER, TABLE[:15], "seat0")],
)
def test_whoever_has_no_secrets_gets_none(master: bytes, table: bytes, role: str) -> None:
    with pytest.raises(ValueError, match="secrets need"):
        TableSecrets.from_master(master, table, role=role, attempt=1)


def test_a_dice_chain_is_computed_once() -> None:
    secrets = seat0()

    assert secrets.chain(16) is secrets.chain(16)
    assert secrets.chain(16).anchor != secrets.chain(17).anchor


def test_secrets_are_shown_in_no_form() -> None:
    secrets = seat0()
    shown = f"{secrets!r} {secrets!s} {secrets.signing_key!r} {secrets.signing_key!s} {secrets.chain(4)!r}"
    hidden = [secrets.secret, secrets.luck, secrets.signing_seed, prf(MASTER, "frame", TABLE), secrets.box_private]

    assert shown.startswith("TableSecrets(seat0) TableSecrets(seat0) SigningKey(")
    assert not any(secret.hex()[:8] in shown or repr(secret)[2:-1] in shown for secret in hidden)


def test_a_mix_opens_its_commitment_for_its_own_role_only() -> None:
    commitment = mix_commitment(TABLE, "seat0", e=seat0().mix)

    check_mix(commitment, seat0().mix, table=TABLE, role="seat0")

    with pytest.raises(FairnessError) as refused:
        check_mix(commitment, seat0().mix, table=TABLE, role="seat1")
    assert refused.value.code == "fairness/mix"


def test_a_mix_of_another_length_is_refused() -> None:
    with pytest.raises(FairnessError):
        check_mix(mix_commitment(TABLE, "seat0", e=b"short"), b"short", table=TABLE, role="seat0")


def test_an_honest_reveal_opens_everything() -> None:
    secrets = seat0()
    committed = secrets.bindings(64)

    check_reveal(committed, table=TABLE, role="seat0", secret=secrets.secret, luck=secrets.luck, chain_length=64)


@pytest.mark.parametrize("field", Bindings.__struct_fields__)
def test_a_reveal_that_misses_one_commitment_is_refused_by_name(field: str) -> None:
    secrets = seat0()
    committed = msgspec.structs.replace(secrets.bindings(64), **{field: bytes(32)})

    with pytest.raises(FairnessError) as refused:
        check_reveal(committed, table=TABLE, role="seat0", secret=secrets.secret, luck=secrets.luck, chain_length=64)

    assert refused.value.code == "fairness/reveal"
    assert refused.value.sentence.endswith(f"is not what it committed to at setup: {field}.")


def test_a_copied_commitment_does_not_open_for_the_copier() -> None:
    secrets = seat0()

    with pytest.raises(FairnessError) as refused:
        check_reveal(
            secrets.bindings(64),
            table=TABLE,
            role="seat1",
            secret=secrets.secret,
            luck=secrets.luck,
            chain_length=64,
        )

    assert "secret, luck, anchor, mix" in refused.value.sentence


@pytest.mark.parametrize(("secret", "luck"), [(b"", bytes(32)), (bytes(32), bytes(33))])
def test_a_reveal_of_another_length_is_refused(secret: bytes, luck: bytes) -> None:
    with pytest.raises(FairnessError, match="32 bytes"):
        check_reveal(seat0().bindings(8), table=TABLE, role="seat0", secret=secret, luck=luck, chain_length=8)


def test_the_shuffle_hangs_on_every_mix_and_on_their_order() -> None:
    secret = b"\x02" * 32
    mixes = [mix_entropy(b"\x03" * 32), mix_entropy(b"\x04" * 32)]

    key = shuffle_key(secret, TABLE, mixes=mixes)

    assert key == prf(prf(secret, "shuffle"), "mixed", TABLE, *mixes)
    assert key != shuffle_key(secret, TABLE, mixes=mixes[::-1])
    assert key != shuffle_key(secret, TABLE, mixes=mixes[:1])


def test_a_box_key_follows_from_the_secret_alone() -> None:
    assert box_public(box_private(b"\x01" * 32)).hex()[:32] == "458d4d8ab4032a597d570664acc7658e"


def test_each_ticket_of_each_seat_has_secrets_of_its_own() -> None:
    admits = {admit_secret(MASTER, TABLE, seat=seat, issue=issue) for seat in range(6) for issue in range(3)}
    pairs = {pair_secret(MASTER, TABLE, issue=issue) for issue in range(3)}

    assert len(admits | pairs) == 21
    assert admit_secret(MASTER, TABLE, seat=2, issue=1) == prf(MASTER, "admit", TABLE, u32(2), u32(1))
    assert pair_secret(MASTER, TABLE, issue=1) == prf(MASTER, "pair", TABLE, u32(1))


def test_a_log_in_key_follows_from_the_admit_secret() -> None:
    admit = admit_secret(MASTER, TABLE, seat=0, issue=0)

    assert nkey_seed(admit) == prf(admit, "nkey")


def test_a_stow_has_a_nonce_of_its_own() -> None:
    assert stow_nonce(MASTER, 5) == prf(MASTER, "stow", u32(5))
    assert stow_nonce(MASTER, 5) != stow_nonce(MASTER, 6)
