"""What a seat or a spectator is shown of a table, as plain JSON values; built from what may be seen, never stripped."""

from __future__ import annotations

from typing import Any, Final

from chambers.protocol.client import Ask, Choice
from chambers.rules import Phase, Table, due, rollers
from chambers.rules.events import TableEvent
from chambers.rules.game import Hand
from chambers.rules.narrate import who
from chambers.rules.roles import DICE, Role, seat_of
from chambers.rules.terms import Prompt

OWN_VAULT: Final = " (own vault)"
"""What stands behind a player's name where the table waits for a vault that is not the host's."""


def public_view(table: Table) -> dict[str, Any]:
    """Return what everybody may see: `{"phase", "names", "dropped", "public"}`; `public` is the game's own part."""
    return {
        "phase": str(table.phase),
        "names": list(table.names),
        "dropped": list(table.dropped),
        "public": {} if table.play is None else table.game.public_view(table.play),
    }


def seat_view(table: Table, hand: Hand, *, notes: str) -> dict[str, Any]:
    """Return the public view with what only this seat sees: `hand` and `sheet` of its game, and its own `notes`."""
    private = {} if table.play is None or hand is None else table.game.private_view(table.play, hand)
    return {**public_view(table), **private, "notes": notes}


def waited_for(table: Table) -> tuple[str, ...]:
    """Return the names of the roles that owe something now, and of the seats that a published roll lacks.

    In the setup a name bears `(own vault)` where that is what is waited for.
    """
    found = [item.who for item in due(table)]
    if table.shares:  # a roll has stood still so long that shares are published: whose is missing holds it up
        given = dict(table.shares)
        found += [role for role in rollers(table) if role != DICE and role not in given]
    return tuple(dict.fromkeys(_awaited(table, role) for role in found))


def _awaited(table: Table, role: Role) -> str:
    seat = seat_of(role)
    setup = table.phase in (Phase.COMMIT, Phase.MIX)
    own = setup and seat is not None and table.setup.opening.seats[seat].vault == "own"
    return f"{who(table, role)}{OWN_VAULT if own else ''}"


def ask_of(prompt: Prompt) -> Ask:
    """Return a prompt as a client gets it; of an event only what says which option it is, never an opening."""
    options = tuple(Choice(option.id, option.label, _fields(option.event)) for option in prompt.options)
    return Ask(prompt.id, prompt.kind, prompt.text, options, prompt.ruling, prompt.until)


def _fields(event: TableEvent) -> dict[str, Any]:
    values = ((name, getattr(event, name)) for name in event.__struct_fields__)
    plain = {name: value for name, value in values if not isinstance(value, bytes)}
    return {"tag": event.__struct_config__.tag, **plain}
