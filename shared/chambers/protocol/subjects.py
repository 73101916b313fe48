"""The one module that spells subjects. Ids that enter a subject match `[a-z0-9]{1,32}`; a player's name never does."""

from __future__ import annotations

import re
from typing import Final

from chambers.protocol.errors import ProtocolError
from chambers.rules.roles import Role

STREAM: Final = "CHAMBERS"
ANY: Final = "*"
OWN: Final = "own"
"""Stands behind a seat where its vault asks from its player's own machine."""

_TOKEN: Final = re.compile(r"[a-z0-9]{1,32}")
_TABLE: Final = re.compile(r"[0-9a-f]{32}")

LOBBY_VERBS: Final = ("open", "list", "close", "void")
"""What the game master answers the host in the lobby; `list` also whoever follows tables."""
GUESTS_VERB: Final = "tables"
GATES_VERB: Final = "issues"


def token(text: str) -> str:
    """Return `text` if it may enter a subject; ProtocolError (`protocol/bad-id`) for anything else."""
    if text != ANY and not _TOKEN.fullmatch(text):
        raise ProtocolError("protocol/bad-id", "An id is 1 to 32 of the characters a-z and 0-9.")
    return text


def table_id(subject: str) -> bytes:
    """Return the 16 bytes of the table that a subject names; ProtocolError if it names none."""
    parts = subject.split(".")
    if len(parts) < 2 or not _TABLE.fullmatch(parts[1]):
        raise ProtocolError("protocol/bad-id", "This subject names no table.")
    return bytes.fromhex(parts[1])


def table_token(subject: str) -> str:
    """Return the second token of a subject, which names the table of all that is about one."""
    parts = subject.split(".", 2)
    return parts[1] if len(parts) > 1 else ""


def asker(subject: str) -> str:
    """Return the user that asks on a subject: its last token, or that seat's own vault at that table."""
    rest, _, last = subject.rpartition(".")
    return own_vault(table_token(subject), rest.rpartition(".")[2]) if last == OWN else last


def role_of(user: str) -> str:
    """Return the role that a user speaks for: a vault has one user more for each table that its player keeps it at."""
    return user.rpartition(".")[2]


def is_own(user: str) -> bool:
    """Return whether a user is a vault on its player's own machine."""
    return "." in user


def log(table: str) -> str:
    """Return the JetStream subject of a table's log."""
    return f"chambers.{token(table)}.log"


def feed(table: str) -> str:
    """Return the subject on which the server republishes stored entries."""
    return f"chambers.{token(table)}.feed"


def inbound(table: str, role: Role | str, *, own: bool = False) -> str:
    """Return the subject on which a role, or a seat's own vault, asks the game master to append its statement."""
    return f"chambers.{token(table)}.in.{token(role)}{f'.{OWN}' if own else ''}"


def tail(table: str, role: Role | str, *, own: bool = False) -> str:
    """Return the subject on which a role (a seat's own vault, the gallery) asks the game master for entries."""
    return f"chambers.{token(table)}.tail.{token(role)}{f'.{OWN}' if own else ''}"


def poke(table: str, role: Role | str) -> str:
    """Return the subject on which the game master pushes the dealer or the dice."""
    return f"chambers.{token(table)}.poke.{token(role)}"


def share(table: str, seat: int | str) -> str:
    """Return the subject on which the dice ask a vault for its share of a roll."""
    return f"chambers.{token(table)}.share.{token(str(seat))}"


def ticket(table: str, seat: int | str) -> str:
    """Return the subject on which the host asks a vault for the `pair` secret of a ticket."""
    return f"chambers.{token(table)}.ticket.{token(str(seat))}"


def seat_up(table: str, seat: int | str) -> str:
    """Return the subject a seat's client publishes to: the only one."""
    return f"chambers.{token(table)}.seat.{token(str(seat))}.up"


def seat_down(table: str, seat: int | str) -> str:
    """Return the subject a seat's client subscribes to: the only one."""
    return f"chambers.{token(table)}.seat.{token(str(seat))}.down"


def watch_up(table: str, watcher: str) -> str:
    """Return the subject a spectator publishes to."""
    return f"chambers.{token(table)}.watch.{token(watcher)}.up"


def watch_down(table: str, watcher: str) -> str:
    """Return the subject a spectator subscribes to."""
    return f"chambers.{token(table)}.watch.{token(watcher)}.down"


def code_up(table: str, seat: int | str, visitor: str, *, own: bool = False) -> str:
    """Return the subject on which a visitor tries a code at a seat's vault, or at the gate for the seat's own vault."""
    return _code(table, seat, visitor, "own.up" if own else "up")


def code_down(table: str, seat: int | str, visitor: str, *, own: bool = False) -> str:
    """Return the subject on which a visitor hears what became of its code."""
    return _code(table, seat, visitor, "own.down" if own else "down")


def _code(table: str, seat: int | str, visitor: str, way: str) -> str:
    return f"chambers.{token(table)}.code.{token(str(seat))}.{token(visitor)}.{way}"


def lobby(verb: str, user: str) -> str:
    """Return a lobby subject: `admit` is answered by the gate, every other verb by the game master; `user` asks."""
    return f"chambers-lobby.{token(verb)}.{token(user)}"


def own_vault(table: str, role: Role | str) -> str:
    """Return the user that a seat's vault is on its player's own machine: one of its own at each table."""
    return f"{token(table)}.{token(role)}"


def inbox(user: str) -> str:
    """Return the prefix below which alone a user's requests may be answered, without the last dot."""
    return ".".join(("_INBOX", *map(token, user.split("."))))


# Subjects that NATS itself answers.

SERVER_INBOX: Final = "$SYS._INBOX"
"""Below this the server's own requests are answered, without the last dot."""
CALLOUT: Final = "$SYS.REQ.USER.AUTH"
EVERY_LOG: Final = "chambers.*.log"
FEED_OF_LOG: Final = "chambers.{{wildcard(1)}}.feed"
JETSTREAM: Final = "$JS.API.>"
STREAM_CREATE: Final = f"$JS.API.STREAM.CREATE.{STREAM}"
STREAM_INFO: Final = f"$JS.API.STREAM.INFO.{STREAM}"
STREAM_PURGE: Final = f"$JS.API.STREAM.PURGE.{STREAM}"
DIRECT_GET: Final = f"$JS.API.DIRECT.GET.{STREAM}"
SERVICE_VERBS: Final = ("PING", "INFO", "STATS")
"""What every service answers by the NATS services API."""


CONNECTIONS: Final = "$SYS.REQ.SERVER.PING.CONNZ"
"""Asks every server who is connected."""


def kick(server: str) -> str:
    """Return the subject that ends a client's connection; `server` is the server's id, or `*` in a permission."""
    return f"$SYS.REQ.SERVER.{server}.KICK"


def service(verb: str, name: str = "", ident: str = "") -> str:
    """Return the subject of the NATS services API that asks all services, those of a name, or one of them."""
    return ".".join(part for part in ("$SRV", verb, name, ident) if part)


_SLOTS: Final = {
    "in": "<role>",
    "tail": "<role>",
    "share": "<n>",
    "ticket": "<n>",
    "seat": "<n>",
    "watch": "<id>",
    "code": "<n>",
}
_LOBBY: Final = {"list": "<user>", "admit": "<user>", GUESTS_VERB: "<id>", GATES_VERB: "gate"}


def written(subject: str) -> str:
    """Return a subject, or a pattern of them, as documents write it: `<t>` for a table, `<n>` for a seat, and so on."""
    head, *rest = subject.split(".")
    match head:
        case "$SRV":
            return service(rest[0])
        case "_INBOX":
            return ".".join(["_INBOX", *map(_whose, rest[:-1]), ">"])
        case "chambers-lobby":
            return f"{head}.{rest[0]}.{_LOBBY.get(rest[0], 'host')}"
        case "$SYS":
            return subject.replace("*", "<server>")
        case "chambers":
            slot = [_SLOTS.get(rest[1], rest[2])] if len(rest) > 2 else []
            ident = ["<id>"] if rest[1] == "code" else rest[3:4]
            return ".".join([head, "<t>", rest[1], *slot, *ident, *rest[4:]])
        case _:
            return subject


def _whose(user: str) -> str:
    if _TABLE.fullmatch(user):
        return "<t>"
    if re.fullmatch(r"seat[0-9]", user):
        return "seat<n>"
    return "<user>" if user == ANY else "<id>" if re.fullmatch(r"[0-9a-f]{16}", user) else user
