"""From a short code to a seat's ticket: a connection that may only knock, one exchange, and the secrets in a box."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from chambers.bus import certificates
from chambers.bus.errors import BusError
from chambers.bus.login import CODE, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.clients.addresses import Address
from chambers.protocol import subjects
from chambers.protocol.codes import Code, Knocker
from chambers.protocol.errors import UNREADABLE, ProtocolError, Refusal
from chambers.protocol.messages import CodeAnswer, Handed, encode
from chambers.protocol.tickets import Ticket, VaultTicket

_PATIENCE_S: Final = 5.0
_answer = msgspec.msgpack.Decoder(CodeAnswer)


async def ticket_by_code(address: Address, table: bytes, code: Code) -> Ticket:
    """Return the ticket that a code stands for; ProtocolError (`code/...`) for a no, BusError for silence.

    The server may be anybody here: only a vault that knows the code can answer, and what it answers names the
    certificate that counts from then on.
    """
    knocker = Knocker(code, table)
    handed = knocker.open(await _knock(address, table, code.seat, knocker=knocker, own=False))
    return Ticket(
        server=address.url,
        table=table,
        seat=code.seat,
        issue=handed.issue,
        admit=handed.admit,
        pair=handed.pair,
        frame_key=handed.frame_key,
        fingerprint=handed.fingerprint,
    )


async def vault_ticket_by_code(address: Address, table: bytes, code: Code) -> VaultTicket:
    """Return the ticket of an own vault that a code stands for; refused as `ticket_by_code`, here by the gate."""
    knocker = Knocker(code, table)
    handed = knocker.open_vault(await _knock(address, table, code.seat, knocker=knocker, own=True))
    return VaultTicket(
        server=address.url,
        table=table,
        seat=code.seat,
        issue=handed.issue,
        admit=handed.admit,
        client=handed.client,
        fingerprint=handed.fingerprint,
    )


async def _knock(address: Address, table: bytes, seat: int, *, knocker: Knocker, own: bool) -> Handed:
    bus = await _connect(address)
    try:
        answer = await _exchange(bus, table, seat, knocker=knocker, own=own)
    finally:
        await bus.close()
    if isinstance(answer, Refusal):
        raise ProtocolError(answer.code, answer.text)
    return answer


async def _connect(address: Address) -> NatsBus:
    login = visitor_login(CODE)
    try:
        return await NatsBus.connect(address.url, login, tls=address.tls)
    except BusError as error:
        if error.code != "bus/unknown-certificate" or address.fingerprint is not None:
            raise
    return await NatsBus.connect(address.url, login, tls=certificates.shown_to(lambda _: None))


async def _exchange(bus: NatsBus, table: bytes, seat: int, *, knocker: Knocker, own: bool) -> CodeAnswer:
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def take(_subject: str, data: bytes) -> None:
        if heard.empty():  # one answer is waited for, and no more is kept
            heard.put_nowait(data)

    name = table.hex()
    await bus.subscribe(subjects.code_down(name, seat, bus.user, own=own), take)
    await bus.publish(subjects.code_up(name, seat, bus.user, own=own), encode(knocker.knock()))
    try:
        return _answer.decode(await asyncio.wait_for(heard.get(), _PATIENCE_S))
    except TimeoutError:
        whose = "The gate" if own else f"Seat {seat}'s vault"
        raise BusError("bus/timeout", f"{whose} does not answer.") from None
    except UNREADABLE:
        raise ProtocolError("protocol/malformed", "A service gave an answer that this version does not know.") from None
