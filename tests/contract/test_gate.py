"""The gate on a real server: who is admitted, to what, and who is turned away."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator

import msgspec
import nkeys
import pytest
import pytest_asyncio
from nacl.public import PrivateKey, SealedBox
from nacl.signing import SigningKey
from tests.bus.running_server import OTHER, TABLE, Site
from tests.contract.test_permissions import EVERYTHING_PUBLISHED, EVERYTHING_SUBSCRIBED, published, subscribed

from chambers.bus import deployment, natsjwt
from chambers.bus.errors import BusError
from chambers.bus.login import Login, own_vault_login, ticket_login, visitor_login
from chambers.bus.nats_bus import NatsBus
from chambers.bus.run import Running, Settings, start_service
from chambers.bus.stream import StreamLog
from chambers.fairness.keys import admit_secret, vault_admit_secret
from chambers.fairness.signatures import SigningKey as StatementKey
from chambers.protocol import subjects
from chambers.protocol.errors import Refusal
from chambers.protocol.messages import AdmitReply, AdmitRequest, TableIssues, TableList, encode
from chambers.protocol.statements import Entry, leaf, sign
from chambers.protocol.tickets import VaultTicket
from chambers.rules.events import Ticket
from chambers.rules.roles import GM
from chambers.services import gate

RAW = bytes.fromhex(TABLE)


class Lobby:
    """The game master, as the gate asks it: one table of three seats, the last with an own vault."""

    def __init__(self) -> None:
        self.issues = [0, 0, 3]

    async def of_table(self, _subject: str, data: bytes) -> bytes:
        return encode(TableIssues(tuple(self.issues), own=(2,)) if data == RAW else TableIssues(()))

    async def tables(self, _subject: str, _data: bytes) -> bytes:
        return encode(TableList(()))


class House:
    """A site with a running gate, and a game master's connection that lists one table."""

    def __init__(self, site: Site, lobby: Lobby, gm: NatsBus) -> None:
        self.site = site
        self.lobby = lobby
        self.gm = gm
        self.key = deployment.master_key(site.deployment.role_home("gate") / "gate.key")
        self._gate: Running | None = None

    async def open_the_gate(self) -> None:
        settings = Settings(user="gate", home=self.site.deployment.role_home("gate"), server=self.site.server.url)
        self._gate = await start_service(gate.make, settings)

    async def close_the_gate(self) -> None:
        if self._gate is not None:
            await self._gate.kill()

    async def void(self, seat: int, issue: int) -> None:
        """Have the log say that a ticket is void, as the game master would."""
        self.lobby.issues[seat] = issue
        sig, stmt = sign(
            StatementKey(bytes(32)), table=RAW, author=GM, n=0, size=0, root=bytes(32), event=Ticket(seat, issue)
        )
        await StreamLog(self.gm).append(TABLE, leaf(Entry(0, 0, stmt, sig)), expect=0)

    def ticket(self, seat: int, issue: int, *, table: str = TABLE, token: str | None = None) -> Login:
        admit = admit_secret(self.key, bytes.fromhex(table), seat=seat, issue=issue)
        return ticket_login(admit, token or f"seat.{table}.{seat}.{issue}")

    def own_vault(self, seat: int, issue: int, *, table: str = TABLE) -> Login:
        raw = bytes.fromhex(table)
        admit = vault_admit_secret(self.key, raw, seat=seat, issue=issue)
        return own_vault_login(VaultTicket("", raw, seat, issue, admit, client=bytes(32)))


@pytest_asyncio.fixture
async def house(site: Site) -> AsyncIterator[House]:
    lobby, gm = Lobby(), await site.user("gm")
    await gm.serve(subjects.lobby("issues", "gate"), lobby.of_table, asker="gate")
    await gm.serve(subjects.lobby("tables", "*"), lobby.tables, asker=subjects.asker)
    house = House(site, lobby, gm)
    await house.open_the_gate()
    yield house
    await house.close_the_gate()


async def _turned_away(house: House, login: Login) -> None:
    with pytest.raises(BusError) as caught:
        await house.site.log_in(login)
    assert caught.value.code == "bus/login-refused"


async def test_a_ticket_opens_one_subject_to_publish_and_one_to_hear(house: House) -> None:
    client = await house.site.log_in(house.ticket(2, 3))

    assert await published(client, EVERYTHING_PUBLISHED) == {f"chambers.{TABLE}.seat.2.up"}
    assert await subscribed(client, EVERYTHING_SUBSCRIBED) == {f"chambers.{TABLE}.seat.2.down"}


async def test_an_own_vault_has_its_own_seat_at_its_own_table_and_nothing_else(house: House) -> None:
    vault = await house.site.log_in(house.own_vault(2, 3))

    assert await published(vault, EVERYTHING_PUBLISHED) == {
        f"chambers.{TABLE}.in.seat2.own",
        f"chambers.{TABLE}.tail.seat2.own",
        f"chambers.{TABLE}.seat.2.down",
        "_INBOX.dice.abc",
    }
    assert await subscribed(vault, EVERYTHING_SUBSCRIBED) == {
        f"chambers.{TABLE}.feed",
        f"chambers.{TABLE}.share.2",
        f"chambers.{TABLE}.seat.2.up",
        f"_INBOX.{TABLE}.seat2.abc",
    }


async def test_a_spectator_has_its_own_id_and_nothing_else(house: House) -> None:
    login = visitor_login("watch")
    watcher = await house.site.log_in(login)
    own_up, own_down = f"chambers.{TABLE}.watch.{login.user}.up", f"chambers.{TABLE}.watch.{login.user}.down"

    assert await published(watcher, (*EVERYTHING_PUBLISHED, own_up, own_down)) == {own_up}
    assert await subscribed(watcher, (*EVERYTHING_SUBSCRIBED, own_up, own_down)) == {own_down}


async def test_a_guest_may_list_tables_and_nothing_else(house: House) -> None:
    login = visitor_login("guest")
    guest = await house.site.log_in(login)
    own_list, own_inbox = f"chambers-lobby.tables.{login.user}", f"_INBOX.{login.user}.abc"

    assert await published(guest, (*EVERYTHING_PUBLISHED, own_list, own_inbox)) == {own_list}
    assert await subscribed(guest, (*EVERYTHING_SUBSCRIBED, own_list, own_inbox)) == {own_inbox}
    reply = await guest.request(own_list, b"")
    assert msgspec.msgpack.decode(reply, type=TableList) == TableList(())


async def test_whoever_has_a_code_may_knock_under_its_own_id_and_nothing_else(house: House) -> None:
    login = visitor_login("code")
    knocker = await house.site.log_in(login)
    own_up, own_down = f"chambers.{TABLE}.code.2.{login.user}.up", f"chambers.{TABLE}.code.2.{login.user}.down"

    assert await published(knocker, (*EVERYTHING_PUBLISHED, own_up, own_down)) == {own_up}
    assert await subscribed(knocker, (*EVERYTHING_SUBSCRIBED, own_up, own_down)) == {own_down}


async def test_a_vault_gets_the_secret_of_its_own_seats_tickets_only(house: House) -> None:
    vault = await house.site.user("seat2")
    asked = [
        AdmitRequest(table=RAW, seat=seat, issue=0, key=bytes(PrivateKey.generate().public_key)) for seat in (2, 0)
    ]

    own, other = [await vault.request(subjects.lobby("admit", "seat2"), encode(one)) for one in asked]

    assert msgspec.msgpack.decode(own, type=AdmitReply).sealed
    assert msgspec.msgpack.decode(other, type=Refusal).code == "gate/not-yours"


async def test_a_stranger_without_a_ticket_is_turned_away(house: House) -> None:
    seed = natsjwt.new_seed(natsjwt.USER)

    for token in (None, "", "host", "watch ", "seat", f"seat.{TABLE}.2", f"seat.{TABLE}.6.0", "seat.*.2.3"):
        await _turned_away(house, Login("stranger", seed, token))


async def test_a_key_of_ones_own_does_not_fit_a_ticket(house: House) -> None:
    await _turned_away(house, Login("thief", natsjwt.new_seed(natsjwt.USER), f"seat.{TABLE}.2.3"))


async def test_a_ticket_fits_its_own_seat_table_and_issue_only(house: House) -> None:
    house.lobby.issues = [3, 3, 3]

    for token in (f"seat.{TABLE}.1.3", f"seat.{OTHER}.2.3", f"seat.{TABLE}.2.4"):
        await _turned_away(house, house.ticket(2, 3, token=token))
    await house.site.log_in(house.ticket(2, 3))


async def test_a_void_issue_a_future_issue_and_an_unknown_table_are_turned_away(house: House) -> None:
    for login in (house.ticket(2, 2), house.ticket(2, 4), house.ticket(0, 0, table=OTHER), house.ticket(4, 0)):
        await _turned_away(house, login)


async def test_an_own_vault_comes_only_where_the_table_has_one(house: House) -> None:
    house.lobby.issues = [3, 3, 3]

    for seat, issue, table in ((1, 3, TABLE), (2, 2, TABLE), (2, 4, TABLE), (2, 3, OTHER)):
        await _turned_away(house, house.own_vault(seat, issue, table=table))
    await house.site.log_in(house.own_vault(2, 3))


async def test_neither_of_a_client_s_and_a_vault_s_ticket_stands_for_the_other(house: House) -> None:
    client, vault = house.ticket(2, 3), house.own_vault(2, 3)

    await _turned_away(house, Login(vault.user, client.seed, vault.token))
    await _turned_away(house, Login(client.user, vault.seed, client.token))


async def test_a_signature_of_another_key_is_refused_although_the_server_does_not_check_it(house: House) -> None:
    thief = await _raw_log_in(house, nkey=_public(house.ticket(2, 3)), signer=SigningKey.generate())
    honest = await _raw_log_in(house, nkey=_public(house.ticket(2, 3)), signer=_key(house.ticket(2, 3)))

    assert thief.startswith(b"-ERR 'Authorization Violation'")
    assert honest.startswith(b"PONG")


def _public(login: Login) -> str:
    return natsjwt.public_nkey(login.seed)


def _key(login: Login) -> SigningKey:
    return SigningKey(bytes(nkeys.decode_seed(bytearray(login.seed.encode()))[1]))


async def _raw_log_in(house: House, *, nkey: str, signer: SigningKey) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", house.site.port)
    nonce = msgspec.json.decode((await reader.readline()).removeprefix(b"INFO "))["nonce"]
    signature = base64.b64encode(signer.sign(nonce.encode()).signature).decode()
    options = {"nkey": nkey, "sig": signature, "auth_token": f"seat.{TABLE}.2.3", "verbose": False, "lang": "raw"}
    writer.write(b"CONNECT " + msgspec.json.encode(options) + b"\r\nPING\r\n")
    answer = await asyncio.wait_for(reader.readline(), 60)
    writer.close()
    return answer


async def test_while_the_game_master_is_away_nobody_is_refused_for_good(house: House) -> None:
    await house.gm.close()

    with pytest.raises(BusError) as caught:
        await house.site.log_in(house.ticket(2, 3))

    assert caught.value.code == "bus/gate-silent"


async def test_a_dead_gate_locks_out_no_service(site: Site) -> None:
    for user in ("gm", "dealer", "dice", "seat0", "seat5", "gate", "gallery", "host", "admin"):
        assert (await site.user(user)).connected


async def test_a_player_comes_back_by_itself_after_the_server_was_killed(house: House) -> None:
    client, back = await house.site.log_in(house.ticket(2, 3)), asyncio.Event()

    async def is_back() -> None:
        back.set()

    client.on_reconnect(is_back)
    await house.site.server.restart()

    await asyncio.wait_for(back.wait(), 60)
    assert await published(client, (f"chambers.{TABLE}.seat.2.up",)) == {f"chambers.{TABLE}.seat.2.up"}


async def test_clients_that_come_again_and_again_do_not_put_the_vault_of_their_seat_out(house: House) -> None:
    back: asyncio.Queue[str] = asyncio.Queue()
    vault, first = await house.site.log_in(house.own_vault(2, 3)), await house.site.log_in(house.ticket(2, 3))
    vault.on_reconnect(lambda: back.put("vault"))
    first.on_reconnect(lambda: back.put("first"))

    for _ in range(gate._AT_A_SEAT):
        await house.site.log_in(house.ticket(2, 3))

    assert await asyncio.wait_for(back.get(), 60) == "first"
    await vault.barrier()
    assert back.empty()


async def test_voiding_a_ticket_ends_the_connections_of_its_holders_for_good(house: House) -> None:
    await house.site.with_stream()
    client, vault = await house.site.log_in(house.ticket(2, 3)), await house.site.log_in(house.own_vault(2, 3))
    other = await house.site.log_in(house.ticket(1, 0))

    await house.void(2, 4)
    whys = [await asyncio.wait_for(one.closed(), 60) for one in (client, vault)]

    assert [why and why.code for why in whys] == ["bus/login-refused", "bus/login-refused"]
    assert other.connected
    await house.site.log_in(house.ticket(2, 4))
    await house.site.log_in(house.own_vault(2, 4))


async def test_a_gate_that_was_started_again_ends_the_connections_it_has_not_admitted(house: House) -> None:
    await house.site.with_stream()
    client, vault = await house.site.log_in(house.ticket(2, 3)), await house.site.log_in(house.own_vault(2, 3))
    other = await house.site.log_in(house.ticket(1, 0))
    await house.close_the_gate()
    await house.open_the_gate()

    await house.void(2, 4)
    whys = [await asyncio.wait_for(one.closed(), 60) for one in (client, vault)]

    assert [why and why.code for why in whys] == ["bus/login-refused", "bus/login-refused"]
    assert other.connected


async def test_a_ticket_voided_while_no_gate_was_there_ends_its_holders_connection_as_soon_as_one_is(
    house: House,
) -> None:
    await house.site.with_stream()
    client, vault = await house.site.log_in(house.ticket(2, 3)), await house.site.log_in(house.own_vault(2, 3))
    other = await house.site.log_in(house.ticket(1, 0))
    await house.close_the_gate()
    await house.void(2, 4)

    await house.open_the_gate()
    whys = [await asyncio.wait_for(one.closed(), 60) for one in (client, vault)]

    assert [why and why.code for why in whys] == ["bus/login-refused", "bus/login-refused"]
    assert other.connected


async def test_a_ninth_connection_by_one_ticket_ends_the_first(house: House) -> None:
    first = await house.site.log_in(house.ticket(2, 3))
    lost, connections = asyncio.Event(), [await house.site.log_in(house.ticket(2, 3)) for _ in range(7)]

    async def is_back() -> None:
        lost.set()

    first.on_reconnect(is_back)
    unharmed = all(bus.connected for bus in (first, *connections)) and not lost.is_set()
    await house.site.log_in(house.ticket(2, 3))

    assert unharmed
    await asyncio.wait_for(lost.wait(), 60)


async def test_the_host_gets_the_secret_of_a_ticket_in_a_box(house: House) -> None:
    host, key = await house.site.user("host"), PrivateKey.generate()
    ask = encode(AdmitRequest(RAW, 2, 3, bytes(key.public_key)))

    reply = msgspec.msgpack.decode(await host.request("chambers-lobby.admit.host", ask), type=AdmitReply | Refusal)

    assert isinstance(reply, AdmitReply)
    assert SealedBox(key).decrypt(reply.sealed) == admit_secret(house.key, RAW, seat=2, issue=3)
    assert admit_secret(house.key, RAW, seat=2, issue=3) not in reply.sealed


@pytest.mark.parametrize(
    "ask",
    [
        b"",
        b"\xc1",
        encode(AdmitRequest(b"short", 2, 3, bytes(32))),
        encode(AdmitRequest(bytes(16), 6, 3, bytes(32))),
        encode(AdmitRequest(bytes(16), -1, 3, bytes(32))),
        encode(AdmitRequest(bytes(16), 2, -1, bytes(32))),
        encode(AdmitRequest(bytes(16), 2, 2**40, bytes(32))),
        encode(AdmitRequest(bytes(16), 2, 3, bytes(31))),
    ],
)
async def test_a_malformed_request_for_a_secret_is_refused(house: House, ask: bytes) -> None:
    host = await house.site.user("host")

    refusal = msgspec.msgpack.decode(await host.request("chambers-lobby.admit.host", ask), type=Refusal)

    assert refusal.code == "protocol/malformed"


async def test_the_gates_answer_goes_to_no_inbox_but_the_hosts(house: House) -> None:
    host, victim = await house.site.user("host"), await house.site.user("seat1")
    ask = encode(AdmitRequest(RAW, 2, 3, bytes(PrivateKey.generate().public_key)))

    async with victim.inboxes.open() as inbox:
        await host.ask("chambers-lobby.admit.host", ask, reply=inbox.address)
        await host.request("chambers-lobby.admit.host", ask)
        await victim.barrier()

    assert inbox.replies.empty()
