"""Who may publish and subscribe to what: one table for the server's configuration, the gate and the tests.

NATS checks the subject that is published to, never the reply subject named with it; so nobody but the game master
and the admin, who answers nobody, has any right in JetStream, and whoever answers may publish only into the inboxes of
those it answers.
"""

from __future__ import annotations

from typing import Final

import msgspec

from chambers.protocol import subjects
from chambers.protocol.subjects import ANY
from chambers.rules.roles import DEALER, DICE, GM, MAX_SEATS, seat_role

GATE: Final = "gate"
GALLERY: Final = "gallery"
HOST: Final = "host"
ADMIN: Final = "admin"
CALLOUT: Final = "callout"
SYS: Final = "sys"

GAME_USERS: Final = (GM, DEALER, DICE, *(seat_role(n) for n in range(MAX_SEATS)), GATE, GALLERY, HOST, ADMIN)
"""Users of the account GAME that log in with an nkey of their own; all others come through the gate."""
STATIC_USERS: Final = (*GAME_USERS, CALLOUT, SYS)

SERVICE_NAMES: Final[dict[str, str]] = {
    GM: "game-master",
    DEALER: "dealer",
    DICE: "dice",
    GATE: "gate",
    GALLERY: "gallery",
    **{str(seat_role(n)): "vault" for n in range(MAX_SEATS)},
}
"""The name by which each user's service announces itself."""


class Permissions(msgspec.Struct, frozen=True):
    """Exact allow lists; neither is ever empty, for the server takes an empty list for no limit."""

    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def _inbox(user: str) -> str:
    return f"{subjects.inbox(user)}.>"


def _announced(user: str) -> tuple[str, ...]:
    name = SERVICE_NAMES[user]
    return tuple(
        subject
        for verb in subjects.SERVICE_VERBS
        for subject in (subjects.service(verb), subjects.service(verb, name), subjects.service(verb, name, ANY))
    )


def _service(user: str, *, publish: tuple[str, ...], subscribe: tuple[str, ...]) -> Permissions:
    return Permissions(
        publish=(*publish, _inbox(HOST)),
        subscribe=(*subscribe, _inbox(user), *_announced(user)),
    )


def _game_master() -> Permissions:
    # Guests are answered too, and their ids are not known before: so any inbox, and the guard of replies decides.
    return Permissions(
        publish=(
            subjects.log(ANY),
            subjects.poke(ANY, DEALER),
            subjects.poke(ANY, DICE),
            subjects.STREAM_INFO,
            subjects.DIRECT_GET,
            _inbox(ANY),
        ),
        subscribe=(
            *(subject(ANY, ANY, own=own) for subject in (subjects.inbound, subjects.tail) for own in (False, True)),
            subjects.feed(ANY),
            *(subjects.lobby(verb, ANY) for verb in (*subjects.LOBBY_VERBS, subjects.GUESTS_VERB)),
            subjects.lobby(subjects.GATES_VERB, GATE),
            _inbox(GM),
            *_announced(GM),
        ),
    )


def _author(role: str) -> tuple[str, ...]:
    """Return what everybody publishes who follows the log and has something to say in it."""
    return subjects.inbound(ANY, role), subjects.tail(ANY, role), subjects.lobby("list", role)


def _dealer() -> Permissions:
    return _service(
        DEALER,
        publish=_author(DEALER),
        subscribe=(subjects.feed(ANY), subjects.poke(ANY, DEALER)),
    )


def _dice() -> Permissions:
    return _service(
        DICE,
        publish=(*_author(DICE), subjects.share(ANY, ANY)),
        subscribe=(subjects.feed(ANY), subjects.poke(ANY, DICE)),
    )


def _vault(seat: int) -> Permissions:
    role = seat_role(seat)
    return _service(
        role,
        publish=(
            *_author(role),
            subjects.seat_down(ANY, seat),
            subjects.code_down(ANY, seat, ANY),
            subjects.lobby("admit", role),
            _inbox(DICE),
        ),
        subscribe=(
            subjects.feed(ANY),
            subjects.share(ANY, seat),
            subjects.ticket(ANY, seat),
            subjects.seat_up(ANY, seat),
            subjects.code_up(ANY, seat, ANY),
        ),
    )


def _gate() -> Permissions:
    return _service(
        GATE,
        publish=(
            subjects.lobby(subjects.GATES_VERB, GATE),
            subjects.code_down(ANY, ANY, ANY, own=True),
            *(_inbox(seat_role(n)) for n in range(MAX_SEATS)),
        ),
        subscribe=(subjects.feed(ANY), subjects.lobby("admit", ANY), subjects.code_up(ANY, ANY, ANY, own=True)),
    )


def _gallery() -> Permissions:
    return _service(
        GALLERY,
        publish=(subjects.lobby("list", GALLERY), subjects.tail(ANY, GALLERY), subjects.watch_down(ANY, ANY)),
        subscribe=(subjects.feed(ANY), subjects.watch_up(ANY, ANY)),
    )


def _host() -> Permissions:
    return Permissions(
        publish=(
            *(subjects.lobby(verb, HOST) for verb in (*subjects.LOBBY_VERBS, "admit")),
            subjects.ticket(ANY, ANY),
            *(f"{subjects.service(verb)}{rest}" for verb in subjects.SERVICE_VERBS for rest in ("", ".>")),
        ),
        subscribe=(_inbox(HOST),),
    )


def of_static_users() -> dict[str, Permissions]:
    """Return the permissions of every user that has an nkey of its own in the server's configuration."""
    vaults = {str(seat_role(seat)): _vault(seat) for seat in range(MAX_SEATS)}
    return {
        GM: _game_master(),
        DEALER: _dealer(),
        DICE: _dice(),
        **vaults,
        GATE: _gate(),
        GALLERY: _gallery(),
        HOST: _host(),
        ADMIN: Permissions(publish=(subjects.JETSTREAM,), subscribe=(_inbox(ADMIN),)),
        CALLOUT: Permissions(publish=(f"{subjects.SERVER_INBOX}.>",), subscribe=(subjects.CALLOUT,)),
        SYS: Permissions(publish=(subjects.CONNECTIONS, subjects.kick(ANY)), subscribe=(_inbox(SYS),)),
    }


def of_seat_client(table: str, seat: int) -> Permissions:
    """Return what a seat's client may do: publish to its vault, and hear it."""
    return Permissions(publish=(subjects.seat_up(table, seat),), subscribe=(subjects.seat_down(table, seat),))


def of_own_vault(table: str, seat: int) -> Permissions:
    """Return what a seat's vault may do from its player's own machine: what it needs at that one table."""
    # The host gets no right to be answered: what it could ask a vault for is nothing that it may know.
    role = seat_role(seat)
    return Permissions(
        publish=(
            subjects.inbound(table, role, own=True),
            subjects.tail(table, role, own=True),
            subjects.seat_down(table, seat),
            _inbox(DICE),
        ),
        subscribe=(
            subjects.feed(table),
            subjects.share(table, seat),
            subjects.seat_up(table, seat),
            _inbox(subjects.own_vault(table, role)),
        ),
    )


def of_watcher(ident: str) -> Permissions:
    """Return what a spectator may do: ask the gallery under its own id, and hear the answer."""
    return Permissions(publish=(subjects.watch_up(ANY, ident),), subscribe=(subjects.watch_down(ANY, ident),))


def of_guest(ident: str) -> Permissions:
    """Return what a guest may do: ask for the list of tables."""
    return Permissions(publish=(subjects.lobby(subjects.GUESTS_VERB, ident),), subscribe=(_inbox(ident),))


def of_knocker(ident: str) -> Permissions:
    """Return what somebody with a code may do: try it under its own id, at a vault or at the gate, and hear of it."""
    return Permissions(
        publish=tuple(subjects.code_up(ANY, ANY, ident, own=own) for own in (False, True)),
        subscribe=tuple(subjects.code_down(ANY, ANY, ident, own=own) for own in (False, True)),
    )
