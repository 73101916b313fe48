"""One seat's vault at one table: what it knows, what it owes, and what its player chose."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import structlog

from chambers.bus.ports import Bus
from chambers.fairness.draw import Draw
from chambers.fairness.errors import FairnessError
from chambers.protocol.boxes import check_disclosures
from chambers.protocol.client import (
    ChoiceAccepted,
    ChoiceRefused,
    Choose,
    Line,
    OfLuck,
    Over,
    Update,
)
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Admitted, Log
from chambers.protocol.views import ask_of, seat_view, waited_for
from chambers.rules import Phase, RuleError, narrate
from chambers.rules.check import SAY_LENGTH
from chambers.rules.events import Bad, Deal, Say, Stall, TableEvent, Ticket
from chambers.rules.game import Hand
from chambers.rules.roles import Role, seat_role
from chambers.rules.terms import Opened, Option, Viewer
from chambers.services.asked import Asked, plays_no_more
from chambers.services.binding import VaultBinding, own_offer
from chambers.services.contributor import Contributor, check_box
from chambers.services.farewell import PATIENCE_S, CheckpointAt, Farewell
from chambers.services.intents import Intent, stated
from chambers.services.kept_luck import KeptLuck
from chambers.services.luck import SeatLuck
from chambers.services.naming import another_name
from chambers.services.overdue import overdue
from chambers.services.pen import MakeEvent
from chambers.services.vault_client import VaultClient
from chambers.services.voice import Voice

TALK_S = 1.0
_logger = structlog.get_logger(__name__)


class VaultTable:
    """All of it is a fold of the log with the seat's master key, but the client's session."""

    def __init__(
        self,
        bus: Bus,
        log: Log,
        *,
        seat: int,
        master: bytes,
        notes: str,
        kept_luck: KeptLuck,
        catch_up: Callable[[Log], Awaitable[None]],
        checkpoint: CheckpointAt,
    ) -> None:
        self.log = log
        self.seat = seat
        self.role: Role = seat_role(seat)
        self.me = Contributor(bus, log, role=self.role, master=master)
        frame_key = self.me.secrets.frame_key
        assert frame_key is not None
        self.client = VaultClient(bus, log.id, seat, frame_private=frame_key)
        self.luck = SeatLuck(self.me, self.client, kept_luck, checkpoint)
        self.notes = notes
        self.lines: list[Line] = []
        self.stopped = ""
        self._hand: Hand = None
        self._seals: dict[int, bytes] = {}
        self._nonces: dict[int, bytes] = {}
        self._bad: Bad | None = None
        self._offered_at = 0
        self._asked = Asked()
        self._moved_at = time.monotonic()
        self._talked_at = -TALK_S
        self._farewell = Farewell(log, self.client, checkpoint)
        self._voice = Voice(self.me, self, lambda: catch_up(log))

    def __repr__(self) -> str:
        return f"VaultTable({self.role})"

    @property
    def over(self) -> Over | None:
        """Return how the table ended, with the receipt as it is by now; None while that is not known."""
        return self._farewell.told

    async def stop(self) -> None:
        """Stop speaking."""
        await self._voice.stop()
        await self._farewell.stop()

    # what it knows

    async def on_entry(self, entry: Admitted) -> None:
        """Take an entry in: open what is boxed to this seat, learn, tell the client, and see what is owed."""
        if not self.me.mine:
            self.stopped = self.stopped or "Another vault has committed for this seat."
        await self._hold_to_promise()
        opened = self._open(entry)
        accepted = self._asked.recognise(entry, opened) if entry.author == self.role else None
        self._learn(entry, opened)
        viewer = Viewer(self.role)
        text = narrate(entry.before, entry.after, entry.author, entry.event, opened, viewer)
        self.lines.append(Line(entry.seq, text))
        self._refresh(entry.after.phase)
        if accepted is not None:
            await self.client.send(accepted)
        await self.tell()
        self.luck.on_entry(entry.event, mine=entry.author == self.role)
        await self.luck.ask()
        if entry.after.phase in (Phase.BYE, Phase.REVEAL, Phase.CLOSED):
            self._farewell.on_entry(entry)
        if not isinstance(entry.event, Stall | Say | Ticket):
            self._moved_at = time.monotonic()
        self._voice.wake()

    async def _hold_to_promise(self) -> None:
        try:
            self.me.check_promise()
        except FairnessError as error:
            _logger.error("log.forked", table=self.log.id.hex(), role=self.role, size=self.log.size)
            self.stopped = self.stopped or error.sentence
            await self.tell_stopped()

    def _open(self, entry: Admitted) -> Opened | None:
        if entry.after.deal is None or self.stopped:
            return None
        try:
            opened = self.me.open(entry)
            if opened is None:
                return own_offer(self.me, entry, seals=self._seals)
            if isinstance(entry.event, Deal):
                self._check_deal(entry, opened)
            else:
                check_box(entry, opened, table=self.log.id)
        except (FairnessError, RuleError) as error:
            self.stopped = error.sentence
            self._bad = Bad(entry.seq, error.code)
            return None
        return opened

    def _check_deal(self, entry: Admitted, opened: Opened) -> None:
        table = entry.after
        assert table.deal is not None
        # which places a seat gets does not depend on the shuffle, so any draw tells them
        mine = table.game.deal(table.setup, Draw(bytes(32), table.game.RULES)).hands[self.seat]
        if tuple(card.place for card in opened) != mine or any(card.seal is None for card in opened):
            raise FairnessError("fairness/deal", "The dealer has not dealt this seat the cards of its places.")
        if mine:
            check_disclosures(table.deal, opened, table=self.log.id, places=table.game.places(table.setup))

    def _learn(self, entry: Admitted, opened: Opened | None) -> None:
        table = entry.after
        if table.play is None or self.stopped:
            return
        if isinstance(entry.event, Deal):
            self._hand = table.game.new_hand(self.seat)
        for item in opened or ():
            if item.seal is not None:
                self._seals[item.value] = item.seal
            if item.place is not None and item.nonce is not None:
                self._nonces[item.place] = item.nonce
        if entry.author == self.role and table.game.offer(entry.event) is not None:
            self._offered_at = entry.n
        self._seals.update(table.game.seals(entry.event))
        before = None if isinstance(entry.event, Deal) or entry.before is None else entry.before.play
        self._hand = table.game.learn(self._hand, before, table.play, entry.author, entry.event, opened)

    def _refresh(self, phase: Phase) -> None:
        table = self.log.table
        asked = phase is Phase.PLAY and not table.stopped and not self.stopped
        self._asked.put(table.game.prompt(table.play, self._hand) if asked else None)

    # what its client is told

    def update(self) -> Update:
        """Return the whole view as it is now, without log lines."""
        table = self.log.table
        ask = ask_of(self._asked.prompt) if self._asked.prompt is not None and not self.stopped else None
        view = seat_view(table, self._hand, notes=self.notes)
        return Update(self.log.size - 1, str(table.phase), view, (), ask, waited_for(table))

    async def tell(self, *, have: int | None = None) -> None:
        """Send the client the view and what is new in the log, or everything after entry `have`."""
        if self.client.there:
            await self.client.update(self.update(), self.lines, have=have)

    async def welcome(self, have: int) -> None:
        """Send a client that has just begun what it missed, and the end if the table has ended."""
        await self.tell(have=have)
        if self.stopped:
            await self.tell_stopped()
        await self.luck.ask()
        self.say_farewell_again()
        self._voice.wake()

    def say_farewell_again(self) -> None:
        """Tell the client once more how the table ended, if it has: one that still asks has not heard it."""
        # who holds the luck that the reveal still wants must not be sent home before giving it
        self._farewell.again(PATIENCE_S if self.luck.awaited else 0.0)

    async def take_luck(self, message: OfLuck) -> None:
        """Take in what the client says of its own luck, and go on with what waited for it."""
        await self.luck.take(message)
        self._voice.wake()

    async def tell_stopped(self) -> None:
        """Tell the client that this vault plays no more, and why."""
        await self.refuse("", plays_no_more(self.stopped))

    async def tell_before(self, before: int) -> None:
        """Send the client the log lines before entry `before`, with the view as it is now."""
        older = [line for line in self.lines if line.sequence < before]
        await self.client.update(self.update(), older, have=-2)

    async def refuse(self, prompt: str, refusal: Refusal) -> None:
        """Tell the client that something was not accepted, and why."""
        refused = ChoiceRefused(prompt, refusal.code, refusal.text, refusal.section, refusal.ruling)
        await self.client.send(refused)

    # what it says

    async def choose(self, choice: Choose) -> None:
        """Take the player's answer to a prompt; the same answer again is the same move, another one is refused."""
        answer = self._asked.answer(choice, under_way=self._voice.under_way, stopped=self.stopped)
        match answer:
            case Option():
                not_before = self._asked.not_before(int(self.log.table.setup.option("answer_floor_ms")))
                make: MakeEvent = lambda n: self._complete(answer, n)  # noqa: E731 - made when it is signed
                self._voice.mean(Intent(make, choice.prompt, choice.option, not_before=not_before))
            case ChoiceAccepted():
                await self.client.send(answer)
            case Refusal():
                await self.refuse(choice.prompt, answer)

    async def talk(self, text: str) -> None:
        """Say something to the table, once a second at most: talk is kept for ever. What is under way is said once."""
        event = Say(" ".join(text[: 4 * SAY_LENGTH].split()))
        if event.text and any(intent.words == event.text for intent in self._voice.under_way):
            return  # a client whose link broke says it again
        now = time.monotonic()
        if now - self._talked_at < TALK_S:
            await self.refuse("", Refusal("say/too-fast", "You have just said something; wait a second."))
            return
        self._talked_at = now
        self._voice.mean(Intent(lambda _: event, words=event.text))

    def _complete(self, option: Option, n: int) -> TableEvent:
        table = self.log.table
        held: list[Opened] = []

        def box(to: Role, opened: Opened) -> bytes:
            held.append(opened)
            return self.me.box(n, to, opened)

        binds = VaultBinding(self.me, n, nonces=self._nonces, offered_at=self._offered_at)
        event = table.game.complete(option, seal=self._seals.__getitem__, box=box, binds=binds)
        table.game.vouch(table.play, self._hand, event, held[0] if held else binds.handed_over)
        return event

    async def tick(self) -> None:
        """Say what only time makes due, and ask the client for luck that is awaited of it."""
        self._say_overdue()
        await self.luck.ask()

    def _say_overdue(self) -> None:
        """Say a share that the dice do not get, and that somebody has stalled."""
        table = self.log.table if self.log.opened else None
        if table is None or table.phase not in (Phase.PLAY, Phase.BYE) or self.stopped or not self.me.mine:
            return
        idle = time.monotonic() - self._moved_at
        for event in overdue(table, self.role, idle, share=self.luck.share):
            if all(intent.duty != "overdue" for intent in self._voice.under_way):
                self._voice.mean(Intent(lambda _, event=event: event, duty="overdue"))  # type: ignore[misc]

    def _duty(self) -> Intent | None:
        item = self.me.owed()
        if item is None or not self.me.mine or self._voice.resting:
            return None
        if self.stopped and item.act not in ("bye", "reveal"):
            return None  # it plays no more, but what it holds must be opened: only that shows who was right
        match item.act:
            case "commit":
                return stated(self.luck.commit(self.client.name) if self.client.name else None, duty="commit")
            case "mix":
                return stated(self.luck.mix(), duty="mix")
            case "bye" | "reveal":
                return stated(self.luck.leaving(item.act), duty=item.act)
            case _ if (own := self._automatic()) is not None:
                return Intent(lambda n: self._complete(own, n), duty="automatic")
            case _ if item.lapsed:
                table = self.log.table
                option = table.game.fallback(table.play, self._hand)
                return Intent(lambda n: self._complete(option, n), duty="fallback")
        return None

    def _automatic(self) -> Option | None:
        table = self.log.table
        return table.game.automatic(table.play, self._hand) if table.phase is Phase.PLAY else None

    # what its voice asks of it

    def owed(self) -> Intent | None:
        """Return a word on a bad box, or else what this seat owes; None for nothing, or while its player is awaited."""
        return self._complaint() or self._duty()

    def past(self, intent: Intent) -> Refusal | None:
        """Return the refusal of what was meant before this vault stopped, or before the prompt went; else None."""
        if self.stopped and intent.duty not in ("bye", "reveal", "bad"):
            return plays_no_more(self.stopped)
        return self._asked.gone(intent.prompt) if intent.prompt else None

    async def duty_refused(self, intent: Intent, refusal: Refusal) -> bool:
        """Return whether this seat can commit at once under another name; its player is told of any other refusal."""
        if intent.duty == "commit" and refusal.code == "rule/name-taken":
            self.client.name = another_name(self.client.name)
            return True
        if intent.duty == "commit":
            await self.refuse("", refusal)
        return False

    def _complaint(self) -> Intent | None:
        """Return the word on a bad box, said until the log shows that the table has stopped."""
        bad, log = self._bad, self.log
        if bad is None or log.size < log.kept or log.handed_in() or self._voice.resting:
            return None
        stands = log.table.phase is Phase.PLAY and not log.table.stopped
        return stated(bad, duty="bad") if stands else None
