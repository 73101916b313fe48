"""The games there are, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, cast

from chambers.rules import missing_suspect, witness_stand
from chambers.rules.errors import RuleError
from chambers.rules.game import Game

GAMES: Final = MappingProxyType(
    {
        witness_stand.NAME: cast(Game, witness_stand),
        missing_suspect.NAME: cast(Game, missing_suspect),
    }
)


def game(name: str) -> Game:
    """Return a game's rules by its name; RuleError (`rule/unknown-game`) lists the known ones."""
    try:
        return GAMES[name]
    except KeyError:
        known = ", ".join(sorted(GAMES))
        raise RuleError("rule/unknown-game", f"There is no game '{name}' here; there is: {known}.") from None
