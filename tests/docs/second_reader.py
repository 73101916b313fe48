"""A second verifier of dockets, written from docs/protocol.md alone: it shares no code with the project.

It judges bytes, signatures, heads, setup, dice, deal, boxes, offers, verdicts and reveals, but neither the moves nor
what a hand held: for those it has no rules.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from nacl.bindings import crypto_box_open, crypto_scalarmult_base
from nacl.exceptions import CryptoError
from tests.docs.second_log import BROKEN, DEALER, GM, LAST_WORDS, PHASES, PublicLog, Said, Unknown
from tests.docs.second_notation import Draw, Wrong, h, must, prf, root_of, signed, u32, unpack


class Judgement(NamedTuple):
    """What came of a record: `entry` is the first that does not hold, None where none or no single one is to blame."""

    verdict: str
    entry: int | None = None
    why: str = ""
    entries: int = 0
    rolls: int = 0
    boxes: int = 0


class Record(PublicLog):
    """One docket with the receipts and reveals beside it; Wrong if the text is no docket."""

    def __init__(
        self, text: str, *, receipts: Iterable[str] = (), reveals: Iterable[str] = (), auditor: bytes | None = None
    ) -> None:
        super().__init__(text)
        self._auditor = auditor
        self._receipts, self._handed_in = tuple(receipts), tuple(reveals)
        self.secrets: dict[str, bytes] = {}
        self._faults: list[tuple[int | None, str]] = []
        self._open: list[str] = []
        self.boxes = 0

    def judge(self) -> Judgement:
        """Return what the record proves, `clean`, `cheated` or `unverified`, and the first entry that does not hold."""
        time = 0
        for seq, leaf in enumerate(self.leaves):
            try:
                time = self.take(seq, leaf, time)
            except Unknown:
                return Judgement("unverified", None, f"entry {seq} is unknown", seq, self.rolls)
            except Wrong as wrong:
                return Judgement("cheated", seq, str(wrong), seq, self.rolls)
            except BROKEN:
                return Judgement("cheated", seq, "it cannot be read", seq, self.rolls)
        if not self.leaves:
            return Judgement("unverified", None, "an empty log")
        self._whole()
        self._faults.sort(key=lambda fault: (fault[0] is None, fault[0] or 0))
        entry, why = self._faults[0] if self._faults else (None, "; ".join(self._open))
        verdict = "cheated" if self._faults else "unverified" if self._open else "clean"
        return Judgement(verdict, entry, why, len(self.leaves), self.rolls, self.boxes)

    # what the whole of it proves

    def _whole(self) -> None:
        self._checkpoint()
        for receipt in self._receipts:
            self._receipt(receipt)
        if self.phase in PHASES[:4]:
            self._open.append("no close")
        elif self.phase == "bye":
            self._open.append("somebody has not said goodbye")
        for one in self.said:
            if one.tag in LAST_WORDS.values():
                self._try(one.seq, self._last_word, one)
        for text in self._handed_in:
            self._take(text)
        if self.phase == "reveal":
            self._open += [f"{role} did not reveal" for role in sorted(self.leavers - self.done - set(self.secrets))]
        if self.deal is not None and self.secrets:
            self._hidden(self.deal)

    def _try(self, seq: int | None, check: Callable[..., None], *given: Any) -> None:
        try:
            check(*given)
        except Wrong as wrong:
            self._faults.append((seq, str(wrong)))
        except BROKEN:
            self._faults.append((seq, "it holds something else than it must"))

    def _root(self, size: int) -> bytes:
        return root_of(self.hashes[:size])

    def _text(self, size: int) -> str:
        root = base64.b64encode(self._root(size)).decode()
        return f"chambers.local/table/{self.table.hex()}\n{size}\n{root}\n"

    def _head(self, note: str) -> tuple[int, bytes]:
        """Return size and root of a note that is about this table, whoever signed it; Wrong if it is none."""
        try:
            origin, size, root = note.partition("\n\n")[0].split("\n")
            must(origin == f"chambers.local/table/{self.table.hex()}", "it is about another table")
            return int(size), base64.b64decode(root, validate=True)
        except (ValueError, binascii.Error):
            raise Wrong("it is no head of a log") from None

    def _signatures(self, note: str) -> None:
        """Refuse a note without the game master's signature, or with a false one of anybody at this table."""
        text, _, lines = note.partition("\n\n")
        names = {f"chambers.local/table/{self.table.hex()}": (b"\x01", self.key(GM))}
        names |= {f"{next(iter(names))}/{role}": (b"\x04", self.key(role)) for role in self.commits}
        held = set()
        for line in lines.removesuffix("\n").split("\n"):
            dash, name, blob = line.split(" ")
            raw = base64.b64decode(blob, validate=True)
            kind, key = names.get(name, (b"", b""))
            if dash != "\u2014" or raw[:4] != hashlib.sha256(name.encode() + b"\n" + kind + key).digest()[:4]:
                continue
            time = int.from_bytes(raw[4:12], "big")
            said = f"{text}\n" if kind == b"\x01" else f"cosignature/v1\ntime {time}\n{text}\n"
            signed(key, raw[4:] if kind == b"\x01" else raw[12:], said.encode(), "it")
            held.add(kind)
        must(b"\x01" in held, "the game master has not signed it")

    def _checkpoint(self) -> None:
        self._try(None, self._signatures, self.note)
        self._try(None, self._covers)

    def _covers(self) -> None:
        size, root = self._head(self.note)
        must(size <= len(self.leaves) and root == self._root(size), "the checkpoint is for another log")
        if size < len(self.leaves):
            self._open.append(f"no checkpoint from entry {size} on")

    def _receipt(self, note: str) -> None:
        try:
            size, root = self._head(note)
        except Wrong:
            self._open.append("a receipt of another table")
            return
        if size > len(self.leaves) or root != self._root(size):
            self._faults.append((None, "a receipt is for another log"))
            return
        try:
            self._signatures(note)
        except (Wrong, *BROKEN):
            self._open.append("a receipt with a false signature")

    # sections 2, 6 and 8: what the reveals prove

    def _opens(self, role: str, secret: bytes) -> bool:
        of, box = self.commits[role], crypto_scalarmult_base(prf(secret, "box"))
        return (h("secret", self.table, role, secret), box) == (of["secret"], of["box"])

    def _last_word(self, one: Said) -> None:
        cosignature = one.of["cosignature"]
        time = int.from_bytes(cosignature[:8], "big")
        cosigned = f"cosignature/v1\ntime {time}\n{self._text(self.size_after_byes)}"
        self._try(one.seq, signed, self.key(one.author), cosignature[8:], cosigned.encode(), "the last head")
        if one.tag == "reveal":
            self._reveal(one.author, one.of["secret"], one.of["luck"])
        elif one.tag == "entrust" and self._is_auditor():
            self._reveal(one.author, *self._entrusted(one.author, one.of["box"]))
        else:
            self._open.append(f"what {one.author} revealed is not open")

    def _is_auditor(self) -> bool:
        return self._auditor is not None and crypto_scalarmult_base(self._auditor) == self.opening["auditor_key"]

    def _entrusted(self, role: str, box: bytes) -> tuple[bytes, bytes]:
        """Return S and L from a box to the auditor."""
        payload = self._unboxed(self._auditor or b"", self.commits[role]["box"], box, (role, 0, "auditor"))
        must(len(payload) in (32, 64), "a box to the auditor holds S and L")
        return payload[:32], payload[32:]

    def _reveal(self, role: str, secret: bytes, luck: bytes) -> None:
        if self._opens(role, secret):
            self.secrets[role] = secret
        link, of = prf(luck, "dice"), self.commits[role]
        for _ in range(self.opening["chain"]):
            link = h("chain", self.table, role, link)
        derived = (h("luck", self.table, role, luck), link, h("mixc", self.table, role, prf(luck, "mix")))
        must(role in self.secrets, f"{role} reveals another secret")
        must(derived == (of["luck"], of["anchor"], of["mix"]), f"{role} reveals another luck")

    def _take(self, text: str) -> None:
        """Take a reveal that was handed in beside the log, if it opens anything; it convicts nobody."""
        try:
            file = json.loads(text)
            role, secret, luck = file["role"], bytes.fromhex(file["secret"]), bytes.fromhex(file["luck"])
            if file.get("box"):
                must(self._is_auditor(), "a reveal for the auditor")
                secret, luck = self._entrusted(role, bytes.fromhex(file["box"]))
            must((file["format"], file["table"]) == ("reveal/1", self.table.hex()), "no reveal of this table")
            must(self._opens(role, secret), "a reveal that opens nothing")
            must(not luck or h("luck", self.table, role, luck) == self.commits[role]["luck"], "another luck")
        except (Wrong, *BROKEN):
            self._open.append("a reveal that opens nothing")
        else:
            self.secrets.setdefault(role, secret)

    def _hidden(self, deal: Said) -> None:
        shuffled = None
        if DEALER in self.secrets:
            shuffled = self._shuffled()
            self._try(deal.seq, self._shuffle, deal, shuffled)
        else:
            self._open.append("the shuffle cannot be drawn again")
        for seat, (role, box) in enumerate(deal.of["boxes"]):
            self._try(deal.seq, self._hand, deal, seat, self._opened(deal, role, box), shuffled)
        for one in self.said:
            if one.tag in _CHECKS:
                to, box = (DEALER if one.tag == "stow" else one.of["to"]), one.of["box"]
                self._try(one.seq, self._box, one, self._opened(self.offers.get(one.seq, one), to, box))

    def _shuffled(self) -> list[int]:
        key = prf(prf(self.secrets[DEALER], "shuffle"), "mixed", self.table, *(self.mixes[seat] for seat in self.seats))
        return self._city(key) if self.opening["game"] == "missing-suspect" else self._court(key)

    def _shuffle(self, deal: Said, shuffled: list[int]) -> None:
        dealer, seals = self.secrets[DEALER], deal.of["seals"]
        must(seals == [self._sealed(dealer, kind) for kind in range(len(seals))], "the seals are not the dealer's")
        committed = [
            prf(self._nonce(place), "place", self.table, u32(place), u32(value))
            for place, value in zip(self.places, shuffled, strict=True)
        ]
        must(deal.of["places"] == committed, "the deal is not the committed shuffle")

    def _sealed(self, dealer: bytes, kind: int) -> bytes:
        return prf(prf(dealer, "cardseal", u32(kind)), "seal", self.table, u32(kind))

    def _nonce(self, place: int) -> bytes:
        return prf(self.secrets[DEALER], "placer", u32(place))

    def _hand(self, deal: Said, seat: int, opening: Iterator[Any], shuffled: list[int] | None) -> None:
        """Refuse a box of the deal that does not hold what the seat was to get, by the shuffle if that is known."""
        places = [place for place in self.places[3:] if (place - 3) % len(self.seats) == seat]
        places = places if self.opening["game"] == "witness-stand" else []
        items = next(opening, None)
        if items is None and shuffled is None:
            self._open.append(f"the cards dealt to seat {seat}")
        if items is None:
            return
        must([item[2] for item in items] == places, f"seat {seat} was dealt other places")
        for value, seal, place, nonce in items:
            self.check_seal(value, seal)
            self.check_place(place, value, nonce)
            must(shuffled is None or value == shuffled[place], f"seat {seat} was dealt something else")
        self.boxes += 1

    def _court(self, key: bytes) -> list[int]:
        draw = Draw(key, "witness-stand/1")
        innocent = draw.shuffle([0, 1, 2, 3])[:3]
        envelope = sorted(suspect * 10 + draw.uniform(5) * 2 + 1 for suspect in innocent)
        return envelope + draw.shuffle(self.deck(envelope))

    def _city(self, key: bytes) -> list[int]:
        draw, edition = Draw(key, "missing-suspect/1"), json.loads(self.edition)
        count = len(edition["cards"])
        clues = draw.shuffle([*range(count), *[count] * edition["question_witness"]])
        return clues + draw.shuffle(list(range(3, 10))) + draw.shuffle(list(range(count + 1, count + 9)))

    def _opened(self, made: Said, to: str, box: bytes) -> Iterator[Any]:
        """Yield what a box holds that was made for a statement, or nothing if neither end has revealed; maybe Wrong."""
        author = made.author
        for mine, other in ((author, to), (to, author)):
            if mine in self.secrets:
                private = prf(self.secrets[mine], "box")
                yield unpack(self._unboxed(private, self.commits[other]["box"], box, (author, made.n, to)))
                return

    def _unboxed(self, private: bytes, public: bytes, box: bytes, made: tuple[str, int, str]) -> bytes:
        """Return the payload of a box that was made by an author, for that counter of his, to a receiver."""
        author, n, to = made
        try:
            plain = crypto_box_open(box[24:], box[:24], public, private)
        except CryptoError:
            raise Wrong("a box does not open") from None
        size = int.from_bytes(plain[16:18], "big")
        must(plain[:16] == h("box", self.table, author, u32(n), to)[:16], "a box is from elsewhere")
        must(len(plain) == -(-(18 + size) // 96) * 96 and not any(plain[18 + size :]), "a box is padded otherwise")
        return plain[18 : 18 + size]

    def _box(self, one: Said, opening: Iterator[Any]) -> None:
        """Refuse a box of play that does not hold what its event must hold, as far as no hand is asked."""
        items = next(opening, None)
        if items is None:
            self._open.append(f"the box of entry {one.seq}")
            return
        sealed, placed, places = _CHECKS[one.tag](one.of)
        must([item[2] for item in items] == places, "a box holds other places")
        for value, seal, place, nonce in items:
            must((seal is not None, nonce is not None) == (sealed, placed), "another box")
            if sealed:
                self.check_seal(value, seal)
            if placed:
                self.check_place(place, value, nonce)
        if "verdict" in one.of:
            accused = self.said[one.of["ref"]].of["suspect"]
            must(one.of["verdict"] == (accused not in [value // 10 for value, *_ in items]), "a false verdict")
        self.boxes += 1


_Checks = dict[str, Callable[[dict[str, Any]], tuple[bool, bool, list[int | None]]]]
_CHECKS: _Checks = {
    "pass": lambda of: (True, False, [None]),
    "swap": lambda of: (True, False, [None]),
    "draw": lambda of: (True, True, [of["place"]]),
    "stow": lambda of: (True, True, [of["place"]]),
    "look": lambda of: (False, True, of["places"]),
    "tell": lambda of: (False, True, [of["place"]]),
}
"""For each event with a box: whether its items have a seal, and a nonce, and at which places they lie."""
