"""What can be told in words at a table of each game: the edition of canaries, what bytes name, and who learns what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.support import canaries, city_canaries

from chambers.protocol.client import FromVault
from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.events import Ask
from chambers.rules.missing_suspect.play import TOPS

Item = int | str


class Lexicon(NamedTuple):
    """One game's words. `named` reads bytes, `shown` a message's figures; the others say what may be told to whom."""

    write_edition: Callable[[Path], Path]
    named: Callable[..., set[Any]]
    everything: frozenset[Item]
    told_by: Callable[[int], set[Item]]
    under: Callable[[int, int], set[Item]]
    said: Callable[[TableEvent], set[Item]]
    shown: Callable[[FromVault], set[Item]]
    offered: Callable[[FromVault], set[Item]]
    never_asked: str


def _nothing(_: object) -> set[Item]:
    return set()


def _asked(event: TableEvent) -> set[Item]:
    return {f"clue {event.clue}"} if isinstance(event, Ask) else set()


LEXICONS: Final = {
    "witness-stand": Lexicon(
        write_edition=canaries.write_edition,
        named=canaries.named,
        everything=frozenset(canaries.ALL_KINDS),
        told_by=lambda kind: {kind},
        under=lambda _, value: {value},
        said=_nothing,
        shown=_nothing,
        offered=_nothing,
        never_asked="show.A1*",
    ),
    "missing-suspect": Lexicon(
        write_edition=city_canaries.write_edition,
        named=city_canaries.named,
        everything=city_canaries.ALL_ITEMS,
        told_by=city_canaries.told_by,
        under=lambda place, value: city_canaries.under(place - TOPS, value),
        said=_asked,
        shown=city_canaries.shown_in,
        offered=city_canaries.on_the_list_of_questions,
        never_asked="show.A3-E2",
    ),
}
