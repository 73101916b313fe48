"""The public part of the second verifier: the log of a docket, entry by entry, as far as it needs no secret."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.docs.second_notation import Draw, Wrong, h, is_one_spelling, must, prf, root_of, signed, u32, unpack

GM, DEALER, DICE = "gm", "dealer", "dice"
BROKEN = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, struct.error)
"""What reading bytes of another form than section 3 to 5 have comes to."""
_EVENTS = """
    open v game rules edition edition_hash options seats chain log_key reveal auditor_key spectators
    commit sign name secret box luck anchor mix
    mix e
    again attempt stalled
    deal seals places boxes
    roll k shares value
    share k x
    ok ref
    lapse ref
    ticket seat issue
    stall role ref
    drop seat
    bad ref why
    say text
    close reason
    bye
    reveal secret luck cosignature
    entrust box cosignature
    cosign cosignature
    go
    endturn
    none ref
    show ref card seal
    pass ref to box
    play ref card seal
"""
_COURT = """
    corner space
    ask target question public
    place suspect
    move space
    accuse suspect
    look ref places to verdict box
    opencards cards
"""
_CITY = """
    place suspect node
    move path
    take yes
    draw ref place to box
    stow ref place commit box
    chart ref result
    check suspect
    offer to offer
    ask target clue offer
    point target suspect
    have ref
    swap ref to box
    tell ref place to box
    dontknow ref place
    look ref places to box
    claim ref solved
    opencards cards suspects
"""


def _fields(*tables: str) -> dict[str, list[str]]:
    rows = [line.split() for table in tables for line in table.strip().splitlines()]
    return {row[0]: row[1:] for row in rows}


FIELDS = {"witness-stand": _fields(_EVENTS, _COURT), "missing-suspect": _fields(_EVENTS, _CITY)}
_OPEN = FIELDS["witness-stand"]["open"]
LAST_WORDS = {"public": "reveal", "auditor": "entrust", "none": "cosign"}
PHASES = ("commit", "mix", "deal", "play", "bye", "reveal", "closed")
_STEPS = {
    "commit": "commit",
    "mix": "mix",
    "deal": "deal",
    "bye": "bye",
    **dict.fromkeys(LAST_WORDS.values(), "reveal"),
}
_WHEN: dict[str, tuple[str, ...]] = {
    "open": (), "again": ("mix", "deal"), "bad": ("deal", "play"), "drop": ("play", "bye"),
    "close": PHASES[:4], "say": PHASES[:4], "ticket": PHASES[:4],
}  # fmt: skip


class Said(NamedTuple):
    """One statement of the log: its entry, its author with the author's counter, and its event by field."""

    seq: int
    author: str
    n: int
    tag: str
    of: dict[str, Any]


class Unknown(Exception):
    """An event that this reader does not know, so that it can say nothing of what follows."""


class PublicLog:
    """One docket, read from its first line to its last; Wrong if the text is none."""

    def __init__(self, text: str) -> None:
        body, blank, self.note = text.partition("\n\n")
        header, *lines = body.split("\n")
        must(header == "docket/1" and blank != "" and lines != [], "no docket")
        try:
            self.edition = lines[0].encode()
            self.leaves = [base64.b64decode(line, validate=True) for line in lines[1:]]
        except (UnicodeEncodeError, binascii.Error, ValueError):
            raise Wrong("no docket") from None
        must([base64.b64encode(raw).decode() for raw in self.leaves] == lines[1:], "another form of base64")
        self.hashes = [hashlib.sha256(b"\x00" + leaf).digest() for leaf in self.leaves]
        self.said: list[Said] = []
        self.opening: dict[str, Any] = {}
        self.table = b""
        self.phase, self._since, self.size_after_byes = "commit", 0, 0
        self.commits: dict[str, dict[str, bytes]] = {}
        self.mixes: dict[str, bytes] = {}
        self.dropped: set[str] = set()
        self.done: set[str] = set()
        self._counters: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self._links: dict[str, tuple[int, bytes]] = {}
        self.stowed: dict[int, bytes] = {}
        self.offer: Said | None = None
        self.offers: dict[int, Said] = {}
        self.deal: Said | None = None
        self.rolls = 0

    # section 3: entry by entry

    def take(self, seq: int, leaf: bytes, time: int) -> int:
        """Take the next entry and return its time; Wrong, Unknown or one of BROKEN says what is wrong with it."""
        number, ts, raw, signature = unpack(leaf)
        must(number == seq and ts >= time, "it is out of order")
        table, author, n, size, root, (tag, *values) = unpack(raw)
        must(len(table) == 16 and len(root) == 32 and n >= 0, "it is no statement")
        if seq == 0:
            must((tag, author, n, size) == ("open", GM, 0, 0), "a log begins with open")
            self._begin(table, dict(zip(_OPEN, values, strict=True)))
        must(table == self.table, "it is for another table")
        must(author == GM or author in self.contributors, "its author is not at this table")
        signed(values[0] if tag == "commit" else self.key(author), signature, b"\xffch1/stmt\x00" + raw, "it")
        names = FIELDS[self.opening["game"]]
        if tag not in names:
            raise Unknown
        said = Said(seq, author, n, tag, dict(zip(names[tag], values, strict=True)))
        must(n == self._counters.get(author, -1) + 1, f"it is not the next of {author}")
        must(self._seen.get(author, 0) <= size <= seq, "its author has seen another size")
        must(root_of(self.hashes[:size]) == root, "its author has seen another log")
        if seq:
            self._step(said, size)
            self._evidence(said)
        self._counters[author], self._seen[author] = n, size
        self.said.append(said)
        return int(ts)

    def _begin(self, table: bytes, opening: dict[str, Any]) -> None:
        must(hashlib.sha256(self.edition).digest() == opening["edition_hash"], "another edition")
        if opening["game"] not in FIELDS or opening["rules"] != f"{opening['game']}/1":
            raise Unknown
        key = opening["auditor_key"]
        must((opening["reveal"] == "auditor") == (key is not None), "a key for no auditor")
        must(key is None or is_one_spelling(key), "another spelling of the auditor's key")
        self.table, self.opening = table, opening

    @property
    def contributors(self) -> list[str]:
        return [DICE, DEALER, *self.seats]

    @property
    def seats(self) -> list[str]:
        return [f"seat{number}" for number in range(len(self.opening["seats"]))]

    @property
    def leavers(self) -> set[str]:
        return set(self.commits) - self.dropped

    def key(self, author: str) -> bytes:
        return bytes(self.opening["log_key"] if author == GM else self.commits[author]["sign"])

    # section 4: phases

    def _step(self, said: Said, size: int) -> None:
        """Take a statement into the phases, which say what comes before what; in play the rules would say more."""
        tag, author = said.tag, said.author
        must(self.phase in _WHEN.get(tag, (_STEPS.get(tag, "play"),)), f"no {tag} in the phase {self.phase}")
        if tag in LAST_WORDS.values():
            must(tag == LAST_WORDS[self.opening["reveal"]], "it is not the last word of this table")
        if tag in _STEPS:
            must(author in self._owing and author not in self.done, f"{author} does not owe this")
            must(size > self._since, "it answers what the log has gone past")
        match tag:
            case "commit":
                must(is_one_spelling(said.of["box"]), "another spelling of a box key")
                self.commits[author] = said.of
                self._links[author] = (0, said.of["anchor"])
            case "again":
                self.commits, self.mixes, self._links = {}, {}, {}
                self._enter("commit", said.seq)
            case "close":
                self._enter("bye" if self.commits else "closed", said.seq)
            case "drop":
                self.dropped.add(self.seats[said.of["seat"]])
        if tag in _STEPS:
            self.done.add(author)
        if (tag in _STEPS or (tag, self.phase) == ("drop", "bye")) and self.done >= set(self._owing):
            self._enter(PHASES[PHASES.index(self.phase) + 1], said.seq)

    @property
    def _owing(self) -> Iterable[str]:
        everybody = {"commit": self.contributors, "mix": self.seats, "deal": [DEALER]}
        return everybody.get(self.phase, sorted(self.leavers))

    def _enter(self, phase: str, seq: int) -> None:
        self.phase, self._since, self.done = phase, seq, set()
        self.size_after_byes = seq + 1 if phase == "reveal" else self.size_after_byes

    # what needs no secret

    def _evidence(self, said: Said) -> None:
        of, author = said.of, said.author
        match said.tag:
            case "mix":
                must(h("mixc", self.table, author, of["e"]) == self.commits[author]["mix"], "another mix")
                self.mixes[author] = of["e"]
            case "deal":
                must([role for role, _ in of["boxes"]] == self.seats, "not a box for each seat")
                must(len(of["places"]) == len(self.places), "not a commitment for each place")
                self.deal = said
            case "roll":
                self._roll(**of)
            case "share":
                self._link(author, of["k"], of["x"])
            case "show" | "play":
                self.check_seal(of["card"], of["seal"])
            case "offer":
                self.offer = said if of["offer"] else None
            case "swap" if self.offer is not None and author == self.offer.author:
                must(h("offer", of["box"]) == self.offer.of["offer"], "another box than was offered")
                self.offers[said.seq], self.offer = self.offer, None
            case "stow":
                self.stowed[of["place"]] = of["commit"]
            case "opencards":
                self._open_cards(**of)

    def _link(self, role: str, k: int, x: bytes) -> None:
        last, link = self._links[role]
        must(last < k <= self.opening["chain"] and len(x) == 32, "no such roll")
        for _ in range(k - last):
            x = h("chain", self.table, role, x)
        must(x == link, f"the share of {role} in roll {k} is another one")

    def _roll(self, k: int, shares: list[Any], value: int) -> None:
        must(
            [role for role, _ in shares] == [DICE, *(seat for seat in self.seats if seat not in self.dropped)], "shares"
        )
        for role, x in shares:
            self._link(role, k, x)
            self._links[role] = (k, x)
        parts = [part for share in shares for part in share]
        must(1 + Draw(h("roll", self.table, u32(k), *parts), "d6").uniform(6) == value, f"roll {k} is another one")
        self.rolls += 1

    def _dealt(self) -> dict[str, Any]:
        must(self.deal is not None, "nothing was dealt")
        return self.deal.of if self.deal is not None else {}

    def check_seal(self, kind: int, seal: bytes) -> None:
        must(len(seal) == 32 and kind >= 0, "no seal")
        must(prf(seal, "seal", self.table, u32(kind)) == self._dealt()["seals"][kind], f"a false seal of card {kind}")

    def check_place(self, place: int, value: int, nonce: bytes) -> None:
        dealt = dict(zip(self.places, self._dealt()["places"], strict=True))
        must(len(nonce) == 32, "no nonce")
        committed = self.stowed.get(place) or dealt.get(place)
        must(prf(nonce, "place", self.table, u32(place), u32(value)) == committed, f"a false opening of place {place}")

    def _open_cards(self, cards: list[Any], suspects: list[Any] | None = None) -> None:
        if suspects is not None:
            for kind, seal in cards:
                self.check_seal(kind, seal)
        for place, value, nonce in cards if suspects is None else suspects:
            self.check_place(place, value, nonce)

    @property
    def places(self) -> list[int]:
        if self.opening["game"] == "missing-suspect":
            return [*range(28), *range(1000, 1007), *range(2000, 2008)]
        return list(range(len(self.deck([]))))

    def deck(self, envelope: list[int]) -> list[int]:
        edition, few = json.loads(self.edition), len(self.seats) <= 4
        names = ("objection", "overruled", "excluded", "dismissed")
        counts = [edition[name]["count_small" if few else "count"] for name in names]
        deck = [kind for kind in range(40) if kind not in envelope]
        return deck + [40 + number for number, count in enumerate(counts) for _ in range(count)]
