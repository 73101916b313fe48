"""What the processes remember during play: a hand's seals and openings are in its own vault's memory and no other's.

Where that vault is its player's own, nothing of the host's holds them, neither a process's memory nor a file.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.attacks.crooked_house import choose_keys, events, open_table
from tests.missing_suspect.town import WITNESS
from tests.support.discretion import Discretion
from tests.support.house import NAMES, TABLES, HouseOf
from tests.support.own_vaults import OWN, OwnVaultProcess, own_table
from tests.support.processes import Processes, processes

from chambers.bus.deployment import master_key
from chambers.clients.bot_runner import BotRunner
from chambers.clients.connecting import as_host, as_spectator, take_seat
from chambers.clients.session import SeatSession
from chambers.clients.spectating import Spectator
from chambers.fairness.keys import TableSecrets, card_seal, pair_secret
from chambers.protocol.boxes import open_disclosures
from chambers.protocol.client import Over
from chambers.protocol.docket import Docket
from chambers.protocol.log import Log
from chambers.protocol.tickets import Ticket
from chambers.rules import Phase
from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.events import Draw
from chambers.rules.roles import DEALER, Role, seat_role
from chambers.rules.terms import Opened
from chambers.rules.witness_stand.edition import is_answer
from chambers.services.contributor import boxes_of

SEATS = 3
NOSY = ("gm", "dice", "gallery", "gate", "seat1", "seat2", "nats-server")
ENOUGH = {"witness-stand": 30, "missing-suspect": 90}
BEFORE_THE_END = (Phase.COMMIT, Phase.MIX, Phase.DEAL, Phase.PLAY)


def holds(pid: int, needles: set[bytes]) -> set[bytes]:
    """Return which of the needles are anywhere in a process's writable memory."""
    found: set[bytes] = set()
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for row in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, rights = row.split()[:2]
            if not rights.startswith("rw") or row.endswith("[vvar]"):
                continue
            first, last = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(first)
                block = memory.read(last - first)
            except OSError:
                continue
            found |= {needle for needle in needles if needle in block}
    return found


async def sit(ticket: Ticket) -> asyncio.Task[Over | None]:
    """Return the running bot of the seat that a ticket opens; it plays on for as long as it is let."""
    session = SeatSession(ticket, NAMES[ticket.seat], take_over=True, silence=0.5)
    await take_seat(ticket, session)
    return asyncio.create_task(
        BotRunner(session, Discretion("rules", seed=ticket.table.hex()).make, pause=lambda: 0.0).play()
    )


async def played(spectator: Spectator, players: Sequence[asyncio.Task[Over | None]], game: str) -> str:
    """Return the phase of a table of which so much has been played that cards have changed hands; all have left it."""
    async for scene in spectator.scenes():
        if scene.sequence >= ENOUGH[game] or scene.phase not in BEFORE_THE_END:
            break
    for player in players:
        player.cancel()
    await asyncio.gather(*players, return_exceptions=True)
    return scene.phase


async def unchanged(spectator: Spectator, docket: Docket) -> bool:
    """Return whether nothing was said since: what a vault had under way still comes when its player has left."""
    return len((await spectator.docket()).leaves) == len(docket.leaves)


def secrets_of(running: Processes, role: Role, table: bytes) -> TableSecrets:
    key = master_key(running.deployment.role_home(role) / "master.key")
    return TableSecrets.from_master(key, table, role=role, attempt=1)


class Contents(NamedTuple):
    """The content of one box of a log: who made it for whom, in which event, and the cards."""

    author: Role
    to: Role
    event: TableEvent
    cards: Opened


def opened_boxes(running: Processes, leaves: tuple[bytes, ...], table: bytes) -> list[Contents]:
    """Return what every box of a log held, offers that were taken up included."""
    log, found = Log(table), []
    for raw in leaves:
        entry = log.admit(raw)
        private = secrets_of(running, entry.author, table).box_private if boxes_of(entry) else b""
        for to, box in boxes_of(entry):
            n = entry.n
            if entry.before is not None and entry.before.phase is Phase.PLAY:
                offered = entry.after.game.offered(entry.before.play, entry.event)
                n = entry.n if offered is None else log.counter_at(offered[0])
            commit = log.table.committed(to)
            assert commit is not None
            cards = open_disclosures(private, commit.box, table=table, author=entry.author, n=n, to=to, box=box)
            found.append(Contents(entry.author, to, entry.event, cards))
    return found


def secret_cards(running: Processes, leaves: tuple[bytes, ...], table: bytes) -> tuple[set[bytes], set[bytes]]:
    """Return seals and openings that only the dealer and seat 0 have: those of no card that was anywhere else."""
    boxes, said = opened_boxes(running, leaves, table), b"".join(leaves)
    mine = [box for box in boxes if (box.author, box.to) == (DEALER, seat_role(0))]
    elsewhere = [card for box in boxes if box not in mine for card in box.cards]
    kinds = {card.value for box in mine for card in box.cards if card.seal and is_one_of_a_kind(box.event, card.value)}
    kept = kinds - {card.value for card in elsewhere if card.seal}
    dealer = secrets_of(running, DEALER, table).secret
    seals = {card_seal(dealer, kind) for kind in kept}
    openings = {card.nonce for box in mine for card in box.cards if card.nonce}
    openings -= {card.nonce for card in elsewhere if card.nonce}
    return {one for one in seals if one not in said}, {one for one in openings if one not in said}


def is_one_of_a_kind(event: TableEvent, kind: int) -> bool:
    """Return whether there is one card of a kind; of several, each holder has the one seal of them all."""
    return kind != WITNESS if isinstance(event, Draw) else is_answer(kind)


@pytest.mark.parametrize("game", TABLES)
async def test_no_process_but_its_own_vault_and_the_dealer_remembers_a_hand(tmp_path: Path, game: str) -> None:
    choose_keys(tmp_path)
    async with processes(tmp_path, seats=SEATS) as running:
        host = await as_host(running.url, running.home)
        here = HouseOf(running, host)
        table = await open_table(here, game=game, seats=SEATS)
        spectator = await as_spectator(running.url, table)
        players = [await sit(await host.ticket(table, seat)) for seat in range(SEATS)]
        phase = await played(spectator, players, game)
        pids = {user: process.pid for user, process in running._running.items()}
        assert running.server.pid is not None
        pids["nats-server"] = running.server.pid
        while True:
            docket = await spectator.docket()
            seals, nonces = secret_cards(running, docket.leaves, table)
            try:
                own = holds(pids["seat0"], seals | nonces)
            except PermissionError:
                pytest.skip("this machine lets nobody read another process's memory")
            others = {user: holds(pids[user], seals | nonces) for user in NOSY}
            if await unchanged(spectator, docket):
                break
        await spectator.leave()
        await host.bus.close()

    assert phase == Phase.PLAY
    assert len(events(docket)) >= ENOUGH[game]
    assert len(seals) > 1
    assert len(nonces) > 2
    assert own == seals | nonces
    assert others == {user: set() for user in NOSY}


def keys_of(master: bytes, mine: TableSecrets, table: bytes) -> set[bytes]:
    """Return what a vault keeps for itself at a table, from its master key to the secret of its client's ticket."""
    assert mine.frame_key is not None
    derived = {mine.secret, mine.luck, mine.signing_seed, mine.box_private, mine.frame_key}
    return {master, pair_secret(master, table, issue=0), *derived}


def openings_of(mine: TableSecrets, leaves: tuple[bytes, ...], table: bytes) -> set[bytes]:
    """Return the openings of the places whose cards the dealer handed to a seat, but those the log has told since."""
    log, role = Log(table), Role(mine.role)
    entries = [log.admit(raw) for raw in leaves]
    found: set[bytes] = set()
    for entry in entries:
        for to, box in boxes_of(entry) if entry.author == DEALER else ():
            if to == role:
                dealer = log.table.committed(DEALER)
                assert dealer is not None
                cards = open_disclosures(
                    mine.box_private, dealer.box, table=table, author=DEALER, n=entry.n, to=role, box=box
                )
                found |= {card.nonce for card in cards if card.nonce is not None}
    said = b"".join(leaves)
    return {nonce for nonce in found if nonce not in said}


def on_disk(folder: Path, needles: set[bytes]) -> set[tuple[str, bytes]]:
    """Return which of the needles are in which file anywhere below a folder."""
    files: dict[Path, bytes] = {}
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):  # a service may just have replaced it
            files[path] = path.read_bytes()
    return {(str(path), needle) for path, data in files.items() for needle in needles if needle in data}


@pytest.mark.parametrize("game", TABLES)
async def test_nothing_of_the_host_s_holds_a_hand_whose_vault_is_the_player_s_own(tmp_path: Path, game: str) -> None:
    async with processes(tmp_path / "host", seats=SEATS) as running:
        host = await as_host(running.url, running.home)
        table = await own_table(HouseOf(running, host), game=game, seats=SEATS)
        async with OwnVaultProcess(tmp_path / "own", await host.vault_ticket(table, OWN)) as vault:
            spectator = await as_spectator(running.url, table)
            players = [await sit(await host.ticket(table, seat)) for seat in range(SEATS) if seat != OWN]
            players.append(await sit(vault.ticket))
            phase = await played(spectator, players, game)
            mine = TableSecrets.from_master(vault.master, table, role=seat_role(OWN), attempt=1)
            keys = keys_of(vault.master, mine, table)
            pids = {user: process.pid for user, process in running._running.items()}
            assert running.server.pid is not None
            while True:
                docket = await spectator.docket()
                openings = openings_of(mine, docket.leaves, table)
                try:
                    own = holds(vault.pid, keys | openings)
                except PermissionError:
                    pytest.skip("this machine lets nobody read another process's memory")
                # the dealer has made the openings; of the vault's keys it knows no more than anybody
                hosts = {user: holds(pid, keys if user == DEALER else keys | openings) for user, pid in pids.items()}
                hosts["nats-server"] = holds(running.server.pid, keys | openings)
                written = on_disk(running.home, keys | openings)
                if await unchanged(spectator, docket):
                    break
            await spectator.leave()
        await host.bus.close()

    assert phase == Phase.PLAY
    assert len(openings) > 1
    assert own >= openings | {vault.master, mine.secret}
    assert hosts == {name: set() for name in (*pids, "nats-server")}
    assert {f"seat{OWN}", "gm", "dealer", "dice", "gate", "gallery"} <= set(hosts)
    assert written == set()
