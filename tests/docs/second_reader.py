"""A second verifier of dockets, written from docs/protocol.md alone: it shares no code with the project.

Of a finished table it judges bytes, signatures, heads, dice, deal, boxes, offers and reveals, but not the moves.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import struct
from typing import Any

from nacl.bindings import crypto_box_open, crypto_scalarmult_base
from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey


class Wrong(Exception):
    """The record does not hold, and why."""


def must(holds: bool, what: str) -> None:
    """Refuse the record if something does not hold."""
    if not holds:
        raise Wrong(what)


# section 1


def enc(*parts: bytes | str) -> bytes:
    raw = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(struct.pack(">I", len(part)) + part for part in raw)


def u32(number: int) -> bytes:
    return struct.pack(">I", number)


def h(tag: str, *parts: bytes | str) -> bytes:
    return hashlib.sha256(enc("ch1/" + tag, *parts)).digest()


def prf(key: bytes, tag: str, *parts: bytes | str) -> bytes:
    return hmac.new(key, enc("ch1/" + tag, *parts), hashlib.sha256).digest()


class Draw:
    def __init__(self, key: bytes, label: str) -> None:
        self.key, self.label, self.block, self.rest = key, label, 0, b""

    def uniform(self, n: int) -> int:
        while True:
            if not self.rest:
                self.rest = prf(self.key, "stream", self.label, u32(self.block))
                self.block += 1
            byte, self.rest = self.rest[0], self.rest[1:]
            if byte < 256 - 256 % n:
                return byte % n

    def shuffle(self, items: list[int]) -> list[int]:
        for i in range(len(items) - 1, 0, -1):
            j = self.uniform(i + 1)
            items[i], items[j] = items[j], items[i]
        return items


def pack(value: Any) -> bytes:
    """Return the shortest MessagePack of a value made of arrays, ints, text, bytes, booleans and nil."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _pack_int(value)
        case str():
            raw = value.encode()
            return (
                _head(len(raw), ((0xA0, 32, ""), (0xD9, 1 << 8, "B"), (0xDA, 1 << 16, "H"), (0xDB, 1 << 32, "I"))) + raw
            )
        case bytes():
            return _head(len(value), ((0xC4, 1 << 8, "B"), (0xC5, 1 << 16, "H"), (0xC6, 1 << 32, "I"))) + value
        case list():
            head = _head(len(value), ((0x90, 16, ""), (0xDC, 1 << 16, "H"), (0xDD, 1 << 32, "I")))
            return head + b"".join(map(pack, value))
    raise Wrong("something else than an array, a number, text, bytes, a truth or nil")


def _head(size: int, forms: tuple[tuple[int, int, str], ...]) -> bytes:
    first, _, kind = next(form for form in forms if size < form[1])
    return bytes([first | size]) if not kind else bytes([first]) + struct.pack(">" + kind, size)


def _pack_int(value: int) -> bytes:
    if value >= 0:
        forms = ((0xCC, 1 << 8, "B"), (0xCD, 1 << 16, "H"), (0xCE, 1 << 32, "I"), (0xCF, 1 << 64, "Q"))
        return bytes([value]) if value < 128 else _head(value, forms)
    must(value >= -32, "a negative number that no event has")
    return struct.pack("b", value)


class Reader:
    """Reads MessagePack; whether it was the shortest form is seen by packing it again."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        must(self.at + size <= len(self.data), "bytes are missing")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> int:
        return int(struct.unpack(">" + kind, self.take(struct.calcsize(kind)))[0])

    def value(self) -> Any:
        first = self.take(1)[0]
        if first < 0x80:
            return first
        if first >= 0xE0:
            return first - 256
        if 0x90 <= first < 0xA0:
            return [self.value() for _ in range(first & 15)]
        if 0xA0 <= first < 0xC0:
            return self.take(first & 31).decode()
        return self.long(first)

    def long(self, first: int) -> Any:
        if first in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[first]
        if 0xC4 <= first <= 0xC6:
            return self.take(self.number("BHI"[first - 0xC4]))
        if 0xCC <= first <= 0xCF:
            return self.number("BHIQ"[first - 0xCC])
        if 0xD9 <= first <= 0xDB:
            return self.take(self.number("BHI"[first - 0xD9])).decode()
        if first in (0xDC, 0xDD):
            return [self.value() for _ in range(self.number("HI"[first - 0xDC]))]
        raise Wrong("a kind of value that no statement has")


def unpack(data: bytes) -> Any:
    """Return the value of canonical bytes."""
    reader = Reader(data)
    try:
        value = reader.value()
    except UnicodeDecodeError:
        raise Wrong("text that is not UTF-8") from None
    must(reader.at == len(data) and pack(value) == data, "bytes that are not canonical")
    return value


def signed(key: bytes, signature: bytes, message: bytes, what: str) -> None:
    try:
        VerifyKey(key).verify(message, signature)
    except (CryptoError, ValueError):
        raise Wrong(f"{what} is not signed by its key") from None


# section 3


def root_of(hashes: list[bytes]) -> bytes:
    """Return the RFC 6962 root of leaf hashes."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return hashlib.sha256(b"\x01" + root_of(hashes[:split]) + root_of(hashes[split:])).digest()


class Record:
    """One docket, read from its first line to its last."""

    def __init__(self, text: str) -> None:
        body, _, self.note = text.partition("\n\n")
        header, edition, *lines = body.split("\n")
        must(header == "docket/1", "no docket")
        self.edition = edition.encode()
        self.leaves = [base64.b64decode(line, validate=True) for line in lines]
        self.hashes = [hashlib.sha256(b"\x00" + leaf).digest() for leaf in self.leaves]
        self.opening: dict[str, Any] = {}
        self.table = b""
        self.keys: dict[str, bytes] = {}
        self.commits: dict[str, list[Any]] = {}
        self.counters: dict[str, int] = {}
        self.seen: dict[str, int] = {}
        self.links: dict[str, tuple[int, bytes]] = {}
        self.mixes: dict[str, bytes] = {}
        self.stowed: dict[int, bytes] = {}
        self.said: list[tuple[str, int, list[Any]]] = []
        self.rolls = 0

    def verify(self) -> dict[str, int]:
        """Return how much was proved, or refuse the record."""
        time = 0
        for seq, leaf in enumerate(self.leaves):
            number, ts, stmt, signature = unpack(leaf)
            must(number == seq and ts >= time, f"entry {seq} is out of order")
            time = ts
            self._statement(seq, unpack(stmt), stmt, signature)
        self._checkpoint()
        return self._reveals()

    def _statement(self, seq: int, statement: list[Any], raw: bytes, signature: bytes) -> None:
        table, author, n, size, root, event = statement
        if seq == 0:
            self._open(table, event)
        must(table == self.table, f"entry {seq} is for another table")
        if event[0] == "commit":
            self.keys[author] = event[1]
        signed(self.keys[author], signature, b"\xffch1/stmt\x00" + raw, f"entry {seq}")
        must(n == self.counters.get(author, -1) + 1, f"entry {seq} is not the next of {author}")
        must(self.seen.get(author, 0) <= size <= seq, f"entry {seq} has seen another size")
        must(root_of(self.hashes[:size]) == root, f"entry {seq} has seen another log")
        self.counters[author], self.seen[author] = n, size
        self.said.append((author, n, event))
        self._evidence(author, event)

    def _open(self, table: bytes, event: list[Any]) -> None:
        must(event[0] == "open", "the log does not begin with open")
        names = "v game rules edition edition_hash options seats chain log_key reveal auditor_key spectators"
        self.opening = dict(zip(names.split(), event[1:], strict=True))
        must(hashlib.sha256(self.edition).digest() == self.opening["edition_hash"], "another edition")
        self.table, self.keys["gm"] = table, self.opening["log_key"]

    def _evidence(self, author: str, event: list[Any]) -> None:
        match event:
            case ["commit", *fields]:
                self.commits[author] = fields
                self.links[author] = (0, fields[5])
            case ["again", *_]:
                self.commits, self.mixes, self.links = {}, {}, {}
            case ["mix", e]:
                must(h("mixc", self.table, author, e) == self.commits[author][6], f"the mix of {author} is another one")
                self.mixes[author] = e
            case ["roll", k, shares, value]:
                self._roll(k, shares, value)
            case ["show" | "play", _, card, seal]:
                self._seal(card, seal)
            case ["stow", _, place, commit, _]:
                self.stowed[place] = commit
            case ["opencards", *fields]:
                self._open_cards(*fields)

    def _roll(self, k: int, shares: list[Any], value: int) -> None:
        parts: list[bytes | str] = []
        for role, x in shares:
            last, link = self.links[role]
            back = x
            for _ in range(k - last):
                back = h("chain", self.table, role, back)
            must(back == link, f"the share of {role} in roll {k} is another one")
            self.links[role] = (k, x)
            parts += (role, x)
        must(1 + Draw(h("roll", self.table, u32(k), *parts), "d6").uniform(6) == value, f"roll {k} is another one")
        self.rolls += 1

    def _deal(self) -> tuple[int, list[Any]]:
        return next((n, event) for _, n, event in self.said if event[0] == "deal")

    def _seal(self, kind: int, seal: bytes) -> None:
        must(prf(seal, "seal", self.table, u32(kind)) == self._deal()[1][1][kind], f"a false seal of card {kind}")

    def _place(self, place: int, value: int, nonce: bytes) -> None:
        dealt = dict(zip(self._places(), self._deal()[1][2], strict=True))
        committed = self.stowed.get(place) or dealt.get(place)
        must(prf(nonce, "place", self.table, u32(place), u32(value)) == committed, f"a false opening of place {place}")

    def _open_cards(self, cards: list[Any], suspects: list[Any] | None = None) -> None:
        if suspects is not None:
            for kind, seal in cards:
                self._seal(kind, seal)
        for place, value, nonce in cards if suspects is None else suspects:
            self._place(place, value, nonce)

    def _places(self) -> list[int]:
        if self.opening["game"] == "missing-suspect":
            return [*range(28), *range(1000, 1007), *range(2000, 2008)]
        return list(range(len(self._deal()[1][2])))

    def _checkpoint(self) -> None:
        origin = f"chambers.local/table/{self.table.hex()}"
        text, _, lines = self.note.partition("\n\n")
        root = base64.b64encode(root_of(self.hashes)).decode()
        must(text == f"{origin}\n{len(self.leaves)}\n{root}", "the checkpoint is for another log")
        dash, name, blob = lines.split("\n")[0].split(" ")
        raw, key = base64.b64decode(blob), self.keys["gm"]
        must((dash, name) == ("\u2014", origin), "the checkpoint bears another name")
        must(
            raw[:4] == hashlib.sha256(f"{origin}\n\x01".encode() + key).digest()[:4], "the checkpoint bears another key"
        )
        signed(key, raw[4:], f"{text}\n".encode(), "the checkpoint")

    # sections 2, 4 and 6: what the reveals prove

    def _reveals(self) -> dict[str, int]:
        size = 1 + max(seq for seq, (_, _, event) in enumerate(self.said) if event[0] == "bye")
        root = base64.b64encode(root_of(self.hashes[:size])).decode()
        text = f"chambers.local/table/{self.table.hex()}\n{size}\n{root}\n"
        secrets: dict[str, bytes] = {}
        for author, _, event in self.said:
            if event[0] == "reveal":
                secrets[author] = event[1]
                self._reveal(author, event[1], event[2])
                time = int.from_bytes(event[3][:8], "big")
                cosigned = f"cosignature/v1\ntime {time}\n{text}".encode()
                signed(self.keys[author], event[3][8:], cosigned, f"the last head of {author}")
        must(set(secrets) == set(self.commits), "a reveal is missing")
        boxes = self._check_deal(secrets) + self._check_boxes(secrets)
        return {"entries": len(self.leaves), "rolls": self.rolls, "boxes": boxes}

    def _reveal(self, role: str, secret: bytes, luck: bytes) -> None:
        link = prf(luck, "dice")
        for _ in range(self.opening["chain"]):
            link = h("chain", self.table, role, link)
        derived = [
            h("secret", self.table, role, secret), crypto_scalarmult_base(prf(secret, "box")),
            h("luck", self.table, role, luck), link, h("mixc", self.table, role, prf(luck, "mix")),
        ]  # fmt: skip
        must(derived == self.commits[role][2:], f"the reveal of {role} opens something else")

    def _check_deal(self, secrets: dict[str, bytes]) -> int:
        n, (_, seals, places, boxes) = self._deal()
        dealer, seats = secrets["dealer"], len(self.opening["seats"])
        mixes = [self.mixes[f"seat{seat}"] for seat in range(seats)]
        key = prf(prf(dealer, "shuffle"), "mixed", self.table, *mixes)
        shuffled = self._city(key) if self.opening["game"] == "missing-suspect" else self._court(key, seats)
        nonces = {place: prf(dealer, "placer", u32(place)) for place in self._places()}
        must(seals == [self._sealed(dealer, kind) for kind in range(len(seals))], "the seals are not the dealer's")
        committed = [
            prf(nonces[place], "place", self.table, u32(place), u32(value))
            for place, value in zip(self._places(), shuffled, strict=True)
        ]
        must(places == committed, "the deal is not the committed shuffle")
        for seat, (role, box) in enumerate(boxes):
            hand = range(3 + seat, len(shuffled), seats) if self.opening["game"] == "witness-stand" else ()
            dealt = [
                [shuffled[place], prf(dealer, "cardseal", u32(shuffled[place])), place, nonces[place]] for place in hand
            ]
            must(self._opened(secrets, "dealer", n, role, box) == dealt, f"seat {seat} was dealt something else")
        return len(boxes)

    def _sealed(self, dealer: bytes, kind: int) -> bytes:
        return prf(prf(dealer, "cardseal", u32(kind)), "seal", self.table, u32(kind))

    def _city(self, key: bytes) -> list[int]:
        draw, edition = Draw(key, "missing-suspect/1"), json.loads(self.edition)
        count = len(edition["cards"])
        clues = draw.shuffle([*range(count), *[count] * edition["question_witness"]])
        return clues + draw.shuffle(list(range(3, 10))) + draw.shuffle(list(range(count + 1, count + 9)))

    def _court(self, key: bytes, seats: int) -> list[int]:
        draw = Draw(key, "witness-stand/1")
        innocent = draw.shuffle([0, 1, 2, 3])[:3]
        envelope = sorted(suspect * 10 + draw.uniform(5) * 2 + 1 for suspect in innocent)
        edition = json.loads(self.edition)
        counts = [edition[name]["count_small" if seats <= 4 else "count"] for name in
                  ("objection", "overruled", "excluded", "dismissed")]  # fmt: skip
        deck = [kind for kind in range(40) if kind not in envelope]
        deck += [40 + number for number, count in enumerate(counts) for _ in range(count)]
        return envelope + draw.shuffle(deck)

    def _check_boxes(self, secrets: dict[str, bytes]) -> int:
        proved, offer = 0, ("", 0, b"")
        for author, n, event in self.said:
            match event:
                case ["offer", _, bound]:
                    offer = (author, n, bound)
                case ["swap", _, to, box] if author == offer[0]:
                    must(h("offer", box) == offer[2], f"{author} handed over another box than it had offered")
                    self._check_box(self._opened(secrets, author, offer[1], to, box), sealed=True, placed=False)
                    proved += 1
                case ["pass" | "swap", _, to, box]:
                    self._check_box(self._opened(secrets, author, n, to, box), sealed=True, placed=False)
                    proved += 1
                case ["draw", _, place, to, box] | ["stow", place, _, to, box]:
                    to, place = ("dealer", event[2]) if event[0] == "stow" else (to, place)
                    items = self._opened(secrets, author, n, to, box)
                    must([item[2] for item in items] == [place], f"a box of {author} holds another place")
                    self._check_box(items, sealed=True, placed=True)
                    proved += 1
                case ["look", _, _, to, *_, box] | ["tell", _, _, to, box]:
                    self._check_box(self._opened(secrets, author, n, to, box), sealed=False, placed=True)
                    proved += 1
        return proved

    def _check_box(self, items: Any, *, sealed: bool, placed: bool) -> None:
        must(len(items) > 0, "an empty box")
        for value, seal, place, nonce in items:
            must((seal is not None, place is not None, nonce is not None) == (sealed, placed, placed), "another box")
            if sealed:
                self._seal(value, seal)
            if placed:
                self._place(place, value, nonce)

    def _opened(self, secrets: dict[str, bytes], author: str, n: int, to: str, box: bytes) -> Any:
        private, public = prf(secrets[author], "box"), self.commits[to][3]
        try:
            plain = crypto_box_open(box[24:], box[:24], public, private)
        except CryptoError:
            raise Wrong(f"a box of {author} does not open") from None
        size = int.from_bytes(plain[16:18], "big")
        must(plain[:16] == h("box", self.table, author, u32(n), to)[:16], f"a box of {author} is from elsewhere")
        must(len(plain) % 96 == 0 and not any(plain[18 + size :]), f"a box of {author} is padded otherwise")
        return unpack(plain[18 : 18 + size])
