"""What the processes remember during play: a hand's seals and openings are in its own vault's memory and no other's.

Where that vault is its player's own, nothing of the host's holds them, neither a process's memory nor a file.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attacks.crooked_house import COURT_TABLE, choose_keys, events, open_table, seat_bot
from tests.support.house import TABLES, HouseOf
from tests.support.own_vaults import OWN, OwnVaultProcess, own_table, sit_down
from tests.support.processes import Processes, processes

from chambers.bus.deployment import master_key
from chambers.clients.connecting import as_host, as_spectator
from chambers.fairness.keys import TableSecrets, card_seal, pair_secret, place_nonce
from chambers.protocol.boxes import open_disclosures
from chambers.protocol.log import Log
from chambers.rules import Phase
from chambers.rules.events import Deal
from chambers.rules.roles import DEALER, Role, seat_role
from chambers.rules.witness_stand.edition import is_answer
from chambers.rules.witness_stand.events import Pass, Show
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.services.contributor import boxes_of

SEATS = 3
NOSY = ("gm", "dice", "gallery", "gate", "seat1", "seat2")
ENOUGH = {"witness-stand": 45, "missing-suspect": 90}
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


def secrets_of(running: Processes, role: Role, table: bytes) -> TableSecrets:
    key = master_key(running.deployment.role_home(role) / "master.key")
    return TableSecrets.from_master(key, table, role=role, attempt=1)


def secret_cards(running: Processes, leaves: tuple[bytes, ...], table: bytes) -> tuple[set[bytes], set[bytes]]:
    """Return the seals of the cards of seat 0 that never left it, and the openings of the places it was dealt."""
    log = Log(table)
    entries = [log.admit(raw) for raw in leaves]
    dealt, deal = next((entry, entry.event) for entry in entries if isinstance(entry.event, Deal))
    mine, dealer = secrets_of(running, seat_role(0), table), secrets_of(running, DEALER, table)
    opened = open_disclosures(
        mine.box_private, log.table.committed(DEALER).box, table=table, author=DEALER, n=dealt.n,  # type: ignore[union-attr]
        to=seat_role(0), box=dict(deal.boxes)[seat_role(0)],
    )  # fmt: skip
    told = {entry.event.card for entry in entries if isinstance(entry.event, Show | PlayCard)}
    for entry in entries:
        if isinstance(entry.event, Pass):
            author = secrets_of(running, entry.author, table)
            box = log.table.committed(entry.event.to).box  # type: ignore[union-attr]
            cards = open_disclosures(
                author.box_private, box, table=table, author=entry.author, n=entry.n, to=entry.event.to,
                box=entry.event.box,
            )  # fmt: skip
            told |= {card.value for card in cards}
    # a kind of which there are several cards has one seal, so only the answers are nobody else's
    kept = {card.value for card in opened if is_answer(card.value)} - told
    seals = {card_seal(dealer.secret, kind) for kind in kept}
    return seals, {place_nonce(dealer.secret, card.place) for card in opened if card.place is not None}


async def test_no_process_but_its_own_vault_and_the_dealer_remembers_a_hand(tmp_path: Path) -> None:
    choose_keys(tmp_path)
    async with processes(tmp_path, seats=SEATS) as running:
        host = await as_host(running.url, running.home)
        here = HouseOf(running, host)
        table = await open_table(here, options=COURT_TABLE, seats=SEATS)
        spectator = await as_spectator(running.url, table)
        players = [await seat_bot(here, table, seat, level="rules") for seat in range(SEATS)]
        async for scene in spectator.scenes():
            if scene.sequence >= ENOUGH["witness-stand"] or scene.phase not in BEFORE_THE_END:
                break
        for player in players:
            player.cancel()
        docket = await spectator.docket()
        seals, nonces = secret_cards(running, docket.leaves, table)
        pids = {user: process.pid for user, process in running._running.items()}
        try:
            own = holds(pids["seat0"], seals | nonces)
        except PermissionError:
            pytest.skip("this machine lets nobody read another process's memory")
        others = {user: holds(pids[user], seals | nonces) for user in NOSY}
        phase = scene.phase
        await spectator.leave()
        await host.bus.close()

    assert phase == Phase.PLAY
    assert len(events(docket)) >= ENOUGH["witness-stand"]
    assert len(seals) > 1
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
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {(str(path), needle) for path, data in files.items() for needle in needles if needle in data}


@pytest.mark.parametrize("game", TABLES)
async def test_nothing_of_the_host_s_holds_a_hand_whose_vault_is_the_player_s_own(tmp_path: Path, game: str) -> None:
    async with processes(tmp_path / "host", seats=SEATS) as running:
        host = await as_host(running.url, running.home)
        here = HouseOf(running, host)
        table = await own_table(here, game=game, seats=SEATS)
        async with OwnVaultProcess(tmp_path / "own", await host.vault_ticket(table, OWN)) as vault:
            spectator = await as_spectator(running.url, table)
            players = [await here.sit(table, seat, level="rules") for seat in range(SEATS) if seat != OWN]
            players.append(await sit_down(vault.ticket))
            async for scene in spectator.scenes():
                if scene.sequence >= ENOUGH[game] or scene.phase not in BEFORE_THE_END:
                    break
            for player in players:
                player.cancel()
            docket = await spectator.docket()
            mine = TableSecrets.from_master(vault.master, table, role=seat_role(OWN), attempt=1)
            keys, openings = keys_of(vault.master, mine, table), openings_of(mine, docket.leaves, table)
            pids = {user: process.pid for user, process in running._running.items()}
            try:
                own = holds(vault.pid, keys | openings)
            except PermissionError:
                pytest.skip("this machine lets nobody read another process's memory")
            # the dealer has made the openings; of the vault's keys it knows no more than anybody
            hosts = {user: holds(pid, keys if user == DEALER else keys | openings) for user, pid in pids.items()}
            assert running.server.pid is not None
            hosts["nats-server"] = holds(running.server.pid, keys | openings)
            written = on_disk(running.home, keys | openings)
            phase = scene.phase
            await spectator.leave()
        await host.bus.close()

    assert phase == Phase.PLAY
    assert len(openings) > 1
    assert own >= openings | {vault.master, mine.secret}
    assert hosts == {name: set() for name in (*pids, "nats-server")}
    assert {f"seat{OWN}", "gm", "dealer", "dice", "gate", "gallery"} <= set(hosts)
    assert written == set()
