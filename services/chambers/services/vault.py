"""A seat's vault: keeps one hand, answers for it truthfully, and shows it to nobody but its own client.

chambers.<t>.feed            entries, verified and folded                     Follower
chambers.<t>.share.<n>       ShareRequest -> ShareReply | Behind | Refusal     _on_share
chambers.<t>.ticket.<n>      PairRequest  -> PairReply | Refusal               _on_ticket
chambers.<t>.seat.<n>.up     sealed frames of its client                       _on_frame
chambers.<t>.code.<n>.*.up   Knock                                             CodeDoor
chambers.<t>.seat.<n>.down   sent: sealed frames to its client
chambers.<t>.in.seat<n>      sent: signed statements
chambers.<t>.tail.seat<n>    sent: asks for entries that it missed
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import msgspec
import structlog
from nacl.exceptions import CryptoError
from nacl.public import PublicKey, SealedBox

from chambers.bus import certificates
from chambers.bus.deployment import certificate_in, master_key
from chambers.bus.nats_bus import NatsBus
from chambers.bus.ports import Bus, Room
from chambers.bus.run import Settings, run_service
from chambers.fairness.boxes import box_public
from chambers.fairness.keys import pair_secret
from chambers.protocol import subjects
from chambers.protocol.client import Begin, Choose, FromClient, Leave, Note, Ping, Pong, Resync, Talk, Welcome
from chambers.protocol.copies import FOLDER
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.log import Admitted, Log
from chambers.protocol.messages import Behind, PairReply, PairRequest, ShareReply, ShareRequest, encode
from chambers.protocol.tickets import MAX_ISSUE
from chambers.protocol.versions import release
from chambers.rules import Phase, due
from chambers.rules.events import Ticket
from chambers.rules.roles import DICE, seat_role
from chambers.services.clockwork import for_each, keep_on
from chambers.services.code_door import CodeDoor
from chambers.services.copies import Copies
from chambers.services.ending import end
from chambers.services.follower import LANE, Follower
from chambers.services.kept_luck import KeptLuck
from chambers.services.notes import BYTES, LIMIT, Notes
from chambers.services.vault_client import is_hello
from chambers.services.vault_table import VaultTable

NAME = "vault"
TICK_S = 0.5
FRAMES = Room(each=64, messages=1024, bytes=8 * 1024 * 1024)
_logger = structlog.get_logger(__name__)


class Vault:
    """The vault of one seat number, at every table that the host keeps it for.

    `at` is the one table of a vault on its player's own machine, which nobody asks for the secret of a ticket.
    """

    def __init__(
        self,
        bus: Bus,
        *,
        seat: int,
        master: bytes,
        home: Path,
        at: bytes | None = None,
        fingerprint: bytes | None = None,
    ) -> None:
        self._at = at
        self._bus = bus
        self._seat = seat
        self._master = master
        self._notes = Notes(home / "notes", master)
        self._kept_luck = KeptLuck(home / "luck", master)
        self._tables: dict[bytes, VaultTable] = {}
        self._clock: asyncio.Task[None] | None = None
        self._code_door = CodeDoor(bus, seat=seat, master=master, known=self._tables.get, fingerprint=fingerprint)
        copies = Copies(home / FOLDER, role=seat_role(seat), keeps=lambda log: self._table(log) is not None)
        self._follower = Follower(
            bus,
            on_entry=self._on_entry,
            on_broken=self._on_broken,
            on_rest=self._on_rest,
            on_gone=self._on_gone,
            only=at,
            copies=copies,
        )

    def __repr__(self) -> str:
        return f"Vault({self._seat})"

    async def start(self) -> None:
        """Serve this seat's subjects, take up every open table, and ask clients that are there to say hello."""
        bus, seat = self._bus, self._seat
        tables = subjects.ANY if self._at is None else self._at.hex()
        await bus.serve(subjects.share(tables, seat), self._on_share, asker=str(DICE), lane=LANE)
        if self._at is None:
            await bus.serve(subjects.ticket(tables, seat), self._on_ticket, asker="host", lane=LANE)
            await self._code_door.start()
        await bus.subscribe(subjects.seat_up(tables, seat), self._on_frame, lane=LANE, room=FRAMES)
        await self._follower.start()
        await self._greet()
        await self._forget_luck()
        self._clock = asyncio.create_task(keep_on(self._tick, every=TICK_S, name=NAME))

    async def stop(self) -> None:
        """Stop following and speaking."""
        await self._follower.stop()
        await end(self._clock)
        for table in tuple(self._tables.values()):
            await table.stop()

    async def _greet(self) -> None:
        for table in tuple(self._tables.values()):  # more may come meanwhile
            if table.me.mine:
                await table.client.who()

    async def _forget_luck(self) -> None:
        """Read the tables whose luck is kept: those that ended while this vault was down are erased on the way."""
        for table in self._kept_luck.tables():
            log = await self._follower.log(table)
            if not log.opened and log.id not in self._follower.logs:
                self._kept_luck.erase(table)  # the table is there no more

    # the log

    async def _on_entry(self, log: Log, entry: Admitted) -> None:
        table = self._table(log)
        if table is None:
            return
        if log.handed_in() and not table.stopped:
            # not as a broken log: the table is followed to its close, where goodbye and reveal are said all the same
            await self._stop_playing(table, "its reveal was handed in, as if the table were dead.")
        await table.on_entry(entry)
        if isinstance(entry.event, Ticket) and entry.event.seat == self._seat:
            await table.client.void()

    async def _on_broken(self, log: Log, sentence: str) -> None:
        table = self._tables.get(log.id)
        if table is not None:
            await self._stop_playing(table, sentence)
            await table.tell()

    async def _stop_playing(self, table: VaultTable, sentence: str) -> None:
        table.stopped = sentence
        await table.tell_stopped()

    async def _on_gone(self, log: Log) -> None:
        table = self._tables.get(log.id)
        if table is not None:
            told = "The host's log has nothing of this table any more: somebody has deleted it."
            await table.refuse("", Refusal("vault/no-table", f"{told} It can only go on if the host puts it back."))

    async def _on_rest(self, log: Log) -> None:
        self._code_door.forget(log.id)
        table = self._tables.pop(log.id, None)
        if table is not None:
            await table.stop()

    def _kept_elsewhere(self, log: Log) -> bool:
        """Return whether the seat's vault is its player's own and this is the host's, or the other way round."""
        seats = log.table.setup.opening.seats
        kind = "host" if self._at is None else "own"
        return self._seat < len(seats) and seats[self._seat].vault != kind

    def _table(self, log: Log) -> VaultTable | None:
        """Return this seat's part of a table; None where the table has no such seat, or another vault keeps it."""
        if not log.opened or self._seat >= log.table.seats or self._kept_elsewhere(log):
            return None
        table = self._tables.get(log.id)
        if table is None:
            table = self._tables[log.id] = VaultTable(
                self._bus,
                log,
                seat=self._seat,
                master=self._master,
                notes=self._notes.read(log.id),
                kept_luck=self._kept_luck,
                catch_up=self._follower.catch_up,
                checkpoint=self._follower.checkpoint,
            )
        return table

    async def _known(self, subject: str) -> VaultTable | None:
        """Return this seat's part of a table, or None where another vault keeps it and answers."""
        log = await self._follower.log(subjects.table_id(subject))
        table = self._table(log)
        if table is None and not (log.opened and self._kept_elsewhere(log)):
            raise ProtocolError("vault/no-table", "This vault keeps no seat at that table.")
        return table

    async def _tick(self) -> None:
        await for_each(self._tables, VaultTable.tick, name=NAME)

    # requests

    async def _on_share(self, subject: str, data: bytes) -> bytes | None:
        try:
            request = msgspec.msgpack.decode(data, type=ShareRequest)
            table = await self._known(subject)
        except UNREADABLE:
            return encode(Refusal("vault/malformed", "This request cannot be read."))
        except ProtocolError as error:
            return encode(Refusal(error.code, error.sentence))
        if table is None:
            return None
        log = await self._follower.log(table.log.id, at_least=request.size)
        if table.stopped or not table.me.mine or log.handed_in():
            return encode(Refusal("vault/stopped", "This vault has stopped."))
        public = log.table
        owed = public.phase is Phase.PLAY and any(item.who == DICE and item.k == request.k for item in due(public))
        if not owed:
            return encode(Behind(log.size))
        x = table.luck.share(request.k)
        if x is None:
            return encode(Refusal("vault/luck-away", "The player's own client holds this share; it is waited for."))
        return encode(ShareReply(request.k, x))

    async def _on_ticket(self, subject: str, data: bytes) -> bytes | None:
        try:
            request = msgspec.msgpack.decode(data, type=PairRequest)
            table = await self._known(subject)
            return None if table is None else encode(self._pair(table, request))
        except (*UNREADABLE, CryptoError, TypeError):
            return encode(Refusal("vault/malformed", "This request cannot be read."))
        except ProtocolError as error:
            return encode(Refusal(error.code, error.sentence))

    def _pair(self, table: VaultTable, request: PairRequest) -> PairReply:
        if not 0 <= request.issue <= MAX_ISSUE:
            raise ProtocolError("vault/malformed", f"The issues of a ticket are 0 to {MAX_ISSUE}.")
        pair = pair_secret(self._master, table.log.id, issue=request.issue)
        frame_key = table.me.secrets.frame_key
        assert frame_key is not None
        return PairReply(SealedBox(PublicKey(request.key)).encrypt(pair), box_public(frame_key))

    # the client

    async def _on_frame(self, subject: str, data: bytes) -> None:
        # what is not a client's frame is dropped: the sender is unknown, and an answer could only help a stranger
        with contextlib.suppress(ProtocolError):
            table = await self._known(subject)
            if table is None or not await table.client.in_time():
                return
            if not (table.me.mine or table.client.there):
                return  # another vault has the seat: its client is not to be asked who it is
            try:
                if is_hello(data):
                    await self._on_hello(table, data)
                    return
                message = await table.client.read(data)
            except ProtocolError as error:
                await self._on_other_release(table, error)
                return
            if message is not None:
                await self._on_message(table, message)

    async def _on_other_release(self, table: VaultTable, error: ProtocolError) -> None:
        """Answer what only a client of another release says; whatever else was wrong stays unanswered."""
        if error.code == "frame/version":
            _logger.info("vault.other-version", role=table.role)
            await table.client.other_version()
        elif error.code == "frame/unknown-message":
            text = f"The vault, Chambers {release()}, does not know what this client said."
            await table.refuse("", Refusal(error.code, text))

    async def _on_hello(self, table: VaultTable, data: bytes) -> None:
        public = table.log.table
        opening = public.setup.opening
        pair = pair_secret(self._master, table.log.id, issue=public.issues[self._seat])
        welcome = Welcome(
            table=table.log.id.hex(),
            game=opening.game,
            edition=opening.edition,
            edition_hash=opening.edition_hash,
            seat=self._seat,
            seats=public.seats,
            options=opening.options,
            occupied=table.client.occupied,
            session=b"",
            version=release(),
            reveal=opening.reveal,
            auditor_key=opening.auditor_key,
        )
        await table.client.hello(data, pair=pair, welcome=welcome)

    async def _on_message(self, table: VaultTable, message: FromClient) -> None:
        match message:
            case Begin(have=have, luck=luck):
                table.luck.begin(luck)
                await table.welcome(have)
            case Choose():
                await table.choose(message)
            case Note(text=text):
                await self._keep_note(table, text)
            case Talk(text=text):
                await table.talk(text)
            case Resync(before=None):
                await table.tell(have=-1)
            case Resync(before=before):
                await table.tell_before(before or 0)
            case Leave():
                table.client.left()
            case Ping():
                await table.client.send(Pong(table.log.size - 1))
                if table.log.table.phase is Phase.CLOSED:
                    table.say_farewell_again()
            case _:
                await table.take_luck(message)

    async def _keep_note(self, table: VaultTable, text: str) -> None:
        if len(text) > LIMIT or len(text.encode()) > BYTES:
            too_long = f"Notes are at most {LIMIT} characters, and at most {BYTES} bytes in UTF-8."
            await table.refuse("", Refusal("note/too-long", too_long))
            return
        try:
            self._notes.write(table.log.id, text)
        except OSError:
            await table.refuse("", Refusal("note/not-kept", "The vault's disk does not take the note."))
            return
        table.notes = text
        await table.tell()


async def make(bus: NatsBus, settings: Settings) -> Vault:
    """Return the vault of the seat in the settings, with the master key of its own volume."""
    assert settings.seat is not None
    certificate = settings.ca or certificate_in(settings.home)
    return Vault(
        bus,
        seat=settings.seat,
        master=master_key(settings.home / "master.key"),
        home=settings.home,
        fingerprint=None if certificate is None else certificates.fingerprint(certificate),
    )


def main() -> int:
    """Run one seat's vault until told to stop."""
    return run_service(make, user=None)
