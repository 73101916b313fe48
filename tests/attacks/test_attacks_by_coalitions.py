"""Two roles that play into each other's hands: what the one knows does not bind the rest, and their lies stay lies."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_house import (
    COURT_TABLE,
    Crook,
    CrookedVault,
    crooked_house,
    dealer_with,
    dice_with,
    entry_of,
    evening,
    evenings,
    events,
    found,
    open_table,
    seat_bot,
    vault_with,
)
from tests.attacks.kept_secrets import without
from tests.support.insider import Insider

from chambers.audit import Verdict, audit, inspect
from chambers.audit.findings import LOG
from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Make, Settings
from chambers.bus.stream import StreamLog
from chambers.clients.connecting import as_spectator
from chambers.fairness.keys import TableSecrets, card_seal
from chambers.fairness.signatures import SigningKey
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import ShareReply, encode
from chambers.protocol.statements import read_event, read_statement, unpack
from chambers.rules.events import Bad, Deal, Drop, Mix, Roll, Share, Stall, TableEvent
from chambers.rules.roles import DEALER, DICE, GM, Role, seat_role
from chambers.rules.terms import Disclosed
from chambers.rules.witness_stand import CHAIN
from chambers.rules.witness_stand.edition import ANSWERS, question_of
from chambers.rules.witness_stand.events import Pass
from chambers.services.game_master import GameMaster
from chambers.services.vault import Vault

LIAR = Role("seat1")
# enough for every seat that is there to publish its share, for which it has half of this, on a machine that is busy
IMPATIENT = tuple((name, "3" if name == "stall_s" else value) for name, value in COURT_TABLE)


# the dealer and a seat


def passes_a_card_that_the_dealer_told_it_of(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    play = at.log.table.play
    if not isinstance(event, Pass) or str(play.stage) != "answer":
        return None
    asked = play.asked.question
    master = hashlib.sha256(DEALER.encode()).digest()
    secret = TableSecrets.from_master(master, at.log.id, role=DEALER, attempt=at.log.table.attempt).secret
    never = [kind for kind in range(ANSWERS) if question_of(kind) == asked and kind not in at._seals]
    if not never:
        return None
    card = Disclosed(never[0], card_seal(secret, never[0]))
    return msgspec.structs.replace(event, box=at.me.box(n, event.to, (card,)))


@pytest.mark.parametrize("silent", [(), (LIAR,), (DEALER,)], ids=["nobody", "the seat", "the dealer"])
async def test_a_seat_that_gets_seals_from_the_dealer_is_found_whoever_of_the_two_keeps_its_secret(
    tmp_path: Path, silent: tuple[Role, ...]
) -> None:
    crook = Crook(passes_a_card_that_the_dealer_told_it_of)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook)
    cut, handed = without(docket, *silent)

    report = audit(cut, reveals=handed)

    assert crook.accepted
    assert ("A23", entry_of(docket, crook.told[-1]), LIAR) in found(report)
    assert {item.culprit for item in report.findings} - {LOG} == {LIAR}  # that the record was cut is a finding, too


class MixesAnew:
    """Waits for the other mixes, which the dealer could judge, and then mixes something that suits the two."""

    def __call__(self, at: Any, event: TableEvent, n: int) -> TableEvent | None:
        others = [mix.e for _, mix in at.log.table.mixes]
        return Mix(hashlib.sha256(b"".join(others)).digest()) if isinstance(event, Mix) else None


async def test_a_seat_cannot_choose_its_mix_for_the_dealer_once_it_is_bound(tmp_path: Path) -> None:
    crook = Crook(MixesAnew(), insist=False)
    async with crooked_house(tmp_path, {LIAR: vault_with(crook)}) as here:
        docket = await evenings(here, crook)

    assert crook.codes == ["fairness/mix"]
    assert audit(docket).verdict is Verdict.CLEAN


def keeps_the_deal_back(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, boxes=()) if isinstance(event, Deal) else None


async def test_a_seat_cannot_fill_the_log_with_complaints_while_the_dealer_keeps_the_deal_back(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {DEALER: dealer_with(Crook(keeps_the_deal_back))}) as here:
        table = await open_table(here)
        spectator = await as_spectator(here.stack.url, table)
        players = [await seat_bot(here, table, seat) for seat in range(3)]
        async for scene in spectator.scenes():
            if scene.phase == "deal":
                break
        insider = await Insider.enter(here.stack, table, LIAR)

        answer = await insider.submit(insider.statement(Bad(2, "fairness/place")))
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await spectator.leave()
        await insider.bus.close()

    assert isinstance(answer, Refusal)
    assert answer.code == "rule/not-in-play"


# the dice and a seat


def says_no_share(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, x=bytes(32)) if isinstance(event, Share) else None


class TakesItsShareAway(CrookedVault):
    """A vault that gives nobody its share of a roll, as if the two had seen that another one suits them more."""

    async def _on_share(self, subject: str, data: bytes) -> bytes | None:
        return encode(Refusal("vault/luck-away", "It is not to be had."))


async def withholding(bus: NatsBus, settings: Settings) -> Vault:
    made = TakesItsShareAway(bus, seat=1, master=master_key(settings.home / "master.key"), home=settings.home)
    made.crook = Crook(says_no_share)
    return made


async def test_the_dice_and_a_seat_get_another_roll_only_by_giving_up_the_seat(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {LIAR: withholding}) as here:
        docket = await evening(here, lambda: True, more=26, options=IMPATIENT)

    said = [event for _, _, event in events(docket)]
    dropped = [event.seat for event in said if isinstance(event, Drop)]
    rolls = [event for event in said if isinstance(event, Roll)]
    assert dropped == [1]
    assert rolls[0].k == 2
    assert all(LIAR not in dict(roll.shares) for roll in rolls)
    assert audit(docket).verdict is Verdict.CLEAN


def keeps_the_roll_back(at: Any, event: TableEvent, n: int) -> TableEvent | None:
    return msgspec.structs.replace(event, value=7) if isinstance(event, Roll) else None


async def test_the_dice_and_two_seats_cannot_have_a_seat_dropped_whose_share_is_there(tmp_path: Path) -> None:
    async with crooked_house(tmp_path, {DICE: dice_with(Crook(keeps_the_roll_back))}, seats=4) as here:
        table = await open_table(here, seats=4, options=IMPATIENT)
        spectator = await as_spectator(here.stack.url, table)
        players = [await seat_bot(here, table, seat) for seat in range(4)]
        rogues = [await Insider.enter(here.stack, table, seat_role(seat)) for seat in (0, 1)]
        async for _ in spectator.scenes():
            await rogues[0].read()
            if rogues[0].log.opened and len(rogues[0].log.table.shares) == 4:
                break
        (roll,) = [item for item in rogues[0].log.table.game.due(rogues[0].log.table.play) if item.who == DICE]
        late: Any = None
        while late is None or isinstance(late, Refusal):  # until so much time has passed that somebody may be reported
            late = await rogues[0].submit(rogues[0].statement(Stall(DICE, roll.since)))
        for rogue in rogues:
            await rogue.read()
        answers = [await rogue.submit(rogue.statement(Stall(seat_role(3), roll.since))) for rogue in rogues]
        await here.close(table, "the dice do not roll")
        async for _ in spectator.scenes():
            pass
        docket = await spectator.docket()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        for rogue in rogues:
            await rogue.bus.close()
        await spectator.leave()

    assert [getattr(answer, "code", "accepted") for answer in answers] == ["rule/not-stalled"] * 2
    assert not [event for _, _, event in events(docket) if isinstance(event, Drop)]
    assert audit(docket).verdict is Verdict.CLEAN


# the game master and a seat, against the dice


class GivesAFalseShare(Vault):
    """Gives the dice a share that no chain has."""

    async def _on_share(self, subject: str, data: bytes) -> bytes | None:
        honest = await super()._on_share(subject, data)
        try:
            share = msgspec.msgpack.decode(honest or b"", type=ShareReply)
        except msgspec.ValidationError:
            return honest  # none is due yet
        return encode(ShareReply(share.k, bytes(reversed(share.x))))


def collecting(kept: list[bytes]) -> Make:
    """Return the maker of a game master that keeps every word which the dice send it, refused or not."""

    class Collects(GameMaster):
        async def _on_statement(self, subject: str, data: bytes) -> bytes:
            kept.extend([data] * subject.endswith(f".{DICE}"))
            return await super()._on_statement(subject, data)

    async def make(bus: NatsBus, settings: Settings) -> GameMaster:
        key = SigningKey(master_key(settings.home / "log.key"))
        return Collects(bus, StreamLog(bus), key=key, home=settings.home)

    return make


async def test_dice_that_are_given_a_false_share_sign_nothing_of_which_a_game_master_could_convict_them(
    tmp_path: Path,
) -> None:
    kept: list[bytes] = []

    async def lying(bus: NatsBus, settings: Settings) -> Vault:
        return GivesAFalseShare(bus, seat=1, master=master_key(settings.home / "master.key"), home=settings.home)

    async with crooked_house(tmp_path, {GM: collecting(kept), LIAR: lying}) as here:
        docket = await evening(here, lambda: True, more=16, options=IMPATIENT)

    said = [read_event(bytes(read_statement(unpack(one)[1]).ev), "witness-stand") for one in kept]
    signed = {(event.k, dict(event.shares)[LIAR]) for event in said if isinstance(event, Roll)}
    master = master_key(tmp_path / "roles" / LIAR / "master.key")
    luck = TableSecrets.from_master(master, inspect(docket).walk.log.id, role=LIAR, attempt=1).chain(CHAIN)
    assert signed
    assert signed == {(k, luck.share(k)) for k, _ in signed}
    assert audit(docket).verdict is Verdict.CLEAN


class GivesItsShareTooLate(Vault):
    """Gives its share of the third roll only when the table is closed, and the dice have had time to hear of it."""

    kept: bytes | None = None
    asked = 0
    waited_for: asyncio.Event

    async def _on_share(self, subject: str, data: bytes) -> bytes | None:
        honest = await super()._on_share(subject, data)
        try:
            third = msgspec.msgpack.decode(honest or b"", type=ShareReply).k == 3
        except msgspec.ValidationError:
            third = False
        self.kept = honest if third else self.kept
        if self.kept is None:
            return honest
        self.asked += 1
        self.waited_for.set()
        return self.kept if self.asked >= 4 else None


async def test_dice_that_get_a_share_once_the_table_is_closed_sign_no_roll_for_a_game_master_to_store(
    tmp_path: Path,
) -> None:
    kept: list[bytes] = []
    waited_for = asyncio.Event()

    async def lying(bus: NatsBus, settings: Settings) -> Vault:
        made = GivesItsShareTooLate(bus, seat=1, master=master_key(settings.home / "master.key"), home=settings.home)
        made.waited_for = waited_for
        return made

    async with crooked_house(tmp_path, {GM: collecting(kept), LIAR: lying}) as here:
        table = await open_table(here)
        spectator = await as_spectator(here.stack.url, table)
        players = [await seat_bot(here, table, seat) for seat in range(3)]
        async with asyncio.timeout(90):
            await waited_for.wait()
            await here.close(table, "the evening is over")
            async for _ in spectator.scenes():
                pass
        docket = await spectator.docket()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
        await spectator.leave()

    said = [read_event(bytes(read_statement(unpack(one)[1]).ev), "witness-stand") for one in kept]
    signed = {event.k for event in said if isinstance(event, Roll)}
    assert signed == {event.k for _, _, event in events(docket) if isinstance(event, Roll)} == {1, 2}
