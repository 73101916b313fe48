"""The rules core: pure functions of a table, its events and a hand. No clock, no randomness, no network.

    table = new_table(Setup(opening, edition))
    check(table, author, event, ts=ts)            # refuses with RuleError
    table = evolve(table, author, event, ts=ts)
    due(table)                                    # who owes what next

A game's own rules are in its package, behind the door that `game.py` describes.
"""

from chambers.rules.check import check
from chambers.rules.due import due, rollers
from chambers.rules.errors import RuleError
from chambers.rules.evolve import evolve
from chambers.rules.games import GAMES, game
from chambers.rules.narrate import narrate
from chambers.rules.opening import complete_options, new_table
from chambers.rules.table import Phase, Table

__all__ = [
    "GAMES",
    "Phase",
    "RuleError",
    "Table",
    "check",
    "complete_options",
    "due",
    "evolve",
    "game",
    "narrate",
    "new_table",
    "rollers",
]
