"""The luck of one seat at one table: its vault's own, or what its player's client brings, whole or piece by piece."""

from __future__ import annotations

import time
from typing import Final

from msgspec.structs import replace

from chambers.fairness.dice import Chain
from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES
from chambers.fairness.keys import check_mix, luck_bindings, luck_commitment, mix_entropy
from chambers.protocol.client import (
    Bindings,
    ChoiceRefused,
    GiveLuck,
    GiveMix,
    GiveShare,
    OfLuck,
    ReadOn,
    Record,
    WantsBindings,
    WantsLuck,
)
from chambers.rules import Phase, due, rollers
from chambers.rules.events import Again, Commit, LastWord, Mix, TableEvent
from chambers.services.contributor import Contributor
from chambers.services.farewell import CheckpointAt
from chambers.services.kept_luck import KeptLuck
from chambers.services.vault_client import VaultClient

ASK_AGAIN_S: Final = 1.0
ROOM: Final = 10 * 1024
"""Bytes of entries in one frame: no entry of either game is longer, and the frame holds a checkpoint beside them."""


class SeatLuck:
    """What a vault states of its seat's luck. The commit in the log says whose it is, so a restart changes nothing.

    Of a luck that a client brought it knows what the client gave: the whole, which it keeps until the reveal, or the
    mix and the share that are due. What is missing is None, and the client is asked for it.
    """

    def __init__(self, me: Contributor, client: VaultClient, kept: KeptLuck, checkpoint: CheckpointAt) -> None:
        self._me = me
        self._client = client
        self._kept = kept
        self._checkpoint = checkpoint
        self._awaits_bindings = False
        self._bound: Bindings | None = None
        self._given: tuple[int, bytes, Chain] | None = None
        self._mix: tuple[int, bytes] | None = None
        self._share: tuple[int, bytes] | None = None
        self._asked: tuple[WantsBindings | WantsLuck, float] | None = None

    def __repr__(self) -> str:
        return f"SeatLuck({self._me.role})"

    @property
    def brought(self) -> bool:
        """Return whether this seat is bound to a luck that is not its vault's own."""
        return self._commit is not None and self._commit.luck != luck_commitment(
            self._me.log.id, self._me.role, luck=self._me.secrets.luck
        )

    @property
    def awaited(self) -> bool:
        """Return whether the table waits for something that only the player's client has."""
        return self._wanted() is not None

    @property
    def _commit(self) -> Commit | None:
        return self._me.log.table.committed(self._me.role)

    # what the vault states with it

    def commit(self, name: str) -> Commit | None:
        """Return the event that binds this seat; None while a client that brings its luck has not bound itself."""
        if not self._awaits_bindings:
            return self._me.commit(name)
        bound = self._bound
        if bound is None or bound.attempt != self._me.log.table.attempt:
            return None
        return replace(self._me.commit(name), luck=bound.luck, anchor=bound.anchor, mix=bound.mix)

    def mix(self) -> Mix | None:
        """Return this seat's mix, or None."""
        if not self.brought:
            return Mix(self._me.secrets.mix)
        whole = self._whole()
        if whole is not None:
            return Mix(mix_entropy(whole[0]))
        if self._mix is not None and self._mix[0] == self._me.log.table.attempt:
            return Mix(self._mix[1])
        return None

    def share(self, k: int) -> bytes | None:
        """Return this seat's share of roll `k`, or None; the caller knows that the roll is due."""
        if not self.brought:
            return self._me.share(k)
        whole = self._whole()
        if whole is not None:
            return whole[1].share(k)
        return self._share[1] if self._share is not None and self._share[0] == k else None

    def leaving(self, act: str) -> TableEvent | None:
        """Return the bye or the last word that this seat owes; None for one that opens a luck which is not here."""
        if act == "bye" or not self.brought or not self._opens:
            return self._me.leaving(act)
        whole = self._whole()
        return None if whole is None else self._me.leaving(act, luck=whole[0])

    @property
    def _opens(self) -> bool:
        """Return whether the last word at this table opens anything, to whomever."""
        return self._me.log.table.setup.opening.reveal != "none"

    def _whole(self) -> tuple[bytes, Chain] | None:
        """Return the luck that was brought and given whole, with its chain."""
        table = self._me.log.table
        if self._given is None or self._given[0] != table.attempt:
            luck = self._kept.read(self._me.log.id, table.attempt)
            self._given = None if luck is None else self._opened(luck)
        return None if self._given is None else self._given[1:]

    def _opened(self, luck: bytes) -> tuple[int, bytes, Chain] | None:
        """Return a luck with its attempt and chain if it opens what this seat is bound to; else None."""
        commit, table = self._commit, self._me.log.table
        if commit is None or len(luck) != KEY_BYTES:
            return None
        chain = Chain(luck, self._me.log.id, role=self._me.role, length=table.setup.opening.chain)
        bound = luck_bindings(chain, luck, table=self._me.log.id, role=self._me.role)
        return (table.attempt, luck, chain) if bound == (commit.luck, commit.anchor, commit.mix) else None

    # what the log says of it

    def on_entry(self, event: TableEvent, *, mine: bool) -> None:
        """Erase what is kept of a setup that is void, and what has been revealed or will never be."""
        table = self._me.log.table
        if isinstance(event, Again):
            self._kept.erase(self._me.log.id, before=table.attempt)
        elif (mine and isinstance(event, LastWord)) or table.phase is Phase.CLOSED:
            self._kept.erase(self._me.log.id)

    # what the client is asked for, and gives

    def begin(self, brings: bool) -> None:
        """Take in that a client has begun, which `brings` its own luck or leaves it to the vault."""
        self._awaits_bindings, self._bound, self._asked = brings, None, None

    async def ask(self) -> None:
        """Ask the client for what is missing, at once and then every second."""
        wanted, now = self._wanted(), time.monotonic()
        if wanted is None or not self._client.there:
            self._asked = None
        elif self._asked is None or self._asked[0] != wanted or now - self._asked[1] >= ASK_AGAIN_S:
            self._asked = (wanted, now)
            await self._client.send(wanted)

    def _wanted(self) -> WantsBindings | WantsLuck | None:
        log = self._me.log
        if not log.opened or not self._me.mine:
            return None
        table, role = log.table, self._me.role
        if self._commit is None:
            waiting = table.phase is Phase.COMMIT and self._awaits_bindings and self._bound is None
            return WantsBindings(table.attempt, table.setup.opening.chain) if waiting else None
        for item in due(table):
            rolls = item.act == "roll" and role in rollers(table) and self.share(item.k) is None
            mixes = item.act == "mix" and item.who == role and self.mix() is None
            reveals = item.act == "reveal" and item.who == role and self._opens
            if rolls or mixes or (reveals and self.brought and self._whole() is None):
                return WantsLuck(log.size)
        return None

    async def take(self, message: OfLuck) -> None:
        """Take in what the client binds itself to or gives, or let it read on; what does not fit is refused."""
        try:
            match message:
                case Bindings():
                    self._take_bindings(message)
                case ReadOn(start=start):
                    await self._show(start)
                case GiveLuck(attempt=attempt, luck=luck):
                    self._take_luck(attempt, luck)
                case GiveMix(attempt=attempt, e=e):
                    self._take_mix(attempt, e)
                case GiveShare(k=k, x=x):
                    self._take_share(k, x)
        except FairnessError as error:
            await self._client.send(ChoiceRefused("", "luck/wrong", f"Your luck was not taken. {error.sentence}"))
        except OSError:
            await self._client.send(ChoiceRefused("", "luck/not-kept", "The vault's disk does not take your luck."))

    def _take_bindings(self, message: Bindings) -> None:
        if message.attempt != self._me.log.table.attempt or self._commit is not None:
            return  # late: the setup has gone on, and what is wanted now is asked for
        if {len(value) for value in (message.luck, message.anchor, message.mix)} != {KEY_BYTES}:
            raise FairnessError("luck/wrong", "What binds a seat to its luck has 32 bytes each.")
        self._bound = message

    def _take_luck(self, attempt: int, luck: bytes) -> None:
        table = self._me.log.table
        open_already = table.phase is Phase.CLOSED or self._me.role in table.reveals
        if attempt != table.attempt or not self.brought or open_already or self._whole() is not None:
            return
        opened = self._opened(luck)
        if opened is None:
            raise FairnessError("luck/wrong", "It does not open what this seat is bound to.")
        self._kept.write(self._me.log.id, attempt, luck)
        self._given = opened

    def _take_mix(self, attempt: int, e: bytes) -> None:
        commit = self._commit
        if commit is None or attempt != self._me.log.table.attempt:
            return
        check_mix(commit.mix, e, table=self._me.log.id, role=self._me.role)
        self._mix = (attempt, e)

    def _take_share(self, k: int, x: bytes) -> None:
        if not any(item.act == "roll" and item.k == k for item in due(self._me.log.table)):
            return
        self._me.log.check_link(self._me.role, k, x)
        self._share = (k, x)

    async def _show(self, start: int) -> None:
        """Send the client entries from `start` on, and with the last of them the checkpoint over all."""
        log = self._me.log
        size, room = log.size, ROOM
        page: list[bytes] = []
        for raw in log.leaves[max(0, start) : size]:
            room -= len(raw)
            if room < 0 and page:
                break
            page.append(raw)
        last = max(0, start) + len(page) >= size
        note = await self._checkpoint(log, size) if last else ""
        await self._client.send(Record(max(0, start), tuple(page), size, note))
