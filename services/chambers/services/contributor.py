"""What dice, dealer and vaults have in common at a table: derived secrets, boxes, and the duties of setup and close."""

from __future__ import annotations

import time

import structlog

from chambers.bus.ports import Bus
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import TableSecrets
from chambers.fairness.notes import check_checkpoint, checkpoint_text, cosign
from chambers.protocol.auditor import entrust
from chambers.protocol.boxes import check_disclosures, open_disclosures, seal_as_always
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Admitted, Log
from chambers.protocol.messages import Accepted
from chambers.rules import due
from chambers.rules.events import Bye, Commit, Cosign, Deal, Entrust, Reveal, TableEvent
from chambers.rules.roles import Role
from chambers.rules.terms import Due, Opened
from chambers.services.pen import Pen

_logger = structlog.get_logger(__name__)


class Contributor:
    """One role at one table. Everything secret is derived from its master key; the rest is in the log."""

    def __init__(self, bus: Bus, log: Log, *, role: Role, master: bytes) -> None:
        self.log = log
        self.role = role
        self._master = master
        self._attempt = 0
        self._secrets = self._derive(1)
        self.said = 0
        self._promised: tuple[int, bytes] | None = None
        self.pen = Pen(bus, log, role=role, key=self._secrets.signing_key)

    def __repr__(self) -> str:
        return f"Contributor({self.role})"

    def _derive(self, attempt: int) -> TableSecrets:
        self._attempt = attempt
        return TableSecrets.from_master(self._master, self.log.id, role=self.role, attempt=attempt)

    @property
    def secrets(self) -> TableSecrets:
        """Return this role's secrets at the present attempt of the setup."""
        if self.log.opened and self.log.table.attempt != self._attempt:
            self._secrets = self._derive(self.log.table.attempt)
        return self._secrets

    @property
    def mine(self) -> bool:
        """Return whether the commit in the log, if there is one, is of this role's own key."""
        commit = self.log.table.committed(self.role)
        return commit is None or commit.sign == self.secrets.signing_key.public

    def owed(self) -> Due | None:
        """Return the first thing that this role owes now, or None."""
        return next((item for item in due(self.log.table) if item.who == self.role), None)

    def commit(self, name: str = "") -> Commit:
        """Return the event that binds this role, under the name of its player if it is a seat."""
        secrets = self.secrets
        bound = secrets.bindings(self.log.table.setup.opening.chain)
        return Commit(
            sign=secrets.signing_key.public,
            name=name,
            secret=bound.secret,
            box=bound.box,
            luck=bound.luck,
            anchor=bound.anchor,
            mix=bound.mix,
        )

    def share(self, k: int) -> bytes:
        """Return this role's dice share of roll `k`; the caller knows that the roll is due."""
        return self.secrets.chain(self.log.table.setup.opening.chain).share(k)

    def leaving(self, act: str, *, luck: bytes | None = None) -> TableEvent:
        """Return the bye or the last word that this role owes; the latter cosigns the head after the last bye.

        `luck` is what this role is bound to, if that is not its own.
        """
        if act == "bye":
            return Bye()
        size = self.log.table.since + 1
        text = checkpoint_text(self.log.id, size, root=self.log.tree.root_at(size))
        cosignature = cosign(self.secrets.signing_key, text, time=int(time.time()))
        opening, secret = self.log.table.setup.opening, self.secrets.secret
        luck = self.secrets.luck if luck is None else luck
        if opening.reveal == "public":
            return Reveal(secret, luck, cosignature)
        if opening.auditor_key is None:
            return Cosign(cosignature)
        box = entrust(opening.auditor_key, table=self.log.id, role=self.role, secret=secret, luck=luck)
        return Entrust(box, cosignature)

    def box(self, n: int, to: Role, opened: Opened) -> bytes:
        """Return the box to `to` in this role's statement number `n`: the same one whenever it holds the same.

        Its nonce is a pseudorandom function of all that the box holds, so a restarted role repeats itself exactly.
        """
        return seal_as_always(
            self.secrets.secret, self._box_key(to), table=self.log.id, author=self.role, n=n, to=to, opened=opened
        )

    def open(self, entry: Admitted) -> Opened | None:
        """Return what an entry boxes to or from this role; None where there is no such box; FairnessError if bad."""
        for to, box in boxes_of(entry):
            if self.role in (to, entry.author):
                other = entry.author if to == self.role else to
                before = entry.before.play if entry.before is not None else None
                offered = entry.after.game.offered(before, entry.event) if before is not None else None
                return open_disclosures(
                    self.secrets.box_private,
                    self._box_key(other),
                    table=self.log.id,
                    author=entry.author,
                    n=entry.n if offered is None else self.log.counter_at(offered[0]),
                    to=to,
                    box=box,
                )
        return None

    async def say(self, submission: bytes) -> Accepted | Refusal:
        """Return the game master's answer to a signed submission, and note a refusal in the service's own log."""
        answer = await self.pen.submit(submission)
        if isinstance(answer, Refusal):
            _logger.info("statement.refused", table=self.log.id.hex(), role=self.role, code=answer.code)
        else:
            self.said = answer.sequence + 1
            key = self.log.table.setup.opening.log_key
            self._promised = check_checkpoint(answer.note, key, table=self.log.id)
            self.log.note = answer.note
        return answer

    def check_promise(self) -> None:
        """Refuse (`fairness/head`) a log that is not the one whose head the game master signed for the last answer."""
        if self._promised is None or self._promised[0] > self.log.size:
            return
        size, root = self._promised
        self._promised = None
        if self.log.tree.root_at(size) != root:
            sentence = f"The game master has signed another log of {size} entries than the one it shows."
            raise FairnessError("fairness/head", sentence)

    def _box_key(self, role: Role) -> bytes:
        commit = self.log.table.committed(role)
        if commit is None:
            raise FairnessError("fairness/box-key", f"{role} has no box key at this table.")
        return commit.box


def check_box(entry: Admitted, opened: Opened, *, table: bytes) -> None:
    """Refuse (FairnessError, RuleError) a box of a game's event that does not hold, proved, what it must hold."""
    before, after = entry.before, entry.after
    assert before is not None
    assert after.deal is not None
    game = after.game
    added = (*game.commitments(before.play), *game.commitments(after.play))
    check_disclosures(after.deal, opened, table=table, places=game.places(after.setup), added=added)
    game.accept(before.play, entry.event, opened)


def boxes_of(entry: Admitted) -> tuple[tuple[Role, bytes], ...]:
    """Return the (receiver, box) pairs that an entry carries."""
    if isinstance(entry.event, Deal):
        return entry.event.boxes
    if entry.after.play is None:
        return ()
    return entry.after.game.boxes(entry.event)
