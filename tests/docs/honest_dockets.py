"""Honest records of all sorts, by number: sizes, options, talk, dropped seats, setups started anew, early ends."""

from __future__ import annotations

from collections.abc import Callable

from tests.attacks.crooked_evening import Attack, CrookedEvening
from tests.audit.honest_game import EventHook, PlayedGame, play_game

from chambers.clients.long_record import long_record
from chambers.protocol.docket import Docket
from chambers.rules import due
from chambers.rules.events import Close, Mix, Roll, TableEvent
from chambers.rules.roles import DICE, GM, Role, seat_role

_OPTIONS: tuple[dict[str, str], ...] = (
    {},
    {"object_window": "skip"},
    {"object_window": "full-5", "burger_skips_out": "yes"},
    {"turn_limit": "30", "answer_limit": "30", "step3": "always"},
    {"last_player_wins": "yes", "dismiss_chambers": "yes", "step3": "literal"},
)


def _drops_a_seat(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
    if isinstance(event, Roll) and event.k == 9 and not game.table.dropped:
        game.drop(2)
        again = any(item.who == DICE for item in due(game.table))
        return game.roll(game.table.rolls + 1) if again else None
    return event


def _starts_anew(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
    if isinstance(event, Mix) and role == "seat1" and game.table.attempt < 3:
        game.again(role)
        return None
    return event


def _ends_in_its_setup(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent | None:
    if isinstance(event, Mix):
        game.say(GM, Close("aborted: the guests went home"))
        return None
    return event


def court(number: int) -> Docket:
    """Return the record of a trial; of every ten, one drops a seat, one starts its setup anew, one ends in it."""
    events: dict[int, EventHook] = {3: _drops_a_seat, 5: _starts_anew, 7: _ends_in_its_setup}
    return play_game(
        seats=4 if number % 10 == 3 else 2 + number % 5,
        seed=1000 + number,
        options=_OPTIONS[number // 10 % 5],
        edition="stuttering-bishop" if number % 10 == 9 else "tandem-target",
        lapses=0.1,
        talk=0.05,
        most=150 if number % 10 == 1 else 4000,
        event=events.get(number % 10),
    ).docket()


def city(number: int) -> Docket:
    """Return the record of an investigation; every other one is by detectives who know what they do."""
    seats = 2 + number % 5
    if number % 2:
        attack = Attack("", "missing-suspect", seat_role(1))
        return CrookedEvening(attack, 1000 + number, seats=seats).evening().docket()
    return long_record(450, edition="missing-suspect", seats=seats, seed=1000 + number)


GAMES: dict[str, Callable[[int], Docket]] = {"witness-stand": court, "missing-suspect": city}
