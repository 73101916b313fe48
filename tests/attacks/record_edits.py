"""Every edit of an honest record that somebody who keeps it could make, with or without the game master's key.

Each is a row of the detection table. `at` is the first entry that the edit touches: no earlier one may be found wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from tests.attacks.crooked_evening import Attack, CrookedEvening

from chambers.audit import Verdict, audit
from chambers.audit.findings import LOG
from chambers.fairness.notes import checkpoint_text, cosign, cosignature_line, sign_checkpoint
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.statements import Entry, leaf, read_event, read_leaf, read_statement, sign
from chambers.rules.events import Say
from chambers.rules.roles import GM, Role, seat_role


class Edited(NamedTuple):
    """A record that somebody has been at, the receipts that players kept, and the first entry that was touched."""

    docket: Docket
    receipts: tuple[str, ...]
    at: int

    def named(self) -> str | None:
        """Return the check that finds it and blames whoever kept the record and nobody else, or None."""
        report = audit(self.docket, receipts=self.receipts, workers=0)
        if report.verdict is not Verdict.CHEATED:
            return None
        first = report.findings[0]
        if {item.culprit for item in report.findings} - {LOG, GM}:
            return None
        return first.check if first.entry is None or first.entry >= self.at else None


class Records:
    """One honest game as its record, another table of the same house, and a second game under the same id and keys."""

    def __init__(self, game: str, seed: int, *, entries: int | None = None) -> None:
        seats = 3 + seed % 3
        self.chance = random.Random(seed)
        self.game = _honest(game, seed, seats).evening(entries)
        self.other = _honest(game, seed + 10_000, seats).evening(entries)
        self.twin = _honest(game, seed, seats)
        self.twin.random = random.Random(f"again {seed}")
        self.twin.evening(entries)
        self.leaves = list(self.game.log.leaves)

    def pick(self) -> int:
        """Return an entry of the game, not its first, up to the last goodbye."""
        return self.chance.randrange(1, self.goodbyes)

    @property
    def goodbyes(self) -> int:
        """Return the size of the log after its last goodbye."""
        return self.game.log.size - len(self.game.log.table.reveals)

    def receipt(self) -> str:
        """Return the receipt that every player keeps: the head after the last goodbye, signed by everybody."""
        one, size = self.game, self.goodbyes
        root = one.log.tree.root_at(size)
        text = checkpoint_text(one.log.id, size, root=root)
        lines = (
            cosignature_line(
                one.log.id, role, public=own.signing_key.public, cosignature=cosign(own.signing_key, text, time=1)
            )
            for role, own in one.roles.items()
        )
        return sign_checkpoint(one.key, one.log.id, size=size, root=root) + "".join(lines)

    def edited(self, leaves: list[bytes], at: int, *, signed: bool, kept: bool = False) -> Edited:
        """Return a record of some leaves: `signed` anew by the game master, held against a receipt that was `kept`."""
        docket = self.game.record()
        note = self.note(leaves) if signed else docket.note
        changed = msgspec.structs.replace(docket, leaves=tuple(leaves), note=note)
        return Edited(changed, (self.receipt(),) if kept else (), at)

    def note(self, leaves: list[bytes]) -> str:
        """Return the game master's checkpoint over any leaves."""
        tree = Tree()
        for raw in leaves:
            tree.append(leaf_hash(raw))
        return sign_checkpoint(self.game.key, self.game.log.id, size=tree.size, root=tree.root())


Edit = Callable[[Records], Edited]


def _honest(game: str, seed: int, seats: int) -> CrookedEvening:
    return CrookedEvening(Attack("", game, seat_role(1)), seed, seats=seats)


def _renumbered(leaves: list[bytes]) -> list[bytes]:
    return [leaf(msgspec.structs.replace(read_leaf(raw), seq=n)) for n, raw in enumerate(leaves)]


def _flipped(of: Records, at: int) -> list[bytes]:
    raw = bytearray(of.leaves[at])
    raw[of.chance.randrange(len(raw))] ^= 1 << of.chance.randrange(8)
    return [*of.leaves[:at], bytes(raw), *of.leaves[at + 1 :]]


def flips_a_bit(of: Records) -> Edited:
    at = of.pick()
    return of.edited(_flipped(of, at), at, signed=False)


def _of_another_release(of: Records, raw: bytes) -> bool:
    """Return whether a flip made a kind of event that no release here knows: signed anew, it tells of nobody."""
    try:
        read_event(bytes(read_statement(read_leaf(raw).stmt).ev), of.game.attack.game)
    except ProtocolError as error:
        return error.code == "protocol/unknown-event"
    return False


def flips_a_bit_and_signs(of: Records) -> Edited:
    at = of.pick()
    leaves = _flipped(of, at)
    while _of_another_release(of, leaves[at]):
        leaves = _flipped(of, at)
    return of.edited(leaves, at, signed=True)


def censors_an_entry(of: Records) -> Edited:
    at = of.pick()
    return of.edited(_renumbered([*of.leaves[:at], *of.leaves[at + 1 :]]), at, signed=True)


def censors_all_that_one_says_from_then_on(of: Records) -> Edited:
    at = of.pick()
    author = read_statement(read_leaf(of.leaves[at]).stmt).author
    later = [raw for raw in of.leaves[at:] if read_statement(read_leaf(raw).stmt).author != author]
    return of.edited(_renumbered([*of.leaves[:at], *later]), at, signed=True)


def exchanges_two_entries(of: Records) -> Edited:
    at = of.chance.randrange(1, of.goodbyes - 1)
    leaves = [*of.leaves[:at], of.leaves[at + 1], of.leaves[at], *of.leaves[at + 2 :]]
    return of.edited(_renumbered(leaves), at, signed=True)


def doubles_an_entry(of: Records) -> Edited:
    at = of.pick()
    return of.edited(_renumbered([*of.leaves[:at], of.leaves[at - 1], *of.leaves[at:]]), at, signed=True)


def puts_in_an_entry_of_another_table(of: Records) -> Edited:
    at = of.chance.randrange(1, min(of.goodbyes, of.other.log.size))
    return of.edited([*of.leaves[:at], of.other.log.leaves[at], *of.leaves[at + 1 :]], at, signed=True)


def invents_a_statement(of: Records) -> Edited:
    at, one = of.pick(), of.game
    author = Role(read_statement(read_leaf(of.leaves[at]).stmt).author)
    n = sum(read_statement(read_leaf(raw).stmt).author == author for raw in of.leaves[:at])
    root = one.log.tree.root_at(at)
    sig, stmt = sign(one.key, table=one.log.id, author=seat_role(1), n=n, size=at, root=root, event=Say("I yield."))
    forged = leaf(Entry(at, read_leaf(of.leaves[at - 1]).ts, stmt, sig))
    return of.edited(_renumbered([*of.leaves[:at], forged, *of.leaves[at:]]), at, signed=True)


def cuts_the_tail(of: Records) -> Edited:
    at = of.pick()
    return of.edited(of.leaves[:at], at, signed=False)


def cuts_the_tail_and_signs(of: Records) -> Edited:
    at = of.pick()
    return of.edited(of.leaves[:at], at, signed=True, kept=True)


def goes_on_with_a_second_game(of: Records) -> Edited:
    at = of.chance.randrange(8, min(of.goodbyes, of.twin.log.size))
    while of.leaves[at] == of.twin.log.leaves[at]:
        at += 1
    return of.edited([*of.leaves[:at], *of.twin.log.leaves[at:]], at, signed=True, kept=True)


def plays_a_whole_second_game(of: Records) -> Edited:
    return of.edited(list(of.twin.log.leaves), 0, signed=True, kept=True)


def showed_somebody_another_log(of: Records) -> Edited:
    """A client pinned a head of the second game; the record is the first one's, unchanged."""
    docket, twin = of.game.record(), list(of.twin.log.leaves)
    shorter = min(of.goodbyes, len(twin))
    size = of.chance.randrange(shorter // 2, shorter) + 1
    return Edited(docket, (of.note(twin[:size]),), 0)


def puts_the_checkpoint_of_another_log_under_it(of: Records) -> Edited:
    shorter = min(of.goodbyes, of.twin.log.size)
    note = of.note(list(of.twin.log.leaves)[: of.chance.randrange(shorter // 2, shorter) + 1])
    return Edited(msgspec.structs.replace(of.game.record(), note=note), (), 0)


def signs_with_another_key(of: Records) -> Edited:
    tree, log = of.game.log.tree, of.game.log
    note = sign_checkpoint(of.other.key, log.id, size=tree.size, root=tree.root())
    return Edited(msgspec.structs.replace(of.game.record(), note=note), (), 0)


EDITS: dict[str, Edit] = {
    "flips a bit of an entry": flips_a_bit,
    "the same, signed anew by the game master": flips_a_bit_and_signs,
    "censors an entry, renumbers the rest, signed": censors_an_entry,
    "censors all that one author says from then on, signed": censors_all_that_one_says_from_then_on,
    "exchanges two entries, signed": exchanges_two_entries,
    "doubles an entry, signed": doubles_an_entry,
    "puts in an entry of another table, signed": puts_in_an_entry_of_another_table,
    "invents a statement of a seat, signed": invents_a_statement,
    "cuts the tail": cuts_the_tail,
    "cuts the tail, signed; against a receipt": cuts_the_tail_and_signs,
    "goes on with a second game, signed; against a receipt": goes_on_with_a_second_game,
    "plays a whole second game with all keys; against a receipt": plays_a_whole_second_game,
    "puts the checkpoint of another log under it": puts_the_checkpoint_of_another_log_under_it,
    "signs the checkpoint with another key": signs_with_another_key,
    "showed one client another log; against the head it kept": showed_somebody_another_log,
}
