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
from tests.support.canaries import ALL_KINDS, named
from tests.support.memory_bus import Passed
from tests.support.tabletop import CHAIN, TABLE, master, secrets_of

from chambers.fairness.boxes import box_public
from chambers.fairness.draw import Draw
from chambers.fairness.keys import card_seal, pair_secret, place_nonce, shuffle_key
from chambers.protocol.boxes import open_disclosures
from chambers.protocol.client import FromVault, Welcome
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import ShareReply
from chambers.protocol.statements import SIGNATURE, Statement, read_event, read_statement
from chambers.rules import witness_stand
from chambers.rules.events import Deal, Mix, Reveal, Roll, TableEvent
from chambers.rules.roles import DEALER, DICE, Role, contributors, seat_of, seat_roles
from chambers.rules.terms import Setup
from chambers.rules.witness_stand.edition import Edition
from chambers.rules.witness_stand.events import Look, Pass

_ROLLS: Final = 120
_STEP: Final = 16
_WINDOW: Final = 8
_NONE: Final[frozenset[str]] = frozenset()
GAME: Final = witness_stand


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


class Knowledge:
    """What is secret at a table of these tests, and who has come to know it so far."""

    def __init__(self, setup: Setup) -> None:
        self.seats = setup.seats
        self.secrets: dict[str, bytes] = {}
        self.known: list[set[int]] = [set() for _ in range(setup.seats)]
        self.public: set[int] = set()
        for role in contributors(setup.seats):
            self._add_role(role)
        dealer = secrets_of(DEALER)
        mixes = [secrets_of(role).mix for role in seat_roles(setup.seats)]
        key = shuffle_key(dealer.secret, TABLE, mixes=mixes)
        self.secrets["shuffle of dealer"] = key
        self.pile = GAME.deal(setup, Draw(key, GAME.RULES))
        for kind in range(GAME.kinds(setup)):
            self.secrets[f"seal {kind}"] = card_seal(dealer.secret, kind)
        for place in GAME.places(setup):
            self.secrets[f"nonce {place}"] = place_nonce(dealer.secret, place)
        self._forms = {name: forms(secret) for name, secret in self.secrets.items()}
        self._index: dict[bytes, set[str]] = {}
        for name, spelt in self._forms.items():
            for form in spelt:
                assert len(form) >= _STEP + _WINDOW
                for at in range(_STEP):
                    self._index.setdefault(form[at : at + _WINDOW], set()).add(name)

    def _add_role(self, role: Role) -> None:
        own = secrets_of(role)
        chain = own.chain(CHAIN)
        self.secrets |= {
            f"master of {role}": master(role),
            f"secret of {role}": own.secret,
            f"luck of {role}": own.luck,
            f"signing seed of {role}": own.signing_seed,
            f"box key of {role}": own.box_private,
            f"mix of {role}": own.mix,
        }
        if role != DEALER:
            self.secrets |= {f"share {k} of {role}": chain.share(k) for k in range(1, _ROLLS)}
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
                statement = read_statement(passed.data[SIGNATURE:])
                self._said(statement, read_event(bytes(statement.ev), GAME.NAME))
        elif passed.subject.startswith(f"_INBOX.{DICE}.") and seat_of(passed.sender) is not None:
            reply = msgspec.msgpack.decode(passed.data)
            if reply.get("type") == ShareReply.__struct_config__.tag:
                self.publish(f"share {reply['k']} of {passed.sender}")

    def _said(self, statement: Statement, event: TableEvent) -> None:
        author = Role(statement.author)
        match event:
            case Mix():
                self.publish(f"mix of {author}")
            case Roll(k=k, shares=shares):
                self.publish(*(f"share {k} of {role}" for role, _ in shares))
            case Deal():
                for seat, places in enumerate(self.pile.hands):
                    self.known[seat] |= {self.pile.value(place) for place in places}
            case Reveal():
                self._revealed(author)
        for kind, _ in GAME.seals(event):
            self.public.add(kind)
            self.publish(f"seal {kind}")
        for place, kind, _ in GAME.openings(event):
            self.public.add(kind)
            self.publish(f"nonce {place}")
        if isinstance(event, Pass | Look):
            self._boxed(author, statement.n, event)

    def _revealed(self, author: Role) -> None:
        names = [name for name in self._forms if name.endswith(f" of {author}")]
        kept = ("master", "signing seed", "frame key", "pair")
        self.publish(*(name for name in names if not name.startswith(kept)))
        if author == DEALER:
            self.public |= set(ALL_KINDS)
            self.publish(*(name for name in tuple(self._forms) if name.startswith(("seal", "nonce"))))

    def _boxed(self, author: Role, n: int, event: Pass | Look) -> None:
        opened = open_disclosures(
            secrets_of(event.to).box_private,
            box_public(secrets_of(author).box_private),
            table=TABLE,
            author=author,
            n=n,
            to=event.to,
            box=event.box,
        )
        seat = seat_of(event.to)
        assert seat is not None
        self.known[seat] |= {item.value for item in opened}

    def secrets_in(self, data: bytes) -> list[str]:
        """Return the names of the secrets that bytes tell and that are still secret."""
        # Every form is long enough to cover a whole window at one of these steps, wherever it begins.
        near: set[str] = set()
        for at in range(0, len(data), _STEP):
            near |= self._index.get(data[at : at + _WINDOW], _NONE)
        return [name for name in sorted(near) if any(form in data for form in self._forms.get(name, ()))]

    def cards_in(self, data: bytes, seat: int | None, *, codes: bool) -> list[str]:
        """Return the hidden cards that bytes name and that this seat, or the public, may not know."""
        may = self.public | (self.known[seat] if seat is not None else set())
        return [f"card {kind}" for kind in sorted(named(data, codes=codes) - may)]


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
    knows = Knowledge(setup)
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
    return found + _in_what_is_kept(evidence, setup)


def _in_message(knows: Knowledge, passed: Passed, notes: Iterable[str]) -> list[str]:
    everything = passed.subject.encode() + b"\n" + passed.data
    told = knows.secrets_in(everything) + [note for note in notes if note.encode() in everything]
    told += knows.cards_in(everything, None, codes=".watch." in passed.subject)
    return [f"{what} on {passed.subject}" for what in told]


def _in_frame(knows: Knowledge, opened: Opened, notes: tuple[str, ...]) -> list[str]:
    data = msgspec.msgpack.encode(opened.message)
    codes = not isinstance(opened.message, Welcome)
    told = knows.secrets_in(data) + knows.cards_in(data, opened.seat, codes=codes)
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
        told += [f"card {kind}" for kind in sorted(numbers - knows.public)]
        found += [f"{what} in the printed form {text[:40]}" for what in told]
    return found


def _in_what_is_kept(evidence: Evidence, setup: Setup) -> list[str]:
    """Logs and files are read long after, so nothing that was ever secret may be in them."""
    never = Knowledge(setup)
    kept = [("the log", "\n".join(evidence.logged).encode()), *evidence.files]
    found = []
    for where, data in kept:
        told = never.secrets_in(data) + never.cards_in(data, None, codes=where == "the log")
        told += [note for note in evidence.notes if note.encode() in data]
        found += [f"{what} in {where}" for what in told]
    return found


_PLAIN: Final = (Edition, str, bytes, int, float, bool, type(None), type, types.ModuleType, types.BuiltinFunctionType)


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
