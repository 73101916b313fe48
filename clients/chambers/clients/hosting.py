"""The host's hand in the lobby: opens and closes tables, and makes the tickets that admit players."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox

from chambers import editions
from chambers.bus.errors import BusError
from chambers.bus.ports import Bus
from chambers.clients.addresses import Address
from chambers.protocol import subjects
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.messages import (
    Accepted,
    AdmitAnswer,
    AdmitReply,
    AdmitRequest,
    CloseRequest,
    LobbyAnswer,
    OpenRequest,
    PairAnswer,
    PairReply,
    PairRequest,
    TableInfo,
    TableList,
    VoidRequest,
    encode,
)
from chambers.protocol.tickets import Ticket, VaultTicket
from chambers.protocol.versions import check_protocol

USER: Final = "host"
_PATIENCE_S: Final = 8.0
_PAUSE_S: Final = 0.1
_lobby = msgspec.msgpack.Decoder(LobbyAnswer)
_admit = msgspec.msgpack.Decoder(AdmitAnswer)
_any = msgspec.msgpack.Decoder(AdmitAnswer | PairReply)
_pair = msgspec.msgpack.Decoder(PairAnswer)


class Refused(Exception):
    """The game master, the gate or a vault said no to the host: its refusal says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code}: {refusal.text}")
        self.refusal = refusal


class Host:
    """The host of a deployment. Its methods raise `Refused` for a no, and BusError when nobody answers."""

    def __init__(self, bus: Bus, server: str, *, fingerprint: bytes | None = None) -> None:
        self.bus = bus
        self.address = Address(server, fingerprint)

    @property
    def server(self) -> str:
        """Return the server's address as players and spectators may name it."""
        return self.address.text()

    async def open_table(
        self,
        game: str,
        edition: str,
        *,
        options: Iterable[tuple[str, str]] = (),
        bots: tuple[bool, ...],
        own: tuple[int, ...] = (),
        table: bytes | None = None,
        spectators: bool = True,
        reveal: str = "public",
        auditor_key: bytes | None = None,
    ) -> bytes:
        """Return the 16 bytes of a new table's id; the same `table` twice is one table.

        `bots` has one truth a seat; `own` are the seats whose players keep their vaults themselves.
        `reveal` is to whom hands are opened afterwards: `public`, `none`, or the `auditor` whose public key is named.
        """
        chosen = table or secrets.token_bytes(16)
        request = OpenRequest(
            table=chosen,
            game=game,
            edition=edition,
            options=tuple(sorted(options)),
            bots=bots,
            spectators=spectators,
            edition_hash=_hash(edition),
            own=own,
            reveal=reveal,
            auditor_key=auditor_key,
        )
        await self._ask("open", request)
        return chosen

    async def tables(self) -> tuple[TableInfo, ...]:
        """Return the open tables, and the closed ones that are still stored."""
        return (await list_tables(self.bus, subjects.lobby("list", USER))).tables

    async def table(self, table: bytes) -> TableInfo:
        """Return what anybody may know of one table; Refused (`lobby/unknown-table`) if there is none."""
        # one that is asked for by name is there while a game master that was just started still reads the others
        for info in (await list_tables(self.bus, subjects.lobby("list", USER), table=table)).tables:
            return info
        raise Refused(Refusal("lobby/unknown-table", "There is no such table. Try: chambers tables"))

    async def close(self, table: bytes, why: str) -> None:
        """End a table that will not be played on."""
        await self._ask("close", CloseRequest(table=table, why=why))

    async def void(self, table: bytes, seat: int) -> None:
        """Void a seat's ticket; only the next one admits."""
        await self._ask("void", VoidRequest(table=table, seat=seat))

    async def ticket(self, table: bytes, seat: int, *, issue: int | None = None) -> Ticket:
        """Return the ticket of a seat; one of its secrets comes from the gate, the other from the seat's vault.

        Refused (`lobby/own-vault`) where the vault is the player's own, which gives its secret to nobody.
        """
        if issue is None:
            info, issue = await self._issue(table, seat)
            if seat in info.own:
                told = f"The vault of seat {seat} is its player's own, and makes the ticket itself."
                raise Refused(Refusal("lobby/own-vault", told))
        key = PrivateKey.generate()
        admit = await self._admit(table, seat, issue=issue)
        pair_request = PairRequest(issue=issue, key=bytes(key.public_key))
        pair = _answered(_pair, await self._patiently(subjects.ticket(table.hex(), seat), pair_request))
        if not isinstance(pair, PairReply):
            raise ProtocolError("protocol/unexpected", "A service gave an answer to another question.")
        return Ticket(
            server=self.address.url,
            table=table,
            seat=seat,
            issue=issue,
            admit=admit,
            pair=_unsealed(pair.sealed, key),
            frame_key=pair.frame_key,
            fingerprint=self.address.fingerprint,
        )

    async def vault_ticket(self, table: bytes, seat: int, *, issue: int | None = None) -> VaultTicket:
        """Return what admits the vault of a seat whose player keeps it; both of its secrets come from the gate."""
        if issue is None:
            info, issue = await self._issue(table, seat)
            if seat not in info.own:
                raise Refused(Refusal("lobby/host-vault", f"The vault of seat {seat} is the host's."))
        return VaultTicket(
            server=self.address.url,
            table=table,
            seat=seat,
            issue=issue,
            admit=await self._admit(table, seat, issue=issue, vault=True),
            client=await self._admit(table, seat, issue=issue),
            fingerprint=self.address.fingerprint,
        )

    async def _issue(self, table: bytes, seat: int) -> tuple[TableInfo, int]:
        info = await self.table(table)
        if seat >= len(info.issues):
            seats = len(info.issues)
            raise Refused(Refusal("lobby/no-seat", f"This table has no seat {seat}; it has {seats} seats."))
        return info, info.issues[seat]

    async def _admit(self, table: bytes, seat: int, *, issue: int, vault: bool = False) -> bytes:
        key = PrivateKey.generate()
        request = AdmitRequest(table=table, seat=seat, issue=issue, key=bytes(key.public_key), vault=vault)
        admit = _answered(_admit, await self._patiently(subjects.lobby("admit", USER), request))
        if not isinstance(admit, AdmitReply):
            raise ProtocolError("protocol/unexpected", "A service gave an answer to another question.")
        return _unsealed(admit.sealed, key)

    async def leave(self) -> None:
        """Disconnect."""
        await self.bus.close()

    async def _ask(self, verb: str, request: msgspec.Struct) -> None:
        reply = await self.bus.request(subjects.lobby(verb, USER), encode(request), timeout=5.0)
        answer = _answered(_lobby, reply)
        if not isinstance(answer, Accepted):
            raise ProtocolError("protocol/unexpected", "The game master gave an answer to another question.")

    async def _patiently(self, subject: str, request: msgspec.Struct) -> bytes:
        """Return the reply; a vault or a gate that has not seen the new table yet is asked again for a while."""
        deadline = _now() + _PATIENCE_S
        while True:
            try:
                reply = await self.bus.request(subject, encode(request))
                if _now() >= deadline or not isinstance(_decoded(_any, reply), Refusal):
                    return reply
            except BusError:
                if _now() >= deadline:
                    raise
            await asyncio.sleep(_PAUSE_S)


async def list_tables(bus: Bus, subject: str, *, table: bytes = b"", timeout: float = 5.0) -> TableList:
    """Return what the lobby lists on a subject, which is the host's or a guest's: all tables, or to the host one.

    ProtocolError (`protocol/version`) if the game master speaks another version of the protocol.
    """
    answer = _answered(_lobby, await bus.request(subject, table, timeout=timeout))
    if not isinstance(answer, TableList):
        raise ProtocolError("protocol/unexpected", "The game master gave an answer to another question.")
    check_protocol(answer.protocol, answer.version)
    return answer


def _hash(edition: str) -> bytes:
    try:
        return editions.edition_hash(editions.named(edition))
    except editions.EditionError:
        return b""


def _unsealed(sealed: bytes, key: PrivateKey) -> bytes:
    try:
        return SealedBox(key).decrypt(sealed)
    except CryptoError:
        raise ProtocolError("protocol/bad-box", "A half of the ticket was sealed to another key.") from None


def _answered(decoder: msgspec.msgpack.Decoder[Any], data: bytes) -> Any:
    answer = _decoded(decoder, data)
    if isinstance(answer, Refusal):
        raise Refused(answer)
    return answer


def _decoded(decoder: msgspec.msgpack.Decoder[Any], data: bytes) -> Any:
    try:
        return decoder.decode(data)
    except UNREADABLE:
        raise ProtocolError("protocol/malformed", "A service gave an answer that this version does not know.") from None


def _now() -> float:
    return asyncio.get_running_loop().time()
