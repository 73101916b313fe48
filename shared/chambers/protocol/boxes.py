"""What a box holds and how it is written: the one encoder and decoder of disclosed cards and numbers."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from chambers.fairness.boxes import open_box, seal_box
from chambers.fairness.commitments import check_place, check_seal
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES
from chambers.fairness.keys import box_nonce, box_private
from chambers.protocol.errors import UNREADABLE
from chambers.rules.events import Deal
from chambers.rules.terms import Opened

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Opened)


def seal_disclosures(
    private: bytes,
    public: bytes,
    *,
    table: bytes,
    author: str,
    n: int,
    to: str,
    opened: Opened,
    nonce: bytes | None = None,
) -> bytes:
    """Return the box in which `author` discloses `opened` to `to` with its `n`-th statement.

    `private` is one's own box key, `public` the other end's; FairnessError for a public key that makes no box.
    """
    payload = _encoder.encode(opened)
    return seal_box(private, public, table=table, author=author, n=n, to=to, payload=payload, nonce=nonce)


def seal_as_always(
    secret: bytes, public: bytes, *, table: bytes, author: str, n: int, to: str, opened: Opened
) -> bytes:
    """Return the box that a role with the secret S always makes of `opened`, so that it can make it again.

    `public` is the other end's box key; FairnessError for one that no box can be made with.
    """
    nonce = box_nonce(secret, n, to=to, payload=_encoder.encode(opened))
    return seal_disclosures(
        box_private(secret), public, table=table, author=author, n=n, to=to, opened=opened, nonce=nonce
    )


def open_disclosures(
    private: bytes, public: bytes, *, table: bytes, author: str, n: int, to: str, box: bytes
) -> Opened:
    """Return what a box discloses, at either end of it: one's own private key and the other end's public one.

    FairnessError for a box that does not open or was made for another statement (`fairness/box`), and for one whose
    content is not the one encoding of disclosed values (`fairness/disclosure`).
    """
    payload = open_box(private, public, table=table, author=author, n=n, to=to, box=box)
    fault = FairnessError("fairness/disclosure", f"The box from {author} to {to} does not hold what a box holds.")
    try:
        opened: Opened = _decoder.decode(payload)
    except UNREADABLE:
        raise fault from None
    if _encoder.encode(opened) != payload:
        raise fault
    for item in opened:
        openings = (opening for opening in (item.seal, item.nonce) if opening is not None)
        if item.value < 0 or (item.place is None) != (item.nonce is None) or any(len(o) != KEY_BYTES for o in openings):
            raise fault
    return opened


def check_disclosures(
    deal: Deal,
    opened: Opened,
    *,
    table: bytes,
    places: tuple[int, ...],
    added: tuple[tuple[int, bytes], ...] = (),
    called: Callable[[int], str] = "place {}".format,
) -> None:
    """Refuse (FairnessError) disclosed values of which one is not what the deal, or a stow, committed to.

    `places` is the order of `deal.places`, `added` what seats have committed to since; `called` says what players call
    a place. A seal is checked where there is one, a place where there is one; an empty box, and a value with neither,
    prove nothing and are refused (`fairness/disclosure`).
    """
    if not opened:
        raise FairnessError("fairness/disclosure", "The box discloses nothing.")
    for item in opened:
        if item.seal is None and item.nonce is None:
            raise FairnessError("fairness/disclosure", "The box discloses a value without anything that proves it.")
        if item.seal is not None:
            if item.value >= len(deal.seals):
                raise FairnessError("fairness/seal", "The box holds a card that this game does not have.")
            check_seal(deal.seals[item.value], item.seal, table=table, kind=item.value)
        if item.place is not None and item.nonce is not None:
            committed = dict(added).get(item.place) or dict(zip(places, deal.places, strict=True)).get(item.place)
            if committed is None:
                raise FairnessError("fairness/place", f"There is no place {item.place} at this table.")
            name = called(item.place)
            check_place(committed, item.nonce, table=table, place=item.place, value=item.value, called=name)
