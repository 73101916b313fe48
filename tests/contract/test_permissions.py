"""What each user may publish and subscribe to, on a real server, against a table written by hand."""

from __future__ import annotations

import pytest
from tests.bus.running_server import OTHER, TABLE, Site

from chambers.bus.nats_bus import NatsBus

T = f"chambers.{TABLE}"
O = f"chambers.{OTHER}"  # noqa: E741 - the other table
VISITOR = "00112233aabbccdd"

ROLES = ("dealer", "dice", "seat0", "seat2", "seat5")
USERS = ("gm", *ROLES, "gate", "gallery", "host", "admin")

JETSTREAM = (
    "$JS.API.INFO",
    "$JS.API.STREAM.CREATE.OTHER",
    "$JS.API.STREAM.UPDATE.CHAMBERS",
    "$JS.API.STREAM.DELETE.OTHER",
    "$JS.API.STREAM.PURGE.OTHER",
    "$JS.API.STREAM.MSG.DELETE.CHAMBERS",
    "$JS.API.STREAM.MSG.GET.CHAMBERS",
    "$JS.API.STREAM.SNAPSHOT.CHAMBERS",
    "$JS.API.CONSUMER.CREATE.CHAMBERS",
    "$JS.API.CONSUMER.CREATE.CHAMBERS.x",
    "$JS.API.CONSUMER.MSG.NEXT.CHAMBERS.x",
    "$JS.API.STREAM.INFO.CHAMBERS",
    "$JS.API.DIRECT.GET.CHAMBERS",
)
MASTERS_JETSTREAM = {"$JS.API.STREAM.INFO.CHAMBERS", "$JS.API.DIRECT.GET.CHAMBERS"}

OWN_VAULT = f"{TABLE}.seat2"
INBOXES = tuple(f"_INBOX.{user}.abc" for user in (*USERS, VISITOR, OWN_VAULT))

EVERYTHING_PUBLISHED = (
    f"{T}.log",
    f"{T}.feed",
    *(f"{T}.in.{role}" for role in (*ROLES, "gm")),
    *(f"{T}.tail.{role}" for role in (*ROLES, "gm", "gallery")),
    *(f"{table}.{verb}.seat{seat}.own" for table in (T, O) for verb in ("in", "tail") for seat in (0, 2)),
    f"{T}.poke.dealer",
    f"{T}.poke.dice",
    *(f"{table}.{kind}.{seat}" for table in (T, O) for kind in ("share", "ticket") for seat in (0, 2)),
    *(f"{table}.seat.{seat}.{way}" for table in (T, O) for seat in (0, 2) for way in ("up", "down")),
    f"{T}.watch.{VISITOR}.up",
    f"{T}.watch.{VISITOR}.down",
    *(f"{T}.code.{seat}.{VISITOR}.{way}" for seat in (0, 2) for way in ("up", "down", "own.up", "own.down")),
    *(f"chambers-lobby.{verb}.host" for verb in ("open", "list", "close", "void", "admit")),
    *(f"chambers-lobby.list.{user}" for user in (*ROLES, "gate", "gallery", VISITOR)),
    *(f"chambers-lobby.tables.{user}" for user in ("host", VISITOR)),
    *(f"chambers-lobby.issues.{user}" for user in ("host", "gate")),
    *(f"chambers-lobby.admit.{user}" for user in ROLES),
    "$SRV.PING",
    "$SRV.STATS.dealer",
    "$SRV.INFO.vault.xyz",
    "$SYS.REQ.SERVER.NABC.KICK",
    "$SYS.REQ.USER.AUTH",
    *JETSTREAM,
    *INBOXES,
)


def _author(role: str) -> set[str]:
    return {f"{T}.in.{role}", f"{T}.tail.{role}", f"chambers-lobby.list.{role}", "_INBOX.host.abc"}


def _vault(seat: int) -> set[str]:
    down = {f"{table}.seat.{seat}.down" for table in (T, O)} if seat in (0, 2) else set()
    code = {f"{T}.code.{seat}.{VISITOR}.down"} if seat in (0, 2) else set()
    return _author(f"seat{seat}") | down | code | {f"chambers-lobby.admit.seat{seat}", "_INBOX.dice.abc"}


MAY_PUBLISH: dict[str, set[str]] = {
    "gm": {f"{T}.log", f"{T}.poke.dealer", f"{T}.poke.dice", *MASTERS_JETSTREAM, *INBOXES},
    "dealer": _author("dealer"),
    "dice": _author("dice") | {f"{table}.share.{seat}" for table in (T, O) for seat in (0, 2)},
    "seat0": _vault(0),
    "seat2": _vault(2),
    "seat5": _vault(5),
    "gate": {
        "chambers-lobby.issues.gate",
        *(f"{T}.code.{seat}.{VISITOR}.own.down" for seat in (0, 2)),
        *(f"_INBOX.{user}.abc" for user in ("host", "seat0", "seat2", "seat5")),
    },
    "gallery": {"chambers-lobby.list.gallery", f"{T}.tail.gallery", f"{T}.watch.{VISITOR}.down", "_INBOX.host.abc"},
    "host": {
        *(f"chambers-lobby.{verb}.host" for verb in ("open", "list", "close", "void", "admit")),
        *(f"{table}.ticket.{seat}" for table in (T, O) for seat in (0, 2)),
        "$SRV.PING",
        "$SRV.STATS.dealer",
        "$SRV.INFO.vault.xyz",
    },
    "admin": set(JETSTREAM),
}

EVERYTHING_SUBSCRIBED = (
    ">",
    "chambers.>",
    f"{T}.>",
    "_INBOX.>",
    "$JS.>",
    "$SYS.>",
    "$SRV.>",
    "$SYS.REQ.USER.AUTH",
    f"{T}.log",
    "chambers.*.log",
    "chambers.*.feed",
    f"{T}.feed",
    f"{O}.feed",
    "chambers.*.in.*",
    "chambers.*.tail.*",
    "chambers.*.in.*.own",
    "chambers.*.tail.*.own",
    "chambers.*.poke.dealer",
    "chambers.*.poke.dice",
    *(f"chambers.*.{kind}.{seat}" for kind in ("share", "ticket") for seat in ("0", "2", "5", "*")),
    *(f"chambers.*.seat.{seat}.{way}" for seat in ("0", "2", "5", "*") for way in ("up", "down")),
    f"{T}.share.2",
    f"{T}.ticket.2",
    f"{O}.share.2",
    f"{T}.seat.2.down",
    f"{T}.seat.2.up",
    f"{O}.seat.2.up",
    f"{T}.watch.{VISITOR}.up",
    f"{T}.watch.{VISITOR}.down",
    *(f"chambers.*.code.{seat}.*.{way}" for seat in ("0", "2", "5", "*") for way in ("up", "down")),
    *(f"chambers.*.code.*.*.own.{way}" for way in ("up", "down")),
    *(f"chambers-lobby.{verb}.*" for verb in ("open", "list", "close", "void", "tables", "issues", "admit")),
    "chambers-lobby.admit.host",
    "chambers-lobby.issues.gate",
    *INBOXES,
    "$SRV.PING",
    "$SRV.STATS.vault",
    "$SRV.INFO.vault.xyz",
    "$SRV.PING.dealer",
)


def _service(user: str, *more: str, name: str = "") -> set[str]:
    own = {"vault": {"$SRV.STATS.vault", "$SRV.INFO.vault.xyz"}, "dealer": {"$SRV.PING.dealer"}}
    feeds = {"chambers.*.feed", f"{T}.feed", f"{O}.feed"}
    return {f"_INBOX.{user}.abc", "$SRV.PING", *feeds, *own.get(name, set()), *more}


def _vault_hears(seat: int) -> set[str]:
    two = {f"{table}.{what}" for table in (T, O) for what in ("seat.2.up", "share.2")} | {f"{T}.ticket.2"}
    named = two if seat == 2 else set()
    own = (
        f"chambers.*.share.{seat}",
        f"chambers.*.ticket.{seat}",
        f"chambers.*.seat.{seat}.up",
        f"chambers.*.code.{seat}.*.up",
    )
    return _service(f"seat{seat}", *own, name="vault") | named


MAY_SUBSCRIBE: dict[str, set[str]] = {
    "gm": _service("gm", *(f"chambers.*.{verb}.*{own}" for verb in ("in", "tail") for own in ("", ".own")))
    | {f"chambers-lobby.{verb}.*" for verb in ("open", "list", "close", "void", "tables")}
    | {"chambers-lobby.issues.gate"},
    "dealer": _service("dealer", "chambers.*.poke.dealer", name="dealer"),
    "dice": _service("dice", "chambers.*.poke.dice"),
    "seat0": _vault_hears(0),
    "seat2": _vault_hears(2),
    "seat5": _vault_hears(5),
    "gate": _service("gate", "chambers-lobby.admit.*", "chambers-lobby.admit.host", "chambers.*.code.*.*.own.up"),
    "gallery": _service("gallery", f"{T}.watch.{VISITOR}.up"),
    "host": {"_INBOX.host.abc"},
    "admin": {"_INBOX.admin.abc"},
}


async def published(bus: NatsBus, subjects: tuple[str, ...]) -> set[str]:
    """Return which of the subjects the server lets this connection publish to."""
    bus.denied.clear()
    for subject in subjects:
        await bus.publish(subject, b"")
    await bus.barrier()
    return _not_denied(bus, subjects, "publish")


async def subscribed(bus: NatsBus, subjects: tuple[str, ...]) -> set[str]:
    """Return which of the subjects the server lets this connection subscribe to."""

    async def ignore(_subject: str, _data: bytes) -> None:
        return None

    bus.denied.clear()
    for subject in subjects:
        await bus.subscribe(subject, ignore)
    return _not_denied(bus, subjects, "subscription")


def _not_denied(bus: NatsBus, subjects: tuple[str, ...], what: str) -> set[str]:
    denied = " ".join(bus.denied)
    return {subject for subject in subjects if f'{what} to "{subject.lower()}"' not in denied}


@pytest.mark.parametrize("user", USERS)
async def test_a_user_may_publish_to_exactly_its_own_subjects(site: Site, user: str) -> None:
    await site.with_stream()

    assert await published(await site.user(user), EVERYTHING_PUBLISHED) == MAY_PUBLISH[user]


@pytest.mark.parametrize("user", USERS)
async def test_a_user_may_subscribe_to_exactly_its_own_subjects(site: Site, user: str) -> None:
    assert await subscribed(await site.user(user), EVERYTHING_SUBSCRIBED) == MAY_SUBSCRIBE[user]


async def test_the_callout_connection_may_only_answer_the_server(site: Site) -> None:
    callout = await site.user("callout")

    assert await published(callout, EVERYTHING_PUBLISHED) == set()
    assert await published(callout, ("$SYS._INBOX.abc.def",)) == {"$SYS._INBOX.abc.def"}
    assert await subscribed(callout, EVERYTHING_SUBSCRIBED) == {"$SYS.REQ.USER.AUTH"}


async def test_the_sys_connection_may_only_list_connections_and_end_them(site: Site) -> None:
    sys = await site.user("sys")

    more = ("$SYS.REQ.SERVER.PING.CONNZ", "$SYS.REQ.ACCOUNT.GAME.CONNZ", "$SYS.REQ.SERVER.PING.SUBSZ")

    allowed = {"$SYS.REQ.SERVER.NABC.KICK", "$SYS.REQ.SERVER.PING.CONNZ"}
    assert await published(sys, (*EVERYTHING_PUBLISHED, *more)) == allowed
    assert await subscribed(sys, EVERYTHING_SUBSCRIBED) == set()


async def test_what_is_published_outside_the_game_account_never_gets_into_it(site: Site) -> None:
    callout, dealer = await site.user("callout"), await site.user("dealer")
    heard: list[bytes] = []

    async def hear(_subject: str, data: bytes) -> None:
        heard.append(data)

    await dealer.subscribe("chambers.*.feed", hear)
    await callout.publish(f"{T}.feed", b"forged")
    await callout.barrier()
    await dealer.barrier()

    assert heard == []
