"""Notes and checkpoints are byte for byte those of C2SP, and nothing malformed or false is taken for one."""

from __future__ import annotations

import base64
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chambers.fairness.errors import FairnessError
from chambers.fairness.notes import (
    COSIGNATURE_TYPE,
    SIGNATURE_TYPE,
    check_checkpoint,
    check_cosignature,
    check_cosignatures,
    check_note,
    checkpoint_text,
    cosign,
    cosignature_line,
    cosigner,
    key_id,
    origin,
    read_checkpoint,
    read_note,
    sign_checkpoint,
    sign_note,
    signature_line,
)
from chambers.fairness.signatures import SigningKey

TABLE = bytes(16)
ORIGIN = "chambers.local/table/00000000000000000000000000000000"
KEY = SigningKey(b"\x05" * 32)
OTHER = SigningKey(b"\x06" * 32)
ROOT = bytes(32)
ZEROS = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
TEXT = f"{ORIGIN}\n9\n{ZEROS}\n"
SIGNED = f"— {ORIGIN} lP4xQjG4GZUXujAJZLGS/VVxEWRBJjf4h+lrq2x5TXNOADAAXnJbU3BUkCEaJnrj5Od3IJNS81jnO7axSWj1ghEv9w0=\n"
COSIGNED = (
    f"— {ORIGIN}/seat0 ghS4KgAAAABlU/EAr1TkRrtqF6p5FnmfMoXZMloPzABV/5T/nPdOq5WbsGfXkTaoDKP6MPb/QZrmtxh8Ok0TWwpxvXjx"
    "6j0eSJdIDA==\n"
)
CHECKPOINT = f"{TEXT}\n{SIGNED}"
RECEIPT = CHECKPOINT + COSIGNED
TIME = 1_700_000_000

PETER_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
PETER_PUBLIC = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]
PETER_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETER_NOTE = (
    f"{PETER_TEXT}\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def test_the_published_example_note_checks() -> None:
    assert check_note(PETER_NOTE, "PeterNeumann", public=PETER_PUBLIC) == PETER_TEXT


def test_the_published_example_key_has_its_published_id() -> None:
    assert key_id("PeterNeumann", SIGNATURE_TYPE, public=PETER_PUBLIC).hex() == "c74f20a3"


def test_signing_the_published_example_gives_the_published_bytes() -> None:
    key = SigningKey(PETER_SEED)

    assert key.public == PETER_PUBLIC
    assert sign_note(key, "PeterNeumann", text=PETER_TEXT) == PETER_NOTE


def test_a_checkpoint_has_its_golden_bytes() -> None:
    assert sign_checkpoint(KEY, TABLE, size=9, root=ROOT) == CHECKPOINT


def test_a_cosignature_has_its_golden_bytes() -> None:
    line = cosignature_line(TABLE, "seat0", public=KEY.public, cosignature=cosign(KEY, TEXT, time=TIME))

    assert line == COSIGNED


def test_names_hold_the_whole_table_id() -> None:
    table = bytes(range(16))

    assert origin(table) == "chambers.local/table/000102030405060708090a0b0c0d0e0f"
    assert cosigner(table, "dice") == "chambers.local/table/000102030405060708090a0b0c0d0e0f/dice"


def test_a_checkpoint_states_its_size_and_root() -> None:
    assert check_checkpoint(CHECKPOINT, KEY.public, table=TABLE) == (9, ROOT)


def test_cosignatures_do_not_disturb_a_checkpoint() -> None:
    assert check_checkpoint(RECEIPT, KEY.public, table=TABLE) == (9, ROOT)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    size=st.integers(0, 2**63 - 1), root=st.binary(min_size=32, max_size=32), table=st.binary(min_size=16, max_size=16)
)
def test_every_signed_checkpoint_is_read_back(size: int, root: bytes, table: bytes) -> None:
    note = sign_checkpoint(KEY, table, size=size, root=root)

    assert check_checkpoint(note, KEY.public, table=table) == (size, root)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(at=st.integers(0, len(CHECKPOINT) - 1), sign=st.characters())
def test_a_checkpoint_with_a_changed_sign_is_refused(at: int, sign: str) -> None:
    changed = CHECKPOINT[:at] + sign + CHECKPOINT[at + 1 :]

    if changed != CHECKPOINT:
        with pytest.raises(FairnessError):
            check_checkpoint(changed, KEY.public, table=TABLE)


def test_a_checkpoint_of_another_key_is_refused() -> None:
    with pytest.raises(FairnessError) as refused:
        check_checkpoint(CHECKPOINT, OTHER.public, table=TABLE)

    assert refused.value.code == "fairness/note"


def test_a_checkpoint_of_another_table_is_refused() -> None:
    with pytest.raises(FairnessError):
        check_checkpoint(CHECKPOINT, KEY.public, table=b"\x01" * 16)


def test_a_false_line_of_the_known_key_is_refused_beside_a_true_one() -> None:
    forged = signature_line(ORIGIN, SIGNATURE_TYPE, public=KEY.public, blob=bytes(64))

    with pytest.raises(FairnessError):
        check_checkpoint(CHECKPOINT + forged, KEY.public, table=TABLE)


def test_lines_of_unknown_keys_are_passed_over() -> None:
    unknown = signature_line("somebody", SIGNATURE_TYPE, public=OTHER.public, blob=bytes(64))

    assert check_checkpoint(f"{TEXT}\n{unknown}{SIGNED}", KEY.public, table=TABLE) == (9, ROOT)


def test_a_cosignature_is_not_a_signature_of_the_note() -> None:
    blob = cosign(KEY, TEXT, time=TIME)
    line = signature_line(ORIGIN, COSIGNATURE_TYPE, public=KEY.public, blob=blob)

    with pytest.raises(FairnessError):
        check_checkpoint(f"{TEXT}\n{line}", KEY.public, table=TABLE)


@pytest.mark.parametrize(
    "note",
    [
        pytest.param("", id="nothing"),
        pytest.param(TEXT, id="no signature"),
        pytest.param(f"{TEXT}\n", id="no line after the gap"),
        pytest.param(CHECKPOINT[:-1], id="no line feed at the end"),
        pytest.param(f"{TEXT}{SIGNED}", id="no gap"),
        pytest.param(CHECKPOINT.replace("— ", "- "), id="a hyphen for the dash"),
        pytest.param(CHECKPOINT + "— name\n", id="a line without a signature"),
        pytest.param(CHECKPOINT + "—  AAAAAAAA\n", id="a line without a name"),
        pytest.param(CHECKPOINT + "— a+b AAAAAAAA\n", id="a plus in the name"),
        pytest.param(CHECKPOINT + "— a\u2003b AAAAAAAA\n", id="a space in the name"),
        pytest.param(CHECKPOINT + "— name AAAAAA==\n", id="a key id and no more"),
        pytest.param(CHECKPOINT + "— name AAAAAAB=\n", id="stray bits in the base64"),
        pytest.param(CHECKPOINT + "— name AAAA AAAA\n", id="a space in the base64"),
        pytest.param(CHECKPOINT + "— name ÄÄÄÄAAAA\n", id="no base64"),
        pytest.param(CHECKPOINT.replace("\n", "\r\n"), id="carriage returns"),
        pytest.param(CHECKPOINT.replace("9", "\t9", 1), id="a control sign"),
        pytest.param("\ud800" + CHECKPOINT, id="half a sign"),
        pytest.param(CHECKPOINT + SIGNED * 100, id="more than a hundred lines"),
    ],
)
def test_a_malformed_note_is_refused(note: str) -> None:
    with pytest.raises(FairnessError) as refused:
        read_note(note)

    assert refused.value.code == "fairness/note"


@settings(derandomize=True, deadline=None, max_examples=100)
@given(note=st.text(alphabet="— \nab+A=9", max_size=60))
def test_any_text_is_read_or_refused(note: str) -> None:
    with suppress(FairnessError):
        parts = read_note(note)

        assert note.startswith(parts.text + "\n— ")


def test_a_blank_line_in_the_text_is_not_the_gap() -> None:
    text = "one\n\ntwo\n"

    assert check_note(sign_note(KEY, "name", text=text), "name", public=KEY.public) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{ORIGIN}\n9\n", id="no root"),
        pytest.param(f"{TEXT}extension\n", id="an extension line"),
        pytest.param(f"{TEXT}\n", id="a blank line more"),
        pytest.param(TEXT[:-1], id="no line feed at the end"),
        pytest.param(f"{ORIGIN}\n09\n{ZEROS}\n", id="a zero in front"),
        pytest.param(f"{ORIGIN}\n-9\n{ZEROS}\n", id="a sign"),
        pytest.param(f"{ORIGIN}\n\n{ZEROS}\n", id="no size"),
        pytest.param(f"{ORIGIN}\n٩\n{ZEROS}\n", id="another script's nine"),
        pytest.param(f"{ORIGIN}\n{'9' * 5000}\n{ZEROS}\n", id="a size beyond reason"),
        pytest.param(f"{ORIGIN}\n9\nAAAA\n", id="a short root"),
        pytest.param(f"{ORIGIN}\n9\n{ZEROS[:-2]}B=\n", id="stray bits in the root"),
        pytest.param(f"{ORIGIN}/seat0\n9\n{ZEROS}\n", id="another origin"),
    ],
)
def test_a_signed_text_that_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(FairnessError) as refused:
        read_checkpoint(text, TABLE)

    assert refused.value.code == "fairness/checkpoint"


def test_a_cosignature_tells_its_time() -> None:
    assert check_cosignature(KEY.public, cosign(KEY, TEXT, time=TIME), text=TEXT) == TIME


@settings(derandomize=True, deadline=None, max_examples=80)
@given(at=st.integers(0, 71), flip=st.integers(1, 255))
def test_a_changed_cosignature_is_refused(at: int, flip: int) -> None:
    cosignature = bytearray(cosign(KEY, TEXT, time=TIME))
    cosignature[at] ^= flip

    with pytest.raises(FairnessError) as refused:
        check_cosignature(KEY.public, bytes(cosignature), text=TEXT)

    assert refused.value.code == "fairness/cosignature"


@pytest.mark.parametrize("size", [0, 7, 64, 71, 73])
def test_a_cosignature_of_another_length_is_refused(size: int) -> None:
    cosignature = (cosign(KEY, TEXT, time=TIME) + b"\0")[:size]

    with pytest.raises(FairnessError):
        check_cosignature(KEY.public, cosignature, text=TEXT)


def test_a_cosignature_is_for_one_head_only() -> None:
    cosignature = cosign(KEY, TEXT, time=TIME)

    with pytest.raises(FairnessError):
        check_cosignature(KEY.public, cosignature, text=checkpoint_text(TABLE, 10, root=ROOT))


def test_a_receipt_names_who_cosigned_it_and_when() -> None:
    line = cosignature_line(TABLE, "dice", public=OTHER.public, cosignature=cosign(OTHER, TEXT, time=TIME + 1))
    keys = {"dice": OTHER.public, "dealer": KEY.public, "seat0": KEY.public}

    assert check_cosignatures(RECEIPT + line, TABLE, keys=keys) == (("dice", TIME + 1), ("seat0", TIME))


def test_a_false_cosignature_on_a_receipt_is_refused() -> None:
    forged = cosignature_line(TABLE, "seat0", public=KEY.public, cosignature=bytes(72))

    with pytest.raises(FairnessError) as refused:
        check_cosignatures(RECEIPT + forged, TABLE, keys={"seat0": KEY.public})

    assert refused.value.code == "fairness/cosignature"
