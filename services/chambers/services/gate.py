"""The gate: who may connect, and to which subjects. It keeps its key, and nothing of any table.

| subject | from | what |
|---|---|---|
| `$SYS.REQ.USER.AUTH` | the NATS server | admit this client, or turn it away |
| `chambers-lobby.admit.<user>` | host, a seat's vault | the `admit` secret of a client's or own vault's ticket |
| `chambers.<t>.code.<n>.<id>.own.up` | who has a code | the ticket of an own vault (`OwnCodeDoor`) |
| `chambers.<t>.feed` | the NATS server | hears of voided tickets, and ends their holders' connections |
| `chambers-lobby.issues.gate` | asks the game master | which issues of a table's tickets count |
| `$SYS.REQ.SERVER.PING.CONNZ` | asks the NATS servers | who is inside by which ticket |
| `$SYS.REQ.SERVER.<id>.KICK` | asks the NATS server | end a connection |
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import PublicKey, SealedBox

from chambers.bus import certificates, logs, natsjwt, permissions
from chambers.bus.deployment import certificate_in, issuer_of, master_key
from chambers.bus.errors import BusError
from chambers.bus.login import CODE, GUEST, WATCH, SeatToken, read_seat_token, visitor_id
from chambers.bus.nats_bus import NatsBus
from chambers.bus.natsjwt import LogIn
from chambers.bus.permissions import CALLOUT, GATE, HOST, SYS, Permissions
from chambers.bus.run import Settings, connect, run_service
from chambers.bus.server_config import GAME_ACCOUNT
from chambers.fairness.keys import admit_secret, nkey_seed, vault_admit_secret
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE, ProtocolError
from chambers.protocol.messages import AdmitReply, AdmitRequest, IssuesAnswer, TableIssues, encode
from chambers.protocol.statements import read_leaf, read_open, read_statement
from chambers.protocol.tickets import MAX_ISSUE
from chambers.rules.events import Ticket
from chambers.rules.roles import GM, MAX_SEATS, seat_role
from chambers.services.doorkeeper import Doorkeeper
from chambers.services.ending import end
from chambers.services.own_code_door import OwnCodeDoor

_QUEUE: Final = "gate"
_ASK_S: Final = 1.5
_LOOK_AGAIN_S: Final = 2.0
_REMEMBERED: Final = 4096
_AT_A_SEAT: Final = 8

_admit_request = msgspec.msgpack.Decoder(AdmitRequest)
_issues = msgspec.msgpack.Decoder(IssuesAnswer)
_ticket = msgspec.msgpack.Decoder(Ticket)

SeatAt = tuple[str, int]
Place = tuple[str, int, bool]
"""A seat at a table, and whether its vault or its client is meant."""


class _Guest(msgspec.Struct, frozen=True):
    """A seat's client or vault that was admitted: by which issue, on which server, under which number there."""

    issue: int
    server: str
    client: int


class Gate:
    """Admits clients over the connection `callout`, and ends connections over the connection `sys`."""

    def __init__(
        self,
        *,
        bus: NatsBus,
        callout: NatsBus,
        sys: NatsBus,
        key: bytes,
        issuer_seed: str,
        fingerprint: bytes | None = None,
    ) -> None:
        self.connections = (callout, sys)
        self._bus = bus
        self._callout = callout
        self._door = Doorkeeper(sys)
        self._key = key
        self._issuer_seed = issuer_seed
        self._inside: dict[Place, tuple[_Guest, ...]] = {}
        self._voided: dict[SeatAt, int] = {}
        self._looking: asyncio.Task[None] | None = None
        self._code_door = OwnCodeDoor(bus, secrets=self._both, issues=self._issues_of, fingerprint=fingerprint)
        self._log = logs.logger("gate")

    async def start(self) -> None:
        """Serve the host and hear of voided tickets, admit, and look through those who are inside already."""
        await self._bus.serve(subjects.lobby("admit", subjects.ANY), self._issue, asker=subjects.asker, queue=_QUEUE)
        await self._code_door.start(_QUEUE)
        await self._bus.subscribe(subjects.feed(subjects.ANY), self._hear)
        await self._callout.serve_server(subjects.CALLOUT, self._answer, queue=_QUEUE)
        self._bus.on_reconnect(self._look_again)
        await self._look_again()

    async def stop(self) -> None:
        """Admit nobody any more."""
        await end(self._looking)
        for connection in self.connections:
            await connection.drain()

    async def _issue(self, subject: str, data: bytes) -> bytes:
        try:
            asked = _admit_request.decode(data)
        except UNREADABLE:
            raise ProtocolError("protocol/malformed", "This is no request for a ticket's secret.") from None
        sizes = (len(asked.table), len(asked.key))
        if sizes != (16, 32) or not 0 <= asked.seat < MAX_SEATS or not 0 <= asked.issue <= MAX_ISSUE:
            raise ProtocolError("protocol/malformed", "A ticket names a table, a seat 0 to 5 and an issue.")
        asker = subjects.asker(subject)
        if asker != HOST and (asked.vault or asker != seat_role(asked.seat)):
            raise ProtocolError("gate/not-yours", "A vault is told of its own seat's tickets only.")
        secret = self._secret(asked.table, seat=asked.seat, issue=asked.issue, vault=asked.vault)
        try:
            return encode(AdmitReply(SealedBox(PublicKey(asked.key)).encrypt(secret)))
        except CryptoError:
            raise ProtocolError("protocol/malformed", "Nothing can be boxed to this key.") from None

    def _secret(self, table: bytes, *, seat: int, issue: int, vault: bool) -> bytes:
        made = vault_admit_secret if vault else admit_secret
        return made(self._key, table, seat=seat, issue=issue)

    def _both(self, table: bytes, seat: int, issue: int) -> tuple[bytes, bytes]:
        vault = self._secret(table, seat=seat, issue=issue, vault=True)
        return vault, self._secret(table, seat=seat, issue=issue, vault=False)

    async def _answer(self, _subject: str, data: bytes) -> bytes | None:
        log_in = natsjwt.read_log_in(data)
        try:
            name, rights = await self._decide(log_in)
        except ProtocolError as refusal:
            self._log.info("turned away", code=refusal.code)
            return natsjwt.rejection(log_in, refusal.code, issuer_seed=self._issuer_seed)
        except BusError as error:
            # Not this client's fault: saying no would make it give up, silence lets it try again.
            self._log.warning("cannot tell who may enter", code=error.code)
            return None
        self._log.info("admitted", name=name)
        return natsjwt.admission(log_in, rights, name=name, account=GAME_ACCOUNT, issuer_seed=self._issuer_seed)

    async def _decide(self, log_in: LogIn) -> tuple[str, Permissions]:
        """Return a client's name and permissions; ProtocolError if it is turned away.

        The server does not check the signature of a key that it does not know.
        """
        if not log_in.nonce or not log_in.nkey:
            raise ProtocolError("gate/no-key", "A client shows a key.")
        natsjwt.check_signature(log_in.nkey, log_in.nonce.encode(), log_in.signature)
        if log_in.token == WATCH:
            ident = visitor_id(log_in.nkey)
            return f"watch-{ident}", permissions.of_watcher(ident)
        if log_in.token == GUEST:
            ident = visitor_id(log_in.nkey)
            return f"guest-{ident}", permissions.of_guest(ident)
        if log_in.token == CODE:
            ident = visitor_id(log_in.nkey)
            return f"code-{ident}", permissions.of_knocker(ident)
        token = read_seat_token(log_in.token)
        if token is None:
            raise ProtocolError("gate/no-ticket", "This is no ticket.")
        await self._check_ticket(token, log_in)
        rights = permissions.of_own_vault if token.vault else permissions.of_seat_client
        # The server tells it to whoever takes over from this gate: by it a void ticket's connections are found again.
        return log_in.token, rights(token.table, token.seat)

    async def _check_ticket(self, token: SeatToken, log_in: LogIn) -> None:
        admit = self._secret(bytes.fromhex(token.table), seat=token.seat, issue=token.issue, vault=token.vault)
        if natsjwt.public_nkey(natsjwt.seed_text(nkey_seed(admit))) != log_in.nkey:
            raise ProtocolError("gate/wrong-ticket", "This key is not that of the ticket.")
        # Remembered before asking: a ticket voided meanwhile must find its holder.
        await self._remember(token, log_in)
        if await self._is_void(token):
            raise ProtocolError("gate/void-ticket", "This ticket is void.")

    async def _is_void(self, token: SeatToken) -> bool:
        """Return whether a ticket does not count: it was voided, or is a vault's where the host keeps the vault.

        BusError if the game master does not say.
        """
        answer = await self._issues_of(bytes.fromhex(token.table))
        if token.vault and token.seat not in answer.own:
            return True
        current = answer.issues[token.seat] if token.seat < len(answer.issues) else None
        return current != token.issue or self._voided.get((token.table, token.seat), 0) > token.issue

    async def _issues_of(self, table: bytes) -> TableIssues:
        reply = await self._bus.request(subjects.lobby(subjects.GATES_VERB, GATE), table, timeout=_ASK_S)
        try:
            answer = _issues.decode(reply)
        except UNREADABLE:
            raise BusError("bus/unreadable", "The game master answered something unreadable.") from None
        if not isinstance(answer, TableIssues):
            raise BusError("bus/unreadable", "The game master did not say which tickets count.")
        return answer

    async def _remember(self, token: SeatToken, log_in: LogIn) -> None:
        at = (token.table, token.seat, token.vault)
        guests = (*self._inside.pop(at, ()), _Guest(token.issue, log_in.server, log_in.client))
        self._inside[at] = guests[-_AT_A_SEAT:]
        for guest in guests[:-_AT_A_SEAT]:
            await self._kick(guest)  # who is not remembered could not be shown the door when the ticket is voided
        while len(self._inside) > _REMEMBERED:
            self._inside.pop(next(iter(self._inside)))

    async def _hear(self, subject: str, data: bytes) -> None:
        statement = read_statement(read_leaf(data).stmt)
        if statement.author != GM:
            return
        self._expect(subjects.table_id(subject), bytes(statement.ev))
        try:
            voided = _ticket.decode(statement.ev)
        except UNREADABLE:
            return
        table = subjects.table_token(subject)
        self._voided[table, voided.seat] = voided.issue
        for vault in (False, True):
            await self._show_out(SeatToken(table, voided.seat, voided.issue - 1, vault))

    def _expect(self, table: bytes, said: bytes) -> None:
        """Have the door for codes know a table that was opened just now, if a player keeps a vault there."""
        with contextlib.suppress(ProtocolError):  # anything else that the game master says
            if any(plan.vault == "own" for plan in read_open(said).seats):
                self._code_door.expects(table)

    async def _show_out(self, void: SeatToken) -> None:
        """End the connections of the holders of a ticket that was voided, and of all before it."""
        for guest in self._inside.get((void.table, void.seat, void.vault), ()):
            if guest.issue <= void.issue:
                await self._kick(guest)
        # Those whom this gate has not admitted itself: another replica has, or it has been started again since.
        with contextlib.suppress(BusError):  # it looks through everybody when it is back
            for one in await self._door.inside(void.text()):
                await self._door.end(one.server, one.client)

    async def _look_again(self) -> None:
        await end(self._looking)
        self._looking = asyncio.create_task(self._look_through())

    async def _look_through(self) -> None:
        """End the connections whose ticket was voided while no gate was there to hear of it."""
        while True:
            try:
                await self._look_through_once()
            except BusError as error:
                self._log.warning("cannot tell who may stay", code=error.code)
                await asyncio.sleep(_LOOK_AGAIN_S)
            else:
                return

    async def _look_through_once(self) -> None:
        void: dict[SeatToken, bool] = {}
        for one in await self._door.inside():
            token = read_seat_token(one.user)
            if token is None:
                continue
            if token not in void:
                void[token] = await self._is_void(token)
            if void[token]:
                await self._door.end(one.server, one.client)

    async def _kick(self, guest: _Guest) -> None:
        await self._door.end(guest.server, guest.client)


async def make(bus: NatsBus, settings: Settings) -> Gate:
    """Return the gate over its connections, with its keys from its own volume; BusError if one is missing."""
    key = master_key(settings.home / "gate.key")
    issuer_seed = issuer_of(settings.home)
    callout = await connect(settings, user=CALLOUT)
    sys = await connect(settings, user=SYS)
    certificate = settings.ca or certificate_in(settings.home)
    pin = None if certificate is None else certificates.fingerprint(certificate)
    return Gate(bus=bus, callout=callout, sys=sys, key=key, issuer_seed=issuer_seed, fingerprint=pin)


def main() -> int:
    """Run the gate until it is told to stop; exit code 2 if it cannot start."""
    return run_service(make, user=GATE)
