"""What binds the dealer and the seats to hidden cards: place, seal and offer commitments, each with its check."""

from __future__ import annotations

from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES, digest, prf, u32


def place_commitment(nonce: bytes, table: bytes, *, place: int, value: int) -> bytes:
    """Return the 32 bytes that bind `value` to `place`; the place's own 32-byte nonce hides it."""
    return prf(nonce, "place", table, u32(place), u32(value))


def check_place(
    commitment: bytes, nonce: bytes, *, table: bytes, place: int, value: int, called: str = "a hidden place"
) -> None:
    """Refuse (`fairness/place`) a nonce and value that are not what was committed to at `place`, as it is `called`."""
    if not _opens(nonce, place, value) or place_commitment(nonce, table, place=place, value=value) != commitment:
        raise FairnessError("fairness/place", f"What was opened of {called} is not what was committed to.")


def seal_commitment(seal: bytes, table: bytes, *, kind: int) -> bytes:
    """Return the 32 bytes that bind `seal` to the cards of `kind`."""
    return prf(seal, "seal", table, u32(kind))


def check_seal(commitment: bytes, seal: bytes, *, table: bytes, kind: int) -> None:
    """Refuse (`fairness/seal`) a seal that does not open the commitment to the cards of `kind`."""
    if not _opens(seal, kind) or seal_commitment(seal, table, kind=kind) != commitment:
        raise FairnessError("fairness/seal", "The card's seal does not open the dealer's commitment to that card.")


def offer_commitment(box: bytes) -> bytes:
    """Return the 32 bytes that bind an offer to a box that is shown only when the trade is accepted."""
    return digest("offer", box)


def check_offer(commitment: bytes, box: bytes) -> None:
    """Refuse (`fairness/offer`) a box that is not the one that was offered."""
    if offer_commitment(box) != commitment:
        raise FairnessError("fairness/offer", "The card that was handed over is not the one that was offered.")


def _opens(opening: bytes, *numbers: int) -> bool:
    # HMAC pads a short key with zeros, so two keys of different length could open one commitment: one length only.
    return len(opening) == KEY_BYTES and all(0 <= number < 2**32 for number in numbers)
