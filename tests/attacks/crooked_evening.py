"""An evening in one process at which one role lies once: where a real server adds nothing to what the audit is given.

A lie is a function `(evening, author, event)`: `event` is what the honest role would say. It returns what is said
instead, or None where there is no room for it. What the log refuses is let in, as a game master without scruples would.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from tests.missing_suspect.detective import Detective

from chambers.audit import Report, audit
from chambers.clients.long_record import Evening
from chambers.fairness.errors import FairnessError
from chambers.protocol.boxes import check_disclosures, open_disclosures
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.log import Admitted
from chambers.protocol.reveals import HandedIn
from chambers.rules import RuleError
from chambers.rules.events import Bad, Deal, Reveal, TableEvent
from chambers.rules.roles import Role, seat_of
from chambers.rules.table import Phase
from chambers.rules.terms import Opened, Option, Pile
from chambers.services.contributor import boxes_of, check_box

Lie = Callable[["CrookedEvening", Role, TableEvent], TableEvent | None]
Prefers = Callable[["CrookedEvening", Option], bool]
Stack = Callable[["CrookedEvening", Pile], Pile]

LIAR = Role("seat1")
EDITIONS = {"witness-stand": "tandem-target", "missing-suspect": "missing-suspect"}
LONG = {"witness-stand": 320, "missing-suspect": 700}
_OPTIONS: dict[str, tuple[tuple[str, str], ...]] = {"witness-stand": (("step3", "always"),), "missing-suspect": ()}
_BOLD = 0.15
_KEEN = 0.9
_WILD = 0.2


class Attack(NamedTuple):
    """What one role tries at one game: a lie that it tells, or a pile that it deals instead of the shuffled one.

    `prefers` tells which options everybody takes who has one, to make room for it;
    `wanders` is whether detectives with a captured suspect drive anywhere.
    """

    name: str
    game: str
    culprit: Role
    lie: Lie | None = None
    stack: Stack | None = None
    prefers: Prefers | None = None
    wanders: bool = False


class _Ended(Exception):
    """The evening ends here."""


class CrookedEvening(Evening):
    """An evening with an attack: `at` is the entry of the lie, None where it was never told."""

    def __init__(self, attack: Attack, seed: int, *, seats: int, silent: Role | None = None) -> None:
        edition, options = EDITIONS[attack.game], _OPTIONS[attack.game]
        super().__init__(edition, seats, seed, chain=0, options=options)
        self.attack = attack
        self._again = (seed, seats)
        self._silent = silent
        self.at: int | None = None
        self.given: dict[Role, list[int]] = {role: [] for role in self.roles}
        self.got: dict[Role, int] = {}
        self.chance = random.Random(f"{attack.name}{seed}")
        self._detective = Detective(seed, wild=_WILD)
        self._refused: list[bytes] = []

    def evening(self, entries: int | None = None) -> CrookedEvening:
        """Play up to the end, to `entries` or as many as are usual, or to where nobody could go on; return itself."""
        with contextlib.suppress(_Ended):
            self.play(entries or LONG[self.attack.game])
        return self

    def shuffled(self) -> Pile:
        """Return the pile that is dealt."""
        honest = super().shuffled()
        if self.attack.stack is None:
            return honest
        stacked = self.attack.stack(self, honest)
        if stacked != honest:
            self.at = self.log.size
        return stacked

    def say(self, author: Role, event: TableEvent) -> None:
        """Say what the author says, or once the lie."""
        if isinstance(event, Reveal) and author == self._silent:
            if len(self.log.table.reveals) == len(self.roles) - 1:
                raise _Ended
            return
        honest = self.boxed
        told = None
        if self.attack.lie is not None and author == self.attack.culprit and self.at is None:
            told = self.attack.lie(self, author, event)
        if told is None:
            self.boxed = honest
        else:
            self.at, event = self.log.size, told
            self.boxed = self.boxed if self.log.table.play and self.rules.boxes(told) else None
        boxed, seq = self.boxed, self.log.size
        try:
            super().say(author, event)
        except (RuleError, ProtocolError, FairnessError):
            self._refused.append(self.leaf_of(author, event))
            raise _Ended from None
        except ValueError:
            # An honest vault cannot go on from a card that it never held; what the liar said is in the log.
            raise _Ended from None
        self._note(author, event, seq, boxed)

    def _learn(self, item: Admitted) -> None:
        bad = self._bad(item) if self.at is not None and item.author == self.attack.culprit else None
        if bad is None:
            super()._learn(item)
        else:
            super().say(*bad)

    def _bad(self, item: Admitted) -> tuple[Role, Bad] | None:
        """Return what an honest receiver says at once of a box of the liar's; None if it is good."""
        for to, box in boxes_of(item) if item.after.phase is Phase.PLAY else ():
            own, public = self.roles[to], self.log.table.committed(item.author)
            assert public is not None
            offered = None if item.before is None else self.rules.offered(item.before.play, item.event)
            n = item.n if offered is None else self.log.counter_at(offered[0])
            try:
                opened = open_disclosures(
                    own.box_private, public.box, table=self.log.id, author=item.author, n=n, to=to, box=box
                )
                if isinstance(item.event, Deal):
                    self._check_deal(item.event, opened, to)
                else:
                    check_box(item, opened, table=self.log.id)
            except (FairnessError, RuleError) as error:
                return to, Bad(item.seq, error.code)
        return None

    def _check_deal(self, deal: Deal, opened: Opened, to: Role) -> None:
        assert self.pile is not None
        if self.pile.hands[seat_of(to) or 0]:
            check_disclosures(deal, opened, table=self.log.id, places=self.rules.places(self.setup))
        elif opened:
            raise FairnessError("fairness/deal", "Nobody is dealt a card at this game.")

    def _note(self, author: Role, event: TableEvent, seq: int, boxed: Opened | None) -> None:
        if self.log.table.play is None:
            return
        for to, _ in getattr(event, "boxes", None) or self.rules.boxes(event):
            self.got[to] = seq
            self.given[author] += [card.value for card in boxed or ()]

    def _any(self, seat: int) -> Option:
        play, hand = self.log.table.play, self.hands[seat]
        prompt = self.rules.prompt(play, hand)
        assert prompt is not None
        prefers = self.attack.prefers
        wanted = [option for option in prompt.options if prefers is not None and prefers(self, option)]
        if wanted and self.random.random() < _KEEN:
            return self.random.choice(wanted)
        if self.attack.game == "missing-suspect":
            lost = self.attack.wanders and play.carried[seat] >= 0
            return self.random.choice(prompt.options) if lost else self._detective(seat, play, hand, prompt)
        calm = [option for option in prompt.options if not option.id.startswith("accuse")]
        return self.random.choice(calm if calm and self.random.random() > _BOLD else prompt.options)

    # what an auditor gets

    def record(self) -> Docket:
        """Return the record, with what the log refused as its last entry."""
        docket = self.docket()
        return msgspec.structs.replace(docket, leaves=(*docket.leaves, *self._refused))

    def audited(self, *, silent: Role | None = None) -> Report | None:
        """Return the audit of the record when every role reveals its secrets, or all but one.

        None where that one's lie was to be its reveal.
        """
        given = self.evidence(silent=silent)
        return None if given is None else audit(given[0], reveals=given[1], workers=0)

    def evidence(self, *, silent: Role | None = None) -> tuple[Docket, tuple[HandedIn, ...]] | None:
        """Return what such an audit is given: the record, and the secrets that were handed in beside it."""
        if self._refused:
            return self.record(), ()
        if self.at is not None and self.at >= self._before_reveals():
            if silent is None:
                return self.record(), ()
            seed, seats = self._again
            once_more = CrookedEvening(self.attack, seed, seats=seats, silent=silent).evening()
            return None if once_more.at is None else (once_more.record(), ())
        handed = tuple(
            HandedIn(self.log.id, role, own.secret, own.luck) for role, own in self.roles.items() if role != silent
        )
        return self.docket(self._before_reveals()), handed

    def _before_reveals(self) -> int:
        return self.log.size - len(self.log.table.reveals)
