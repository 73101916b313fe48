"""The leak scan: who may know what at each moment of a game, and every place outside its holder that tells it."""

from __future__ import annotations

import base64
import contextlib
import re
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec
from tests.support.lexicon import LEXICONS, Item
from tests.support.memory_bus import Passed
from tests.support.tabletop import TABLE, master, secrets_of

from chambers.fairness.boxes import box_public
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import card_seal, pair_secret, place_nonce, shuffle_key, stow_nonce
from chambers.protocol.boxes import open_disclosures
from chambers.protocol.client import FromVault, Welcome
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import ShareReply
from chambers.protocol.statements import SIGNATURE, read_event, read_statement
from chambers.rules import GAMES
from chambers.rules.events import Deal, Mix, Reveal, Roll, TableEvent
from chambers.rules.missing_suspect.edition import Edition as Box
from chambers.rules.missing_suspect.events import Stow
from chambers.rules.roles import DEALER, DICE, Role, contributors, seat_of, seat_roles
from chambers.rules.terms import Opened as Content
from chambers.rules.terms import Setup
from chambers.rules.witness_stand.edition import Edition

_MORE_ROLLS: Final = 5
_STEP: Final = 16
_WINDOW: Final = 8
_NONE: Final[frozenset[str]] = frozenset()


class Opened(NamedTuple):
    """A message that a seat's client opened, when the wire had `at` messages."""

    at: int
    seat: int
    message: FromVault


class Shown(NamedTuple):
    """The printed forms of our objects as they were when the wire had `at` messages."""

    at: int
    texts: tuple[str, ...]


def forms(secret: bytes) -> tuple[bytes, ...]:
    """Return the ways in which bytes may be written: raw, hex, Python's own, and base64 wherever they begin in it."""
    encoded = [base64.b64encode(b"\0" * shift + secret).rstrip(b"=")[shift + 1 : -1] for shift in range(3)]
    urlsafe = [text.translate(bytes.maketrans(b"+/", b"-_")) for text in encoded]
    hexed = secret.hex().encode()
    return tuple(dict.fromkeys((secret, hexed, hexed.upper(), repr(secret)[2:-1].encode(), *encoded, *urlsafe)))


Said = tuple[Role, int, TableEvent]
"""A statement that went over the wire: its author, its number, and its event."""


def said_in(passed: Passed, game: str) -> Said:
    """Return the statement that a submission carries; ProtocolError if it carries none."""
    statement = read_statement(passed.data[SIGNATURE:])
    return Role(statement.author), statement.n, read_event(bytes(statement.ev), game)


def _statements(wire: Iterable[Passed], game: str) -> Iterator[Said]:
    for passed in wire:
        if ".in." in passed.subject:
            with contextlib.suppress(ProtocolError):
                yield said_in(passed, game)


class Knowledge:
    """What is secret at a table of these tests, and who has come to know it so far."""

    def __init__(self, setup: Setup, said: tuple[Said, ...] = ()) -> None:
        self.seats = setup.seats
        self.game = GAMES[setup.opening.game]
        self.words = LEXICONS[setup.opening.game]
        self.secrets: dict[str, bytes] = {}
        self.known: list[set[Item]] = [set() for _ in range(setup.seats)]
        self.public: set[Item] = set()
        self._offers: dict[Role, int] = {}
        rolls = max((event.k for _, _, event in said if isinstance(event, Roll)), default=0) + _MORE_ROLLS
        for role in contributors(setup.seats):
            self._add_role(role, chain=setup.opening.chain, rolls=rolls)
        for author, n, event in said:
            if isinstance(event, Stow):
                self.secrets[f"stow {n} of {author}"] = stow_nonce(secrets_of(author).secret, n)
        dealer = secrets_of(DEALER)
        mixes = [secrets_of(role).mix for role in seat_roles(setup.seats)]
        key = shuffle_key(dealer.secret, TABLE, mixes=mixes)
        self.secrets["shuffle of dealer"] = key
        self.pile = self.game.deal(setup, Draw(key, self.game.RULES))
        for kind in range(self.game.kinds(setup)):
            self.secrets[f"seal {kind}"] = card_seal(dealer.secret, kind)
        for place in self.game.places(setup):
            self.secrets[f"nonce {place}"] = place_nonce(dealer.secret, place)
        self._forms = {name: forms(secret) for name, secret in self.secrets.items()}
        self._index: dict[bytes, set[str]] = {}
        for name, spelt in self._forms.items():
            for form in spelt:
                assert len(form) >= _STEP + _WINDOW
                for at in range(_STEP):
                    self._index.setdefault(form[at : at + _WINDOW], set()).add(name)

    def _add_role(self, role: Role, *, chain: int, rolls: int) -> None:
        own = secrets_of(role)
        shares = own.chain(chain)
        self.secrets |= {
            f"master of {role}": master(role),
            f"secret of {role}": own.secret,
            f"luck of {role}": own.luck,
            f"signing seed of {role}": own.signing_seed,
            f"box key of {role}": own.box_private,
            f"mix of {role}": own.mix,
        }
        if role != DEALER:
            self.secrets |= {f"share {k} of {role}": shares.share(k) for k in range(1, rolls)}
        if own.frame_key is not None:
            self.secrets[f"frame key of {role}"] = own.frame_key
            self.secrets[f"pair of {role}"] = pair_secret(master(role), TABLE, issue=0)

    def publish(self, *names: str) -> None:
        """Note that secrets are secret no longer."""
        for name in names:
            self._forms.pop(name, None)

    def hear(self, passed: Passed) -> None:
        """Take in what a message rightly makes known, and to whom."""
        if ".in." in passed.subject:
            with contextlib.suppress(ProtocolError):  # a stranger's bytes make nothing known
                self._said(*said_in(passed, self.game.NAME))
        elif passed.subject.startswith(f"_INBOX.{DICE}.") and seat_of(passed.sender) is not None:
            reply = msgspec.msgpack.decode(passed.data)
            if reply.get("type") == ShareReply.__struct_config__.tag:
                self.publish(f"share {reply['k']} of {passed.sender}")

    def _said(self, author: Role, n: int, event: TableEvent) -> None:
        self.public |= self.words.said(event)
        match event:
            case Mix():
                self.publish(f"mix of {author}")
            case Roll(k=k, shares=shares):
                self.publish(*(f"share {k} of {role}" for role, _ in shares))
            case Deal():
                for seat, places in enumerate(self.pile.hands):
                    for place in places:
                        self.known[seat] |= self.words.told_by(self.pile.value(place))
            case Reveal():
                self._revealed(author)
        for kind, _ in self.game.seals(event):
            self.public |= self.words.told_by(kind)
            self.publish(f"seal {kind}")
        for place, value, _ in self.game.openings(event):
            self.public |= self.words.under(place, value)
            self.publish(f"nonce {place}")
        if self.game.offer(event) is not None:
            self._offers[author] = n
        for to, box in () if isinstance(event, Deal) else self.game.boxes(event):
            if (receiver := seat_of(to)) is not None:
                self._learn(receiver, self._content(author, n, to=to, box=box))

    def _revealed(self, author: Role) -> None:
        names = [name for name in self._forms if name.endswith(f" of {author}")]
        kept = ("master", "signing seed", "frame key", "pair")
        self.publish(*(name for name in names if not name.startswith(kept)))
        if author == DEALER:
            self.public |= self.words.everything
            self.publish(*(name for name in tuple(self._forms) if name.startswith(("seal", "nonce"))))

    def _content(self, author: Role, n: int, *, to: Role, box: bytes) -> Content:
        """Return what a box holds; one that was offered before was made for the statement that offered it."""
        own, other = secrets_of(to).box_private, box_public(secrets_of(author).box_private)
        for made in (n, self._offers.get(author, n)):
            with contextlib.suppress(FairnessError):
                return open_disclosures(own, other, table=TABLE, author=author, n=made, to=to, box=box)
        raise AssertionError(f"the box of {author} to {to} cannot be opened")

    def _learn(self, seat: int, opened: Content) -> None:
        for item in opened:
            if item.seal is None and item.place is not None:
                self.known[seat] |= self.words.under(item.place, item.value)
            else:
                self.known[seat] |= self.words.told_by(item.value)

    def secrets_in(self, data: bytes) -> list[str]:
        """Return the names of the secrets that bytes tell and that are still secret."""
        # Every form is long enough to cover a whole window at one of these steps, wherever it begins.
        near: set[str] = set()
        for at in range(0, len(data), _STEP):
            near |= self._index.get(data[at : at + _WINDOW], _NONE)
        return [name for name in sorted(near) if any(form in data for form in self._forms.get(name, ()))]

    def cards_in(self, data: bytes, seat: int | None, *, codes: bool) -> list[str]:
        """Return the hidden cards that bytes name and that this seat, or the public, may not know."""
        return self._told(self.words.named(data, codes=codes), seat)

    def shown_in(self, message: FromVault, seat: int) -> list[str]:
        """Return what a message to a seat tells of hidden cards and numbers, in words and figures, and may not."""
        data, codes = msgspec.msgpack.encode(message), not isinstance(message, Welcome)
        told = self.words.named(data, codes=codes) - self.words.offered(message)
        return self._told(told | self.words.shown(message), seat)

    def _told(self, items: set[Item], seat: int | None) -> list[str]:
        may = self.public | (self.known[seat] if seat is not None else set())
        return [f"card {item}" for item in sorted(items - may, key=str)]


class Evidence(NamedTuple):
    """Everything that a game left where somebody else could read it."""

    wire: tuple[Passed, ...]
    opened: tuple[Opened, ...]
    shown: tuple[Shown, ...]
    logged: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    notes: tuple[str, ...]


def scan(evidence: Evidence, setup: Setup) -> list[str]:
    """Return every leak: what it is, and where it was found."""
    said = tuple(_statements(evidence.wire, setup.opening.game))
    knows = Knowledge(setup, said)
    found: list[str] = []
    opened, shown = deque(evidence.opened), deque(evidence.shown)
    for at, passed in enumerate((*evidence.wire, None)):
        while opened and opened[0].at <= at:
            found += _in_frame(knows, opened.popleft(), evidence.notes)
        while shown and shown[0].at <= at:
            found += _in_texts(knows, shown.popleft(), evidence.notes)
        if passed is not None:
            knows.hear(passed)
            found += _in_message(knows, passed, evidence.notes)
    return found + _in_what_is_kept(evidence, Knowledge(setup, said))


def _in_message(knows: Knowledge, passed: Passed, notes: Iterable[str]) -> list[str]:
    everything = passed.subject.encode() + b"\n" + passed.data
    told = knows.secrets_in(everything) + [note for note in notes if note.encode() in everything]
    told += knows.cards_in(everything, None, codes=".watch." in passed.subject)
    return [f"{what} on {passed.subject}" for what in told]


def _in_frame(knows: Knowledge, opened: Opened, notes: tuple[str, ...]) -> list[str]:
    data = msgspec.msgpack.encode(opened.message)
    told = knows.secrets_in(data) + knows.shown_in(opened.message, opened.seat)
    told += [note for seat, note in enumerate(notes) if seat != opened.seat and note.encode() in data]
    return [f"{what} in a {type(opened.message).__name__} to seat {opened.seat}" for what in told]


def _in_texts(knows: Knowledge, shown: Shown, notes: Iterable[str]) -> list[str]:
    found = []
    for text in shown.texts:
        data = text.encode()
        told = knows.secrets_in(data) + [note for note in notes if note in text]
        # An edition lists every card there is: that it names one tells nothing.
        told += [] if "Edition(" in text else knows.cards_in(data, None, codes="b'" not in text and 'b"' not in text)
        numbers = {int(kind) for kind in re.findall(r"\bcard=(\d+)", text)}
        told += [f"card {kind}" for kind in sorted(numbers - knows.public, key=str)]
        found += [f"{what} in the printed form {text[:40]}" for what in told]
    return found


def _in_what_is_kept(evidence: Evidence, never: Knowledge) -> list[str]:
    """Logs and files are read long after, so nothing that was ever secret may be in them."""
    kept = [("the log", "\n".join(evidence.logged).encode()), *evidence.files]
    found = []
    for where, data in kept:
        told = never.secrets_in(data) + never.cards_in(data, None, codes=where == "the log")
        told += [note for note in evidence.notes if note.encode() in data]
        found += [f"{what} in {where}" for what in told]
    return found


_BOXES: Final = (Edition, Box)
_PLAIN: Final = (*_BOXES, str, bytes, int, float, bool, type(None), type, types.ModuleType, types.BuiltinFunctionType)


def reached(roots: Iterable[object]) -> Iterator[object]:
    """Yield every object of ours that can be reached from these, through containers, fields, closures and methods.

    Not what an edition consists of: that lists every card there is, and says nothing of where one lies.
    """
    todo: list[object] = list(roots)
    seen: dict[int, object] = {}
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, _PLAIN):
            continue
        seen[id(one)] = one
        if type(one).__module__.startswith("chambers."):
            yield one
        todo.extend(_parts(one))


def _parts(one: object) -> Iterator[Any]:
    match one:
        case dict():
            yield from one.keys()
            yield from one.values()
        case list() | tuple() | set() | frozenset() | deque():
            yield from one
        case types.MethodType():
            yield one.__self__
        case types.FunctionType():
            for cell in one.__closure__ or ():
                if cell != types.CellType():
                    yield cell.cell_contents
        case msgspec.Struct():
            yield from (getattr(one, name) for name in one.__struct_fields__)
        case _ if type(one).__module__.startswith(("chambers.", "tests.")):
            yield from vars(one).values() if hasattr(one, "__dict__") else ()


def printed(roots: Iterable[object]) -> tuple[str, ...]:
    """Return the printed form of each object of ours that can be reached, each text once."""
    return tuple(dict.fromkeys(repr(one) for one in reached(roots)))
