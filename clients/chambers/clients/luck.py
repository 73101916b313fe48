"""A player's own luck: the client makes it, and gives its vault only what the record that it has verified makes due."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from chambers import editions
from chambers.clients.luck_shelf import LuckShelf, Promise
from chambers.fairness.dice import Chain
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import brought_luck, luck_bindings, mix_entropy
from chambers.fairness.notes import check_checkpoint, read_checkpoint, read_note
from chambers.protocol.client import (
    Bindings,
    GiveLuck,
    GiveMix,
    GiveShare,
    OfLuck,
    ReadOn,
    Record,
    Update,
    WantsBindings,
    WantsLuck,
    Welcome,
)
from chambers.protocol.docket import Taken
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Log
from chambers.rules import Phase, RuleError, due, rollers
from chambers.rules.opening import CHAIN_MOST
from chambers.rules.roles import seat_role

OfVault = Update | WantsBindings | WantsLuck | Record

_BEFORE_PLAY: Final = frozenset({"commit", "mix", "deal"})
_NOT_YOURS: Final = (
    "the luck of this seat is not yours: it was bound before you came, by your vault or from another machine."
)
_BLIND: Final = "the luck of this seat is your vault's: without its edition this machine checks no setup."
_BEHIND: Final = "the record is shorter than the one you pinned; nothing of your luck is given until it has caught up."
_BROUGHT: Final = "the table waits for the luck that you brought to this seat; come back without --no-luck."
_ELSEWHERE: Final = "Nothing of your luck is handed over; --no-luck plays on with what your vault has."


class LuckState(StrEnum):
    """Where the luck of a seat is."""

    BOUND = "bound"
    GIVEN = "given"
    HELD = "held"
    NOT_YOURS = "not-yours"
    BEHIND = "behind"


class LuckTold(msgspec.Struct, frozen=True):
    """What the player is told of the luck of his seat."""

    state: LuckState
    text: str


class LuckBroken(Exception):
    """The vault, or the record that it shows, is not what it should be: nothing more is handed over."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class Answer(msgspec.Struct, frozen=True):
    """What is said to the vault, and what is told to the player."""

    say: tuple[OfLuck, ...] = ()
    tell: tuple[LuckTold, ...] = ()

    def __repr__(self) -> str:
        return f"Answer({len(self.say)}, {len(self.tell)})"


class NoLuck:
    """What a client says that leaves the luck of its seat to the vault."""

    def __init__(self) -> None:
        self._told = False

    def brings(self, _: Welcome) -> bool:
        """Return that none is brought."""
        return False

    def hear(self, message: OfVault) -> Answer:
        """Return, once, that the table waits for a luck which this player brought before and does not bring now."""
        if self._told or not isinstance(message, WantsLuck):
            return Answer()
        self._told = True
        return Answer((), (LuckTold(LuckState.NOT_YOURS, _BROUGHT),))


class OwnLuck:
    """The luck that a player brings to one seat; it follows from the player's key, so a client that was away goes on.

    The vault says only that something is due. What that is, the client reads in the log: it verifies every entry, and
    pins the signed head on its disk before it gives anything. With `hold` it gives the mix, each share at its roll, and
    the luck itself at the reveal; else the whole luck once everybody is bound.
    """

    def __init__(self, shelf: LuckShelf, *, table: bytes, seat: int, hold: bool = False) -> None:
        self._shelf = shelf
        self._role = seat_role(seat)
        self._key = shelf.key()
        self._promise = shelf.promise()
        self._hold = hold or (self._promise is not None and self._promise.hold)
        self._insists = hold
        self._log = Log(table)
        self._taken = Taken()
        self._made: tuple[int, bytes, Chain] | None = None
        self._done = self._promise is not None and self._promise.settled and not self._hold
        self._blind = False
        self._told: set[str] = set()

    def __repr__(self) -> str:
        return f"OwnLuck({self._role})"

    def brings(self, welcome: Welcome) -> bool:
        """Return whether luck can be brought to this table: its edition must be here, or no move of it can be checked.

        LuckBroken where it cannot, and the player will not leave it to the vault.
        """
        try:
            found = editions.edition_hash(editions.named(welcome.edition)) == welcome.edition_hash
        except editions.EditionError:
            found = False
        if not found and self._hold:
            sentence = f"This machine does not have the edition {welcome.edition} of this table"
            raise LuckBroken("luck/edition", f"{sentence}, without which no setup can be checked. {_ELSEWHERE}")
        self._blind = not found
        return found

    def hear(self, message: OfVault) -> Answer:
        """Return what a message of the vault calls for; LuckBroken if vault or record are not what they should be."""
        try:
            match message:
                case _ if self._blind:
                    return Answer((), self._tell(LuckState.NOT_YOURS, _BLIND, once="blind"))
                case Update(phase=phase):
                    # a vault that has bound the seat to another luck has no reason to ask for this one
                    return Answer() if self._done or phase in _BEFORE_PLAY else self._read_on()
                case WantsBindings(attempt=attempt, chain=chain):
                    return self._bind(attempt, chain)
                case WantsLuck():
                    return self._read_on()
                case Record():
                    return self._follow(message)
        except OSError as error:
            why = error.strerror or "the system refused"
            sentence = f"{error.filename} could not be kept: {why}. Without it nothing of your luck is handed over."
            raise LuckBroken("luck/not-kept", sentence) from None

    def _read_on(self) -> Answer:
        return Answer((ReadOn(self._log.size),))

    def _tell(self, state: LuckState, text: str, *, once: str) -> tuple[LuckTold, ...]:
        if once in self._told:
            return ()
        self._told.add(once)
        return (LuckTold(state, text),)

    # the promise

    def _bind(self, attempt: int, chain: int) -> Answer:
        if not (1 <= attempt < 2**32 and 1 <= chain <= CHAIN_MOST):
            raise LuckBroken("luck/record", f"Your vault asks for what no table has. {_ELSEWHERE}")
        if self._promise is None or self._promise.attempt < attempt:
            self._promise = Promise(attempt, self._hold)
            self._shelf.keep(self._promise)
            self._done = False
        luck, links = self._luck(attempt, chain)
        bound = luck_bindings(links, luck, table=self._log.id, role=self._role)
        again = "" if attempt == 1 else f"the setup starts anew, attempt {attempt}. "
        later = "stays with you" if self._hold else "goes to your vault once everybody is bound"
        text = f"{again}you bring your own luck: you are bound to it now, and it {later}."
        return Answer((Bindings(attempt, *bound),), self._tell(LuckState.BOUND, text, once=f"bound {attempt}"))

    def _luck(self, attempt: int, chain: int) -> tuple[bytes, Chain]:
        if self._made is None or (self._made[0], self._made[2].length) != (attempt, chain):
            luck = brought_luck(self._key, self._log.id, role=self._role, attempt=attempt, chain=chain)
            self._made = (attempt, luck, Chain(luck, self._log.id, role=self._role, length=chain))
        return self._made[1:]

    # the record

    def _follow(self, record: Record) -> Answer:
        log = self._log
        if record.start != log.size:
            return Answer()  # it came twice
        try:
            self._taken.count(record.entries)
            for raw in record.entries:
                log.admit(raw)
            if log.size < record.size:
                return self._read_on() if record.entries else Answer()
            if not record.note or not log.opened:
                return Answer()  # the game master gave no note just now; the vault asks again
            head = check_checkpoint(record.note, log.table.setup.opening.log_key, table=log.id)
        except (ProtocolError, RuleError, FairnessError) as error:
            sentence = f"The record that your vault shows does not hold at entry {log.size}: {error.sentence}"
            raise LuckBroken("luck/record", f"{sentence} {_ELSEWHERE}") from None
        if head != log.head():
            sentence = "The game master has signed another record than the one that your vault shows."
            raise LuckBroken("luck/record", f"{sentence} {_ELSEWHERE}")
        return self._consider(record.note)

    def _consider(self, note: str) -> Answer:
        """Return what the log, verified up to the signed head of `note`, makes due of this seat's luck."""
        table = self._log.table
        if table.phase is Phase.COMMIT:
            return Answer()
        if not self._follows_pin():
            return Answer((), self._tell(LuckState.BEHIND, _BEHIND, once="behind"))
        commit = table.committed(self._role)
        luck, chain = self._luck(table.attempt, table.setup.opening.chain)
        own = luck_bindings(chain, luck, table=self._log.id, role=self._role)
        if commit is None or (commit.luck, commit.anchor, commit.mix) != own:
            return self._not_mine()
        if self._log.size > self._pinned_size():
            self._shelf.pin(note)
        if table.deal is not None and self._promise is not None and not self._promise.settled:
            self._promise = msgspec.structs.replace(self._promise, attempt=table.attempt, settled=True)
            self._shelf.keep(self._promise)
        self._done = table.deal is not None
        return self._give(luck, chain)

    def _not_mine(self) -> Answer:
        if self._promise is not None or self._insists:
            sentence = "Your vault has bound this seat to another luck than the one you brought"
            raise LuckBroken("luck/other", f"{sentence}, or another window with your ticket has. {_ELSEWHERE}")
        self._done = True
        return Answer((), self._tell(LuckState.NOT_YOURS, _NOT_YOURS, once="not yours"))

    def _give(self, luck: bytes, chain: Chain) -> Answer:
        table, role = self._log.table, self._role
        say: list[OfLuck] = []
        for item in due(table):
            if item.act == "roll" and role in rollers(table):
                say.append(GiveShare(item.k, chain.share(item.k)) if self._hold else GiveLuck(table.attempt, luck))
            elif item.act == "mix" and item.who == role:
                say.append(GiveMix(table.attempt, mix_entropy(luck)) if self._hold else GiveLuck(table.attempt, luck))
            elif item.act == "reveal" and item.who == role and table.setup.opening.reveal != "none":
                say.append(GiveLuck(table.attempt, luck))
        if not say:
            return Answer()
        pinned = f"The record up to here is pinned in {self._shelf.pin_path}."
        if not self._hold:
            text = f"everybody is bound: your vault has your luck now. {pinned}"
            return Answer(tuple(say), self._tell(LuckState.GIVEN, text, once=f"given {table.attempt}"))
        text = f"everybody is bound: you hold your luck, and every roll waits for you. {pinned}"
        return Answer(tuple(say), self._tell(LuckState.HELD, text, once=f"held {table.attempt}"))

    # the pin

    def _pinned_size(self) -> int:
        note = self._shelf.pinned()
        return self._read_pin(note)[0] if note else 0

    def _follows_pin(self) -> bool:
        """Return whether the log has come as far as the pinned head; LuckBroken if it is another log than that."""
        note = self._shelf.pinned()
        if not note:
            return True
        size, root = self._read_pin(note)
        if size > self._log.size:
            return False
        if self._log.tree.root_at(size) != root:
            sentence = f"Your vault shows another record of {size} entries than the one you pinned"
            raise LuckBroken("luck/forked", f"{sentence} in {self._shelf.pin_path}; keep that file. {_ELSEWHERE}")
        return True

    def _read_pin(self, note: str) -> tuple[int, bytes]:
        try:
            return read_checkpoint(read_note(note).text, self._log.id)
        except FairnessError:
            sentence = f"{self._shelf.pin_path} is no receipt of this table; put it elsewhere and come back."
            raise LuckBroken("luck/pin", sentence) from None
