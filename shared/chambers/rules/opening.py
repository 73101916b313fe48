"""Opening a table: what an `open` event must say, and the table it makes."""

from __future__ import annotations

from typing import Final

from chambers.rules.errors import RuleError
from chambers.rules.events import LAST_WORDS
from chambers.rules.game import Game
from chambers.rules.games import game
from chambers.rules.roles import MAX_SEATS
from chambers.rules.table import Table
from chambers.rules.terms import Setup
from chambers.rules.usual_options import complete

VERSION: Final = 1
CHAIN_LEAST: Final = 16
CHAIN_MOST: Final = 65536
REVEALS: Final = tuple(LAST_WORDS)


def new_table(setup: Setup, /, *, ts: int = 0) -> Table:
    """Return the table that an open event makes; RuleError for a setup that nobody could play or audit."""
    opening = setup.opening
    if opening.v != VERSION:
        raise RuleError(
            "rule/version", f"This log is written in version {opening.v}; version {VERSION} is understood here."
        )
    rules = game(opening.game)
    if opening.rules != rules.RULES:
        raise RuleError("rule/version", f"The table is played by {opening.rules}; {rules.RULES} is understood here.")
    if not 2 <= len(opening.seats) <= MAX_SEATS:
        raise RuleError("rule/seats", "A table has 2 to 6 seats.", section="Object of the Game")
    if opening.reveal not in REVEALS:
        raise RuleError("rule/reveal-policy", f"The reveal policy is one of: {', '.join(REVEALS)}.")
    named = opening.auditor_key is not None and len(opening.auditor_key) == 32
    if named != (opening.reveal == "auditor") or (opening.auditor_key is not None and not named):
        raise RuleError("rule/auditor-key", "A key of 32 bytes is named for an auditor, and for no other policy.")
    if not CHAIN_LEAST <= opening.chain <= CHAIN_MOST:
        raise RuleError("rule/chain", f"A dice chain has {CHAIN_LEAST} to {CHAIN_MOST} links.")
    if any(seat.vault not in ("host", "own") for seat in opening.seats):
        raise RuleError("rule/vault", "A seat's vault is kept by the host (host) or by the player (own).")
    if opening.options != complete_options(rules, opening.options):
        raise RuleError("rule/options", "An open event lists every option of its game, sorted by name.")
    rules.check_setup(setup)
    nothing = (0,) * len(opening.seats)
    return Table(game=rules, setup=setup, ts=ts, since_ts=ts, moved=ts, issues=nothing, said=nothing)


def complete_options(rules: Game, given: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the options of a table, sorted and complete; RuleError for one unknown or twice, or another value."""
    return complete(rules.OPTIONS, given)
