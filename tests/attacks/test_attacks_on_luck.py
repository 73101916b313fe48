"""A host that owns every key, against one player who brings luck: what he is bound to, shown, and asked for."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from tests.attacks.crooked_house import Crook, Window, crooked_house, found, open_table, vault_with
from tests.support.house import NAMES, House

from chambers.audit import audit
from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Make, Settings
from chambers.clients.connecting import as_spectator, take_seat
from chambers.clients.luck import OwnLuck
from chambers.clients.luck_shelf import LuckShelf
from chambers.clients.session import SeatSession
from chambers.fairness.keys import TableSecrets
from chambers.fairness.notes import sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.protocol.client import ChoiceRefused, GiveLuck, GiveMix, GiveShare, OfLuck, Over, Record
from chambers.protocol.docket import Docket
from chambers.protocol.log import Log
from chambers.protocol.statements import Entry, leaf, read_event, read_leaf, read_statement, sign
from chambers.rules import Phase
from chambers.rules.events import Commit, Reveal, TableEvent
from chambers.rules.roles import DICE, GM, Role
from chambers.services.luck import SeatLuck
from chambers.services.vault import Vault
from chambers.services.vault_table import VaultTable

SEAT = 1
LIAR = Role("seat1")


class CrookedLuck(SeatLuck):
    """The luck of a seat in the hands of a host who means no good; it keeps what it is given."""

    given: list[OfLuck]
    log_key: SigningKey

    async def take(self, message: OfLuck) -> None:
        """Take what the client says, and keep what it gives."""
        if isinstance(message, GiveLuck | GiveMix | GiveShare):
            self.given.append(message)
        await super().take(message)


class BindsToItsOwn(CrookedLuck):
    """Asks for the player's bindings and commits to the vault's own luck."""

    def commit(self, name: str) -> Commit | None:
        """Return the vault's own commit once the player has bound himself."""
        return None if super().commit(name) is None else self._me.commit(name)


class ShowsOtherCommits(CrookedLuck):
    """Shows the player a setup in which the dice are bound to another luck, signed with all of the host's keys."""

    async def _show(self, start: int) -> None:
        log = self._me.log
        if log.table.phase is not Phase.MIX:
            await super()._show(start)
            return
        forged = _with_other_dice(log)
        size, root = forged.head()
        note = sign_checkpoint(self.log_key, log.id, size=size, root=root)
        await self._client.send(Record(start, tuple(forged.leaves[start:]), size, note))


def _with_other_dice(log: Log) -> Log:
    """Return a setup that differs from the true one in what the dice are bound to, and in nothing else."""
    forged = Log(log.id)
    for raw in log.leaves:
        entry = read_leaf(raw)
        statement = read_statement(entry.stmt)
        role = Role(statement.author)
        if forged.opened:
            event = read_event(bytes(statement.ev), "witness-stand")
            secrets = TableSecrets.from_master(hashlib.sha256(role.encode()).digest(), log.id, role=role, attempt=1)
            if isinstance(event, Commit) and role == DICE:
                event = msgspec.structs.replace(event, luck=bytes(32))
            size, root = forged.head()
            sig, stmt = sign(
                secrets.signing_key, table=log.id, author=role, n=statement.n, size=size, root=root, event=event
            )
            entry = Entry(entry.seq, entry.ts, stmt, sig)
        forged.admit(leaf(entry))
        if forged.table.phase is Phase.MIX:
            break
    return forged


class LuckyVault(Vault):
    """A vault whose part in its seat's luck is of another kind at every table."""

    kind: type[CrookedLuck]
    log_key: SigningKey
    given: list[OfLuck]

    def _table(self, log: Log) -> VaultTable | None:
        known = log.id in self._tables
        table = super()._table(log)
        if table is not None and not known:
            luck = self.kind(table.me, table.client, self._kept_luck, self._follower.checkpoint)
            luck.given, luck.log_key = self.given, self.log_key
            table.luck = luck
        return table


def luck_of(kind: type[CrookedLuck], given: list[OfLuck]) -> Make:
    """Return what makes a vault whose part in its seat's luck is of a kind; what it is given comes to `given`."""

    async def make(bus: NatsBus, settings: Settings) -> Vault:
        made = LuckyVault(bus, seat=SEAT, master=master_key(settings.home / "master.key"), home=settings.home)
        made.kind, made.given = kind, given
        made.log_key = SigningKey(master_key(settings.home.parent / "gm" / "log.key"))
        return made

    return make


@asynccontextmanager
async def _seated(here: House, table: bytes, home: Path) -> AsyncIterator[tuple[SeatSession, Window]]:
    """Have a player with luck of his own play the seat, and others the other two."""
    others = [await Window.open(here, table, seat) for seat in (0, 2)]
    ticket = await here.host.ticket(table, SEAT)
    luck = OwnLuck(LuckShelf(home, table=table, seat=SEAT), table=table, seat=SEAT)
    session = SeatSession(ticket, NAMES[SEAT], take_over=True, luck=luck, silence=0.5)
    await take_seat(ticket, session)
    player = Window(session, seed=table.hex(), plays=True)
    try:
        yield session, player
    finally:
        for window in (player, *others):
            await window.close()


async def _record(here: House, table: bytes) -> Docket:
    """Return the record of a table that is closed, if need be by the host."""
    spectator = await as_spectator(here.stack.url, table)
    try:
        async with asyncio.timeout(90):
            async for _ in spectator.scenes():
                continue
        return await spectator.docket()
    finally:
        await spectator.leave()


def reveals_another_luck(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, luck=bytes(32)) if isinstance(event, Reveal) else None


async def test_a_vault_that_commits_to_another_luck_is_found_by_its_player(tmp_path: Path) -> None:
    given: list[OfLuck] = []
    async with crooked_house(tmp_path / "house", {LIAR: luck_of(BindsToItsOwn, given)}) as here:
        table = await open_table(here)
        async with _seated(here, table, tmp_path / "player") as (session, player):
            refused = await player.told("luck/other")

    assert session.betrayed
    assert "another luck" in refused.text
    assert given == []


async def test_join_leaves_a_vault_that_commits_to_another_luck_with_exit_code_1(tmp_path: Path) -> None:
    async with crooked_house(tmp_path / "house", {LIAR: luck_of(BindsToItsOwn, [])}) as here:
        table = await open_table(here)
        others = [await Window.open(here, table, seat) for seat in (0, 2)]
        ticket = await here.host.ticket(table, SEAT)
        joined = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "chambers.clients.cli", "join", ticket.text(), "--json",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "CHAMBERS_HOME": str(tmp_path / "player")},
        )  # fmt: skip
        assert joined.stdout is not None
        async with asyncio.timeout(60):
            told = await joined.stdout.read()
            code = await joined.wait()
        for window in others:
            await window.close()

    assert code == 1
    assert b'"code":"luck/other"' in told
    assert b'"state":"given"' not in told


async def test_a_host_that_shows_a_player_other_commits_than_the_record_has_contradicts_the_pinned_head(
    tmp_path: Path,
) -> None:
    given: list[OfLuck] = []
    async with crooked_house(tmp_path / "house", {LIAR: luck_of(ShowsOtherCommits, given)}) as here:
        table = await open_table(here)
        async with _seated(here, table, tmp_path / "player") as (session, player):
            await player.until(lambda: any(isinstance(one, ChoiceRefused) for one in player.heard))
            await here.close(table, "the host has seen enough")
            docket = await _record(here, table)

    pinned = LuckShelf(tmp_path / "player", table=table, seat=SEAT).pinned()
    alone, held = audit(docket), audit(docket, receipts=[pinned])
    assert {type(one) for one in given} == {GiveLuck}
    assert session.betrayed
    assert alone.findings == ()
    assert found(held) == {("A07", None, GM)}


async def test_a_vault_that_reveals_another_luck_than_its_player_brought_is_found(tmp_path: Path) -> None:
    crook = Crook(reveals_another_luck)
    async with crooked_house(tmp_path / "house", {LIAR: vault_with(crook)}) as here:
        table = await open_table(here)
        async with _seated(here, table, tmp_path / "player") as (_, player):
            await player.until(lambda: any(isinstance(one, Over) for one in player.heard), limit=90)
            docket = await _record(here, table)

    assert crook.accepted
    assert {(check, culprit) for check, _, culprit in found(audit(docket))} == {("A20", LIAR)}
